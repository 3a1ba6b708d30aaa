//! SQL statements. Functions take the transaction's connection and never commit.

pub mod decisions;
pub mod deliveries;
pub mod marks;
pub mod review;
pub mod updates;
