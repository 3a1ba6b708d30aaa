//! The product and its database, as processes.

use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hourmeter_embedded_postgres::{Options, Server};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::client::Client;

/// A server of its own, so that the same queries can be run beside the product.
pub struct Database {
    server: Server,
}

impl Database {
    /// Starts a durable server.
    pub async fn start(data: &Path) -> Result<Self> {
        let options = Options::new(data.join("database"));
        let server = tokio::task::spawn_blocking(move || Server::start(&options)).await??;
        Ok(Self { server })
    }

    /// A superuser's URL.
    pub fn url(&self, database: &str) -> String {
        self.server.admin_url(database)
    }

    /// Stops it.
    pub async fn stop(self) -> Result<()> {
        tokio::task::spawn_blocking(move || self.server.stop()).await??;
        Ok(())
    }
}

/// The running product.
pub struct Product {
    child: Child,
    port: u16,
}

impl Product {
    /// Starts it and waits until it takes traffic.
    pub async fn start(data: &Path, database: &Database) -> Result<Self> {
        Self::start_with(data, database, &[]).await
    }

    /// The same with more settings.
    pub async fn start_with(
        data: &Path,
        database: &Database,
        more: &[(&str, &str)],
    ) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let program = std::env::current_exe()?.with_file_name("hourmeter");
        let mut child = Command::new(program)
            .env("DATA_DIR", data)
            .env("DATABASE_URL", database.url("postgres"))
            .env("PORT", port.to_string())
            .env("APP_ENV", "test")
            .env("RATE_LIMITS", "off")
            .env_remove("DEMO")
            .envs(more.iter().copied())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let origin = format!("127.0.0.1:{port}");
        for _ in 0..6000 {
            if let Ok(mut client) = Client::connect(&origin).await
                && let Ok((200, _)) = client.get("/readyz").await
            {
                return Ok(Self { child, port });
            }
            if let Some(status) = child.try_wait()? {
                bail!("the product ended: {status}");
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        bail!("the product does not get ready")
    }

    /// Where it answers.
    pub fn origin(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Resident memory of the process; the database is apart.
    pub fn memory(&self) -> Result<String> {
        Ok(format!("{:.1} MB", self.megabytes()?))
    }

    /// The same as a number.
    pub fn megabytes(&self) -> Result<f64> {
        let id = self.child.id().context("it has ended")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: f64 = line
            .context("no figure")?
            .trim()
            .trim_end_matches(" kB")
            .parse()?;
        Ok(kib * 1024.0 / 1e6)
    }

    /// CPU time it has used, in a unit of the kernel's: only to be compared.
    pub fn cpu(&self) -> Result<f64> {
        let id = self.child.id().context("it has ended")?;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name before may hold blanks; in user mode it is the 14th field, in the kernel the 15th.
        let (_, fields) = stat.rsplit_once(") ").context("no figures")?;
        let mut times = fields.split(' ').skip(11).map(str::parse::<f64>);
        let (user, system) = (times.next(), times.next());
        Ok(user.context("no figure")?? + system.context("no figure")??)
    }

    /// Asks it to stop and waits.
    pub async fn stop(mut self) -> Result<()> {
        let id = self
            .child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        kill_process(id.context("it has ended")?, Signal::TERM)?;
        let status = self.child.wait().await?;
        if status.success() {
            Ok(())
        } else {
            bail!("the product ended: {status}")
        }
    }
}

/// A database server of another user must be able to reach its data.
pub fn open_to_all(path: &Path) -> Result<()> {
    Ok(std::fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(0o755),
    )?)
}
