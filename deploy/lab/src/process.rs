//! Child processes that can be killed, paused, stopped and restarted.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::lock;

pub type Environment = Vec<(String, String)>;

pub fn named(variables: impl IntoIterator<Item = (&'static str, String)>) -> Environment {
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    variables.into_iter().map(owned).collect()
}

/// Time for a process to stop or become ready on a busy machine.
pub const TIMEOUT: Duration = Duration::from_mins(2);

/// A child process and its settings.
pub struct Process {
    pub port: u16,
    /// Port of `/readyz`; at first the same.
    pub ready_port: u16,
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
        let file = program.file_name().unwrap_or_default().to_string_lossy();
        let log = logs.join(format!("{}-{port}.log", job.copied().unwrap_or(&file)));
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Ok(Self {
            port,
            ready_port: port,
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
        let id = self.child.id().unwrap_or_default();
        let id = Pid::from_raw(id.cast_signed());
        id.with_context(|| format!("the process exited: {}", self.log.display()))
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
        ensure!(status.success(), "{status}: {}", self.log.display());
        Ok(())
    }

    /// Fails if it has ended unexpectedly.
    pub fn check_running(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("the process exited: {status}: {}", self.output()?),
        }
    }

    pub async fn wait_until_ready(&mut self) -> Result<()> {
        let begun = Instant::now();
        while !is_ready(self.ready_port).await {
            self.check_running()?;
            ensure!(begun.elapsed() < TIMEOUT, "not ready: {}", self.output()?);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    pub fn output(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.log)?)
    }

    /// Resident memory in megabytes.
    pub fn megabytes(&self) -> Result<f64> {
        let id = self.pid()?.as_raw_nonzero();
        let status = fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
        Ok(kib.context("no VmRSS")? * 1024.0 / 1e6)
    }
}

/// Whether `/readyz` on a port returns 200.
pub async fn is_ready(port: u16) -> bool {
    let client = reqwest::Client::new().get(format!("http://127.0.0.1:{port}/readyz"));
    let answer = client.timeout(Duration::from_secs(1)).send().await;
    answer.is_ok_and(|answer| answer.status() == 200)
}

/// CPU time of a process and its children so far in microseconds, including ended children.
pub fn cpu_time(parent: Pid) -> Result<f64> {
    // 100 ticks per second on Linux.
    const MICROSECONDS_PER_TICK: f64 = 10_000.0;
    let parent = parent.as_raw_nonzero().to_string();
    let mut ticks = 0.0;
    for entry in fs::read_dir("/proc")? {
        let Ok(stat) = fs::read_to_string(entry?.path().join("stat")) else {
            continue;
        };
        // The name before the state may contain spaces.
        let (id_and_name, fields) = stat.rsplit_once(") ").context("no fields")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let times = match id_and_name.split_once(' ') {
            Some((id, _)) if id == parent => &fields[11..15],
            _ if fields[1] == parent => &fields[11..13],
            _ => continue,
        };
        for time in times {
            ticks += time.parse::<f64>()?;
        }
    }
    Ok(ticks * MICROSECONDS_PER_TICK)
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
    let mut used = lock(&USED);
    loop {
        let port = fastrand::u16(20_000..32_000);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() && used.insert(port) {
            return Ok(port);
        }
    }
}
