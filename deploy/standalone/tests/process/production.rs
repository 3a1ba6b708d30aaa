//! Processes as in production: secrets from files, TLS, rejected unsafe settings, and a stop in two
//! steps.

use std::fs;
use std::time::Duration;

use anyhow::Result;
use hourmeter_embedded_postgres::Server;
use hourmeter_lab::{Environment, Installation, Process, TIMEOUT, free_port, start_database};
use hourmeter_runtime::identity::Service;
use reqwest::StatusCode;
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use crate::hourmeter;

/// Secrets that production reads from files.
const SECRETS: [&str; 6] = [
    "DATABASE_URL",
    "IDENTITY_PUBLIC_KEYS",
    "IDENTITY_SIGNING_KEY",
    "PASSWORD_PEPPERS",
    "OPERATOR_PASSWORD_KEYS",
    "DECOY_SECRET",
];

struct Production {
    folder: TempDir,
    installation: Installation,
}

impl Production {
    async fn prepare() -> Result<Self> {
        let folder = hourmeter().installation().await?;
        let port = free_port()?;
        let installation = Installation::read(folder.path(), port, 1)?;
        Ok(Self {
            installation: installation.with_tls("localhost")?,
            folder,
        })
    }

    async fn database(&self) -> Result<Server> {
        let port = self.installation.database_port;
        let started = start_database(self.folder.path(), false, 100, port).await?;
        Ok(started.0)
    }

    /// Moves secrets into files.
    fn settings(&self, settings: Environment) -> Result<Environment> {
        let mut all = Environment::new();
        for (name, value) in settings {
            if SECRETS.contains(&name.as_str()) {
                // One file per process: some secrets differ.
                let file = self.folder.path().join(format!("{name}-{}", free_port()?));
                fs::write(&file, value)?;
                all.push((format!("{name}_FILE"), file.display().to_string()));
            } else {
                all.push((name, value));
            }
        }
        set(&mut all, "APP_ENV", "production");
        Ok(all)
    }

    fn accounts(&self) -> Result<Environment> {
        self.settings(self.installation.of_service(Service::Accounts, 0)?)
    }

    fn gateway(&self, port: u16) -> Result<Environment> {
        let mut settings = self.settings(self.installation.of_gateway(port)?)?;
        settings.retain(|(name, _)| name != "RATE_LIMITS");
        set(&mut settings, "PUBLIC_ORIGIN", "https://app.example.com");
        Ok(settings)
    }

    fn start(&self, name: &str, settings: &Environment) -> Result<Process> {
        let (program, folder) = (hourmeter(), self.folder.path());
        Process::start(
            program.path(),
            &[name],
            free_port()?,
            settings.clone(),
            folder,
        )
    }

    /// Output of a process that must fail to start.
    async fn refused(&self, name: &str, settings: &Environment) -> Result<String> {
        let mut process = self.start(name, settings)?;
        let status = process.wait().await?;
        let text = process.output()?;
        assert!(!status.success(), "{text}");
        Ok(text)
    }
}

fn set(settings: &mut Environment, name: &str, value: &str) {
    settings.retain(|(known, _)| known != name);
    settings.push((name.to_owned(), value.to_owned()));
}

async fn status(port: u16, path: &str) -> Option<StatusCode> {
    let answer = reqwest::get(format!("http://127.0.0.1:{port}{path}")).await;
    answer.ok().map(|answer| answer.status())
}

async fn until(port: u16, path: &str, wanted: StatusCode) {
    let begun = Instant::now();
    while status(port, path).await != Some(wanted) {
        assert!(begun.elapsed() < TIMEOUT, "{path} is not {wanted}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn processes_serve_over_tls_and_stop_in_two_steps() -> Result<()> {
    let production = Production::prepare().await?;
    let (admin, public, gateway_admin) = (free_port()?, free_port()?, free_port()?);
    let mut settings = production.accounts()?;
    set(&mut settings, "ADMIN_LISTEN", &format!("127.0.0.1:{admin}"));
    set(&mut settings, "STOP_WAIT_SECONDS", "3");
    let mut accounts = production.start("accounts", &settings)?;
    // It starts without a database.
    until(admin, "/livez", StatusCode::OK).await;
    assert_eq!(
        status(admin, "/readyz").await,
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
    let server = production.database().await?;
    until(admin, "/readyz", StatusCode::OK).await;
    assert_eq!(status(admin, "/metrics").await, Some(StatusCode::OK));

    let mut settings = production.gateway(public)?;
    let listen = format!("127.0.0.1:{gateway_admin}");
    set(&mut settings, "ADMIN_LISTEN", &listen);
    set(&mut settings, "STOP_WAIT_SECONDS", "3");
    let mut gateway = production.start("gateway", &settings)?;
    // It calls accounts with mutual TLS.
    until(gateway_admin, "/readyz", StatusCode::OK).await;
    until(public, "/readyz", StatusCode::OK).await;

    gateway.signal(Signal::TERM)?;
    until(gateway_admin, "/readyz", StatusCode::SERVICE_UNAVAILABLE).await;
    // It still serves, and asks clients to use other connections.
    let mut client = TcpStream::connect(("127.0.0.1", public)).await?;
    let request = b"GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n";
    client.write_all(request).await?;
    let mut answer = String::new();
    client.read_to_string(&mut answer).await?;
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert_eq!(status(public, "/healthz").await, Some(StatusCode::OK));
    assert!(gateway.wait().await?.success());

    accounts.signal(Signal::TERM)?;
    until(admin, "/readyz", StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(status(admin, "/livez").await, Some(StatusCode::OK));
    assert!(accounts.wait().await?.success());
    spawn_blocking(move || server.stop()).await?
}

/// A setting, its value or file, and the reason why the start fails. The files hold a key of zeros,
/// a short one and one of this repository.
const UNSAFE_ACCOUNTS: [&str; 8] = [
    "DECOY_SECRET_FILE=zero: DECOY_SECRET_FILE has a key without randomness",
    "DECOY_SECRET_FILE=short: wrong length",
    "PASSWORD_PEPPERS_FILE=sample: PASSWORD_PEPPERS_FILE has a key of an example",
    "OPERATOR_PASSWORD_KEYS_FILE=: OPERATOR_PASSWORD_KEYS_FILE is missing",
    "IDENTITY_PUBLIC_KEYS_FILE=short: IDENTITY_PUBLIC_KEYS_FILE is not",
    "TLS_CA_FILE=: all three or none",
    "TLS_KEY_FILE=short: no private key",
    "DECOY_SECRET=inline: DECOY_SECRET must come from a file",
];
const UNSAFE_GATEWAY: [&str; 5] = [
    "PUBLIC_ORIGIN=http://app.example.com: PUBLIC_ORIGIN is not https",
    "PUBLIC_ORIGIN=: PUBLIC_ORIGIN is missing",
    "IDENTITY_SIGNING_KEY_FILE=zero: IDENTITY_SIGNING_KEY_FILE has a key",
    "ACCOUNTS_URL=http://127.0.0.1:7000: ACCOUNTS_URL is not a list of addresses like https",
    "RATE_LIMITS=off: RATE_LIMITS can be off only with APP_ENV=test",
];

#[tokio::test]
async fn processes_reject_unsafe_settings() -> Result<()> {
    let production = Production::prepare().await?;
    let folder = production.folder.path();
    fs::write(folder.join("zero"), format!("{}=", "A".repeat(43)))?;
    fs::write(folder.join("short"), "c2hvcnQ=")?;
    let sample = r#"{"active":"1","keys":{"1":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}}"#;
    fs::write(folder.join("sample"), sample)?;
    let accounts = UNSAFE_ACCOUNTS.map(|case| ("accounts", case));
    for (process, case) in accounts
        .into_iter()
        .chain(UNSAFE_GATEWAY.map(|case| ("gateway", case)))
    {
        let mut settings = match process {
            "accounts" => production.accounts()?,
            _ => production.gateway(free_port()?)?,
        };
        let (setting, reason) = case.split_once(": ").expect("a reason");
        let (name, value) = setting.split_once('=').expect("a value");
        settings.retain(|(known, _)| known.trim_end_matches("_FILE") != name);
        let file = folder.join(value);
        let is_file = !value.is_empty() && file.is_file();
        set(
            &mut settings,
            name,
            if is_file {
                file.to_str().expect("a path")
            } else {
                value
            },
        );
        let text = production.refused(process, &settings).await?;
        assert!(text.contains(reason), "{case}: {text}");
    }
    let mut settings = production.accounts()?;
    settings.retain(|(name, _)| !name.starts_with("TLS_"));
    let text = production.refused("accounts", &settings).await?;
    assert!(
        text.contains("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE are missing"),
        "{text}"
    );
    Ok(())
}

#[tokio::test]
async fn accounts_rejects_role_that_bypasses_row_security() -> Result<()> {
    let production = Production::prepare().await?;
    let mut settings = production.accounts()?;
    let server = production.database().await?;
    let url = production.folder.path().join("admin");
    fs::write(&url, server.admin_url("hourmeter_accounts"))?;
    let url = url.display().to_string();
    set(&mut settings, "DATABASE_URL_FILE", &url);
    let text = production.refused("accounts", &settings).await?;
    assert!(text.contains("self-check"), "{text}");
    assert!(
        text.contains("the database role postgres is a superuser"),
        "{text}"
    );
    // With an admin port it keeps running for a while, not ready, so that the failure is counted.
    let admin = free_port()?;
    set(&mut settings, "ADMIN_LISTEN", &format!("127.0.0.1:{admin}"));
    let mut refusing = production.start("accounts", &settings)?;
    until(admin, "/metrics", StatusCode::OK).await;
    let begun = Instant::now();
    loop {
        let metrics = reqwest::get(format!("http://127.0.0.1:{admin}/metrics")).await?;
        let is_counted = |line: &str| {
            let count = line.strip_prefix("hourmeter_self_check_failures_total ");
            count.is_some_and(|count| count != "0")
        };
        if metrics.text().await?.lines().any(is_counted) {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "nothing is counted");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(
        status(admin, "/readyz").await,
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
    refusing.signal(Signal::TERM)?;
    assert!(!refusing.wait().await?.success());
    spawn_blocking(move || server.stop()).await?
}
