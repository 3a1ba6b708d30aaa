//! Settings that all processes share, services and gateway.

use std::net::SocketAddr;
use std::time::Duration;

use crate::admin::{AdminPort, ReadinessProbe};
use crate::config::{AppEnv, Settings};
use crate::error::ServiceError;
use crate::files;
use crate::server::SelfCheck;
use crate::shutdown::Shutdown;
use crate::telemetry::{self, LogFormat, Traces};
use crate::tls::{Tls, TlsFiles};

/// Maximum of `STOP_WAIT_SECONDS`.
const MAX_STOP_WAIT: u64 = 60;

/// How long a process with a failed self-check stays up, so that Prometheus scrapes the failure.
const SELF_CHECK_LINGER: Duration = Duration::from_secs(35);

/// Settings of any process.
#[derive(Clone, Debug)]
pub struct ProcessSettings {
    /// The environment.
    pub env: AppEnv,
    admin_listen: Option<SocketAddr>,
    stop_wait: Duration,
    tls: Option<TlsFiles>,
    log: String,
    traces: Option<Traces>,
}

impl ProcessSettings {
    /// Reads `APP_ENV`, `ADMIN_LISTEN`, `STOP_WAIT_SECONDS`, `RUST_LOG`, the `TLS_` files and the
    /// settings of [`Traces`]; `log` is the default of `RUST_LOG`.
    pub fn read(settings: &mut Settings, log: &str) -> Self {
        let env = settings.or("APP_ENV", AppEnv::Development);
        let default_wait = if env == AppEnv::Production { 5 } else { 0 };
        let wait = settings.or("STOP_WAIT_SECONDS", default_wait);
        if wait > MAX_STOP_WAIT {
            settings.problem(format!("STOP_WAIT_SECONDS is more than {MAX_STOP_WAIT}"));
        }
        Self {
            env,
            admin_listen: settings.optional("ADMIN_LISTEN"),
            stop_wait: Duration::from_secs(wait),
            tls: TlsFiles::read(settings),
            log: settings.text("RUST_LOG").unwrap_or_else(|| log.to_owned()),
            traces: Traces::read(settings, env),
        }
    }

    /// Starts JSON logging of a command.
    pub fn start_log(&self) {
        telemetry::start(&self.log, LogFormat::Json, None);
        files::raise_limit();
    }

    /// Starts logging and, if a collector is configured, the export of traces. `process` is the name
    /// in metrics and traces. Call it before creating database pools. Raises the limit of open files.
    pub fn start_telemetry(
        &self,
        process: &'static str,
        log: LogFormat,
    ) -> Result<(), ServiceError> {
        telemetry::name_process(process);
        match &self.traces {
            Some(traces) => {
                telemetry::start(&self.log, log, Some(traces.start(process)?));
                tracing::info!(share = traces.share, "exporting traces");
            }
            None => telemetry::start(&self.log, log, None),
        }
        files::raise_limit();
        Ok(())
    }

    /// The log filter.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// How long the process keeps serving after a shutdown was requested.
    pub const fn stop_wait(&self) -> Duration {
        self.stop_wait
    }

    /// The address of the admin port.
    pub const fn admin_listen(&self) -> Option<SocketAddr> {
        self.admin_listen
    }

    /// Listens for the signals that shut the process down.
    pub fn shutdown_on_signal(&self) -> Shutdown {
        Shutdown::on_signal(self.stop_wait)
    }

    /// Loads this process's certificate and authorities. Production requires them.
    pub fn open_tls(&self, settings: &mut Settings) -> Option<Tls> {
        let Some(files) = &self.tls else {
            if self.env == AppEnv::Production {
                settings.problem("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE are missing");
            }
            return None;
        };
        Tls::open(files.clone())
            .inspect_err(|problem| settings.problem(problem))
            .ok()
    }

    /// The self-check of the database, in production only.
    pub fn self_check(&self) -> Option<SelfCheck> {
        let linger = self
            .admin_listen
            .map_or(Duration::ZERO, |_| SELF_CHECK_LINGER);
        (self.env == AppEnv::Production).then_some(SelfCheck { linger })
    }

    /// Opens the admin port if `ADMIN_LISTEN` is set.
    pub async fn open_admin(
        &self,
        ready: ReadinessProbe,
    ) -> Result<Option<AdminPort>, ServiceError> {
        match self.admin_listen {
            Some(address) => AdminPort::open(address, ready).await.map(Some),
            None => Ok(None),
        }
    }
}
