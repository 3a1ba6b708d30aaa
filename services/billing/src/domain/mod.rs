//! Rules of plans and subscriptions, without SQL and gRPC.

pub mod actions;
pub mod changes;
pub mod due;
pub mod local_changes;
pub mod plan;
pub mod proration;
pub mod reconcile;
pub mod requested_change;
pub mod subscription;
