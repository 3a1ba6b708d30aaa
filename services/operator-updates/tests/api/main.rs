//! The service through its generated client, on a real PostgreSQL as its own role, with an
//! equipment service that can be told to misbehave.

#![expect(clippy::unwrap_used, reason = "a test that finds nothing fails")]

mod access;
mod apply;
mod auto_apply;
mod batches;
mod changes;
mod checks;
mod fake_equipment;
mod faults;
mod list;
mod many;
mod meters;
mod moving;
mod queue;
mod random;
mod replay;
mod review;
mod submit;
mod submit_input;
mod support;
mod tables;
