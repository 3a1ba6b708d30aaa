//! The program `hourmeter` with everything in a data folder of its own.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use rustix::process::{Pid, Signal, test_kill_process};
use tempfile::TempDir;
use tokio::process::Command;

use crate::process::{Environment, Process, free_port, named};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty folder that a database server of another user can access.
pub fn data_folder() -> Result<TempDir> {
    let folder = TempDir::with_prefix_in("hourmeter-", "/var/tmp")?;
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;
    Ok(folder)
}

#[derive(Clone, Debug)]
pub struct Program(PathBuf);

impl Program {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// `hourmeter` in the folder of the running program.
    pub fn beside() -> Result<Self> {
        let path = std::env::current_exe()?.with_file_name("hourmeter");
        ensure!(
            path.exists(),
            "build hourmeter-standalone first: no {}",
            path.display()
        );
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A command with the settings of a data folder, not yet started.
    pub fn command(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.0);
        command.env_clear().envs(environment(data, 0));
        command.kill_on_drop(true);
        command
    }

    /// Runs a command to its end. Returns its output, or an error with its output if it exits with
    /// 1.
    pub async fn run(&self, data: &Path, arguments: &[&str]) -> Result<String, String> {
        let output = self.command(data).args(arguments).output().await;
        let output = output.expect("the program starts");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        match output.status.code() {
            Some(0) => Ok(text),
            Some(1) => Err(text),
            _ => panic!("{}: {text}", output.status),
        }
    }

    /// Starts everything in one process and waits until it is ready.
    pub async fn start(&self, data: &Path) -> Result<Product> {
        self.start_with(data, &[], &[]).await
    }

    /// Like [`Self::start`], with arguments and more variables.
    pub async fn start_with(
        &self,
        data: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Product> {
        let port = free_port()?;
        let mut environment = environment(data, port);
        let variables = variables.iter();
        environment.extend(variables.map(|(name, value)| ((*name).into(), (*value).into())));
        let mut process = Process::start(&self.0, arguments, port, environment, data)?;
        process.wait_until_ready().await?;
        Ok(Product {
            origin: format!("http://127.0.0.1:{port}"),
            process,
            data: data.to_owned(),
        })
    }

    /// Creates keys, roles and schemas in a data folder, as at the first start.
    pub async fn install(&self, data: &Path) -> Result<()> {
        self.run(data, &["staff", "list"])
            .await
            .map_err(anyhow::Error::msg)
            .context("failed to create an installation")?;
        // Each copy gets its own port.
        Ok(fs::remove_file(data.join("postgres/port"))?)
    }

    /// A data folder with a new installation, copied from one that is created once per build.
    pub async fn installation(&self) -> Result<TempDir> {
        let (data, template) = (data_folder()?, self.0.with_extension("installation"));
        let lock = File::create(self.0.with_extension("installation.lock"))?;
        lock.lock()?;
        let of = fs::metadata(&self.0)?;
        let build = format!("{} {}.{}", of.len(), of.mtime(), of.mtime_nsec());
        let made_by = template.join("build");
        if fs::read_to_string(&made_by).is_ok_and(|made_by| made_by == build) {
            copy(&template.join("data"), data.path()).await?;
        } else {
            self.install(data.path()).await?;
            if template.exists() {
                fs::remove_dir_all(&template)?;
            }
            fs::create_dir_all(template.join("data"))?;
            copy(data.path(), &template.join("data")).await?;
            fs::write(made_by, build)?;
        }
        Ok(data)
    }
}

fn environment(data: &Path, port: u16) -> Environment {
    named([
        ("DATA_DIR", data.display().to_string()),
        ("PORT", port.to_string()),
        ("WEB_DIR", root().join("web/dist").display().to_string()),
        ("APP_ENV", "test".to_owned()),
        ("RATE_LIMITS", "off".to_owned()),
    ])
}

/// Copies a folder's contents with their owners.
async fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut copy = Command::new("cp");
    let copied = copy.arg("-a").arg(from.join(".")).arg(to).status().await?;
    ensure!(copied.success(), "cannot copy {}", from.display());
    Ok(())
}

/// The process id of a data folder's database server.
pub fn database_pid(postgres: &Path) -> Result<Pid> {
    let lock = fs::read_to_string(postgres.join("data/postmaster.pid"))?;
    let id = lock.lines().next().and_then(|line| line.parse().ok());
    id.and_then(Pid::from_raw).context("no process id")
}

pub struct Product {
    /// Its only process, or the parent of the others.
    pub process: Process,
    /// Base URL of the gateway.
    pub origin: String,
    data: PathBuf,
}

impl Product {
    /// Process id of its embedded database server.
    pub fn database(&self) -> Result<Pid> {
        database_pid(&self.data.join("postgres"))
    }

    /// A state file of its database server: `port` or `password`.
    pub fn database_file(&self, name: &str) -> Result<String> {
        let text = fs::read_to_string(self.data.join("postgres").join(name))?;
        Ok(text.trim().to_owned())
    }

    /// A superuser's URL of one of its databases.
    pub fn database_url(&self, database: &str) -> Result<String> {
        let (password, port) = (self.database_file("password")?, self.database_file("port")?);
        Ok(format!(
            "postgres://postgres:{password}@127.0.0.1:{port}/{database}"
        ))
    }

    /// Stops it; it must exit with 0 and its database server must be gone.
    pub async fn stop(self, signal: Signal) -> Result<()> {
        let database = self.database()?;
        self.stop_without_database(signal).await?;
        let is_gone = test_kill_process(database).is_err();
        ensure!(is_gone, "the database server still runs");
        Ok(())
    }

    /// Stops it without its database; it must exit with 0.
    pub async fn stop_without_database(mut self, signal: Signal) -> Result<()> {
        self.process.signal(signal)?;
        let status = self.process.wait().await?;
        ensure!(status.success(), "{status}: {}", self.process.output()?);
        Ok(())
    }
}
