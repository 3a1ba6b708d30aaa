//! Connections to the five databases.

use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};

/// URL of a server with all five databases.
const SERVER_URL: &str = "SERVER_DATABASE_URL";

#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    #[error("{0}")]
    Usage(&'static str),
    /// The command cannot be executed, with the reason.
    #[error("{0}")]
    Refused(String),
    /// The number of differences between backup and restore.
    #[error("{0} differences")]
    Differs(usize),
    /// Projections differ from the ledger.
    #[error(transparent)]
    Ledger(#[from] hourmeter_equipment::maintenance::TaskError),
    #[error(transparent)]
    Failed(#[from] ServiceError),
    #[error("{0}")]
    File(#[from] std::io::Error),
}

impl From<sqlx::Error> for RecordsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// URLs of the five databases with role and password.
#[derive(Clone, Debug)]
pub struct Databases {
    urls: [SecretString; 5],
}

impl Databases {
    /// In the order of [`Service::ALL`].
    pub const fn new(urls: [SecretString; 5]) -> Self {
        Self { urls }
    }

    /// Reads `ACCOUNTS_DATABASE_URL_FILE` and so on for each service, or `SERVER_DATABASE_URL_FILE`
    /// for all. `None` if nothing is set.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        if let Some(server) = settings.secret(SERVER_URL, env) {
            let found = Self::on_server(&server);
            if found.is_err() {
                settings.problem(format!("{SERVER_URL} is not a database URL"));
            }
            return found.ok();
        }
        let names = Service::ALL.map(|service| {
            let name = service.name().to_uppercase().replace('-', "_");
            format!("{name}_DATABASE_URL")
        });
        let found = names.each_ref().map(|name| settings.secret(name, env));
        if found.iter().all(Option::is_none) {
            return None;
        }
        for (name, url) in names.iter().zip(&found) {
            if url.is_none() {
                settings.problem(format!("{name}_FILE is missing; all five are needed"));
            }
        }
        Some(Self::new(found.map(Option::unwrap_or_default)))
    }

    /// The five databases under their usual names on one server.
    pub fn on_server(url: &SecretString) -> Result<Self, ServiceError> {
        let options = url.expose_secret().parse::<PgConnectOptions>();
        let options = options.map_err(ServiceError::internal)?;
        let urls = Service::ALL.map(|service| {
            let database = format!("hourmeter_{}", service.name().replace('-', "_"));
            let url = options.clone().database(&database).to_url_lossy();
            SecretString::from(url.to_string())
        });
        Ok(Self { urls })
    }

    pub fn url(&self, service: Service) -> &SecretString {
        let index = Service::ALL.iter().position(|of| *of == service);
        &self.urls[index.unwrap_or_default()]
    }

    /// Connects without a statement timeout.
    pub async fn connect(&self, service: Service) -> Result<PgConnection, RecordsError> {
        let url = self.url(service).expose_secret();
        let options: PgConnectOptions = url.parse().map_err(ServiceError::internal)?;
        let options = options
            // Text of rows is compared between servers.
            .options([
                ("statement_timeout", "0"),
                ("idle_in_transaction_session_timeout", "0"),
                ("bytea_output", "hex"),
                ("IntervalStyle", "postgres"),
            ])
            .disable_statement_logging();
        Ok(options.connect().await?)
    }
}
