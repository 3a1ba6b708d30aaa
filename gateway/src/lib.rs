#![doc = include_str!("../README.md")]

mod address;
mod api_error;
mod audit;
mod browser;
mod cache_metrics;
mod config;
mod docs;
mod entitlements;
mod gateway;
mod health;
mod layers;
mod limits;
mod openapi;
mod operator_password;
mod outgoing;
mod process;
mod proxy;
pub mod refusals;
mod request_trace;
mod requester;
mod response_memory;
mod rest;
mod retry;
mod rpc_limits;
mod rpc_status;
mod server;
mod services;
mod session;
mod session_cache;
mod stack;
mod watch;
mod web;

pub use config::{Backends, GatewayConfig, parse_proxies};
pub use process::{process, ready_once_reached};
pub use rest::route::{AccessRule, RestRoute};
pub use server::{HEADER_TIMEOUT, serve, serve_with, unready_on_shutdown};
pub use stack::router;
pub use watch::WatchTiming;

/// All REST routes with their access rules, for tests and reviewers.
pub fn rest_routes() -> Vec<RestRoute> {
    rest::routes().iter().map(RestRoute::of).collect()
}
