//! Rules of plans and subscriptions, without SQL and gRPC.

pub mod actions;
pub mod changes;
pub mod due;
pub mod follow;
pub mod locally;
pub mod plan;
pub mod subscription;
