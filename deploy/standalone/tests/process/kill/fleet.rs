//! The product as production runs it: a database, four services and two gateways, each of which can
//! be killed and started again.

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use hourmeter_embedded_postgres::{Durability, Options, Server};
use hourmeter_runtime::identity::Service;
use sqlx::{Connection as _, PgConnection};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::task::spawn_blocking;

use super::installation::{Installation, database_name};
use super::process::{Process, kill_number, program, quiet_port};
use crate::product::{PATIENCE, command, package};

/// What can be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// One service.
    Service(Service),
    /// One of the two gateways.
    Gateway(usize),
    /// The database process that serves one of this service's connections. The server ends all
    /// others then, and recovers.
    Connection(Service),
    /// The database server.
    Database,
}

/// Everything that runs.
pub struct Fleet {
    installation: Installation,
    options: Options,
    /// None only while it is dead.
    server: Option<Server>,
    services: Vec<(Service, Process)>,
    gateways: Vec<Process>,
}

impl Fleet {
    /// Makes keys and databases as the product does, and starts everything on them.
    pub async fn start(data: &Path) -> Self {
        let prepared = command(data, 0).args(["staff", "list"]).output().await;
        let prepared = prepared.expect("it runs");
        assert!(prepared.status.success(), "{prepared:?}");
        let state = data.join("postgres");
        // One that nobody takes while the server is dead.
        std::fs::write(state.join("port"), quiet_port().to_string()).expect("a port");
        let mut options = Options::new(state);
        options.package_dir = Some(package());
        // Killed processes lose nothing that way either, and other work on the disk delays nobody.
        options.durability = Durability::Fast;
        let server = start_server(&options).await;
        let installation = Installation::read(data, server.port());
        let services = Service::ALL.map(|service| {
            let environment = installation.of_service(service);
            let port = installation.port(service);
            (
                service,
                Process::start(data, service.name(), port, environment),
            )
        });
        let gateways = [quiet_port(), quiet_port()]
            .map(|port| Process::start(data, "gateway", port, installation.of_gateway(port)));
        let fleet = Self {
            installation,
            options,
            server: Some(server),
            services: services.into(),
            gateways: gateways.into(),
        };
        fleet.until_ready().await;
        fleet
    }

    /// Where the gateways answer.
    pub fn origins(&self) -> Vec<String> {
        let origin = |gateway: &Process| format!("http://127.0.0.1:{}", gateway.port);
        self.gateways.iter().map(origin).collect()
    }

    /// A superuser's connection to a service's database.
    pub async fn database(&self, service: Service) -> PgConnection {
        let server = self.server.as_ref().expect("a running server");
        let url = server.admin_url(&database_name(service));
        PgConnection::connect(&url).await.expect("a connection")
    }

    /// Ends it without any chance to clean up.
    pub async fn kill(&mut self, victim: Victim) {
        match victim {
            Victim::Connection(service) => self.kill_connection(service).await,
            Victim::Database => kill_number(self.server_number()),
            Victim::Service(_) | Victim::Gateway(_) => {
                self.find(victim).expect("a process").kill().await;
            }
        }
    }

    /// Starts what was killed, and waits until the whole answers again.
    pub async fn revive(&mut self, victim: Victim) {
        match victim {
            // The server starts such processes itself.
            Victim::Connection(_) => {}
            Victim::Database => self.revive_database().await,
            Victim::Service(_) | Victim::Gateway(_) => {
                self.find(victim).expect("a process").revive();
            }
        }
        self.until_ready().await;
    }

    /// Asks all to stop, which they must do cleanly, and compares projections with the ledger;
    /// answers what that said.
    pub async fn stop(mut self) -> String {
        let services = self.services.iter_mut().map(|(_, process)| process);
        for process in self.gateways.iter_mut().chain(services) {
            process.stop().await;
        }
        let mut check = Command::new(program());
        check.args(["equipment", "check-projections"]).env_clear();
        check.envs(self.installation.of_service(Service::Equipment));
        let found = check.output().await.expect("it runs");
        let server = self.server.take().expect("a running server");
        let stopped = spawn_blocking(move || server.stop()).await.expect("a task");
        stopped.expect("the database stops");
        String::from_utf8([found.stdout, found.stderr].concat()).expect("text")
    }

    /// What the processes wrote, warnings and worse: file and text.
    pub fn logs(&self) -> Vec<(String, String)> {
        let services = self.services.iter().map(|(_, process)| process);
        let logs = services.chain(&self.gateways).map(|process| &process.log);
        let read = |log: &std::path::PathBuf| {
            let text = std::fs::read_to_string(log).expect("a log");
            (log.display().to_string(), text)
        };
        logs.map(read).collect()
    }

    fn find(&mut self, victim: Victim) -> Option<&mut Process> {
        match victim {
            Victim::Gateway(number) => self.gateways.get_mut(number),
            Victim::Service(service) => {
                let mut services = self.services.iter_mut();
                let found = services.find(|(known, _)| *known == service);
                found.map(|(_, process)| process)
            }
            Victim::Connection(_) | Victim::Database => None,
        }
    }

    async fn kill_connection(&self, service: Service) {
        let mut database = self.database(service).await;
        // The one that worked last, so likely one that is at work.
        let number: i32 = sqlx::query_scalar(
            "SELECT pid
            FROM pg_stat_activity
            WHERE datname = current_database()
              AND pid <> pg_backend_pid()
              AND backend_type = 'client backend'
            ORDER BY state_change DESC
            LIMIT 1",
        )
        .fetch_one(&mut database)
        .await
        .expect("the service is connected");
        kill_number(number);
    }

    fn server_number(&self) -> i32 {
        let lock = self.options.state_dir.join("data/postmaster.pid");
        let text = std::fs::read_to_string(lock).expect("a running server");
        let number = text.lines().next().and_then(|line| line.parse().ok());
        number.expect("a process number")
    }

    /// As the product does when it finds its server dead.
    async fn revive_database(&mut self) {
        let mut dead = self.server.take().expect("it was running");
        let begun = Instant::now();
        while dead.try_wait().expect("a child").is_none() {
            assert!(begun.elapsed() < PATIENCE, "the database lives on");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // It holds the lock of the data until it is dropped.
        spawn_blocking(move || drop(dead)).await.expect("a task");
        let port = self.installation.database_port;
        let server = start_server(&self.options).await;
        assert_eq!(server.port(), port, "where services look for it");
        self.server = Some(server);
    }

    /// All services take calls, and both gateways find accounts and its database.
    async fn until_ready(&self) {
        let begun = Instant::now();
        for (_, service) in &self.services {
            let address = (Ipv4Addr::LOCALHOST, service.port);
            while TcpStream::connect(address).await.is_err() {
                let name = service.program.display();
                assert!(begun.elapsed() < PATIENCE, "{name} does not answer");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        for origin in self.origins() {
            loop {
                let answer = reqwest::get(format!("{origin}/readyz")).await;
                if answer.is_ok_and(|answer| answer.status().is_success()) {
                    break;
                }
                assert!(begun.elapsed() < PATIENCE, "{origin} does not get ready");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn start_server(options: &Options) -> Server {
    let options = options.clone();
    let server = spawn_blocking(move || Server::start(&options)).await;
    server.expect("a task").expect("a database server")
}
