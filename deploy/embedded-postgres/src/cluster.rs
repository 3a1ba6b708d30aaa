//! The state directory: data, password, log, port, and the lock that keeps it to one launcher.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, path};

use anyhow::{Context as _, Result, bail};

use crate::Durability;
use crate::account::Account;
use crate::binaries::Programs;
use crate::files::{IoContext, private, read_if_exists, remove_dir};

/// The first major version with the collation provider that is alike on every system.
const FIRST_BUILTIN_LOCALE: u32 = 17;

/// The first one where it can be set how often a password is hashed.
const FIRST_SCRAM_ITERATIONS: u32 = 16;

/// The system allows a socket's path 103 to 107 bytes, and its name takes up to 17 of them.
const MAX_SOCKET_DIR: usize = 86;

/// An opened state directory. The system drops the lock with the process, however it ends.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub dir: PathBuf,
    pub account: Account,
    _lock: File,
}

impl Cluster {
    pub fn open(state_dir: &Path) -> Result<Self> {
        let dir = path::absolute(state_dir).path_context("resolve", state_dir)?;
        let account = Account::choose(&dir.join("data"));
        account.check_reach(&dir)?;
        account.create_dir_all(&dir)?;
        // Again, because a link may lead into a closed directory.
        let dir = dir.canonicalize().path_context("resolve", &dir)?;
        account.check_reach(&dir)?;

        let lock_path = dir.join("lock");
        let lock = private().write(true).create(true).open(&lock_path);
        let lock = lock.path_context("open", &lock_path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{} is in use by another running process", dir.display())
            }
            Err(TryLockError::Error(error)) => return Err(error).path_context("lock", &lock_path),
        }
        Ok(Self {
            dir,
            account,
            _lock: lock,
        })
    }

    pub fn data(&self) -> PathBuf {
        self.dir.join("data")
    }

    pub fn log(&self) -> PathBuf {
        self.dir.join("postgres.log")
    }

    fn password_file(&self) -> PathBuf {
        self.dir.join("password")
    }

    /// Where the server's socket is: with the data, which only its account and root may enter. None
    /// where the path is longer than a socket's may be, or has characters that PostgreSQL's setting
    /// or a URL would read otherwise.
    pub fn socket_dir(&self) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
        let dir = self.data().into_os_string().into_string().ok()?;
        (dir.len() <= MAX_SOCKET_DIR && dir.chars().all(plain)).then_some(dir)
    }

    /// Removes what a killed server left of its socket: the number of its process may be another's
    /// by now, and PostgreSQL would take that for a server that runs.
    pub fn clear_sockets(&self) -> Result<()> {
        let data = self.data();
        for entry in fs::read_dir(&data).path_context("read", &data)? {
            let path = entry.path_context("read", &data)?.path();
            let name = path.file_name().unwrap_or_default();
            if name.as_encoded_bytes().starts_with(b".s.PGSQL.") {
                fs::remove_file(&path).path_context("remove", &path)?;
            }
        }
        Ok(())
    }

    /// The major version that wrote the data, if there is any.
    pub fn data_major(&self) -> Result<Option<u32>> {
        let file = self.data().join("PG_VERSION");
        let Some(text) = read_if_exists(&file)? else {
            return Ok(None);
        };
        let major = text.trim().parse().map_err(io::Error::other);
        major.map(Some).path_context("understand", &file)
    }

    /// A command for one of the programs, with nothing of ours but the search paths.
    ///
    /// It gets a process group of its own: Ctrl-C in a terminal reaches the launcher alone, which
    /// then stops the server in order.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C");
        for name in ["PATH", "LD_LIBRARY_PATH"] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        command.current_dir(&self.dir).stdin(Stdio::null());
        command.process_group(0);
        self.account.apply(&mut command);
        command
    }

    /// The password of existing data.
    pub fn read_password(&self) -> Result<String> {
        let file = self.password_file();
        let text = read_if_exists(&file)?.with_context(|| {
            let (data, file) = (self.data(), file.display());
            let data = data.display();
            format!("{data} holds data, but its password file {file} is missing")
        })?;
        Ok(text.trim().to_owned())
    }

    /// Creates the data, complete or not at all, and returns the new password.
    pub fn create(&self, programs: &Programs, durability: Durability) -> Result<String> {
        let password = self.write_password()?;
        let unfinished = self.dir.join("data.new");
        remove_dir(&unfinished)?;
        fs::create_dir(&unfinished).path_context("create", &unfinished)?;
        self.account.own(&unfinished)?;

        let mut initdb = self.command(&programs.initdb);
        initdb.arg("-D").arg(&unfinished);
        initdb.arg("--pwfile").arg(self.password_file());
        initdb.args(["-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8"]);
        initdb.args(["--no-instructions", "--locale=C.UTF-8"]);
        if programs.major >= FIRST_BUILTIN_LOCALE {
            initdb.arg("--locale-provider=builtin");
        }
        if durability == Durability::Fast {
            initdb.arg("--no-sync");
            // Each connection hashes as often, which takes a debug build some hundredths of a second.
            if programs.major >= FIRST_SCRAM_ITERATIONS {
                initdb.args(["-c", "scram_iterations=1"]);
            }
        }
        let output = initdb.output().path_context("run", &programs.initdb)?;
        if !output.status.success() {
            let text = [output.stdout, output.stderr].concat();
            bail!("initdb failed:\n{}", String::from_utf8_lossy(&text));
        }

        fs::rename(&unfinished, self.data()).path_context("rename", &unfinished)?;
        if durability == Durability::Durable {
            let dir = File::open(&self.dir).path_context("open", &self.dir)?;
            dir.sync_all().path_context("sync", &self.dir)?;
        }
        Ok(password)
    }

    fn write_password(&self) -> Result<String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).context("failed to get random bytes")?;
        let password = format!("{:032x}", u128::from_ne_bytes(bytes));

        let path = self.password_file();
        let mut options = private();
        options.write(true).create(true).truncate(true);
        let mut file = options.open(&path).path_context("create", &path)?;
        let written = file.write_all(password.as_bytes());
        written.path_context("write", &path)?;
        file.sync_all().path_context("sync", &path)?;
        self.account.own(&path)?;
        Ok(password)
    }

    pub fn open_log(&self) -> Result<File> {
        let path = self.log();
        let log = private().append(true).create(true).open(&path);
        log.path_context("open", &path)
    }

    /// The port of the last run, so that a saved connection goes on working.
    pub fn last_port(&self) -> Option<u16> {
        let text = fs::read_to_string(self.dir.join("port")).ok()?;
        text.trim().parse().ok()
    }

    pub fn save_port(&self, port: u16) -> Result<()> {
        let file = self.dir.join("port");
        fs::write(&file, port.to_string()).path_context("write", &file)
    }
}
