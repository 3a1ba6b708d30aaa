//! The parts with which requests are authenticated and services are called.

use std::sync::Arc;

use hourmeter_proto::access::{PolicyTable, policy_table};
use hourmeter_runtime::client::CallerSigner;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::process::parse_key;
use secrecy::SecretString;

use crate::config::{Backends, GatewayConfig};
use crate::entitlements::EntitlementCache;
use crate::limits::Limits;
use crate::retry::RetryBudget;
use crate::session_cache::SessionCache;

pub struct Services {
    pub config: GatewayConfig,
    pub backends: Backends,
    pub policy: PolicyTable,
    /// Signs the principal of calls to services.
    pub callers: Arc<CallerSigner>,
    pub clock: Clock,
    pub limits: Limits,
    pub entitlements: Arc<EntitlementCache>,
    pub sessions: SessionCache,
    pub retries: RetryBudget,
}

impl Services {
    /// Fails on invalid settings or an RPC without access policy. Spawns tasks.
    pub fn new(
        config: GatewayConfig,
        backends: Backends,
        signer: Signer,
        clock: Clock,
        events: &Events,
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
            config,
            backends,
            policy,
            callers: CallerSigner::new(signer),
            clock,
            limits,
            sessions,
            entitlements: EntitlementCache::start(events),
            retries: RetryBudget::new(),
        }))
    }
}

/// Older installations have no such key: theirs changes with the signing key.
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
    fn limits_key_does_not_depend_on_the_signing_key() {
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
        // Without the setting, each signing key derives its own.
        let [one, other] = of(None);
        assert!(one.is_some() && other.is_some() && one != other);
        assert_eq!(of(Some(&SecretString::from("short"))), [None, None]);
    }
}
