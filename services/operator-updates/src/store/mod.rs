//! SQL; functions take the transaction's connection and never commit.

pub mod decisions;
pub mod updates;
