//! The supervised PostgreSQL server with one migrated database per service.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context as _, Result};
use hourmeter_embedded_postgres::{Options, Server};
use hourmeter_runtime::db::{Database, Provision, connect_admin, url_for};
use hourmeter_runtime::identity::Service;
use secrecy::SecretString;
use sqlx::migrate::Migrator;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Per core. More connections than a few warm ones only wait for each other.
const CONNECTIONS_PER_CORE: usize = 4;
/// The services share the server's 100 connections.
const MAX_CONNECTIONS: usize = 16;

const HEALTH_CHECK_INTERVAL: Duration = Duration::from_millis(300);

pub struct Databases {
    supervisor: Option<Supervisor>,
    urls: HashMap<Service, SecretString>,
}

impl Databases {
    /// Starts the embedded server, or uses the one of `DATABASE_URL`, and migrates roles, databases
    /// and schemas.
    pub async fn start(settings: &StandaloneSettings, secrets: &Secrets) -> Result<Self> {
        let (supervisor, admin_url) = if let Some(url) = &settings.database_url {
            (None, url.clone())
        } else {
            let (supervisor, url) = Supervisor::start(settings).await?;
            (Some(supervisor), url)
        };
        let mut urls = HashMap::new();
        let admin = connect_admin(&admin_url).await;
        let mut admin = admin.context("failed to connect to the database")?;
        for service in Service::ALL {
            let (service_password, owner_password) = secrets.database(service)?;
            let provision = Provision {
                service,
                database: format!("hourmeter_{}", service.name().replace('-', "_")),
                service_password,
                owner_password,
            };
            let prepared = provision.run(&mut admin).await;
            prepared.context("failed to prepare the databases")?;
            let url =
                |role: &str, password| url_for(&admin_url, role, password, &provision.database);
            let owner = url(&provision.owner(), &provision.owner_password)?;
            let migrated = provision.migrate(&owner, migrations(service)).await;
            let name = service.name();
            migrated.with_context(|| format!("failed to migrate the database of {name}"))?;
            let service_url = url(&provision.role(), &provision.service_password)?;
            urls.insert(service, service_url);
        }
        Ok(Self { supervisor, urls })
    }

    /// Starts the databases, runs `work` and stops them.
    pub async fn run(
        settings: &StandaloneSettings,
        secrets: &Secrets,
        work: impl AsyncFnOnce(&Self) -> Result<()>,
    ) -> Result<()> {
        let databases = Self::start(settings, secrets).await?;
        let result = work(&databases).await;
        databases.stop().await?;
        result
    }

    /// The URL of a service's database and role.
    pub fn url(&self, service: Service) -> &SecretString {
        &self.urls[&service]
    }

    pub fn connect(&self, service: Service) -> Result<Database> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let connections = (cores * CONNECTIONS_PER_CORE).min(MAX_CONNECTIONS);
        let connections = u32::try_from(connections)?;
        Ok(Database::connect(self.url(service), connections)?)
    }

    /// Stops the embedded server; one named by `DATABASE_URL` keeps running.
    pub async fn stop(self) -> Result<()> {
        match self.supervisor {
            Some(supervisor) => supervisor.stop().await,
            None => Ok(()),
        }
    }
}

/// A superuser's URL of `DATABASE_URL` or of the embedded server of the running product.
pub fn running_server(settings: &StandaloneSettings) -> Result<SecretString> {
    if let Some(url) = &settings.database_url {
        return Ok(url.clone());
    }
    let read = |name: &str| {
        let file = settings.data_dir.join("postgres").join(name);
        let shown = file.display();
        std::fs::read_to_string(&file)
            .with_context(|| format!("failed to read {shown}; is the product starting?"))
    };
    let (port, password) = (read("port")?, read("password")?);
    let (port, password) = (port.trim(), password.trim());
    Ok(format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres").into())
}

/// Restarts the embedded server on the same port if it dies.
struct Supervisor {
    stop: CancellationToken,
    task: JoinHandle<Result<()>>,
}

impl Supervisor {
    async fn start(settings: &StandaloneSettings) -> Result<(Self, SecretString)> {
        let mut options = Options::new(settings.data_dir.join("postgres"));
        options.package_dir.clone_from(&settings.postgres_package);
        let server = start_server(options.clone()).await?;
        let url = server.socket_url("postgres");
        let url = url.unwrap_or_else(|| server.admin_url("postgres")).into();
        let stop = CancellationToken::new();
        let task = tokio::spawn(watch(server, options, stop.clone()));
        Ok((Self { stop, task }, url))
    }

    async fn stop(self) -> Result<()> {
        self.stop.cancel();
        self.task.await?
    }
}

async fn start_server(options: Options) -> Result<Server> {
    let server = spawn_blocking(move || Server::start(&options)).await?;
    server.context("failed to start the embedded PostgreSQL")
}

async fn watch(mut server: Server, options: Options, stop: CancellationToken) -> Result<()> {
    loop {
        tokio::select! {
            () = stop.cancelled() => {
                return spawn_blocking(move || server.stop()).await?.context("failed to stop PostgreSQL");
            }
            () = tokio::time::sleep(HEALTH_CHECK_INTERVAL) => {}
        }
        if let Some(status) = server.try_wait()? {
            tracing::error!(%status, "PostgreSQL has exited; restarting it");
            // The old handle holds the lock of the data directory.
            spawn_blocking(move || drop(server)).await?;
            server = restart(&options, &stop).await?;
        }
    }
}

/// Retries until the server starts or the product stops.
async fn restart(options: &Options, stop: &CancellationToken) -> Result<Server> {
    loop {
        match start_server(options.clone()).await {
            Err(error) if !stop.is_cancelled() => {
                tracing::error!("{error:#}; retrying");
                tokio::time::sleep(10 * HEALTH_CHECK_INTERVAL).await;
            }
            result => return result,
        }
    }
}

fn migrations(service: Service) -> &'static Migrator {
    match service {
        Service::Accounts => &hourmeter_accounts::MIGRATIONS,
        Service::Equipment => &hourmeter_equipment::MIGRATIONS,
        Service::OperatorUpdates => &hourmeter_operator_updates::MIGRATIONS,
        Service::Billing => &hourmeter_billing::MIGRATIONS,
        Service::Notifications => &hourmeter_notifications::MIGRATIONS,
    }
}
