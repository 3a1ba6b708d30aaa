//! A laboratory for Hourmeter as real processes: one installation, one fleet, one HTTP client.
//!
//! The process tests of `hourmeter-standalone` use it, and two programs do: `hourmeter-survive`
//! injects faults under load and audits every write, `hourmeter-bench` measures the release build.
//! Nothing of it is in the product.

pub mod bench;
mod collector;
mod fleet;
mod grpc_web;
mod installation;
mod process;
mod program;
pub mod survive;
mod visitor;

pub use collector::Collector;
pub use fleet::start_database;
pub use installation::Installation;
pub use process::{Environment, Process, TIMEOUT, quiet_port};
pub use program::{Product, Program, data_folder, root};
pub use visitor::Visitor;
