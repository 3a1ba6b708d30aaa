//! Companies with a paid plan.

use hourmeter_proto::billing::v1::{
    Entitlements, GetEntitlementsResponse, SubscriptionStatus, Tier,
};
use hourmeter_runtime::client::{Backend, GrpcRequest, GrpcResponse};
use http_body_util::Full;
use prost::Message;
use tower::{ServiceExt as _, service_fn};

use crate::product::{Browser, Product};

impl Product {
    /// The same person with the Professional plan.
    pub fn professional(&self, person: &Browser) -> Browser {
        let plan = Entitlements {
            tier: Tier::Professional.into(),
            status: SubscriptionStatus::Active.into(),
            active: true,
            equipment_limit: 30,
            fuel_analytics: true,
            parts_entry: true,
        };
        let answer = GetEntitlementsResponse {
            entitlements: Some(plan),
            marker: String::new(),
        };
        let inner = self.backends.billing.clone();
        let billing = service_fn(move |request: GrpcRequest| {
            let (inner, answer) = (inner.clone(), answer.clone());
            async move {
                if request.uri().path().ends_with("/GetEntitlements") {
                    Ok(grpc_response(&answer))
                } else {
                    inner.oneshot(request).await
                }
            }
        });
        let router = self.gateway_with(|_, backends| backends.billing = Backend::new(billing));
        Browser {
            router,
            ..person.clone()
        }
    }
}

/// A gRPC response with a message.
pub fn grpc_response(message: &impl Message) -> GrpcResponse {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).expect("short").to_be_bytes();
    let framed = [&[0], length.as_slice(), &message].concat();
    let body = tonic::body::Body::new(Full::from(framed));
    let response = http::Response::builder()
        .header("content-type", "application/grpc")
        .header("grpc-status", "0");
    response.body(body).expect("a response")
}
