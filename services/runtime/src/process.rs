//! A service as a process of its own: settings, migration, serving, clean stop.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hourmeter_proto::access::policy_table;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::Migrator;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use crate::clock::Clock;
use crate::config::{AppEnv, Settings};
use crate::db::{Database, migrate};
use crate::error::{Failure, chain};
use crate::identity::{Service, Signer, TrustedIssuers, Verifier};
use crate::server::{Guard, guarded, serve, stop_on_signal};
use crate::telemetry::{self, LogFormat};

/// What every service process is told by its environment.
#[derive(Debug)]
pub struct ServiceProcess {
    service: Service,
    /// Where it runs.
    pub env: AppEnv,
    listen: SocketAddr,
    database_url: SecretString,
    owner_database_url: Option<SecretString>,
    issuers: TrustedIssuers,
    max_connections: u32,
    log: String,
}

impl ServiceProcess {
    /// Reads `LISTEN`, `DATABASE_URL`, `OWNER_DATABASE_URL` (for `migrate` only),
    /// `IDENTITY_PUBLIC_KEYS`, `MAX_CONNECTIONS`, `APP_ENV` and `RUST_LOG`.
    pub fn read(service: Service, settings: &mut Settings) -> Self {
        let env = settings.or("APP_ENV", AppEnv::Development);
        let keys = settings.required_secret("IDENTITY_PUBLIC_KEYS", env);
        let issuers = parse_public_keys(&keys).unwrap_or_else(|problem| {
            settings.problem(format!("IDENTITY_PUBLIC_KEYS_FILE {problem}"));
            TrustedIssuers::default()
        });
        Self {
            service,
            env,
            listen: settings.or("LISTEN", SocketAddr::from(([127, 0, 0, 1], 7000))),
            database_url: settings.required_secret("DATABASE_URL", env),
            owner_database_url: settings.secret("OWNER_DATABASE_URL", env),
            issuers,
            max_connections: settings.or("MAX_CONNECTIONS", 20),
            log: settings
                .text("RUST_LOG")
                .unwrap_or_else(|| "info".to_owned()),
        }
    }

    /// Does what the first argument of the program says: `serve` (or nothing), or `migrate`.
    pub async fn run(
        self,
        steps: &Migrator,
        build: impl FnOnce(Database, Clock, CancellationToken) -> Result<Routes, Failure>,
    ) -> Result<(), Failure> {
        telemetry::start(&self.log, LogFormat::Json);
        match std::env::args().nth(1).as_deref() {
            None | Some("serve") => self.serve(build).await,
            Some("migrate") => self.migrate(steps).await,
            Some(other) => Err(Failure::internal(format!("unknown command \"{other}\""))),
        }
    }

    /// The command of the service's own that the first argument of the program names, with what
    /// follows it, and the database as the service sees it. None: the arguments are for
    /// [`ServiceProcess::run`].
    pub fn own_command(&self, known: &[&'static str]) -> Result<Option<OwnCommand>, Failure> {
        let mut arguments = std::env::args().skip(1);
        let first = arguments.next();
        let name = known.iter().find(|name| first.as_deref() == Some(**name));
        let Some(name) = name else {
            return Ok(None);
        };
        telemetry::start(&self.log, LogFormat::Json);
        Ok(Some(OwnCommand {
            name,
            arguments: arguments.collect(),
            database: Database::connect(&self.database_url, self.max_connections)?,
        }))
    }

    /// Brings the service's schema up to date, as the owner role.
    async fn migrate(&self, steps: &Migrator) -> Result<(), Failure> {
        let url = self.owner_database_url.as_ref();
        let url = url.ok_or_else(|| Failure::internal("OWNER_DATABASE_URL_FILE is missing"))?;
        migrate(self.service, url, steps).await
    }

    /// Serves what `build` makes until SIGTERM or Ctrl-C.
    async fn serve(
        self,
        build: impl FnOnce(Database, Clock, CancellationToken) -> Result<Routes, Failure>,
    ) -> Result<(), Failure> {
        let stop = stop_on_signal();
        let clock = Clock::system();
        let database = Database::connect(&self.database_url, self.max_connections)?;
        let policy = Arc::new(policy_table().map_err(Failure::internal)?);
        let guard = Guard::new(
            Verifier::new(self.service, &self.issuers),
            policy,
            clock.clone(),
        );
        let routes = guarded(build(database.clone(), clock, stop.clone())?, guard);
        serve(self.service, routes, database, self.listen, stop).await
    }
}

/// A command that only one service has.
#[derive(Debug)]
pub struct OwnCommand {
    /// Its name.
    pub name: &'static str,
    /// What followed it.
    pub arguments: Vec<String>,
    /// The service's database.
    pub database: Database,
}

/// How a program ends: with what went wrong on standard error, inner causes included, or well.
#[expect(
    clippy::print_stderr,
    reason = "logs may not be on when settings are wrong"
)]
pub fn end(result: Result<(), Box<dyn std::error::Error + Send + Sync>>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    eprintln!("{}", chain(error.as_ref()));
    ExitCode::FAILURE
}

/// A 32-byte secret written in base64.
pub fn parse_key(text: &SecretString) -> Result<[u8; 32], String> {
    let bytes = BASE64_STANDARD.decode(text.expose_secret().trim());
    let bytes = bytes.map_err(|_| "is not base64".to_owned())?;
    let key: [u8; 32] = bytes
        .try_into()
        .map_err(|_| "is not 32 bytes long".to_owned())?;
    if key.iter().all(|byte| *byte == key[0]) {
        return Err("has no randomness".to_owned());
    }
    Ok(key)
}

/// Public keys by issuer: `{"gateway": "<base64>", "operator-updates": "<base64>"}`.
pub fn parse_public_keys(text: &SecretString) -> Result<TrustedIssuers, String> {
    let keys: BTreeMap<String, String> = serde_json::from_str(text.expose_secret())
        .map_err(|_| "is not an object of names and keys".to_owned())?;
    keys.into_iter()
        .try_fold(TrustedIssuers::default(), |issuers, (name, key)| {
            let key =
                parse_key(&key.into()).map_err(|problem| format!("key of {name} {problem}"))?;
            Ok(issuers.with(name, key))
        })
}

/// Reads `IDENTITY_SIGNING_KEY`, the secret this process signs its calls with.
pub fn read_signer(issuer: &'static str, settings: &mut Settings, env: AppEnv) -> Option<Signer> {
    let secret = settings.required_secret("IDENTITY_SIGNING_KEY", env);
    match parse_key(&secret) {
        Ok(key) => Signer::new(issuer, &key).ok(),
        Err(problem) => {
            settings.problem(format!("IDENTITY_SIGNING_KEY_FILE {problem}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_32_bytes_that_are_not_all_alike() {
        let parse = |bytes: &[u8]| parse_key(&BASE64_STANDARD.encode(bytes).into());
        let good: Vec<u8> = (0..32).collect();
        assert_eq!(parse(&good).expect("a key").as_slice(), good);
        for bad in [&good[1..], &[], &[0; 32], &[7; 32], &[1; 33]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse_key(&"%".to_owned().into()).is_err());
    }
}
