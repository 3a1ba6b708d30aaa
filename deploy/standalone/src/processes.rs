//! The services and the gateway as separate processes over TCP, as in production.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hourmeter_billing::{BillingSettings, PaymentSettings};
use hourmeter_notifications::SmsSettings;
use hourmeter_runtime::config::AppEnv;
use hourmeter_runtime::identity::Service;
use rustix::process::{Pid, Signal, kill_process};
use secrecy::ExposeSecret;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::databases::Databases;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Time to stop after the drain before a process is killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(30);

/// Starts database and processes, and stops all of them on SIGTERM, Ctrl-C, or when one ends.
pub async fn run(settings: &StandaloneSettings, secrets: &Secrets) -> Result<()> {
    let stop = settings.common.shutdown_on_signal();
    let databases = Databases::start(settings, secrets).await?;
    let mut children = Vec::new();
    let result = async {
        let addresses = free_addresses()?;
        for (place, (service, address)) in (1..).zip(&addresses) {
            let mut command = program(service.name(), &addresses, settings, secrets, place)?;
            command.env("LISTEN", address.to_string());
            set_up_service(&mut command, *service, settings, &databases, secrets)?;
            children.push((service.name(), spawn(service.name(), command)?));
        }
        let mut gateway = program("gateway", &addresses, settings, secrets, 0)?;
        set_up_gateway(&mut gateway, settings);
        children.push(("gateway", spawn("gateway", gateway)?));
        let serving = async {
            until_ready(settings).await;
            crate::announce(settings);
            crate::records::delete_due_companies(settings).await;
        };
        tokio::select! {
            () = stop.requested().cancelled() => Ok(()),
            name = first_to_end(&mut children) => bail!("{name} has exited"),
            () = serving => Ok(()),
        }
    }
    .await;
    // The gateway first, so that no new requests reach stopping services.
    for (name, child) in children.iter_mut().rev() {
        end(name, child, settings.common.stop_wait() + KILL_TIMEOUT).await?;
    }
    databases.stop().await?;
    result
}

async fn until_ready(settings: &StandaloneSettings) {
    const READY_REQUEST: &[u8] =
        b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    loop {
        let mut answer = Vec::new();
        let request = async {
            let mut gateway = TcpStream::connect((settings.host, settings.port)).await?;
            gateway.write_all(READY_REQUEST).await?;
            gateway.read_to_end(&mut answer).await
        };
        if request.await.is_ok() && answer.starts_with(b"HTTP/1.1 200") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// One free port per service. The ports are released before use, which is good enough on one
/// machine.
fn free_addresses() -> Result<Vec<(Service, SocketAddr)>> {
    let held = Service::ALL.map(|service| (service, TcpListener::bind((Ipv4Addr::LOCALHOST, 0))));
    held.into_iter()
        .map(|(service, listener)| Ok((service, listener?.local_addr()?)))
        .collect()
}

fn set_up_service(
    command: &mut Command,
    service: Service,
    settings: &StandaloneSettings,
    databases: &Databases,
    secrets: &Secrets,
) -> Result<()> {
    command
        .env("DATABASE_URL", databases.url(service).expose_secret())
        .env("IDENTITY_PUBLIC_KEYS", secrets.public_keys_file()?)
        .env("MAX_CONNECTIONS", "16");
    match service {
        Service::Accounts => command
            .env("PASSWORD_PEPPERS", secrets.peppers_file()?)
            .env(
                "OPERATOR_PASSWORD_KEYS",
                secrets.operator_password_keys_file()?,
            )
            .env("DECOY_SECRET", &secrets.decoy_secret),
        Service::Billing => take_payments(command, &settings.billing),
        Service::Notifications => {
            let push = secrets.push(&settings.address, &settings.push_domains)?;
            command
                .envs(settings.mail.variables())
                .envs(settings.sms.iter().flat_map(SmsSettings::variables))
                .envs(push.variables())
        }
        Service::OperatorUpdates | Service::Equipment => command,
    };
    Ok(())
}

fn set_up_gateway(command: &mut Command, settings: &StandaloneSettings) {
    let public_origin = settings.public_origin.as_deref();
    let web_dir = settings.web_dir.as_deref();
    let rate_limits = if settings.rate_limits { "on" } else { "off" };
    let wait = settings.common.stop_wait().as_secs();
    command
        .env("HOST", settings.host.to_string())
        .env("PORT", settings.port.to_string())
        .env("PUBLIC_ORIGIN", public_origin.unwrap_or(""))
        .env("TRUSTED_PROXIES", &settings.trusted_proxies)
        .env("WEB_DIR", web_dir.unwrap_or(Path::new("")))
        .env("RATE_LIMITS", rate_limits)
        .env("STOP_WAIT_SECONDS", wait.to_string());
}

/// `ACCOUNTS_URL` and the addresses of the other services.
fn urls(addresses: &[(Service, SocketAddr)]) -> impl Iterator<Item = (String, String)> {
    addresses.iter().map(|(service, address)| {
        let name = service.name().to_uppercase().replace('-', "_");
        (format!("{name}_URL"), format!("http://{address}"))
    })
}

fn take_payments<'a>(command: &'a mut Command, billing: &BillingSettings) -> &'a mut Command {
    command.env("TRIAL_DAYS", billing.trial_days.to_string());
    let PaymentSettings::Stripe(stripe) = &billing.payments else {
        return command;
    };
    let secrets = stripe.webhook_secrets.iter();
    let secrets: Vec<&str> = secrets.map(ExposeSecret::expose_secret).collect();
    if let Some(base) = &stripe.api_base {
        command.env("STRIPE_API_BASE", base);
    }
    command
        .env("STRIPE_API_KEY", stripe.api_key.expose_secret())
        .env("STRIPE_WEBHOOK_SECRETS", secrets.join("\n"))
        .env("PUBLIC_ORIGIN", &stripe.public_origin)
}

/// Passes trace settings on and assigns admin ports: the gateway gets the configured one, the
/// services the ports after it.
fn observe(command: &mut Command, settings: &StandaloneSettings, place: u16) -> Result<()> {
    let all = std::env::vars_os();
    command.envs(all.filter(|(name, _)| name.as_encoded_bytes().starts_with(b"OTEL_")));
    if let Some(mut address) = settings.common.admin_listen() {
        // Port 0 lets each process choose a free port.
        if address.port() != 0 {
            let port = address.port().checked_add(place);
            address.set_port(port.context("ADMIN_LISTEN must leave ports for the services")?);
        }
        command.env("ADMIN_LISTEN", address.to_string());
    }
    Ok(())
}

/// This program as the gateway or a service, with a clean environment and what all of them need.
/// `place` counts the admin ports.
fn program(
    name: &str,
    addresses: &[(Service, SocketAddr)],
    settings: &StandaloneSettings,
    secrets: &Secrets,
    place: u16,
) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(name);
    let env = match settings.common.env {
        AppEnv::Test => "test",
        _ => "development",
    };
    command
        .env_clear()
        .env("APP_ENV", env)
        .env("RUST_LOG", settings.common.log())
        .env("IDENTITY_SIGNING_KEY", secrets.signing_key(name)?)
        .envs(urls(addresses))
        .stdin(Stdio::null())
        // Ctrl-C signals the whole terminal group, but this process stops the others in order.
        .process_group(0)
        .kill_on_drop(true);
    // Accounts publishes no change events.
    if let Some(url) = &settings.redis_url
        && name != Service::Accounts.name()
    {
        command.env("REDIS_URL", url.expose_secret());
    }
    observe(&mut command, settings, place)?;
    Ok(command)
}

fn spawn(name: &str, mut command: Command) -> Result<Child> {
    let child = command.spawn();
    child.with_context(|| format!("failed to start {name}"))
}

async fn first_to_end(children: &mut [(&'static str, Child)]) -> &'static str {
    let waits = children.iter_mut().map(|(name, child)| {
        Box::pin(async move {
            let _ = child.wait().await;
            *name
        })
    });
    futures::future::select_all(waits).await.0
}

async fn end(name: &str, child: &mut Child, timeout: Duration) -> Result<()> {
    let Some(id) = child.id() else { return Ok(()) };
    if let Some(id) = Pid::from_raw(id.cast_signed()) {
        kill_process(id, Signal::TERM)?;
    }
    if tokio::time::timeout(timeout, child.wait()).await.is_err() {
        tracing::warn!(name, "process did not stop in time; killing it");
        child.kill().await?;
    }
    Ok(())
}
