//! The service through its generated client, on a real PostgreSQL as its own role.

#![expect(clippy::unwrap_used, reason = "a test that finds nothing fails")]

mod access;
mod audit;
mod entitlements;
mod plans;
mod staff;
mod support;
mod tables;
