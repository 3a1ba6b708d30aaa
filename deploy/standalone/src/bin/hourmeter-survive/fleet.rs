//! The product as production runs it: a database, Redis, two gateways and two replicas of every
//! service, each a process of its own.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use hourmeter_embedded_postgres::{Durability, Options, Server};
use hourmeter_runtime::identity::Service;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection as _, PgConnection};
use tokio::process::Command;
use tokio::task::spawn_blocking;

use crate::http;
use crate::installation::{Installation, REPLICAS, database_name};
use crate::process::{Environment, Process, beside, quiet_port};

/// How long a start may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(2);
/// Connections the database takes: a fifth more than all pools together.
const MAX_CONNECTIONS: u32 = 220;

/// A process of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// One of the gateways.
    Gateway(usize),
    /// One replica of a service.
    Service(Service, usize),
}

impl Member {
    /// All of them, services first.
    pub fn all() -> Vec<Self> {
        let services = Service::ALL.into_iter();
        let replicas = services
            .flat_map(|service| (0..REPLICAS).map(move |replica| Self::Service(service, replica)));
        replicas.chain((0..REPLICAS).map(Self::Gateway)).collect()
    }

    fn program(self) -> Result<(PathBuf, Vec<String>)> {
        let name = match self {
            Self::Gateway(_) => "gateway",
            Self::Service(service, _) => service.name(),
        };
        Ok((beside("hourmeter")?, vec![name.to_owned()]))
    }
}

impl std::fmt::Display for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gateway(replica) => write!(f, "gateway-{replica}"),
            Self::Service(service, replica) => write!(f, "{}-{replica}", service.name()),
        }
    }
}

/// Everything that runs.
pub struct Fleet {
    /// Keys and addresses; a member that is started hears of changes.
    pub installation: Installation,
    options: Options,
    /// None only while it is away.
    server: Option<Server>,
    redis: Process,
    members: Vec<(Member, Process)>,
}

impl Fleet {
    /// Makes keys and databases as the product does, and starts everything on them. `durable`: the
    /// database waits for the disk, as in production.
    pub async fn start(data: &Path, durable: bool, stop_wait: u32) -> Result<Self> {
        prepare(data).await?;
        let state = data.join("postgres");
        // One that nobody takes while the server is away.
        std::fs::write(state.join("port"), quiet_port()?.to_string())?;
        let mut options = Options::new(state);
        options.max_connections = MAX_CONNECTIONS;
        if !durable {
            // Killed processes lose nothing that way either.
            options.durability = Durability::Fast;
        }
        let server = start_server(&options).await?;
        let installation = Installation::read(data, server.port(), stop_wait)?;
        let redis = start_redis(data, installation.redis_port)?;
        let mut fleet = Self {
            installation,
            options,
            server: Some(server),
            redis,
            members: Vec::new(),
        };
        for member in Member::all() {
            let settings = fleet.settings(member)?;
            let log = data.join(format!("{member}.log"));
            let process = Process::start(member.to_string(), log, member.program()?, settings)?;
            fleet.members.push((member, process));
        }
        fleet.until_ready().await?;
        Ok(fleet)
    }

    fn settings(&self, member: Member) -> Result<Environment> {
        self.installation.of(member)
    }

    /// One process.
    pub fn member(&mut self, member: Member) -> Result<&mut Process> {
        let mut members = self.members.iter_mut();
        let found = members.find(|(known, _)| *known == member);
        found.map(|(_, process)| process).context("no such member")
    }

    /// Redis.
    pub const fn redis(&mut self) -> &mut Process {
        &mut self.redis
    }

    /// Starts a member that has ended, with what it has to know by now.
    pub fn revive(&mut self, member: Member) -> Result<()> {
        let settings = self.settings(member)?;
        let process = self.member(member)?;
        process.tell(settings);
        process.revive()
    }

    /// Stops members one after the other and starts each anew before the next, as a rolling update
    /// does.
    pub async fn roll(&mut self, members: &[Member]) -> Result<()> {
        for member in members {
            self.member(*member)?.stop().await?;
            self.revive(*member)?;
            self.until_answers(*member).await?;
        }
        Ok(())
    }

    /// Stops members and starts them anew, all at once: nobody is at work.
    pub async fn restart(&mut self, members: &[Member]) -> Result<()> {
        let all = self.members.iter_mut();
        let theirs = all.filter(|(member, _)| members.contains(member));
        let stops = theirs.map(|(_, process)| process.stop());
        for stopped in futures::future::join_all(stops).await {
            stopped?;
        }
        for member in members {
            self.revive(*member)?;
        }
        for member in members {
            self.until_answers(*member).await?;
        }
        Ok(())
    }

    /// A superuser's connection to a service's database, past whatever stands before it.
    pub async fn database(&self, service: Service) -> Result<PgConnection> {
        let server = self.server.as_ref().context("the database is away")?;
        let url = server.admin_url(&database_name(service));
        Ok(PgConnection::connect(&url).await?)
    }

    /// Where the database listens.
    pub fn database_port(&self) -> Result<u16> {
        let server = self.server.as_ref().context("the database is away")?;
        Ok(server.port())
    }

    /// Ends the database without any chance to clean up.
    pub async fn kill_database(&mut self) -> Result<()> {
        let lock = self.options.state_dir.join("data/postmaster.pid");
        let text = std::fs::read_to_string(lock)?;
        let number = text.lines().next().and_then(|line| line.parse().ok());
        let number = number.and_then(Pid::from_raw).context("no number")?;
        kill_process(number, Signal::KILL)?;
        let mut dead = self.server.take().context("the database is away")?;
        while dead.try_wait()?.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // It holds the lock of the data until it is dropped.
        Ok(spawn_blocking(move || drop(dead)).await?)
    }

    /// Stops the database as an update of it does.
    pub async fn stop_database(&mut self) -> Result<()> {
        let server = self.server.take().context("the database is away")?;
        Ok(spawn_blocking(move || server.stop()).await??)
    }

    /// Starts the database again, where it was.
    pub async fn revive_database(&mut self) -> Result<()> {
        self.server = Some(start_server(&self.options).await?);
        Ok(())
    }

    /// Fails when a process has ended by itself.
    pub fn must_run(&mut self) -> Result<()> {
        let mut all = self.members.iter_mut();
        all.try_for_each(|(_, process)| process.must_run())
    }

    /// Memory of the larger gateway, in megabytes.
    pub fn gateway_megabytes(&mut self) -> Result<f64> {
        let mut most = 0.0_f64;
        for replica in 0..REPLICAS {
            most = most.max(self.member(Member::Gateway(replica))?.megabytes()?);
        }
        Ok(most)
    }

    /// Compares projections with the ledger; answers what that said.
    pub async fn check_projections(&self) -> Result<String> {
        let mut check = Command::new(beside("hourmeter")?);
        check.args(["equipment", "check-projections"]).env_clear();
        check.envs(self.settings(Member::Service(Service::Equipment, 0))?);
        let found = check.output().await?;
        Ok(String::from_utf8([found.stdout, found.stderr].concat())?)
    }

    /// Lines of panics in what the processes wrote.
    pub fn panics(&self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (_, process) in &self.members {
            let text = std::fs::read_to_string(&process.log)?;
            let found = text.lines().filter(|line| line.contains("panicked"));
            lines.extend(found.map(|line| format!("{}: {line}", process.name)));
        }
        Ok(lines)
    }

    /// Asks all to stop, which they must do cleanly.
    pub async fn stop(mut self) -> Result<()> {
        let members = self.members.iter_mut().rev();
        let stops = members.map(|(_, process)| process.stop());
        for stopped in futures::future::join_all(stops).await {
            stopped?;
        }
        self.redis.kill().await?;
        self.stop_database().await
    }

    async fn until_ready(&self) -> Result<()> {
        for (member, _) in &self.members {
            self.until_answers(*member).await?;
        }
        Ok(())
    }

    /// Waits until a member says that it takes calls.
    pub async fn until_answers(&self, member: Member) -> Result<()> {
        let port = self.installation.admin_port(member)?;
        let begun = Instant::now();
        while !http::is_ready(&format!("127.0.0.1:{port}")).await {
            if begun.elapsed() > PATIENCE {
                bail!("{member} does not get ready");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

/// Keys, roles and schemas, made by the product itself.
async fn prepare(data: &Path) -> Result<()> {
    let mut command = Command::new(beside("hourmeter")?);
    command
        .args(["staff", "list"])
        .env("DATA_DIR", data)
        .env("APP_ENV", "test")
        .env_remove("DATABASE_URL")
        .kill_on_drop(true);
    let prepared = command.output().await?;
    if !prepared.status.success() {
        bail!("no installation: {prepared:?}");
    }
    Ok(())
}

async fn start_server(options: &Options) -> Result<Server> {
    let options = options.clone();
    Ok(spawn_blocking(move || Server::start(&options)).await??)
}

fn start_redis(data: &Path, port: u16) -> Result<Process> {
    let port = port.to_string();
    let arguments = [
        "--port",
        &port,
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--appendonly",
        "no",
    ];
    let arguments = arguments.map(str::to_owned).to_vec();
    let log = data.join("redis.log");
    let program = (PathBuf::from("redis-server"), arguments);
    let process = Process::start("redis".to_owned(), log, program, Vec::new());
    process.context("redis-server must be installed")
}
