//! What every process is told alike, service or gateway.

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

/// The longest wait before a stop, in seconds; longer than anything needs to notice.
const LONGEST_WAIT: u64 = 60;

/// Within this time somebody has asked for the metrics, if anybody does.
const SEEN: Duration = Duration::from_secs(35);

/// Settings of any process.
#[derive(Clone, Debug)]
pub struct ProcessSettings {
    /// Where it runs.
    pub env: AppEnv,
    admin_listen: Option<SocketAddr>,
    stop_wait: Duration,
    tls: Option<TlsFiles>,
    log: String,
    traces: Option<Traces>,
}

impl ProcessSettings {
    /// Reads `APP_ENV`, `ADMIN_LISTEN`, `STOP_WAIT_SECONDS`, `RUST_LOG`, the `TLS_` files and what
    /// [`Traces`] reads; `log` is what is logged without `RUST_LOG`.
    pub fn read(settings: &mut Settings, log: &str) -> Self {
        let env = settings.or("APP_ENV", AppEnv::Development);
        let usual_wait = if env == AppEnv::Production { 5 } else { 0 };
        let wait = settings.or("STOP_WAIT_SECONDS", usual_wait);
        if wait > LONGEST_WAIT {
            settings.problem(format!("STOP_WAIT_SECONDS is more than {LONGEST_WAIT}"));
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

    /// Starts the logging of a command, one JSON object a line.
    pub fn start_log(&self) {
        telemetry::start(&self.log, LogFormat::Json, None);
        files::raise_limit();
    }

    /// Starts logging and, where an exporter is configured, tracing; `process` is its name in
    /// metrics and traces. Must run before the database pools are made. Raises the limit of open
    /// files, which is logged.
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

    /// The levels to log.
    pub fn log(&self) -> &str {
        &self.log
    }

    /// How long it goes on serving after a stop was asked for.
    pub const fn stop_wait(&self) -> Duration {
        self.stop_wait
    }

    /// Where its admin port is to be.
    pub const fn admin_listen(&self) -> Option<SocketAddr> {
        self.admin_listen
    }

    /// Begins to listen for signals that stop the process.
    pub fn shutdown_on_signal(&self) -> Shutdown {
        Shutdown::on_signal(self.stop_wait)
    }

    /// Loads the certificates that this process shows others, where there are any. Production needs
    /// them.
    pub fn open_tls(&self, settings: &mut Settings) -> Option<Tls> {
        let Some(files) = &self.tls else {
            if self.env == AppEnv::Production {
                settings.problem("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE are missing");
            }
            return None;
        };
        match Tls::open(files.clone()) {
            Ok(tls) => Some(tls),
            Err(problem) => {
                settings.problem(problem);
                None
            }
        }
    }

    /// How the process looks at its database before it serves: in production it does.
    pub fn self_check(&self) -> Option<SelfCheck> {
        let linger = self.admin_listen.map_or(Duration::ZERO, |_| SEEN);
        (self.env == AppEnv::Production).then_some(SelfCheck { linger })
    }

    /// Opens the admin port where one is asked for.
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
