//! Rules for updates, review and delivery, independent of SQL and gRPC.

pub mod auto_apply;
pub mod check;
pub mod retry;
pub mod review;
pub mod update;
