//! SQL. Functions take the transaction's connection and never commit.

pub mod due;
pub mod payments;
pub mod prices;
pub mod sandbox;
pub mod subscriptions;
pub mod support;
