//! Child processes that can be killed, paused, stopped and restarted.

use std::collections::BTreeSet;
use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

pub type Environment = Vec<(String, String)>;

/// Time for a process to stop or become ready on a busy machine.
pub const TIMEOUT: Duration = Duration::from_mins(2);

/// A child process and its settings.
pub struct Process {
    pub port: u16,
    /// Log file of stdout and stderr.
    pub log: PathBuf,
    pub program: PathBuf,
    /// Changes take effect at the next start.
    pub environment: Environment,
    arguments: Vec<String>,
    child: Child,
}

impl Process {
    /// Starts the process with this environment only. `logs` is the folder of its log file.
    pub fn start(
        program: &Path,
        arguments: &[&str],
        port: u16,
        environment: Environment,
        logs: &Path,
    ) -> Result<Self> {
        let job = arguments.first().filter(|first| !first.starts_with('-'));
        let name = program
            .file_name()
            .and_then(std::ffi::OsStr::to_str)
            .unwrap_or_default();
        let log = logs.join(format!("{}-{port}.log", job.unwrap_or(&name)));
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Ok(Self {
            port,
            child: spawn(program, &arguments, &environment, &log)?,
            program: program.to_owned(),
            log,
            environment,
            arguments,
        })
    }

    /// Starts it again after it has ended.
    pub fn restart(&mut self) -> Result<()> {
        self.child = spawn(&self.program, &self.arguments, &self.environment, &self.log)?;
        Ok(())
    }

    pub fn pid(&self) -> Result<Pid> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        let ended = || format!("the process exited: {}", self.log.display());
        id.and_then(Pid::from_raw).with_context(ended)
    }

    pub fn signal(&self, signal: Signal) -> Result<()> {
        Ok(kill_process(self.pid()?, signal)?)
    }

    /// Kills it; it must be running.
    pub async fn kill(&mut self) -> Result<()> {
        self.check_running()?;
        Ok(self.child.kill().await?)
    }

    pub async fn wait(&mut self) -> Result<ExitStatus> {
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await;
        let hangs = || format!("the process did not exit: {}", self.log.display());
        Ok(status.with_context(hangs)??)
    }

    /// Stops it with `SIGTERM`; it must be running and exit with 0.
    pub async fn stop(&mut self) -> Result<()> {
        self.check_running()?;
        self.signal(Signal::TERM)?;
        let status = self.wait().await?;
        if !status.success() {
            bail!("{status}: {}", self.log.display());
        }
        Ok(())
    }

    /// Fails if it has ended unexpectedly.
    pub fn check_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the process exited: {status}: {}", self.output()?),
        }
    }

    /// The output so far.
    pub fn output(&self) -> Result<String> {
        Ok(std::fs::read_to_string(&self.log)?)
    }

    /// Resident memory in megabytes.
    pub fn megabytes(&self) -> Result<f64> {
        let status = self.proc_file("status")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        Ok(kib.context("no VmRSS")? * 1024.0 / 1e6)
    }

    /// CPU time so far in clock ticks.
    pub fn cpu_ticks(&self) -> Result<f64> {
        let stat = self.proc_file("stat")?;
        // The name before it may contain spaces; utime is field 14, stime field 15.
        let (_, fields) = stat.rsplit_once(") ").context("no fields")?;
        let mut times = fields.split(' ').skip(11).map(str::parse::<f64>);
        let (user, system) = (times.next(), times.next());
        Ok(user.context("no utime")?? + system.context("no stime")??)
    }

    fn proc_file(&self, name: &str) -> Result<String> {
        let id = self.pid()?.as_raw_nonzero();
        Ok(std::fs::read_to_string(format!("/proc/{id}/{name}"))?)
    }
}

fn spawn(
    program: &Path,
    arguments: &[String],
    environment: &[(String, String)],
    log: &Path,
) -> Result<Child> {
    let log = File::options().create(true).append(true).open(log)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .kill_on_drop(true);
    let child = command.spawn();
    child.with_context(|| format!("cannot start {}", program.display()))
}

/// A free port that no other call returns. It is below the ephemeral range, so that no connection
/// takes it while its process is down.
pub fn free_port() -> Result<u16> {
    static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let port = fastrand::u16(20_000..32_000);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() && used.insert(port) {
            return Ok(port);
        }
    }
}
