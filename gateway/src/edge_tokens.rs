//! Signed identities of the gateway itself, each used for some seconds. Every request asks whose
//! session it brings, and a signature for each of these questions would say nothing more.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Caller, Service, Signer};
use http::HeaderValue;
use uuid::Uuid;

/// How long one is used; well within what it lives.
const REUSE: Duration = Duration::from_secs(10);

/// The one in use for each service.
#[derive(Default)]
pub struct EdgeTokens(Mutex<BTreeMap<Service, (Instant, HeaderValue)>>);

impl EdgeTokens {
    /// The one to use now. Its request id is its own: it is for calls that write nothing.
    pub fn get(
        &self,
        signer: &Signer,
        service: Service,
        now: Instant,
    ) -> Result<HeaderValue, Failure> {
        // A half-done insert can't be seen, so a panic leaves nothing wrong behind.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, token)) = all.get(&service)
            && now.saturating_duration_since(*made) < REUSE
        {
            return Ok(token.clone());
        }
        let caller = Caller::Edge {
            request_id: Uuid::now_v7(),
        };
        let token = sign(signer, service, &caller)?;
        all.insert(service, (now, token.clone()));
        Ok(token)
    }
}

/// The header with a caller's signed identity.
pub fn sign(signer: &Signer, service: Service, caller: &Caller) -> Result<HeaderValue, Failure> {
    let token = signer.sign(service, caller)?;
    token
        .parse()
        .map_err(|_| Failure::internal("identity is not ASCII"))
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::identity::{TrustedIssuers, Verifier};

    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    #[test]
    fn one_is_used_for_ten_seconds_and_one_service() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let (tokens, start) = (EdgeTokens::default(), Instant::now());
        let get = |service, seconds| {
            let now = start + Duration::from_secs(seconds);
            tokens.get(&signer, service, now).expect("a token")
        };
        let first = get(Service::Accounts, 0);
        assert_eq!(get(Service::Accounts, 9), first);
        assert_ne!(get(Service::Billing, 9), first);
        let second = get(Service::Accounts, 10);
        assert_ne!(second, first);
        assert_eq!(get(Service::Accounts, 19), second);

        let key = TrustedIssuers::public_key(&SECRET);
        let trusted = TrustedIssuers::default().with("gateway", key);
        let verifier = Verifier::new(Service::Accounts, &trusted);
        let caller = verifier.verify(second.to_str().expect("text"));
        assert!(matches!(caller, Ok(Caller::Edge { .. })));
    }
}
