//! Test infrastructure with real processes: installation, fleet and HTTP client.
//!
//! Used by the process tests of `hourmeter-standalone` and two programs: `hourmeter-survive`
//! injects faults under load and audits every write, `hourmeter-bench` measures the release build.
//! The product contains none of it.

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
pub use process::{Environment, Process, TIMEOUT, free_port};
pub use program::{Product, Program, data_folder, root};
pub use visitor::Visitor;
