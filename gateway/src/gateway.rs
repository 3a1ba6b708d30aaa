//! What all parts of the gateway share.

use std::sync::Arc;

use hourmeter_proto::access::{PolicyTable, policy_table};
use hourmeter_runtime::client::CallerSigner;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::process::parse_key;
use secrecy::SecretString;

use crate::answers::Answers;
use crate::audit::Audit;
use crate::config::{Backends, GatewayConfig};
use crate::entitlements::EntitlementCache;
use crate::health::Health;
use crate::layers::body::Bodies;
use crate::limits::Limits;
use crate::retry::RetryBudget;
use crate::session_cache::SessionCache;
use crate::watch::Watchers;

/// Shared by every request.
pub struct Gateway {
    /// Settings.
    pub config: GatewayConfig,
    /// The services.
    pub backends: Backends,
    /// The access policy of every RPC.
    pub policy: PolicyTable,
    /// Names the callers of calls to services.
    pub callers: Arc<CallerSigner>,
    /// Tells the time.
    pub clock: Clock,
    /// Counts and refuses what comes too often.
    pub limits: Limits,
    /// Bodies of requests, while they arrive and while they are worked on.
    pub bodies: Bodies,
    /// Bodies of answers, until clients have taken them.
    pub answers: Answers,
    /// Whether accounts answers.
    pub health: Health,
    /// What companies' plans entitle them to, for seconds.
    pub entitlements: Arc<EntitlementCache>,
    /// Resolved sessions, for seconds.
    pub sessions: SessionCache,
    /// How many reads may be repeated.
    pub retries: RetryBudget,
    /// What only the gateway sees, on its way to the audit log.
    pub audit: Audit,
    /// What services tell.
    pub events: Events,
    /// Who watches for it.
    pub watchers: Arc<Watchers>,
}

impl Gateway {
    /// Fails when settings are wrong or an RPC has no access policy. Begins a task, so it needs a
    /// runtime.
    pub fn new(
        config: GatewayConfig,
        backends: Backends,
        signer: Signer,
        clock: Clock,
        events: Events,
    ) -> Result<Arc<Self>, ServiceError> {
        config.check()?;
        let policy = policy_table().map_err(ServiceError::internal)?;
        let limits = Limits::new(
            clock.clone(),
            config.rate_limits,
            limits_key(config.limits_key.as_ref(), &signer)?,
            config.redis_url.as_ref(),
        )?;
        let sessions = SessionCache::new(config.redis_url.as_ref())?;
        Ok(Arc::new(Self {
            bodies: Bodies::new(config.rate_limits),
            answers: Answers::default(),
            health: Health::default(),
            config,
            backends,
            policy,
            callers: CallerSigner::new(signer),
            clock,
            limits,
            sessions,
            entitlements: EntitlementCache::start(&events),
            retries: RetryBudget::new(),
            audit: Audit::default(),
            events,
            watchers: Arc::default(),
        }))
    }
}

/// Installations from before there was such a key have none: theirs changes with the signing key.
fn limits_key(key: Option<&SecretString>, signer: &Signer) -> Result<[u8; 32], ServiceError> {
    let Some(key) = key else {
        return Ok(signer.derived("limits"));
    };
    parse_key(key).map_err(|problem| ServiceError::internal(format!("LIMITS_KEY_FILE {problem}")))
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::testing::{GATEWAY_SECRET, RELAY_SECRET};

    use super::*;

    #[test]
    fn limits_key_outlives_the_signing_key() {
        let signers = [GATEWAY_SECRET, RELAY_SECRET].map(|secret| {
            let signer = Signer::new("gateway", &secret);
            signer.expect("a signer")
        });
        let key = SecretString::from("4FVzLnWkxQ0mZ2nXt0d7Zx6Cwq3bT9yGf1hVJrEo8sA=");
        let of = |key| {
            signers
                .each_ref()
                .map(|signer| limits_key(key, signer).ok())
        };
        let [one, other] = of(Some(&key));
        assert!(one.is_some() && one == other);
        // Without it each signing key has its own.
        let [one, other] = of(None);
        assert!(one.is_some() && other.is_some() && one != other);
        assert_eq!(of(Some(&SecretString::from("short"))), [None, None]);
    }
}
