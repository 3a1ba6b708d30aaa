//! One process that can be killed, stopped, and started again as it was.

use std::collections::BTreeSet;
use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use super::installation::Environment;
use crate::product::PATIENCE;

/// A running process; its settings are those of its first start.
pub struct Process {
    /// Where it listens.
    pub port: u16,
    /// What it wrote: warnings and worse.
    pub log: PathBuf,
    /// What runs.
    pub program: PathBuf,
    job: Option<&'static str>,
    settings: Environment,
    child: Child,
}

impl Process {
    /// Starts it.
    pub fn start(data: &Path, job: &'static str, port: u16, settings: Environment) -> Self {
        Self::start_program(data, program(), Some(job), port, settings)
    }

    /// Starts a program that lies elsewhere, or one that does several jobs.
    pub fn start_program(
        data: &Path,
        program: PathBuf,
        job: Option<&'static str>,
        port: u16,
        settings: Environment,
    ) -> Self {
        let name = program.file_name().unwrap_or_default().display();
        let log = data.join(format!("{name}-{port}.log"));
        Self {
            port,
            child: spawn(&program, job, &settings, &log),
            program,
            job,
            settings,
            log,
        }
    }

    /// Ends it without any chance to clean up.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("it was running");
    }

    /// Starts it again.
    pub fn revive(&mut self) {
        self.child = spawn(&self.program, self.job, &self.settings, &self.log);
    }

    /// Asks it to stop, which it must do cleanly.
    pub async fn stop(&mut self) {
        let ended = self.child.try_wait().expect("a child");
        assert_eq!(
            ended,
            None,
            "{} has ended by itself",
            self.program.display()
        );
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).expect("a process number");
        kill_process(id, Signal::TERM).expect("a signal");
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.expect("it stops").expect("a status");
        assert!(status.success(), "{}: {status}", self.program.display());
    }
}

fn spawn(program: &Path, job: Option<&str>, settings: &[(String, String)], log: &Path) -> Child {
    let log = File::options()
        .create(true)
        .append(true)
        .open(log)
        .expect("a log");
    let mut command = Command::new(program);
    command
        .args(job)
        .env_clear()
        .envs(settings.iter().cloned())
        .env("APP_ENV", "test")
        .env("RUST_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a log"))
        .stderr(log)
        .kill_on_drop(true);
    command
        .spawn()
        .expect("it starts; is the whole workspace built?")
}

/// The program under test, which does the job of every process.
pub fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_hourmeter"))
}

/// Ends a process without any chance to clean up.
pub fn kill_number(number: i32) {
    let process = Pid::from_raw(number).expect("a process number");
    kill_process(process, Signal::KILL).expect("it was running");
}

/// A free port below those that connections get by themselves, so that none takes it while the
/// process that listens there is dead. None is named twice.
pub fn quiet_port() -> u16 {
    static NAMED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut named = NAMED.lock().expect("a lock");
    loop {
        let drawn = getrandom::u32().expect("randomness") % 12_000;
        let port = 20_000 + u16::try_from(drawn).expect("a port");
        let is_free = || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if !named.contains(&port) && is_free() {
            named.insert(port);
            return port;
        }
    }
}
