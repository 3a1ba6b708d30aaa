//! Calls the service through its generated client, on a real PostgreSQL with its own role.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod access;
mod digests;
mod facts;
mod fake_contacts;
mod fake_digest;
mod mail;
mod office;
mod plan;
mod push;
mod read;
mod relay;
mod security;
mod settings;
mod sms;
mod sms_numbers;
mod support;
mod watches;
