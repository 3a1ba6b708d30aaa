//! Rules of plans and subscriptions; no SQL, no gRPC.

pub mod plan;
pub mod subscription;
