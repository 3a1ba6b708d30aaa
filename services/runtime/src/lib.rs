#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

pub mod admin;
pub mod audit;
pub mod client;
pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod events;
pub mod files;
pub mod idempotency;
pub mod identity;
pub mod message;
pub mod page;
pub mod process;
pub mod quantity;
pub mod redis_link;
pub mod refusals;
pub mod self_check;
pub mod server;
pub mod shutdown;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text;
pub mod tls;
