#![doc = include_str!("../README.md")]

pub mod audit;
pub mod client;
pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod idempotency;
pub mod identity;
pub mod page;
pub mod process;
pub mod quantity;
pub mod server;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
