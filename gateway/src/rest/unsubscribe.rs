//! The link that ends mail: the digest, or mail about flagged updates. Mail programs call it without
//! session and CSRF header, and with a form as the body (RFC 8058).

use hourmeter_proto::notifications::v1::StopDigestRequest;
use hourmeter_runtime::error::ServiceError;
use http::{HeaderValue, Method, StatusCode, header};
use uuid::Uuid;

use super::call::Call;
use super::fields::Fields;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use super::wire_enums::WireNames;
use crate::outgoing;

const PATH: &str = "/api/unsubscribe/{id}";
const FOLDER: &str = "/api/unsubscribe/";

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .at(Verb::Post, PATH)
            .query(is_flagged, stop)
            .summary(
                "Ends the digest, or mail about flagged updates, of the person whose mail has \
                 this key",
            )
            .raw_body()
            .empty(),
        AccessRule::Public
            .route(Verb::Get, PATH, open)
            .summary(
                "Leads to the page that ends the mail; changes nothing, because programs open \
                 links of mail",
            )
            .reads_query(is_flagged)
            .responds(StatusCode::SEE_OTHER, ResponseDoc::Empty),
    ]
}

/// Whether it is a call that ends mail, which is exempt from the CSRF check.
pub fn is_call(method: &Method, path: &str) -> bool {
    method == Method::POST && path.starts_with(FOLDER)
}

/// Whether the link is of mail about flagged updates.
fn is_flagged(query: &mut Fields) -> bool {
    const KINDS: WireNames<()> = &[("flagged", ())];
    query.word("mail", KINDS).is_some()
}

async fn stop(call: Call, flagged_mail: bool) -> RestResult {
    let request = StopDigestRequest {
        key: call.id(),
        flagged_mail,
    };
    let mut digest = outgoing::digest(call.as_gateway());
    digest.stop_digest(request).await?;
    Ok(RestResponse::empty())
}

async fn open(call: Call) -> RestResult {
    let key = Uuid::try_parse(&call.id()).map_err(|_| ServiceError::not_found())?;
    let query = if call.query(is_flagged)? {
        "?mail=flagged"
    } else {
        ""
    };
    let page = HeaderValue::try_from(format!("/unsubscribe{query}#{key}"));
    let page = page.map_err(ServiceError::internal)?;
    let response = RestResponse::empty().with_status(StatusCode::SEE_OTHER);
    Ok(response.with(header::LOCATION, page))
}
