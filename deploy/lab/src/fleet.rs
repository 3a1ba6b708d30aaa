//! The product as in production: a database, Redis, two gateways and two replicas of every service
//! as separate processes with mutual TLS.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::future::try_join_all;
use hourmeter_embedded_postgres::{Durability, Options, Server};
use hourmeter_runtime::identity::Service;
use rustix::process::{Pid, Signal, kill_process};
use sqlx::{Connection as _, PgConnection};
use tokio::process::Command;
use tokio::task::spawn_blocking;

use crate::installation::{Installation, database_name};
use crate::process::{Environment, Process, free_port};
use crate::program::{Program, database_pid};

/// Gateways, and replicas of each service.
pub const REPLICAS: usize = 2;
/// A fifth more than all pools together.
const MAX_CONNECTIONS: u32 = 240;

/// One replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    Service(Service, usize),
    Gateway(usize),
}

impl Member {
    /// All members, services first.
    pub fn all() -> Vec<Self> {
        let services = Service::ALL.into_iter().flat_map(Self::replicas);
        services.chain(Self::gateways()).collect()
    }

    pub fn replicas(service: Service) -> [Self; REPLICAS] {
        std::array::from_fn(|replica| Self::Service(service, replica))
    }

    pub fn gateways() -> [Self; REPLICAS] {
        std::array::from_fn(Self::Gateway)
    }
}

pub struct Fleet {
    pub gateways: [u16; REPLICAS],
    /// Whether gateways limit rates; effective at their next start.
    pub rate_limits: bool,
    /// Another URL of the payment provider than the sandbox; effective at billing's next start.
    pub payment_provider: Option<String>,
    program: Program,
    /// Changes take effect at a member's next start.
    pub installation: Installation,
    /// Seconds of serving after `SIGTERM`.
    stop_wait: u32,
    options: Options,
    /// `None` while stopped.
    server: Option<Server>,
    pub redis: Process,
    /// Services first.
    members: BTreeMap<Member, Process>,
}

impl Fleet {
    /// Creates an installation in a data folder and starts everything. With `durable` the database
    /// waits for the disk, as in production.
    pub async fn start(
        program: &Program,
        data: &Path,
        durable: bool,
        stop_wait: u32,
    ) -> Result<Self> {
        program.install(data).await?;
        let (server, options) =
            start_database(data, durable, MAX_CONNECTIONS, free_port()?).await?;
        let installation = Installation::read(data, server.port(), REPLICAS)?;
        let mut fleet = Self {
            gateways: [free_port()?, free_port()?],
            rate_limits: true,
            payment_provider: None,
            program: program.clone(),
            installation: installation.with_tls("127.0.0.1")?,
            stop_wait,
            options,
            server: Some(server),
            redis: start_redis(data)?,
            members: BTreeMap::new(),
        };
        for member in Member::all() {
            let admin_port = free_port()?;
            let (name, port) = match member {
                Member::Gateway(replica) => ("gateway", fleet.gateways[replica]),
                Member::Service(service, replica) => {
                    (service.name(), fleet.installation.port(service, replica)?)
                }
            };
            let environment = fleet.environment(member, admin_port)?;
            let mut process = Process::start(program.path(), &[name], port, environment, data)?;
            process.ready_port = admin_port;
            fleet.members.insert(member, process);
        }
        fleet.wait_until_ready(&Member::all()).await?;
        Ok(fleet)
    }

    /// URL of a gateway.
    pub fn origin(&self, replica: usize) -> String {
        format!("http://127.0.0.1:{}", self.gateways[replica])
    }

    fn environment(&self, member: Member, admin_port: u16) -> Result<Environment> {
        let mut environment = match member {
            Member::Gateway(replica) => self.installation.of_gateway(self.gateways[replica])?,
            Member::Service(service, replica) => self.installation.of_service(service, replica)?,
        };
        // Later values override earlier ones.
        let mut set = |name: &str, value: &str| environment.push((name.into(), value.into()));
        set("ADMIN_LISTEN", &format!("127.0.0.1:{admin_port}"));
        let redis = self.redis.port;
        set("REDIS_URL", &format!("redis://127.0.0.1:{redis}/"));
        set("STOP_WAIT_SECONDS", &self.stop_wait.to_string());
        if let Member::Gateway(_) = member {
            set("RATE_LIMITS", if self.rate_limits { "on" } else { "off" });
            // The lab acts as the load balancer.
            set("TRUSTED_PROXIES", "127.0.0.1/32");
        } else if let Some(provider) = &self.payment_provider {
            set("STRIPE_API_KEY", "sk_test_of_nobody_at_all");
            set("STRIPE_WEBHOOK_SECRETS", "whsec_of_nobody_at_all");
            set("STRIPE_API_BASE", provider);
            set("PUBLIC_ORIGIN", "http://127.0.0.1:8080");
        }
        Ok(environment)
    }

    pub fn member(&mut self, member: Member) -> Result<&mut Process> {
        self.members.get_mut(&member).context("no such member")
    }

    /// Starts members that have ended, with the current settings, and waits until they are ready.
    pub async fn start_ended(&mut self, members: &[Member]) -> Result<()> {
        for member in members {
            let admin_port = self.member(*member)?.ready_port;
            let environment = self.environment(*member, admin_port)?;
            let process = self.member(*member)?;
            process.environment = environment;
            process.restart()?;
        }
        self.wait_until_ready(members).await
    }

    /// Restarts members one by one, as in a rolling update.
    pub async fn roll(&mut self, members: &[Member]) -> Result<()> {
        for member in members {
            self.member(*member)?.stop().await?;
            self.start_ended(&[*member]).await?;
        }
        Ok(())
    }

    /// Stops all members together and starts them again.
    pub async fn restart(&mut self, members: &[Member]) -> Result<()> {
        let all = self.members.iter_mut();
        let theirs = all.filter(|(member, _)| members.contains(member));
        try_join_all(theirs.map(|(_, process)| process.stop())).await?;
        self.start_ended(members).await
    }

    /// A superuser's connection to a service's database.
    pub async fn database(&self, service: Service) -> Result<PgConnection> {
        let server = self.server.as_ref().context("the database is stopped")?;
        let url = server.admin_url(&database_name(service));
        Ok(PgConnection::connect(&url).await?)
    }

    /// Kills the database process of the service's most recently used connection. The server then
    /// closes all connections and recovers.
    pub async fn kill_connection(&self, service: Service) -> Result<()> {
        let mut database = self.database(service).await?;
        let pid: i32 = sqlx::query_scalar(
            "SELECT pid
            FROM pg_stat_activity
            WHERE datname = current_database()
              AND pid <> pg_backend_pid()
              AND backend_type = 'client backend'
            ORDER BY state_change DESC
            LIMIT 1",
        )
        .fetch_one(&mut database)
        .await?;
        let pid = Pid::from_raw(pid).context("no pid")?;
        Ok(kill_process(pid, Signal::KILL)?)
    }

    /// Kills the database server and starts it again.
    pub async fn kill_database(&mut self) -> Result<()> {
        kill_process(database_pid(&self.options.state_dir)?, Signal::KILL)?;
        let mut dead = self.server.take().context("the database is stopped")?;
        while dead.try_wait()?.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // The old handle holds the lock of the data directory.
        spawn_blocking(move || drop(dead)).await?;
        self.start_database().await
    }

    pub async fn stop_database(&mut self) -> Result<()> {
        let server = self.server.take().context("the database is stopped")?;
        spawn_blocking(move || server.stop()).await?
    }

    /// Starts the database again on its port.
    pub async fn start_database(&mut self) -> Result<()> {
        let options = self.options.clone();
        self.server = Some(spawn_blocking(move || Server::start(&options)).await??);
        Ok(())
    }

    /// Fails if a process has ended unexpectedly.
    pub fn check_running(&mut self) -> Result<()> {
        let mut all = self.members.values_mut();
        all.try_for_each(Process::check_running)
    }

    /// Memory of the larger gateway in megabytes.
    pub fn gateway_megabytes(&self) -> Result<f64> {
        let [one, other] = Member::gateways().map(|gateway| self.members[&gateway].megabytes());
        Ok(one?.max(other?))
    }

    /// Compares projections with the ledger and returns the command's output.
    pub async fn check_projections(&self) -> Result<String> {
        let mut check = Command::new(self.program.path());
        check.args(["equipment", "check-projections"]).env_clear();
        check.envs(self.installation.of_service(Service::Equipment, 0)?);
        let found = check.output().await?;
        Ok(String::from_utf8([found.stdout, found.stderr].concat())?)
    }

    pub fn panics(&self) -> Result<Vec<String>> {
        let mut panics = Vec::new();
        for process in self.members.values() {
            let (text, log) = (process.output()?, process.log.display());
            let lines = text.lines().filter(|line| line.contains("panicked"));
            panics.extend(lines.map(|line| format!("{log}: {line}")));
        }
        Ok(panics)
    }

    /// Stops everything; every process must exit with 0.
    pub async fn stop(mut self) -> Result<()> {
        let members = self.members.values_mut().rev();
        try_join_all(members.map(Process::stop)).await?;
        self.redis.kill().await?;
        self.stop_database().await
    }

    async fn wait_until_ready(&mut self, members: &[Member]) -> Result<()> {
        for member in members {
            self.member(*member)?.wait_until_ready().await?;
        }
        Ok(())
    }
}

/// Starts the database of a data folder on a port.
pub async fn start_database(
    data: &Path,
    durable: bool,
    max_connections: u32,
    port: u16,
) -> Result<(Server, Options)> {
    let mut options = Options::new(data.join("postgres"));
    std::fs::create_dir_all(&options.state_dir)?;
    std::fs::write(options.state_dir.join("port"), port.to_string())?;
    options.max_connections = max_connections;
    if !durable {
        // Sufficient for killed processes; only a power failure would lose data.
        options.durability = Durability::Fast;
    }
    let start = options.clone();
    let server = spawn_blocking(move || Server::start(&start)).await??;
    Ok((server, options))
}

fn start_redis(data: &Path) -> Result<Process> {
    let port = free_port()?;
    let listen = ["--port", &port.to_string(), "--bind", "127.0.0.1"];
    let arguments = [&listen[..], &["--save", "", "--appendonly", "no"]].concat();
    let program = Path::new("redis-server");
    let redis = Process::start(program, &arguments, port, Vec::new(), data);
    redis.context("redis-server must be installed")
}
