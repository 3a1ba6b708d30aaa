//! Calls the service through its generated client, on a real PostgreSQL with its own role, with a
//! fake equipment service.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod access;
mod apply;
mod apply_many;
mod auto_apply;
mod batches;
mod changes;
mod checks;
mod devices;
mod digest;
mod facts;
mod fake_equipment;
mod faults;
mod fuel;
mod judge;
mod list;
mod meters;
mod move_update;
mod queue;
mod random;
mod replay;
mod review;
mod submit;
mod submit_input;
mod support;
mod tables;
mod undo;
mod withdraw;
