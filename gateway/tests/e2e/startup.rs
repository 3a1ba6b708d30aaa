//! Settings with which the gateway does not start.

use hourmeter_gateway::{Backends, GatewayConfig};
use hourmeter_runtime::client::{Backend, GrpcRequest};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::AppEnv;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::testing::GATEWAY_SECRET;
use tonic::Status;
use tower::service_fn;

use crate::product::config;

fn starts(config: GatewayConfig) -> bool {
    let backend = Backend::new(service_fn(async |_: GrpcRequest| {
        Err(Status::unavailable("stopped"))
    }));
    let backends = Backends {
        accounts: backend.clone(),
        equipment: backend.clone(),
        operator_updates: backend.clone(),
        billing: backend.clone(),
        notifications: backend,
    };
    let signer = Signer::new("gateway", &GATEWAY_SECRET).expect("a signer");
    hourmeter_gateway::router(config, backends, signer, Clock::system(), Events::local()).is_ok()
}

#[tokio::test]
async fn production_requires_rate_limits_and_an_https_origin() {
    let production = || GatewayConfig {
        env: AppEnv::Production,
        rate_limits: true,
        ..config()
    };
    assert!(starts(production()));
    assert!(!starts(GatewayConfig {
        rate_limits: false,
        ..production()
    }));
    assert!(!starts(GatewayConfig {
        public_origin: None,
        ..production()
    }));
    assert!(!starts(GatewayConfig {
        public_origin: Some("http://app.example.com".to_owned()),
        ..production()
    }));
}
