//! The service through its generated client, on a real PostgreSQL with its own role.

#![expect(clippy::unwrap_used, reason = "a test that finds nothing fails")]

mod access;
mod after_pause;
mod audit;
mod catalogue;
mod company;
mod conformance;
mod customer;
mod digest;
mod entitlements;
mod event_retention;
mod failed_payments;
mod fake;
mod faults;
mod faulty;
mod idempotency;
mod payments;
mod plans;
mod sandbox;
mod staff;
mod stripe;
mod support;
mod support_plans;
mod tables;
mod time;
mod upgrade;
mod webhook;
