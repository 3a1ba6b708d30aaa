//! A service as its own process: settings, migration, serving, graceful shutdown.

mod common;
mod keys;

use futures::future::BoxFuture;
use std::error::Error;
use std::future::ready;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hourmeter_proto::access::{PolicyTable, policy_table};
use secrecy::SecretString;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::common::ProcessSettings;
use self::keys::PublicKeys;
pub use self::keys::{parse_key, parse_public_keys, read_signer};
use crate::admin::ReadinessProbe;
use crate::client::{Backend, over_tcp};
use crate::clock::Clock;
use crate::config::{AppEnv, Settings};
use crate::db::{self, Database};
use crate::error::{ServiceError, chain};
use crate::identity::Service;
use crate::server::{Guard, ServicePort, guarded};
use crate::shutdown::BackgroundTasks;
use crate::telemetry::{self, LogFormat};
use crate::tls::Tls;

/// Database connections of a command that runs next to the service.
const COMMAND_CONNECTIONS: u32 = 2;

/// Builds the routes of a service.
pub type BuildRoutes =
    Box<dyn FnOnce(Database, Clock, BackgroundTasks) -> Result<Routes, ServiceError> + Send>;

/// The result of a program or command.
pub type ProcessResult = Result<(), Box<dyn Error + Send + Sync>>;

/// The settings of a service process.
#[derive(Debug)]
pub struct ServiceProcess {
    service: Service,
    common: ProcessSettings,
    listen: SocketAddr,
    database_url: SecretString,
    public_keys: PublicKeys,
    max_connections: u32,
    /// The certificate and authorities, if configured.
    pub tls: Option<Tls>,
}

impl ServiceProcess {
    /// Reads `LISTEN`, `DATABASE_URL`, `IDENTITY_PUBLIC_KEYS`, `MAX_CONNECTIONS` and the settings of
    /// [`ProcessSettings::read`].
    pub fn read(service: Service, settings: &mut Settings) -> Self {
        let common = ProcessSettings::read(settings, "info");
        let env = common.env;
        let public_keys = PublicKeys::read(settings, env);
        Self {
            service,
            tls: common.open_tls(settings),
            common,
            listen: settings.or("LISTEN", SocketAddr::from(([127, 0, 0, 1], 7000))),
            database_url: settings.required_secret("DATABASE_URL", env),
            public_keys,
            max_connections: settings.or("MAX_CONNECTIONS", 20),
        }
    }

    /// The environment.
    pub const fn env(&self) -> AppEnv {
        self.common.env
    }

    /// Serves the routes of `build` until a signal; its background tasks wait for the self-check.
    pub fn serve(self, build: BuildRoutes) -> BoxFuture<'static, Result<(), ServiceError>> {
        Box::pin(async move {
            let name = self.service.name();
            self.common.start_telemetry(name, LogFormat::Json)?;
            let stop = self.common.shutdown_on_signal();
            let clock = Clock::system();
            let database = Database::connect(&self.database_url, self.max_connections)?;
            let policy = Arc::new(policy_table().map_err(ServiceError::internal)?);
            let verifier = self.public_keys.verifier(self.service);
            let guard = Guard::new(verifier, policy, clock.clone());
            let background = BackgroundTasks::paused(stop.draining().clone());
            let build = build(database.clone(), clock, background.clone());
            let mut port = ServicePort::open(self.service, self.listen, database).await?;
            port.tls = self.tls;
            port.self_check = self.common.self_check();
            port.background = Some(background);
            let readiness = port.readiness.clone();
            let is_ready: ReadinessProbe =
                Arc::new(move || Box::pin(ready(readiness.load(Ordering::Relaxed))));
            let _admin = self.common.open_admin(is_ready).await?;
            let served = port.serve(guarded(build?, guard), stop).await;
            telemetry::stop().await;
            served
        })
    }
}

/// Connects to the service at the addresses of its setting, such as `ACCOUNTS_URL`. None after a problem.
pub fn read_backend(
    service: Service,
    settings: &mut Settings,
    tls: Option<&Tls>,
    policy: &Arc<PolicyTable>,
) -> Option<Backend> {
    let name = format!("{}_URL", service.name().to_uppercase().replace('-', "_"));
    let addresses = settings.text(&name).unwrap_or_default();
    over_tcp(service, &addresses, policy.clone(), tls)
        .map_err(|problem| settings.problem(format!("{name} {problem}")))
        .ok()
}

/// The command in the arguments of a service's program.
#[derive(Debug, PartialEq, Eq)]
pub enum ServiceCommand<'a> {
    /// Serve until a signal.
    Serve,
    /// Migrate the schema.
    Migrate,
    /// A command of this service: name and arguments.
    Own(&'static str, &'a [String]),
}

impl<'a> ServiceCommand<'a> {
    /// Parses arguments; `own` are the names of the service's commands.
    pub fn read(arguments: &'a [String], own: &[&'static str]) -> Result<Self, ServiceError> {
        let Some((first, rest)) = arguments.split_first() else {
            return Ok(Self::Serve);
        };
        match first.as_str() {
            "serve" => Ok(Self::Serve),
            "migrate" => Ok(Self::Migrate),
            other => match own.iter().find(|name| **name == other) {
                Some(name) => Ok(Self::Own(name, rest)),
                None => Err(ServiceError::internal(format!(
                    "unknown command \"{other}\"; commands: {}",
                    [&["serve", "migrate"], own].concat().join(", ")
                ))),
            },
        }
    }
}

/// Migrates a service's schema with the owner role of `OWNER_DATABASE_URL`, the only secret it needs.
pub fn migrate(
    service: Service,
    mut settings: Settings,
    steps: &Migrator,
) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let common = ProcessSettings::read(&mut settings, "info");
        let url = settings.required_secret("OWNER_DATABASE_URL", common.env);
        let url = settings.finish(url)?;
        common.start_log();
        Ok(db::migrate(service, &url, steps).await?)
    })
}

/// The database of a command, with the service's role.
#[derive(Debug)]
pub struct CommandDatabase {
    common: ProcessSettings,
    url: SecretString,
}

/// Reads `DATABASE_URL`.
pub fn command_database(settings: &mut Settings) -> CommandDatabase {
    let common = ProcessSettings::read(settings, "warn");
    CommandDatabase {
        url: settings.required_secret("DATABASE_URL", common.env),
        common,
    }
}

impl CommandDatabase {
    /// Connects and starts logging.
    pub fn connect(&self) -> Result<Database, ServiceError> {
        self.common.start_log();
        Database::connect(&self.url, COMMAND_CONNECTIONS)
    }
}

/// Converts a result to an exit code; prints an error and its causes to standard error.
#[expect(
    clippy::print_stderr,
    reason = "logs may not be on when settings are wrong"
)]
pub fn exit_code(result: ProcessResult) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    eprintln!("{}", chain(error.as_ref()));
    ExitCode::FAILURE
}

/// The arguments of the program, without its name.
pub fn arguments() -> Vec<String> {
    std::env::args().skip(1).collect()
}
