//! The server's own lock file, `postmaster.pid`, and the process it names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::files::{IoContext, read_if_exists};

/// How long an orderly stop may take: it writes every changed page to disk.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_mins(1);

pub(crate) const POLL: Duration = Duration::from_millis(5);

/// What `postmaster.pid` says. The file outlives a server that was killed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LockFile {
    pub pid: i32,
    pub ready: bool,
}

impl LockFile {
    pub fn read(data: &Path) -> Result<Option<Self>> {
        let text = read_if_exists(&path(data))?;
        Ok(text.and_then(|text| Self::parse(&text)))
    }

    fn parse(text: &str) -> Option<Self> {
        let pid = text.lines().next()?.trim().parse().ok()?;
        let status = text.lines().nth(7).unwrap_or_default();
        Some(Self {
            pid,
            ready: status.trim() == "ready",
        })
    }
}

fn path(data: &Path) -> PathBuf {
    data.join("postmaster.pid")
}

/// Leaves no server running on `data`, and no lock file that would keep one from starting.
///
/// The caller holds the launcher's own lock, so a live server here has lost its launcher. It is
/// stopped rather than adopted: the next one gets the current settings and is our child.
pub(crate) fn clear_stray(data: &Path) -> Result<()> {
    if let Some(lock) = LockFile::read(data)?.filter(|lock| runs_on(lock.pid, data)) {
        stop_stray(lock.pid, data)?;
    }
    disarm_lock_file(data)
}

/// Makes a lock file left by a killed server name this process instead.
///
/// PostgreSQL refuses to start while the number in the file is in use: by a stranger that got it
/// meanwhile, or by the dead server itself until its parent notices. It ignores its own parent, and
/// then still looks for surviving backends, which it could not do without the file.
fn disarm_lock_file(data: &Path) -> Result<()> {
    let path = path(data);
    let Some(text) = read_if_exists(&path)? else {
        return Ok(());
    };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let launcher = getpid().as_raw_nonzero();
    fs::write(&path, format!("{launcher}\n{rest}")).path_context("write", &path)
}

fn stop_stray(pid: i32, data: &Path) -> Result<()> {
    // An immediate stop loses nothing either: the next start replays the log.
    for signal in [Signal::INT, Signal::QUIT] {
        send(pid, signal);
        let deadline = Instant::now() + STOP_TIMEOUT;
        while Instant::now() < deadline {
            if !runs_on(pid, data) {
                return Ok(());
            }
            sleep(POLL);
        }
    }
    bail!("PostgreSQL process {pid}, left behind by an earlier run, does not stop")
}

/// Sends a signal; a process that is gone already is no error.
pub(crate) fn send(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _gone = kill_process(pid, signal);
    }
}

/// Whether `pid` is the main process of a server on `data`, by its command line.
///
/// Process ids are reused, above all in containers, so existence is not enough.
fn runs_on(pid: i32, data: &Path) -> bool {
    let expected = format!(" -D {} -p ", data.display());
    command_line(pid).is_some_and(|line| line.contains(&expected))
}

fn command_line(pid: i32) -> Option<String> {
    let line = if cfg!(target_os = "linux") {
        fs::read(format!("/proc/{pid}/cmdline")).ok()?
    } else {
        let mut ps = Command::new("ps");
        ps.args(["-ww", "-o", "args=", "-p", &pid.to_string()]);
        ps.output().ok()?.stdout
    };
    Some(String::from_utf8_lossy(&line).replace('\0', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_file_is_ready_only_with_its_eighth_line() {
        let starting = "4711\n/data\n1700000000\n5432\n\n127.0.0.1\n  123  4\nstarting\n";
        let ready = starting.replace("starting", "ready   ");
        let parse = |text: &str| LockFile::parse(text).map(|lock| (lock.pid, lock.ready));
        assert_eq!(parse(starting), Some((4711, false)));
        assert_eq!(parse(&ready), Some((4711, true)));
        assert_eq!(parse("4711\n"), Some((4711, false)));
        assert_eq!(parse(""), None);
    }

    #[test]
    fn runs_on_ignores_other_process_with_same_id() {
        assert!(!runs_on(
            getpid().as_raw_nonzero().get(),
            Path::new("/data")
        ));
    }
}
