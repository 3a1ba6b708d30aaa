//! The supervised PostgreSQL server with one migrated database per service.

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
/// The four services share the server's 100 connections.
const MAX_CONNECTIONS: usize = 16;

/// Interval of the health check.
const HEALTH_CHECK_INTERVAL: Duration = Duration::from_millis(300);

pub struct Databases {
    supervisor: Option<Supervisor>,
    urls: Vec<(Service, SecretString)>,
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
        let mut urls = Vec::new();
        let mut admin = connect_admin(&admin_url)
            .await
            .context("failed to connect to the database")?;
        for service in Service::ALL {
            let (service_password, owner_password) = secrets.database(service)?;
            let database = format!("hourmeter_{}", service.name().replace('-', "_"));
            let provision = Provision {
                service,
                database,
                service_password,
                owner_password,
            };
            provision
                .run(&mut admin)
                .await
                .context("failed to prepare the databases")?;
            let owner = url_for(
                &admin_url,
                &provision.owner(),
                &provision.owner_password,
                &provision.database,
            )?;
            let name = service.name();
            provision
                .migrate(&owner, migrations(service))
                .await
                .with_context(|| format!("failed to migrate the database of {name}"))?;
            let url = url_for(
                &admin_url,
                &provision.role(),
                &provision.service_password,
                &provision.database,
            )?;
            urls.push((service, url));
        }
        Ok(Self { supervisor, urls })
    }

    /// The URL of a service's database and role.
    pub fn url(&self, service: Service) -> Result<&SecretString> {
        let found = self
            .urls
            .iter()
            .find(|(of, _)| *of == service)
            .map(|(_, url)| url);
        found.with_context(|| format!("no database of {}", service.name()))
    }

    pub fn connect(&self, service: Service) -> Result<Database> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        let connections = (cores * CONNECTIONS_PER_CORE).min(MAX_CONNECTIONS);
        let connections = u32::try_from(connections)?;
        Ok(Database::connect(self.url(service)?, connections)?)
    }

    /// Stops the embedded server; one named by `DATABASE_URL` keeps running.
    pub async fn stop(self) -> Result<()> {
        match self.supervisor {
            Some(supervisor) => supervisor.stop().await,
            None => Ok(()),
        }
    }
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
    }
}
