//! What the gateway is told at start.

use std::net::IpAddr;
use std::path::PathBuf;

use hourmeter_runtime::client::Backend;
use hourmeter_runtime::config::AppEnv;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use http::Uri;
use ipnet::IpNet;
use secrecy::SecretString;

use crate::watch::WatchPace;

/// The four services, wherever they run.
#[derive(Clone)]
pub struct Backends {
    /// Companies, people, sessions.
    pub accounts: Backend,
    /// Equipment and its ledger.
    pub equipment: Backend,
    /// Submissions and their review.
    pub operator_updates: Backend,
    /// Plans and subscriptions.
    pub billing: Backend,
}

impl std::fmt::Debug for Backends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Backends")
    }
}

impl Backends {
    /// The one a service is reached by.
    pub(crate) fn of(&self, service: Service) -> Backend {
        match service {
            Service::Accounts => self.accounts.clone(),
            Service::Equipment => self.equipment.clone(),
            Service::OperatorUpdates => self.operator_updates.clone(),
            Service::Billing => self.billing.clone(),
        }
    }
}

/// `TRUSTED_PROXIES`: a comma list of addresses and ranges.
pub fn parse_proxies(text: &str) -> Result<Vec<IpNet>, String> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse()
                .or_else(|_| part.parse::<IpAddr>().map(IpNet::from))
        })
        .collect::<Result<_, _>>()
        .map_err(|_| format!("TRUSTED_PROXIES \"{text}\" is not a list of addresses or ranges"))
}

/// The gateway's settings.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// Where it runs.
    pub env: AppEnv,
    /// Scheme and host people open, like `https://app.example.com`; production needs it.
    pub public_origin: Option<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Folder of the built web client; absent: the one within the program, or where it has none,
    /// `web/dist`.
    pub web_dir: Option<PathBuf>,
    /// Off only in tests and load runs.
    pub rate_limits: bool,
    /// Where all processes count what comes too often; absent: each counts for itself.
    pub redis_url: Option<SecretString>,
    /// The key of the names that counts have there, 32 bytes in base64; absent: made of the signing
    /// key.
    pub limits_key: Option<SecretString>,
    /// The times of watching; other than the usual ones only in tests.
    pub watch_pace: WatchPace,
}

impl GatewayConfig {
    /// Refuses what must not go into service.
    pub(crate) fn check(&self) -> Result<(), ServiceError> {
        if !self.rate_limits && self.env != AppEnv::Test {
            return Err(ServiceError::internal(
                "RATE_LIMITS can be off only with APP_ENV=test",
            ));
        }
        if self.watch_pace != WatchPace::USUAL && self.env != AppEnv::Test {
            return Err(ServiceError::internal("only tests watch at another pace"));
        }
        if self.env == AppEnv::Production && self.trusted_proxies.is_empty() {
            tracing::warn!(
                "TRUSTED_PROXIES is empty: behind a proxy, all clients share the limits of one \
                 address"
            );
        }
        let Some(origin) = &self.public_origin else {
            return match self.env {
                AppEnv::Production => Err(ServiceError::internal("PUBLIC_ORIGIN is missing")),
                AppEnv::Development | AppEnv::Test => Ok(()),
            };
        };
        if !is_origin(origin) {
            let problem = "PUBLIC_ORIGIN is not a scheme and host like https://app.example.com";
            return Err(ServiceError::internal(problem));
        }
        if self.env == AppEnv::Production && !self.is_https() {
            return Err(ServiceError::internal("PUBLIC_ORIGIN is not https"));
        }
        Ok(())
    }

    /// Whether people come over TLS.
    pub(crate) fn is_https(&self) -> bool {
        let origin = self.public_origin.as_deref();
        origin.is_some_and(|origin| origin.starts_with("https://"))
    }
}

fn is_origin(text: &str) -> bool {
    let scheme = text.starts_with("https://") || text.starts_with("http://");
    let uri = text.parse::<Uri>().ok();
    scheme && !text.ends_with('/') && uri.is_some_and(|uri| uri.path() == "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(env: AppEnv, origin: Option<&str>, rate_limits: bool) -> GatewayConfig {
        GatewayConfig {
            env,
            public_origin: origin.map(str::to_owned),
            trusted_proxies: Vec::new(),
            web_dir: None,
            rate_limits,
            redis_url: None,
            limits_key: None,
            watch_pace: WatchPace::USUAL,
        }
    }

    #[test]
    fn production_needs_an_https_origin() {
        for (env, origin, good) in [
            (AppEnv::Production, Some("https://app.example.com"), true),
            (AppEnv::Production, Some("http://app.example.com"), false),
            (AppEnv::Production, None, false),
            (AppEnv::Development, None, true),
            (AppEnv::Development, Some("http://192.168.0.5:8080"), true),
            (AppEnv::Development, Some("https://a.example/"), false),
            (AppEnv::Development, Some("https://a.example/x"), false),
            (AppEnv::Development, Some("app.example.com"), false),
        ] {
            assert_eq!(
                config(env, origin, true).check().is_ok(),
                good,
                "{origin:?}"
            );
        }
    }

    #[test]
    fn limits_are_off_only_in_tests() {
        let origin = Some("https://app.example.com");
        assert!(config(AppEnv::Test, None, false).check().is_ok());
        assert!(config(AppEnv::Development, None, false).check().is_err());
        assert!(config(AppEnv::Production, origin, false).check().is_err());
    }
}
