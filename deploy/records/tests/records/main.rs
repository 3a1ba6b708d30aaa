//! Export, deletion and comparison on the real schemas of all four services.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where it stands, helpers included"
)]

mod columns;
mod deletion;
mod export;
mod figures;
mod world;
