//! Authenticates the sender of a request, and passes a renewed session token to the browser.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency;
use http::{HeaderMap, header};
use uuid::Uuid;

use crate::api_error::ApiError;
use crate::refusals;
use crate::requester::{RequestContext, Requester};
use crate::rest::webhook;
use crate::services::Services;
use crate::session::{self, SessionUse};

/// Id of the person that the client believes to be signed in. Data that a phone stored for one
/// person must not be sent as another who signed in since.
const EXPECTED_USER: &str = "x-expected-user";

/// Authenticates the sender of a request and stores the result in its extensions.
pub async fn identify(
    services: &Arc<Services>,
    context: RequestContext,
    request: &mut Request,
) -> Result<Arc<Requester>, ApiError> {
    // Requests of the payment provider never use a session.
    let nothing = HeaderMap::new();
    let path = request.uri().path();
    let is_webhook = webhook::is_call(request.method(), path);
    let headers = if is_webhook {
        &nothing
    } else {
        request.headers()
    };
    idempotency::key_in(headers)?;
    let access = services.policy.get(path);
    let session_use = if access.is_some_and(|access| access.automatic) {
        SessionUse::ReadOnly
    } else {
        SessionUse::Touch
    };
    let requester = session::identify(services, context, headers, session_use).await?;
    if requester.token.is_none() && !is_webhook {
        services.limits.unauthenticated(context.address)?;
    }
    check_person(headers, requester.person_id())?;
    let requester = Arc::new(requester);
    request.extensions_mut().insert(requester.clone());
    Ok(requester)
}

/// Sets the cookie of a renewed token, unless the response sets or ends a session itself.
pub fn renew(requester: &Requester, response: &mut Response) {
    if let Some(cookie) = &requester.renewed
        && !response.headers().contains_key(header::SET_COOKIE)
    {
        let headers = response.headers_mut();
        headers.insert(header::SET_COOKIE, cookie.clone());
    }
}

/// Callers without a session are denied later, as unauthenticated.
fn check_person(headers: &HeaderMap, person: Option<Uuid>) -> Result<(), ApiError> {
    let (Some(person), Some(expected)) = (person, headers.get(EXPECTED_USER)) else {
        return Ok(());
    };
    let expected = expected.to_str().ok();
    if expected.and_then(|id| Uuid::try_parse(id).ok()) == Some(person) {
        return Ok(());
    }
    let failure = ServiceError::conflict(refusals::OTHER_PERSON);
    Err(failure.into())
}
