//! One process that can be killed, held, stopped, and started again.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

/// Names and values.
pub type Environment = Vec<(String, String)>;

/// How long a process may take to stop.
const PATIENCE: Duration = Duration::from_mins(1);

/// A process and how it was started.
pub struct Process {
    /// What to call it in messages.
    pub name: String,
    /// What it wrote: warnings and worse.
    pub log: PathBuf,
    program: PathBuf,
    arguments: Vec<String>,
    settings: Environment,
    child: Child,
}

impl Process {
    /// Starts it.
    pub fn start(
        name: String,
        log: PathBuf,
        (program, arguments): (PathBuf, Vec<String>),
        settings: Environment,
    ) -> Result<Self> {
        let child = spawn(&program, &arguments, &settings, &log)?;
        Ok(Self {
            name,
            log,
            program,
            arguments,
            settings,
            child,
        })
    }

    /// What it is told when it is started the next time.
    pub fn tell(&mut self, settings: Environment) {
        self.settings = settings;
    }

    /// Its number.
    pub fn id(&self) -> Result<Pid> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw);
        id.with_context(|| format!("{} has ended", self.name))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(kill_process(self.id()?, signal)?)
    }

    /// Ends it without any chance to clean up.
    pub async fn kill(&mut self) -> Result<()> {
        self.must_run()?;
        Ok(self.child.kill().await?)
    }

    /// Starts it again.
    pub fn revive(&mut self) -> Result<()> {
        self.child = spawn(&self.program, &self.arguments, &self.settings, &self.log)?;
        Ok(())
    }

    /// Asks it to stop, which it must do cleanly.
    pub async fn stop(&mut self) -> Result<()> {
        self.must_run()?;
        self.signal(Signal::TERM)?;
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.with_context(|| format!("{} does not stop", self.name))??;
        if !status.success() {
            bail!("{} stopped with {status}", self.name);
        }
        Ok(())
    }

    /// Fails when it has ended by itself.
    pub fn must_run(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!(
                "{} has ended by itself: {status}; see {}",
                self.name,
                self.log.display()
            ),
        }
    }

    /// Resident memory in megabytes.
    pub fn megabytes(&self) -> Result<f64> {
        let id = self.id()?.as_raw_nonzero();
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        Ok(kib.context("no figure for memory")? * 1024.0 / 1e6)
    }
}

fn spawn(
    program: &Path,
    arguments: &[String],
    settings: &[(String, String)],
    log: &Path,
) -> Result<Child> {
    let log = File::options().create(true).append(true).open(log)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(settings.iter().cloned())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        // Ctrl-C reaches the whole terminal group; these end with the harness.
        .process_group(0)
        .kill_on_drop(true);
    let child = command.spawn();
    child.with_context(|| format!("{} did not start", program.display()))
}

/// A program that was built beside this one.
pub fn beside(name: &str) -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name(name);
    if !path.exists() {
        bail!(
            "{} is missing; build the whole workspace first",
            path.display()
        );
    }
    Ok(path)
}

/// A free port below those that connections get by themselves, so that none takes it while the
/// process that listens there is dead. None is named twice.
pub fn quiet_port() -> Result<u16> {
    static NAMED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut named = NAMED.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let port = 20_000 + u16::try_from(getrandom::u32()? % 12_000)?;
        let is_free = || std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).is_ok();
        if !named.contains(&port) && is_free() {
            named.insert(port);
            return Ok(port);
        }
    }
}
