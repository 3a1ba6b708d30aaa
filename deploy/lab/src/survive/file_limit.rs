//! Limit of open files, including sockets.

use anyhow::{Result, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of this process and its children. Fails if `needed` exceeds the hard limit.
pub fn raise(needed: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let is_enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if is_enough(limit.current) {
        return Ok(());
    }
    ensure!(
        is_enough(limit.maximum),
        "{needed} open files are needed, but only {} are allowed: start it in a shell after `ulimit -Hn \
         {needed}`, or set LimitNOFILE of its service",
        limit.maximum.unwrap_or_default(),
    );
    let raised = Rlimit {
        current: Some(needed),
        maximum: limit.maximum,
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}
