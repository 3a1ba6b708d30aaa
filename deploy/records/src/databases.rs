//! The four databases, wherever they are.

use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, PgConnection};

/// One URL, for installations that keep all four databases on one server.
const SERVER_URL: &str = "SERVER_DATABASE_URL";

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// The arguments are not understood.
    #[error("{0}")]
    Usage(&'static str),
    /// What was asked for can't be done, and why.
    #[error("{0}")]
    Refused(String),
    /// What was restored is not what was there; how many differences.
    #[error("{0} differences")]
    Differs(usize),
    /// Meters or totals are not what the ledger says.
    #[error(transparent)]
    Ledger(#[from] hourmeter_equipment::maintenance::TaskError),
    /// A database failed.
    #[error(transparent)]
    Failed(#[from] ServiceError),
    /// A file could not be read or written.
    #[error("{0}")]
    File(#[from] std::io::Error),
}

impl From<sqlx::Error> for RecordsError {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Where each service's database is, and as whom to go there.
#[derive(Clone, Debug)]
pub struct Databases {
    urls: [SecretString; 4],
}

impl Databases {
    /// From URLs in the order of [`Service::ALL`].
    pub const fn new(urls: [SecretString; 4]) -> Self {
        Self { urls }
    }

    /// From the settings: `ACCOUNTS_DATABASE_URL_FILE` and so on for each service, or
    /// `SERVER_DATABASE_URL_FILE` for all under their usual names. None when nothing is set.
    pub fn read(settings: &mut Settings, env: AppEnv) -> Option<Self> {
        if let Some(server) = settings.secret(SERVER_URL, env) {
            let found = Self::on_server(&server);
            if found.is_err() {
                settings.problem(format!("{SERVER_URL} is no URL of a database"));
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
                settings.problem(format!("{name}_FILE is missing; all four are needed"));
            }
        }
        Some(Self::new(found.map(Option::unwrap_or_default)))
    }

    /// The four databases under their usual names on one server.
    pub fn on_server(url: &SecretString) -> Result<Self, ServiceError> {
        let options: PgConnectOptions = url
            .expose_secret()
            .parse()
            .map_err(ServiceError::internal)?;
        let urls = Service::ALL.map(|service| {
            let database = format!("hourmeter_{}", service.name().replace('-', "_"));
            let url = options.clone().database(&database).to_url_lossy();
            SecretString::from(url.to_string())
        });
        Ok(Self { urls })
    }

    /// The URL of one of them.
    pub fn url(&self, service: Service) -> &SecretString {
        let index = Service::ALL.iter().position(|of| *of == service);
        &self.urls[index.unwrap_or_default()]
    }

    /// Opens a connection to one of them. Whatever it does may take its time.
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
