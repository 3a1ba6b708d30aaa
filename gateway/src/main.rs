//! The gateway as a process of its own, reaching the services over TCP.

use std::error::Error;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use hourmeter_gateway::{Backends, GatewayConfig, WatchPace, parse_proxies, router, serve};
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::{Backend, over_tcp};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, read_signer};
use hourmeter_runtime::server::stop_on_signal;
use hourmeter_runtime::telemetry::{self, LogFormat};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let env = settings.or("APP_ENV", AppEnv::Development);
    telemetry::start(
        &settings
            .text("RUST_LOG")
            .unwrap_or_else(|| "info".to_owned()),
        LogFormat::Json,
    );
    let proxies = parse_proxies(&settings.text("TRUSTED_PROXIES").unwrap_or_default());
    let config = GatewayConfig {
        env,
        public_origin: settings.text("PUBLIC_ORIGIN"),
        trusted_proxies: proxies.unwrap_or_else(|problem| {
            settings.problem(problem);
            Vec::new()
        }),
        web_dir: settings.text("WEB_DIR").map(PathBuf::from),
        rate_limits: settings
            .text("RATE_LIMITS")
            .is_none_or(|text| text != "off"),
        redis_url: settings.secret("REDIS_URL", env),
        watch_pace: WatchPace::USUAL,
    };
    let address = (
        settings.or("HOST", IpAddr::from([127, 0, 0, 1])),
        settings.or("PORT", 8080),
    );
    let backends = backends(&mut settings)?;
    let signer = read_signer("gateway", &mut settings, env);
    let (signer, backends) = settings.finish((signer, backends))?;
    let (signer, backends) = signer.zip(backends).ok_or("settings are incomplete")?;

    let stop = stop_on_signal();
    let listener = TcpListener::bind(address).await?;
    let events = Events::of_process(config.redis_url.as_ref())?;
    let app = router(config, backends, signer, Clock::system(), events)?;
    Ok(serve(listener, app, stop).await?)
}

/// `ACCOUNTS_URL`, `EQUIPMENT_URL`, `OPERATOR_UPDATES_URL` and `BILLING_URL`.
fn backends(settings: &mut Settings) -> Result<Option<Backends>, Box<dyn Error + Send + Sync>> {
    let policy = Arc::new(policy_table()?);
    let mut reach = |service: Service| -> Option<Backend> {
        let name = format!("{}_URL", service.name().to_uppercase().replace('-', "_"));
        let backend = over_tcp(&settings.text(&name)?, policy.clone()).ok();
        if backend.is_none() {
            settings.problem(format!(
                "{name} is not an address like http://127.0.0.1:7001"
            ));
        }
        backend
    };
    let all = Service::ALL.map(&mut reach);
    let [accounts, equipment, operator_updates, billing] = all;
    let found = accounts.zip(equipment).zip(operator_updates.zip(billing));
    if found.is_none() {
        settings
            .problem("ACCOUNTS_URL, EQUIPMENT_URL, OPERATOR_UPDATES_URL, BILLING_URL: all four");
    }
    Ok(found.map(
        |((accounts, equipment), (operator_updates, billing))| Backends {
            accounts,
            equipment,
            operator_updates,
            billing,
        },
    ))
}
