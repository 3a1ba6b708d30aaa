//! Calls the service through its generated client, on a real database, with the service's own role.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod access;
mod archive;
mod audit;
mod catalogue;
mod complete;
mod consumption;
mod create;
mod delete;
mod edit_service;
mod facts;
mod forecast;
mod form_task;
mod fuel;
mod groups;
mod history;
mod last_release;
mod list;
mod meters;
mod meters_list;
mod once;
mod order;
mod random;
mod rebuild;
mod relay;
mod relay_many;
mod service;
mod staff;
mod statistics;
mod status_index;
mod support;
mod task_calls;
mod task_refusals;
mod task_rules;
mod task_sets;
mod tasks;
mod typical_usage;
mod unit_numbers;
mod update;
mod upgrade;
mod urgent;
mod usage;
mod valid_rows;
mod void;
