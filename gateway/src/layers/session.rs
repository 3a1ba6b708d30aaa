//! Finds out who sent the request; hands the browser its session's next token when there is one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hourmeter_runtime::error::{Failure, Kind};
use http::{HeaderMap, header};
use uuid::Uuid;

use super::visit_of;
use crate::gateway::Gateway;
use crate::outgoing::IDEMPOTENCY_KEY;
use crate::rescue::Refusal;
use crate::rest::webhook;
use crate::session::{self, Manner};
use crate::visitor::Door;

/// The id of the person a client takes itself to be signed in as. What a phone kept for one person
/// must not go out in the name of another who signed in since.
const EXPECTED_USER: &str = "x-expected-user";
/// The longest idempotency key.
const MAX_KEY_LENGTH: usize = 255;

/// The layer.
pub async fn layer(
    State(gateway): State<Arc<Gateway>>,
    mut request: Request,
    next: Next,
) -> Response {
    let visit = visit_of(&request);
    if visit.door == Door::Page {
        return next.run(request).await;
    }
    // Whatever stands there, the payment provider is nobody with a session.
    let nothing = HeaderMap::new();
    let headers = if webhook::is_call(request.method(), request.uri().path()) {
        &nothing
    } else {
        request.headers()
    };
    if let Err(refusal) = check_key(headers) {
        return refusal.into_response(visit.door, visit.request_id);
    }
    let manner = Manner::of_path(request.uri().path());
    let visitor = session::identify(&gateway, visit, headers, manner).await;
    if let Err(refusal) = check_person(headers, visitor.person_id()) {
        return refusal.into_response(visit.door, visit.request_id);
    }
    let visitor = Arc::new(visitor);
    request.extensions_mut().insert(visitor.clone());
    let mut response = next.run(request).await;
    // An answer that sets the cookie itself knows a newer token, or that there is none any more.
    if let Some(cookie) = &visitor.renewed
        && !response.headers().contains_key(header::SET_COOKIE)
    {
        let headers = response.headers_mut();
        headers.insert(header::SET_COOKIE, cookie.clone());
    }
    response
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
    let failure = Failure::new(Kind::Conflict, "Somebody else is signed in on this device.");
    Err(failure.with_reason("OTHER_PERSON").into())
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
    let failure = Failure::field("Idempotency-Key", "Must be 1 to 255 printable characters.");
    Err(failure.into())
}
