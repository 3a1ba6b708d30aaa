//! SQL; functions take the transaction's connection and never commit.

pub mod subscriptions;
pub mod support;
