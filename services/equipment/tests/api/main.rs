//! The service through its generated client, on a real database, as its own role.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it stands, helpers included"
)]

mod access;
mod archive;
mod catalogue;
mod create;
mod delete;
mod history;
mod list;
mod once;
mod relay;
mod service;
mod support;
mod update;
mod usage;
