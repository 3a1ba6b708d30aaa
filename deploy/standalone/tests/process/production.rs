//! Processes as production runs them: secrets from files, TLS between them, a start that refuses what
//! is unsafe, and a stop in two moments.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hourmeter_embedded_postgres::{Durability, Options, Server};
use hourmeter_runtime::identity::Service;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reqwest::{Client, StatusCode};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;

use crate::kill::{Environment, Installation, quiet_port};
use crate::product::{PATIENCE, command, data_folder, free_port, package};

/// Names of secrets, which production reads from files.
const SECRETS: [&str; 6] = [
    "DATABASE_URL",
    "IDENTITY_PUBLIC_KEYS",
    "IDENTITY_SIGNING_KEY",
    "PASSWORD_PEPPERS",
    "OPERATOR_PASSWORD_KEYS",
    "DECOY_SECRET",
];

/// Databases, keys and certificates.
struct Production {
    folder: TempDir,
    installation: Installation,
    options: Options,
}

impl Production {
    /// Makes everything as the product does at its first start; nothing runs at the end.
    async fn prepare() -> Self {
        let folder = data_folder();
        let prepared = command(folder.path(), 0).args(["staff", "list"]).output();
        let prepared = prepared.await.expect("it runs");
        assert!(prepared.status.success(), "{prepared:?}");
        let state = folder.path().join("postgres");
        let port = quiet_port();
        fs::write(state.join("port"), port.to_string()).expect("a port");
        let mut options = Options::new(state);
        options.package_dir = Some(package());
        options.durability = Durability::Fast;
        let installation = Installation::read(folder.path(), port);
        write_certificates(folder.path());
        Self {
            folder,
            installation,
            options,
        }
    }

    async fn database(&self) -> Server {
        let options = self.options.clone();
        let started = spawn_blocking(move || Server::start(&options)).await;
        started.expect("a task").expect("a server")
    }

    /// Settings of a process, its secrets in files.
    fn settings(&self, settings: Environment) -> Environment {
        let mut all: Environment = settings
            .into_iter()
            .map(|(name, value)| {
                if !SECRETS.contains(&name.as_str()) {
                    return (name, value.replace("http://127.0.0.1", "https://localhost"));
                }
                // Each process has its own of some.
                let file = self.folder.path().join(format!("{name}-{}", fnv(&value)));
                fs::write(&file, value).expect("written");
                (format!("{name}_FILE"), file.display().to_string())
            })
            .collect();
        let tls = ["CERT", "KEY", "CA"].map(|which| {
            let file = self.folder.path().join(which);
            (format!("TLS_{which}_FILE"), file.display().to_string())
        });
        all.extend(tls);
        all.push(("APP_ENV".to_owned(), "production".to_owned()));
        all
    }

    fn accounts(&self) -> Environment {
        self.settings(self.installation.of_service(Service::Accounts))
    }

    fn gateway(&self, port: u16) -> Environment {
        let settings = self.installation.of_gateway(port);
        let mut settings = self.settings(settings);
        settings.retain(|(name, _)| name != "RATE_LIMITS");
        let origin = "https://app.example.com".to_owned();
        settings.push(("PUBLIC_ORIGIN".to_owned(), origin));
        settings
    }
}

/// Tells contents apart in names of files.
fn fnv(text: &str) -> u64 {
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

fn write_certificates(folder: &Path) {
    let mut params = CertificateParams::new(Vec::new()).expect("names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, &authority).expect("a certificate");
    let own: &rcgen::Certificate = authority.as_ref();
    fs::write(folder.join("CA"), own.pem()).expect("written");
    fs::write(folder.join("CERT"), certificate.pem()).expect("written");
    fs::write(folder.join("KEY"), key.serialize_pem()).expect("written");
}

fn set(settings: &mut Environment, name: &str, value: &str) {
    settings.retain(|(known, _)| known != name);
    settings.push((name.to_owned(), value.to_owned()));
}

fn start(name: &str, settings: &Environment) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hourmeter"));
    command
        .arg(name)
        .env_clear()
        .envs(settings.iter().cloned())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn().expect("it starts")
}

/// What a process wrote that must end by itself, badly.
async fn refused(name: &str, settings: &Environment) -> String {
    let ended = start(name, settings).wait_with_output();
    let ended = tokio::time::timeout(PATIENCE, ended).await;
    let ended = ended.expect("it ends").expect("a status");
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success(), "{text}");
    text
}

fn signal(child: &Child, signal: Signal) {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let id = id.and_then(Pid::from_raw).expect("a running process");
    kill_process(id, signal).expect("a signal");
}

async fn status(port: u16, path: &str) -> Option<StatusCode> {
    let url = format!("http://127.0.0.1:{port}{path}");
    let answer = Client::new().get(url).send().await.ok()?;
    Some(answer.status())
}

async fn until(port: u16, path: &str, wanted: StatusCode) {
    let begun = Instant::now();
    while status(port, path).await != Some(wanted) {
        assert!(begun.elapsed() < PATIENCE, "{path} is not {wanted}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn ends_well(mut child: Child) {
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
    let status = ended.expect("it ends").expect("a status");
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn it_serves_over_tls_and_stops_in_two_moments() {
    let production = Production::prepare().await;
    let (admin, public, gateway_admin) = (free_port(), free_port(), free_port());
    let mut settings = production.accounts();
    set(&mut settings, "ADMIN_LISTEN", &format!("127.0.0.1:{admin}"));
    set(&mut settings, "STOP_WAIT_SECONDS", "3");
    let accounts = start("accounts", &settings);
    // A database that is away ends nothing.
    until(admin, "/livez", StatusCode::OK).await;
    assert_eq!(
        status(admin, "/readyz").await,
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
    let server = production.database().await;
    until(admin, "/readyz", StatusCode::OK).await;
    assert_eq!(status(admin, "/metrics").await, Some(StatusCode::OK));

    let mut settings = production.gateway(public);
    let listen = format!("127.0.0.1:{gateway_admin}");
    set(&mut settings, "ADMIN_LISTEN", &listen);
    set(&mut settings, "STOP_WAIT_SECONDS", "3");
    let gateway = start("gateway", &settings);
    // It asks accounts, with a certificate on both sides.
    until(gateway_admin, "/readyz", StatusCode::OK).await;
    until(public, "/readyz", StatusCode::OK).await;

    signal(&gateway, Signal::TERM);
    until(gateway_admin, "/readyz", StatusCode::SERVICE_UNAVAILABLE).await;
    // It still serves, and sends clients to other connections.
    let mut client = TcpStream::connect(("127.0.0.1", public))
        .await
        .expect("a connection");
    let request = b"GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n";
    client.write_all(request).await.expect("sent");
    let mut answer = String::new();
    client
        .read_to_string(&mut answer)
        .await
        .expect("it is closed");
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    assert_eq!(status(public, "/healthz").await, Some(StatusCode::OK));
    ends_well(gateway).await;

    signal(&accounts, Signal::TERM);
    until(admin, "/readyz", StatusCode::SERVICE_UNAVAILABLE).await;
    assert_eq!(status(admin, "/livez").await, Some(StatusCode::OK));
    ends_well(accounts).await;
    spawn_blocking(move || server.stop())
        .await
        .expect("a task")
        .expect("stopped");
}

#[tokio::test]
async fn it_refuses_unsafe_settings() {
    let production = Production::prepare().await;
    let file = |name: &str, text: &str| {
        let file = production.folder.path().join(name);
        fs::write(&file, text).expect("written");
        file.display().to_string()
    };
    // A key of zeros, a short one, one from this repository, and one that is missing.
    let zero = file("zero", &format!("{}=", "A".repeat(43)));
    let short = file("short", "c2hvcnQ=");
    let sample = file(
        "sample",
        r#"{"active":"1","keys":{"1":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA="}}"#,
    );
    for (name, value, told) in [
        (
            "DECOY_SECRET_FILE",
            zero.as_str(),
            "DECOY_SECRET_FILE has a key without randomness",
        ),
        ("DECOY_SECRET_FILE", &short, "wrong length"),
        (
            "PASSWORD_PEPPERS_FILE",
            &sample,
            "PASSWORD_PEPPERS_FILE has a key that stands in examples",
        ),
        (
            "OPERATOR_PASSWORD_KEYS_FILE",
            "",
            "OPERATOR_PASSWORD_KEYS_FILE is missing",
        ),
        (
            "IDENTITY_PUBLIC_KEYS_FILE",
            &short,
            "IDENTITY_PUBLIC_KEYS_FILE is not",
        ),
        ("TLS_CA_FILE", "", "all three or none"),
        ("TLS_KEY_FILE", &short, "no private key"),
        (
            "DECOY_SECRET",
            "inline",
            "DECOY_SECRET must come from a file",
        ),
    ] {
        let mut settings = production.accounts();
        if name == "DECOY_SECRET" {
            settings.retain(|(known, _)| known != "DECOY_SECRET_FILE");
        }
        set(&mut settings, name, value);
        let text = refused("accounts", &settings).await;
        assert!(text.contains(told), "{told}: {text}");
    }
    let mut settings = production.accounts();
    settings.retain(|(name, _)| !name.starts_with("TLS_"));
    let text = refused("accounts", &settings).await;
    assert!(
        text.contains("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE are missing"),
        "{text}"
    );

    for (name, value, told) in [
        (
            "PUBLIC_ORIGIN",
            "http://app.example.com",
            "PUBLIC_ORIGIN is not https",
        ),
        ("PUBLIC_ORIGIN", "", "PUBLIC_ORIGIN is missing"),
        (
            "IDENTITY_SIGNING_KEY_FILE",
            zero.as_str(),
            "IDENTITY_SIGNING_KEY_FILE has a key",
        ),
        (
            "ACCOUNTS_URL",
            "http://127.0.0.1:7000",
            "ACCOUNTS_URL is not a list of addresses like https",
        ),
        (
            "RATE_LIMITS",
            "off",
            "RATE_LIMITS can be off only with APP_ENV=test",
        ),
    ] {
        let mut settings = production.gateway(free_port());
        set(&mut settings, name, value);
        let text = refused("gateway", &settings).await;
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[tokio::test]
async fn it_refuses_a_database_that_does_not_keep_companies_apart() {
    let production = Production::prepare().await;
    let mut settings = production.accounts();
    let server = production.database().await;
    let url = production.folder.path().join("admin");
    fs::write(&url, server.admin_url("hourmeter_accounts")).expect("written");
    set(
        &mut settings,
        "DATABASE_URL_FILE",
        &url.display().to_string(),
    );
    let text = refused("accounts", &settings).await;
    assert!(text.contains("self-check"), "{text}");
    // With an admin port it can be asked for a while, and serves nobody.
    let admin = free_port();
    set(&mut settings, "ADMIN_LISTEN", &format!("127.0.0.1:{admin}"));
    let refusing = start("accounts", &settings);
    let url = format!("http://127.0.0.1:{admin}/metrics");
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "nothing is counted");
        let answer = Client::new().get(&url).send().await;
        let text = match answer {
            Ok(answer) => answer.text().await.expect("text"),
            Err(_) => String::new(),
        };
        let counted = |line: &str| {
            let count = line.strip_prefix("hourmeter_self_check_failures_total ");
            count.is_some_and(|count| count != "0")
        };
        if text.lines().any(counted) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(
        status(admin, "/readyz").await,
        Some(StatusCode::SERVICE_UNAVAILABLE)
    );
    signal(&refusing, Signal::TERM);
    let ended = tokio::time::timeout(PATIENCE, refusing.wait_with_output()).await;
    let ended = ended.expect("it ends").expect("a status");
    assert!(!ended.status.success());
    assert!(
        text.contains("the database role postgres is a superuser"),
        "{text}"
    );
    spawn_blocking(move || server.stop())
        .await
        .expect("a task")
        .expect("stopped");
}
