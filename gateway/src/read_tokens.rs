//! Signed identities, each used for some seconds by calls that only read. Whatever changes in the
//! session or the plan makes another identity.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Caller, Service, Signer};
use http::HeaderValue;
use uuid::Uuid;

use crate::measure::CacheMeter;

/// How long one is used; well within what it lives.
const REUSE: Duration = Duration::from_secs(10);
/// How many are kept.
const KEPT: usize = 4096;

/// The ones in use, by service and session; the gateway itself is the session without id.
pub struct ReadTokens {
    all: Mutex<HashMap<(Service, Uuid), Kept>>,
    meter: CacheMeter,
}

impl Default for ReadTokens {
    fn default() -> Self {
        Self {
            all: Mutex::default(),
            meter: CacheMeter::new("read_tokens"),
        }
    }
}

struct Kept {
    made: Instant,
    caller: Caller,
    token: HeaderValue,
}

impl ReadTokens {
    /// The one to use now. Its request id is that of the request it was made for: it is for calls
    /// that write nothing.
    pub fn get(
        &self,
        signer: &Signer,
        service: Service,
        caller: &Caller,
        now: Instant,
    ) -> Result<HeaderValue, Failure> {
        let key = (service, session(caller));
        // A half-done insert can't be seen, so a panic leaves nothing wrong behind.
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let usable = all.get(&key).filter(|kept| {
            now.saturating_duration_since(kept.made) < REUSE && same(&kept.caller, caller)
        });
        if let Some(kept) = self.meter.count(usable) {
            return Ok(kept.token.clone());
        }
        let token = sign(signer, service, caller)?;
        if all.len() >= KEPT {
            all.clear();
        }
        let kept = Kept {
            made: now,
            caller: caller.clone(),
            token: token.clone(),
        };
        all.insert(key, kept);
        Ok(token)
    }
}

fn session(caller: &Caller) -> Uuid {
    match caller {
        Caller::Person(identity) => identity.session_id,
        Caller::Staff(staff) => staff.session_id,
        Caller::Edge { .. } | Caller::Service { .. } => Uuid::nil(),
    }
}

/// Whether two callers differ in nothing but the request.
fn same(kept: &Caller, caller: &Caller) -> bool {
    match (kept, caller) {
        (Caller::Edge { .. }, Caller::Edge { .. }) => true,
        (Caller::Person(kept), Caller::Person(identity)) => kept.differs_only_in_request(identity),
        (Caller::Staff(kept), Caller::Staff(staff)) => kept.differs_only_in_request(staff),
        _ => false,
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
    use hourmeter_runtime::identity::{Identity, TrustedIssuers, Verifier};

    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    #[test]
    fn one_is_used_for_ten_seconds_and_one_service() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let (tokens, start) = (ReadTokens::default(), Instant::now());
        let get = |service, seconds| {
            let now = start + Duration::from_secs(seconds);
            let caller = Caller::Edge {
                request_id: Uuid::now_v7(),
            };
            tokens.get(&signer, service, &caller, now).expect("a token")
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

    #[test]
    fn whatever_changes_about_a_person_makes_another() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let (tokens, now) = (ReadTokens::default(), Instant::now());
        let get = |identity: &Identity| {
            let caller = Caller::Person(Box::new(identity.clone()));
            tokens
                .get(&signer, Service::Equipment, &caller, now)
                .expect("a token")
        };
        let owner = hourmeter_runtime::testing::owner();
        let first = get(&owner);
        let next_request = Identity {
            request_id: Uuid::now_v7(),
            ..owner.clone()
        };
        assert_eq!(get(&next_request), first);
        let mut expired = owner.clone();
        expired.entitlements.active = false;
        assert_ne!(get(&expired), first);
        let mut other = owner.clone();
        other.session_id = Uuid::now_v7();
        assert_ne!(get(&other), first);
    }
}
