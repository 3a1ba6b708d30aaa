//! Starts, stops, kills and restarts real servers.
//!
//! The server is the npm package's, or else an installed one; with neither, every test fails with
//! the message that says what to install.
#![expect(
    clippy::unwrap_used,
    reason = "helpers outside the test functions fail tests too"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hourmeter_embedded_postgres::{Durability, Options, Server};
use rustix::process::{Pid, Signal, geteuid, kill_process, kill_process_group};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

const NOBODY: u32 = 65534;
const READY_TIMEOUT: Duration = Duration::from_secs(30);

#[test]
fn restart_keeps_data_and_port() {
    let dir = reachable_dir();
    let options = fast(dir.path());

    let server = Server::start(&options).unwrap();
    let url = server.admin_url("postgres");
    write_mark(&url);
    server.stop().unwrap();

    let server = Server::start(&options).unwrap();
    assert_eq!(server.admin_url("postgres"), url);
    assert_eq!(read_mark(&url), "kept");
}

#[test]
fn durable_server_folds_case_and_syncs() {
    let dir = reachable_dir();
    let server = Server::start(&Options::new(dir.path())).unwrap();
    let url = server.admin_url("postgres");
    assert_eq!(query(&url, "select lower('Ñ')"), "ñ");
    assert_eq!(query(&url, "show fsync"), "on");
}

#[test]
fn start_applies_settings() {
    let dir = reachable_dir();
    let options = Options {
        max_connections: 37,
        shared_buffers_mb: 16,
        ..fast(dir.path())
    };
    let server = Server::start(&options).unwrap();
    // The path of the data is short enough for a socket.
    let url = server.socket_url("postgres").unwrap();
    assert_eq!(query(&url, "show max_connections"), "37");
    assert_eq!(
        query(&url, "select coalesce(host(inet_server_addr()), 'socket')"),
        "socket"
    );
    let url = server.admin_url("postgres");
    assert_eq!(query(&url, "show shared_buffers"), "16MB");
    assert_eq!(query(&url, "show fsync"), "off");
}

#[test]
fn connect_with_wrong_password_fails() {
    let dir = reachable_dir();
    let server = Server::start(&fast(dir.path())).unwrap();
    let url = format!(
        "postgres://postgres:wrong@127.0.0.1:{}/postgres",
        server.port()
    );
    let error = try_query(&url, "select 'in'").unwrap_err();
    assert!(
        error.to_string().contains("password authentication failed"),
        "{error}"
    );
}

#[test]
fn secret_files_are_private() {
    let dir = reachable_dir();
    let _server = Server::start(&fast(dir.path())).unwrap();
    for (name, mode) in [
        ("password", 0o600),
        ("postgres.log", 0o600),
        ("data", 0o700),
    ] {
        let found = fs::metadata(dir.path().join(name)).unwrap();
        assert_eq!(found.mode() & 0o777, mode, "{name}");
    }
}

#[test]
fn start_fails_while_directory_is_in_use() {
    let dir = reachable_dir();
    let options = fast(dir.path());
    let server = Server::start(&options).unwrap();
    let error = Server::start(&options).unwrap_err().to_string();
    assert!(
        error.ends_with("is in use by another running process"),
        "{error}"
    );
    assert_eq!(
        query(&server.admin_url("postgres"), "select 'alive'"),
        "alive"
    );
}

#[test]
fn start_keeps_data_of_unknown_major_version() {
    let dir = reachable_dir();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("PG_VERSION"), "9\n").unwrap();

    let error = Server::start(&fast(dir.path())).unwrap_err();
    assert!(
        error.to_string().contains("holds data of PostgreSQL 9,"),
        "{error}"
    );
    assert_eq!(fs::read_dir(&data).unwrap().count(), 1);
}

#[test]
fn start_without_password_file_fails() {
    let dir = reachable_dir();
    let options = fast(dir.path());
    Server::start(&options).unwrap().stop().unwrap();
    fs::remove_file(dir.path().join("password")).unwrap();
    let error = Server::start(&options).unwrap_err();
    assert!(
        error.to_string().ends_with("password is missing"),
        "{error}"
    );
}

#[test]
fn start_with_invalid_package_dir_fails() {
    let dir = reachable_dir();
    let options = Options {
        package_dir: Some(dir.path().to_owned()),
        ..fast(dir.path())
    };
    let error = Server::start(&options).unwrap_err().to_string();
    assert!(error.contains("holds neither"), "{error}");
}

#[test]
fn failed_start_shows_server_log() {
    let dir = reachable_dir();
    let options = Options {
        max_connections: 0,
        ..fast(dir.path())
    };
    let error = Server::start(&options).unwrap_err();
    assert!(error.to_string().contains("max_connections"), "{error}");
}

#[test]
fn start_replaces_incomplete_data_and_programs() {
    let dir = reachable_dir();
    let unfinished = dir.path().join("data.new");
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("PG_VERSION"), "18\n").unwrap();
    let server = Server::start(&fast(dir.path())).unwrap();
    assert_eq!(
        query(&server.admin_url("postgres"), "select 'whole'"),
        "whole"
    );
    assert!(!unfinished.exists());
}

#[test]
fn start_replaces_server_of_killed_launcher() {
    let dir = reachable_dir();
    let mut launcher = Launcher::start(dir.path());
    let url = launcher.url.clone();
    write_mark(&url);
    let stray = server_pid(dir.path());
    launcher.kill();
    assert!(is_alive(stray), "this test needs a stray");

    let server = Server::start(&fast(dir.path())).unwrap();
    assert_ne!(server_pid(dir.path()), stray);
    assert_eq!(read_mark(&server.admin_url("postgres")), "kept");
}

#[test]
fn killed_server_recovers_from_wal() {
    let dir = reachable_dir();
    let mut launcher = Launcher::start(dir.path());
    write_mark(&launcher.url);
    launcher.kill();
    kill_process(server_pid(dir.path()), Signal::KILL).unwrap();

    let server = Server::start(&fast(dir.path())).unwrap();
    assert_eq!(read_mark(&server.admin_url("postgres")), "kept");
}

#[test]
fn launcher_reports_server_exit() {
    let dir = reachable_dir();
    let mut launcher = Launcher::start(dir.path());
    kill_process(server_pid(dir.path()), Signal::KILL).unwrap();
    assert_eq!(launcher.wait().code(), Some(1));
    assert!(!launcher.url_file.exists());
}

/// After a reboot the process id in the lock file may belong to another process.
#[test]
fn start_spares_other_process_with_old_id() {
    let dir = reachable_dir();
    let options = fast(dir.path());
    Server::start(&options).unwrap().stop().unwrap();

    let owner = fs::metadata(dir.path().join("data")).unwrap();
    let mut sleeper = Command::new("sleep");
    sleeper.arg("60");
    if geteuid().is_root() {
        sleeper.uid(owner.uid()).gid(owner.gid());
    }
    let mut stranger = sleeper.spawn().unwrap();
    let lock_file = dir.path().join("data/postmaster.pid");
    let text = format!(
        "{}\n/data\n1700000000\n5432\n\n127.0.0.1\n 1 1\nready\n",
        stranger.id()
    );
    fs::write(&lock_file, text).unwrap();
    chown(&lock_file, Some(owner.uid()), Some(owner.gid())).unwrap();

    let started = Server::start(&options);
    let spared = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    assert!(spared);
    started.unwrap();
}

#[test]
fn launcher_stops_cleanly_on_sigterm() {
    let dir = reachable_dir();
    let mut launcher = Launcher::start(dir.path());
    assert_eq!(
        fs::metadata(&launcher.url_file).unwrap().mode() & 0o777,
        0o600
    );
    kill_process(launcher.pid(), Signal::TERM).unwrap();
    assert!(launcher.wait().success());
    assert!(!launcher.url_file.exists());
    assert!(!dir.path().join("data/postmaster.pid").exists());
}

/// A terminal's Ctrl-C goes to the whole group, which the server is not in.
#[test]
fn launcher_stops_cleanly_on_ctrl_c() {
    let dir = reachable_dir();
    let mut launcher = Launcher::start(dir.path());
    kill_process_group(launcher.pid(), Signal::INT).unwrap();
    assert!(launcher.wait().success());
    assert!(!dir.path().join("data/postmaster.pid").exists());
}

#[test]
fn launcher_prints_usage() {
    let output = Command::new(LAUNCHER).arg("run").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("--dir is missing") && text.contains("Usage"),
        "{text}"
    );
}

/// As root, a second run under `nobody`; otherwise the whole suite is this test.
#[test]
fn start_works_as_unprivileged_user() {
    let dir = reachable_dir();
    let home = dir.path().join("home");
    fs::create_dir(&home).unwrap();
    // Where the executable and the package lie may be closed to others, so both come along.
    let executable = dir.path().join("hourmeter-postgres");
    fs::copy(LAUNCHER, &executable).unwrap();
    let mut command = Command::new(&executable);
    if geteuid().is_root() {
        chown(&home, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let first = dir.path().join("first");
    Server::start(&fast(&first)).unwrap().stop().unwrap();
    if let Some(package) = package_from_copy(&first, dir.path()) {
        command.arg("run").arg("--package").arg(package);
    } else {
        command.arg("run");
    }
    let state = home.join("postgres");
    let mut launcher = Launcher::spawn(command, &state, home.join("url"));
    let url = launcher.url.clone();
    write_mark(&url);
    assert_eq!(read_mark(&url), "kept");
    let runner = fs::metadata(&home).unwrap().uid();
    assert_eq!(fs::metadata(state.join("data")).unwrap().uid(), runner);
    kill_process(launcher.pid(), Signal::TERM).unwrap();
    assert!(launcher.wait().success());
}

/// Only root has rights to give away: as a normal user this checks that nothing changes hands.
#[test]
fn start_as_root_changes_data_owner() {
    let dir = reachable_dir();
    let _server = Server::start(&fast(dir.path())).unwrap();
    let owner = fs::metadata(dir.path().join("data")).unwrap().uid();
    let me = geteuid().as_raw();
    assert_eq!(owner == me, me != 0);
}

/// Root's own home is closed to the account that runs the server; a user's own home is not.
#[test]
fn start_names_inaccessible_directory() {
    let dir = reachable_dir();
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    let started = Server::start(&fast(&closed.join("postgres")));
    if geteuid().is_root() {
        let error = started.unwrap_err();
        let named = format!("may not enter {}. ", closed.display());
        assert!(error.to_string().contains(&named), "{error}");
    } else {
        started.unwrap();
    }
    assert_eq!(fs::metadata(&closed).unwrap().mode() & 0o777, 0o700);
}

const LAUNCHER: &str = env!("CARGO_BIN_EXE_hourmeter-postgres");

/// The launcher as a process, killed when a test fails.
struct Launcher {
    child: Child,
    url_file: PathBuf,
    url: String,
}

impl Launcher {
    fn start(state_dir: &Path) -> Self {
        let mut command = Command::new(LAUNCHER);
        command.arg("run");
        Self::spawn(command, state_dir, state_dir.join("url"))
    }

    /// Returns when the server is ready.
    fn spawn(mut command: Command, state_dir: &Path, url_file: PathBuf) -> Self {
        command.arg("--fast").arg("--dir").arg(state_dir);
        command.arg("--url-file").arg(&url_file);
        command.stdout(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let url = until(|| {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "the launcher ended: {ended:?}");
            fs::read_to_string(&url_file).ok()
        });
        Self {
            child,
            url_file,
            url,
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn wait(&mut self) -> ExitStatus {
        until(|| self.child.try_wait().unwrap())
    }

    /// Kills it with SIGKILL, so that it cannot stop the server.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            kill_process(self.pid(), Signal::TERM).unwrap();
            self.child.wait().unwrap();
        }
    }
}

fn until<T>(mut check: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + READY_TIMEOUT;
    loop {
        if let Some(value) = check() {
            return value;
        }
        assert!(Instant::now() < deadline, "waited too long");
        sleep(Duration::from_millis(10));
    }
}

/// A temporary directory that the account which runs the server may enter.
fn reachable_dir() -> TempDir {
    let mut builder = tempfile::Builder::new();
    builder
        .permissions(Permissions::from_mode(0o755))
        .tempdir()
        .unwrap()
}

fn fast(state_dir: &Path) -> Options {
    Options {
        durability: Durability::Fast,
        ..Options::new(state_dir)
    }
}

/// Turns the programs copied into `state_dir` into a package; `None` if they were installed.
fn package_from_copy(state_dir: &Path, target: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(state_dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let name = names
        .map(|name| name.into_string().unwrap())
        .find(|name| name.starts_with("pg-"))?;
    let version = name.trim_start_matches("pg-");
    let package = target.join("package");
    fs::create_dir(&package).unwrap();
    fs::write(
        package.join("package.json"),
        format!(r#"{{"version":"{version}"}}"#),
    )
    .unwrap();
    symlink(state_dir.join(&name), package.join("native")).unwrap();
    Some(package)
}

fn server_pid(state_dir: &Path) -> Pid {
    let text = fs::read_to_string(state_dir.join("data/postmaster.pid")).unwrap();
    Pid::from_raw(text.lines().next().unwrap().parse().unwrap()).unwrap()
}

fn is_alive(pid: Pid) -> bool {
    rustix::process::test_kill_process(pid).is_ok()
}

fn write_mark(url: &str) {
    run(url, |mut connection| async move {
        let sql = "create table marks as select 'kept' as mark";
        sqlx::query(sql).execute(&mut connection).await?;
        connection.close().await
    })
    .unwrap();
}

fn read_mark(url: &str) -> String {
    query(url, "select mark from marks")
}

fn query(url: &str, sql: &'static str) -> String {
    try_query(url, sql).unwrap()
}

fn try_query(url: &str, sql: &'static str) -> Result<String, sqlx::Error> {
    run(url, |mut connection| async move {
        sqlx::query_scalar(sql).fetch_one(&mut connection).await
    })
}

/// Connects and runs `work` on a runtime of its own.
fn run<T, F>(url: &str, work: impl FnOnce(PgConnection) -> F) -> Result<T, sqlx::Error>
where
    F: Future<Output = Result<T, sqlx::Error>>,
{
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(async { work(PgConnection::connect(url).await?).await })
}
