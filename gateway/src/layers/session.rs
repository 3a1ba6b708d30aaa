//! Finds out who sent the request; hands the browser its session's next token when there is one.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::refusals as shared;
use http::{HeaderMap, header};
use uuid::Uuid;

use crate::gateway::Gateway;
use crate::outgoing::IDEMPOTENCY_KEY;
use crate::refusals;
use crate::rescue::Refusal;
use crate::rest::webhook;
use crate::session::{self, Manner};
use crate::visitor::{Visit, Visitor};

/// The id of the person a client takes itself to be signed in as. What a phone kept for one person
/// must not go out in the name of another who signed in since.
const EXPECTED_USER: &str = "x-expected-user";
/// The longest idempotency key.
const MAX_KEY_LENGTH: usize = 255;

/// Finds out who sent a request and keeps that in its extensions.
pub async fn identify(
    gateway: &Arc<Gateway>,
    visit: Visit,
    request: &mut Request,
) -> Result<Arc<Visitor>, Refusal> {
    // The payment provider has no session, whatever it sends.
    let nothing = HeaderMap::new();
    let path = request.uri().path();
    let is_webhook = webhook::is_call(request.method(), path);
    let headers = if is_webhook {
        &nothing
    } else {
        request.headers()
    };
    check_key(headers)?;
    let manner = Manner::from_path(path);
    let visitor = session::identify(gateway, visit, headers, manner).await?;
    if visitor.token.is_none() && !is_webhook {
        gateway.limits.stranger(visit.address)?;
    }
    check_person(headers, visitor.person_id())?;
    let visitor = Arc::new(visitor);
    request.extensions_mut().insert(visitor.clone());
    Ok(visitor)
}

/// Sets the cookie of the session's next token. An answer that sets the cookie itself knows a newer
/// token, or that there is none any more.
pub fn renew(visitor: &Visitor, response: &mut Response) {
    if let Some(cookie) = &visitor.renewed
        && !response.headers().contains_key(header::SET_COOKIE)
    {
        let headers = response.headers_mut();
        headers.insert(header::SET_COOKIE, cookie.clone());
    }
}

/// Whoever has no session is refused as that, further on.
fn check_person(headers: &HeaderMap, person: Option<Uuid>) -> Result<(), Refusal> {
    let (Some(person), Some(expected)) = (person, headers.get(EXPECTED_USER)) else {
        return Ok(());
    };
    let expected = expected.to_str().ok();
    if expected.and_then(|id| Uuid::try_parse(id).ok()) == Some(person) {
        return Ok(());
    }
    let failure = ServiceError::new(Kind::Conflict, refusals::OTHER_PERSON);
    Err(failure.into())
}

fn check_key(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(key) = keys.next() else {
        return Ok(());
    };
    let printable = key
        .as_bytes()
        .iter()
        .all(|byte| (0x20..0x7f).contains(byte));
    if printable && (1..=MAX_KEY_LENGTH).contains(&key.len()) && keys.next().is_none() {
        return Ok(());
    }
    let failure = ServiceError::field("Idempotency-Key", shared::IDEMPOTENCY_KEY_INVALID);
    Err(failure.into())
}
