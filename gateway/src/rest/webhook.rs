//! Webhooks of the payment provider. Such calls have neither session nor CSRF header; billing
//! checks their signature.

use hourmeter_proto::billing::v1::ReceiveWebhookRequest;
use hourmeter_runtime::error::{Kind, ServiceError};
use http::{HeaderMap, Method};
use schemars::JsonSchema;
use serde::Serialize;
use tonic::Status;

use super::call::Call;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use crate::outgoing;

/// The path that the payment provider calls.
const PATH: &str = "/api/stripe/webhook";
const SIGNATURE: &str = "stripe-signature";

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .route(Verb::Post, PATH, receive)
            .summary("Events of the payment provider, signed by it")
            .signature_header(SIGNATURE)
            .ok::<Received>(),
    ]
}

/// Whether it is a webhook call, which is exempt from the CSRF check.
pub fn is_call(method: &Method, path: &str) -> bool {
    method == Method::POST && path == PATH
}

#[derive(Serialize, JsonSchema)]
struct Received {
    received: bool,
}

async fn receive(call: Call) -> RestResult {
    let address = call.requester.context.address;
    let counted = call.services.limits.webhook(address).await?;
    let request = ReceiveWebhookRequest {
        body: call.bytes.to_vec(),
        signature: signature(&call.headers),
    };
    let mut billing = outgoing::billing(call.as_gateway());
    match billing.receive_webhook(request).await {
        Ok(_) => {
            counted.take_back().await;
            RestResponse::ok(&Received { received: true })
        }
        Err(status) => {
            let failure = webhook_error(&status);
            if failure.kind != Kind::Invalid {
                counted.take_back().await;
            }
            Err(failure.into())
        }
    }
}

/// The single signature; empty for none or several.
fn signature(headers: &HeaderMap) -> String {
    let mut all = headers.get_all(SIGNATURE).iter();
    let only = all.next().filter(|_| all.next().is_none());
    let only = only.and_then(|value| value.to_str().ok());
    only.unwrap_or_default().to_owned()
}

/// Only a malformed body or signature is the sender's fault. After any other error the provider
/// must retry.
fn webhook_error(status: &Status) -> ServiceError {
    let failure = ServiceError::from_status(status);
    match failure.kind {
        Kind::Invalid | Kind::Unavailable | Kind::Provider | Kind::Internal => failure,
        kind => ServiceError::internal(format!("billing returned {kind:?} for a webhook")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusals;

    #[test]
    fn webhook_error_keeps_only_final_errors() {
        for (sent, status) in [
            (ServiceError::field("signature", refusals::NOT_A_TEXT), 400),
            (ServiceError::unavailable("down"), 503),
            (ServiceError::provider("down"), 502),
            (ServiceError::internal("broken"), 500),
            (ServiceError::not_found(), 500),
            (ServiceError::key_in_progress(), 500),
            (ServiceError::forbidden(), 500),
            (ServiceError::unauthenticated(), 500),
            (ServiceError::too_many(1), 500),
        ] {
            assert_eq!(webhook_error(&Status::from(sent)).http_status(), status);
        }
    }

    #[test]
    fn signature_must_be_single() {
        let mut headers = HeaderMap::new();
        assert_eq!(signature(&headers), "");
        headers.append(SIGNATURE, "t=1,v1=ab,v1=cd".parse().expect("a value"));
        assert_eq!(signature(&headers), "t=1,v1=ab,v1=cd");
        headers.append(SIGNATURE, "t=2,v1=ef".parse().expect("a value"));
        assert_eq!(signature(&headers), "");
    }
}
