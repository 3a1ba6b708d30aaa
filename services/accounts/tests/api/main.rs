//! Tests of the service through its generated client, on a real database with the service's role.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod access;
mod accounts_list;
mod attacks;
mod audit_kept;
mod catalogue;
mod change_password;
mod company_deletion;
mod current_user;
mod devices;
mod employees;
mod managers;
mod notices;
mod once;
mod passkeys;
mod profile;
mod questions;
mod recovery;
mod rehash;
mod reseal;
mod reset_password;
mod reveal;
mod rotation;
mod second_factor;
mod second_factor_support;
mod session_peek;
mod sessions;
mod settings;
mod sign_in;
mod sign_in_operator;
mod sign_up;
mod staff_commands;
mod staff_enrolment;
mod staff_sign_in;
mod staff_support;
mod support;
