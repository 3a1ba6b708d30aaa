//! Rules of submissions, their review and their delivery; no SQL, no gRPC.

pub mod check;
pub mod retry;
pub mod review;
pub mod submission;
pub mod update;
