//! The caller of an outgoing call. A call within the process carries it as it is; a call to another
//! process carries a signed token. Reads reuse a token for some seconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{Extensions, HeaderValue};
use uuid::Uuid;

use super::GrpcRequest;
use crate::error::ServiceError;
use crate::identity::{Caller, IDENTITY_HEADER, Service, Signer, Tenant};

/// How long reads reuse a token; less than its lifetime.
const TOKEN_REUSE: Duration = Duration::from_secs(10);
const MAX_TOKENS: usize = 4096;

/// Attaches callers to calls, and signs tokens for calls to other processes.
#[derive(Debug)]
pub struct CallerSigner {
    signer: Signer,
    /// Tokens of reads by service and session or company; nil for the gateway itself.
    tokens: Mutex<HashMap<(Service, Uuid), CachedToken>>,
}

#[derive(Debug)]
struct CachedToken {
    made: Instant,
    /// Without the request id.
    caller: Caller,
    token: HeaderValue,
}

/// The request extension with the caller. Only this process can set it; the network carries the
/// signed header only.
#[derive(Clone, Debug)]
pub(crate) struct CallerExtension {
    pub caller: Caller,
    signer: Arc<CallerSigner>,
}

impl CallerSigner {
    /// Signs with `signer`.
    pub fn new(signer: Signer) -> Arc<Self> {
        Arc::new(Self {
            signer,
            tokens: Mutex::default(),
        })
    }

    /// Sets the caller of the call with these extensions.
    pub fn attach(self: &Arc<Self>, call: &mut Extensions, caller: Caller) {
        let signer = self.clone();
        call.insert(CallerExtension { caller, signer });
    }

    /// A request of a service to another one, for a company.
    pub fn request<T>(
        self: &Arc<Self>,
        name: Service,
        tenant: Tenant,
        message: T,
    ) -> tonic::Request<T> {
        let company_id = tenant.company_id();
        let mut request = tonic::Request::new(message);
        self.attach(
            request.extensions_mut(),
            Caller::Service { name, company_id },
        );
        request
    }

    fn token(
        &self,
        service: Service,
        caller: &Caller,
        now: Instant,
    ) -> Result<HeaderValue, ServiceError> {
        let key = (service, session(caller));
        let same_caller = caller.clone().without_request();
        // A panic while the lock is held cannot leave a partial insert.
        let mut all = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        let usable = all.get(&key).filter(|cached| {
            now.saturating_duration_since(cached.made) < TOKEN_REUSE && cached.caller == same_caller
        });
        if let Some(cached) = usable {
            return Ok(cached.token.clone());
        }
        let token = sign(&self.signer, service, caller)?;
        if all.len() >= MAX_TOKENS {
            all.clear();
        }
        let cached = CachedToken {
            made: now,
            caller: same_caller,
            token: token.clone(),
        };
        all.insert(key, cached);
        Ok(token)
    }
}

/// Adds the signed token of the call's caller, if it has one. Reads share a token with another
/// request's id, because they write no audit entry.
pub(super) fn sign_caller(
    request: &mut GrpcRequest,
    service: Service,
    is_read: bool,
) -> Result<(), ServiceError> {
    let Some(CallerExtension { caller, signer }) = request.extensions_mut().remove() else {
        return Ok(());
    };
    let token = if is_read {
        signer.token(service, &caller, Instant::now())?
    } else {
        sign(&signer.signer, service, &caller)?
    };
    request.headers_mut().insert(IDENTITY_HEADER, token);
    Ok(())
}

fn session(caller: &Caller) -> Uuid {
    match caller {
        Caller::Person(identity) => identity.session_id,
        Caller::Staff(staff) => staff.session_id,
        Caller::Edge { .. } => Uuid::nil(),
        Caller::Service { company_id, .. } => *company_id,
    }
}

fn sign(signer: &Signer, service: Service, caller: &Caller) -> Result<HeaderValue, ServiceError> {
    let token = signer.sign(service, caller)?;
    token
        .parse()
        .map_err(|_| ServiceError::internal("identity is not ASCII"))
}

#[cfg(test)]
mod tests {
    use crate::identity::{Identity, TrustedIssuers, Verifier};

    use super::*;

    const SECRET: [u8; 32] = [7; 32];

    #[test]
    fn token_is_reused_for_ten_seconds_and_one_service() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let (tokens, start) = (CallerSigner::new(signer), Instant::now());
        let get = |service, seconds| {
            let now = start + Duration::from_secs(seconds);
            let caller = Caller::Edge {
                request_id: Uuid::now_v7(),
            };
            tokens.token(service, &caller, now).expect("a token")
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
    fn token_changes_with_the_identity() {
        let signer = Signer::new("gateway", &SECRET).expect("a signer");
        let (tokens, now) = (CallerSigner::new(signer), Instant::now());
        let get = |identity: &Identity| {
            let caller = Caller::Person(Box::new(identity.clone()));
            let token = tokens.token(Service::Equipment, &caller, now);
            token.expect("a token")
        };
        let owner = crate::testing::owner();
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

    #[test]
    fn sign_caller_reuses_tokens_for_reads_only() {
        let signer = CallerSigner::new(Signer::new("gateway", &SECRET).expect("a signer"));
        let trusted =
            TrustedIssuers::default().with("gateway", TrustedIssuers::public_key(&SECRET));
        let verifier = Verifier::new(Service::Accounts, &trusted);
        let call = |request_id, is_read| {
            let mut request = GrpcRequest::new(tonic::body::Body::empty());
            signer.attach(request.extensions_mut(), Caller::Edge { request_id });
            sign_caller(&mut request, Service::Accounts, is_read).expect("a signed request");
            assert!(request.extensions().get::<CallerExtension>().is_none());
            let token = request.headers()[IDENTITY_HEADER].to_str().expect("text");
            verifier.verify(token).expect("a caller")
        };
        let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let edge = |request_id| Caller::Edge { request_id };
        assert_eq!(call(first, true), edge(first));
        assert_eq!(call(second, true), edge(first));
        assert_eq!(call(first, false), edge(first));
        assert_eq!(call(second, false), edge(second));
    }

    #[test]
    fn sign_caller_skips_requests_without_caller() {
        let mut request = GrpcRequest::new(tonic::body::Body::empty());
        sign_caller(&mut request, Service::Accounts, true).expect("nothing to sign");
        assert!(!request.headers().contains_key(IDENTITY_HEADER));
    }
}
