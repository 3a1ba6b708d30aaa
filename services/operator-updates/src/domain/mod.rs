//! Rules for updates, review and delivery, independent of SQL and gRPC.

pub mod check;
pub mod fuel;
pub mod replacement;
pub mod retry;
pub mod review;
pub mod update;
