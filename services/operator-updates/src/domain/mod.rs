//! Rules for updates, review and delivery, independent of SQL and gRPC.

pub mod check;
mod named;
pub mod retry;
pub mod review;
pub mod update;
