//! Export, deletion and comparison on the real schemas of all five services.

#![expect(clippy::unwrap_used, reason = "tests and their helpers may panic")]

mod columns;
mod deletion;
mod export;
mod figures;
mod world;
