//! The gateway as a separate process, which calls the services over TCP.

use std::convert::Infallible;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use futures::future::BoxFuture;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::admin::ReadinessProbe;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::process::{ProcessResult, ProcessSettings, read_backend, read_signer};
use hourmeter_runtime::telemetry::{self, LogFormat};
use hourmeter_runtime::tls::Tls;
use http::{Request, StatusCode};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::config::{Backends, GatewayConfig, parse_proxies};
use crate::server::{serve, unready_on_shutdown};
use crate::stack::router;
use crate::watch::WatchTiming;

/// Serves until SIGTERM or Ctrl-C, with settings from the environment.
pub fn process() -> BoxFuture<'static, ProcessResult> {
    Box::pin(async move {
        let process = GatewayProcess::read(Settings::from_env())?;
        process.common.start_telemetry("gateway", LogFormat::Json)?;
        let stop = process.common.shutdown_on_signal();
        let address = process.address;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| {
            ServiceError::internal(format!("failed to bind {address}: {error}"))
        })?;
        let events = Events::for_process(process.config.redis_url.as_ref())?;
        let (config, backends) = (process.config, process.backends);
        let app = router(config, backends, process.signer, Clock::system(), events)?;
        let app = unready_on_shutdown(stop.requested().clone(), app);
        let ready = ready_once_reached(app.clone(), stop.requested().clone());
        let _admin = process.common.open_admin(ready).await?;
        let served = serve(listener, app, stop).await;
        telemetry::stop().await;
        Ok(served?)
    })
}

/// Readiness as seen by the load balancer: from the first success of `/readyz` until a shutdown is
/// requested.
///
/// A dependency that fails later does not make a gateway unready: that would affect all gateways,
/// and users would get nothing, not even the web client, instead of 503 for the affected calls.
pub fn ready_once_reached(app: Router, asked: CancellationToken) -> ReadinessProbe {
    let reached = Arc::new(AtomicBool::new(false));
    Arc::new(move || {
        let (app, asked, reached) = (app.clone(), asked.clone(), reached.clone());
        Box::pin(async move {
            if !reached.load(Ordering::Relaxed) && is_ready(app).await {
                reached.store(true, Ordering::Relaxed);
            }
            reached.load(Ordering::Relaxed) && !asked.is_cancelled()
        })
    })
}

async fn is_ready(app: Router) -> bool {
    let Ok(request) = Request::get("/readyz").body(Body::empty()) else {
        return false;
    };
    let response: Result<Response, Infallible> = app.oneshot(request).await;
    response.is_ok_and(|response| response.status() == StatusCode::OK)
}

struct GatewayProcess {
    common: ProcessSettings,
    address: SocketAddr,
    config: GatewayConfig,
    backends: Backends,
    signer: Signer,
}

impl GatewayProcess {
    fn read(mut settings: Settings) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let common = ProcessSettings::read(&mut settings, "info");
        let env = common.env;
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
            limits_key: limits_key(&mut settings, env),
            watch_timing: WatchTiming::DEFAULT,
        };
        let host = settings.or("HOST", IpAddr::from([127, 0, 0, 1]));
        let port = settings.or("PORT", 8080);
        let tls = common.open_tls(&mut settings);
        let backends = backends(&mut settings, tls.as_ref())?;
        let signer = read_signer("gateway", &mut settings, env);
        let (signer, backends) = settings.finish((signer, backends))?;
        let (signer, backends) = signer.zip(backends).ok_or("settings are incomplete")?;
        Ok(Self {
            common,
            address: SocketAddr::from((host, port)),
            config,
            backends,
            signer,
        })
    }
}

/// `LIMITS_KEY`. Its file may be missing in older installations.
fn limits_key(settings: &mut Settings, env: AppEnv) -> Option<SecretString> {
    const NAME: &str = "LIMITS_KEY";
    let file = settings.secret_file(NAME);
    if file.is_some_and(|file| !file.exists()) {
        return None;
    }
    settings.secret(NAME, env)
}

/// `ACCOUNTS_URL` and the addresses of the other services. None after a problem.
fn backends(
    settings: &mut Settings,
    tls: Option<&Tls>,
) -> Result<Option<Backends>, Box<dyn Error + Send + Sync>> {
    let policy = Arc::new(policy_table()?);
    let [
        accounts,
        equipment,
        operator_updates,
        billing,
        notifications,
    ] = Service::ALL.map(|service| read_backend(service, settings, tls, &policy));
    Ok((|| {
        Some(Backends {
            accounts: accounts?,
            equipment: equipment?,
            operator_updates: operator_updates?,
            billing: billing?,
            notifications: notifications?,
        })
    })())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_key_file_is_optional() {
        let read = |pairs: &[(&str, &str)]| {
            let pairs = pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()));
            let mut settings = Settings::from_pairs(pairs);
            let key = limits_key(&mut settings, AppEnv::Production);
            (key.is_some(), settings.finish(()).is_ok())
        };
        let file = std::env::temp_dir().join(format!("limits-key-{}", std::process::id()));
        let path = file.to_str().expect("a path");
        assert_eq!(read(&[]), (false, true));
        assert_eq!(read(&[("LIMITS_KEY_FILE", path)]), (false, true));
        for (key, is_strong) in [
            ("4FVzLnWkxQ0mZ2nXt0d7Zx6Cwq3bT9yGf1hVJrEo8sA=", true),
            ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", false),
        ] {
            std::fs::write(&file, key).expect("written");
            assert_eq!(read(&[("LIMITS_KEY_FILE", path)]), (true, is_strong));
        }
        std::fs::remove_file(&file).expect("removed");
    }
}
