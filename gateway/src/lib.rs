#![doc = include_str!("../README.md")]

mod address;
mod answers;
mod audit;
mod config;
mod counted;
mod docs;
mod entitlements;
mod gateway;
mod health;
mod layers;
mod limits;
mod measure;
mod openapi;
mod operator_password;
mod outgoing;
mod process;
mod proxy;
pub mod refusals;
mod rescue;
mod rest;
mod retry;
mod server;
mod session;
mod session_cache;
mod stack;
mod traced;
mod visitor;
mod watch;
mod web;

pub use config::{Backends, GatewayConfig, parse_proxies};
pub use process::{process, ready_once_reached};
pub use rest::route::{Admission, RestRoute};
pub use server::{DRAIN, HEADER_TIMEOUT, serve, serve_with, unready_once};
pub use stack::router;
pub use watch::WatchPace;

/// All REST routes with their access rules, for tests and reviewers.
pub fn rest_routes() -> Vec<RestRoute> {
    rest::routes().iter().map(RestRoute::of).collect()
}
