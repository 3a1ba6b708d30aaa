//! The service through its generated client, on a real database, as its own role.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod access;
mod catalogue;
mod current_user;
mod employees;
mod questions;
mod rehash;
mod reset_password;
mod sessions;
mod settings;
mod sign_in;
mod sign_in_operator;
mod sign_up;
mod support;
