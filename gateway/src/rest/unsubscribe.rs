//! The link that ends the digest. Mail programs call it without session and CSRF header, and with a form
//! as the body (RFC 8058).

use hourmeter_proto::notifications::v1::StopDigestRequest;
use hourmeter_runtime::error::ServiceError;
use http::{HeaderValue, Method, StatusCode, header};
use uuid::Uuid;

use super::call::Call;
use super::response::RestResponse;
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use crate::api_error::ApiError;

const PATH: &str = "/api/unsubscribe/{id}";
const FOLDER: &str = "/api/unsubscribe/";

pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            (Verb::Post, PATH),
            AccessRule::Public,
            "Ends the digest of the person whose mail has this key",
            stop,
        )
        .raw_body()
        .empty(),
        Route::new(
            (Verb::Get, PATH),
            AccessRule::Public,
            "Leads to the page that ends the digest; changes nothing, because programs open links of mail",
            open,
        )
        .responds(StatusCode::SEE_OTHER, ResponseDoc::Empty),
    ]
}

/// Whether it is a call that ends the digest, which is exempt from the CSRF check.
pub fn is_call(method: &Method, path: &str) -> bool {
    method == Method::POST && path.starts_with(FOLDER)
}

async fn stop(call: Call) -> Result<RestResponse, ApiError> {
    let request = StopDigestRequest {
        key: call.id.clone(),
    };
    call.edge_digest().stop_digest(request).await?;
    Ok(RestResponse::empty())
}

async fn open(call: Call) -> Result<RestResponse, ApiError> {
    let key = Uuid::try_parse(&call.id).map_err(|_| ServiceError::not_found())?;
    let page = HeaderValue::try_from(format!("/unsubscribe#{key}"));
    let page = page.map_err(ServiceError::internal)?;
    let response = RestResponse::empty().with_status(StatusCode::SEE_OTHER);
    Ok(response.with(header::LOCATION, page))
}
