use std::net::IpAddr;
use std::path::PathBuf;

use hourmeter_runtime::client::Backend;
use hourmeter_runtime::config::AppEnv;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use http::Uri;
use ipnet::IpNet;
use secrecy::SecretString;

use crate::watch::timing::WatchTiming;

#[derive(Clone)]
pub struct Backends {
    pub accounts: Backend,
    pub equipment: Backend,
    pub operator_updates: Backend,
    pub billing: Backend,
    pub notifications: Backend,
}

impl Backends {
    pub(crate) fn get(&self, service: Service) -> Backend {
        match service {
            Service::Accounts => self.accounts.clone(),
            Service::Equipment => self.equipment.clone(),
            Service::OperatorUpdates => self.operator_updates.clone(),
            Service::Billing => self.billing.clone(),
            Service::Notifications => self.notifications.clone(),
        }
    }
}

/// Parses `TRUSTED_PROXIES`: addresses and ranges, separated by commas.
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

#[derive(Clone, Debug)]
pub struct GatewayConfig {
    pub env: AppEnv,
    /// Scheme and host of the product, like `https://app.example.com`; required in production.
    pub public_origin: Option<String>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Folder of the built web client; default: the embedded one, else `web/dist`.
    pub web_dir: Option<PathBuf>,
    /// Off only in tests and load tests.
    pub rate_limits: bool,
    /// Redis, which shares limits and session revocation among processes; without it each process
    /// is on its own.
    pub redis_url: Option<SecretString>,
    /// Hashes names of counters, 32 bytes in base64; default: derived from the signing key.
    pub limits_key: Option<SecretString>,
    /// Changed only in tests.
    pub watch_timing: WatchTiming,
}

impl GatewayConfig {
    /// Fails on settings that are not allowed in this environment.
    pub(crate) fn check(&self) -> Result<(), ServiceError> {
        let is_production = self.env == AppEnv::Production;
        if is_production && self.trusted_proxies.is_empty() {
            tracing::warn!(
                "TRUSTED_PROXIES is empty: behind a proxy, all clients share the limits of one \
                 address"
            );
        }
        let origin = self.public_origin.as_deref();
        let problem = if !self.rate_limits && self.env != AppEnv::Test {
            "RATE_LIMITS can be off only with APP_ENV=test"
        } else if self.watch_timing != WatchTiming::DEFAULT && self.env != AppEnv::Test {
            "WATCH_TIMING can be changed only with APP_ENV=test"
        } else if is_production && origin.is_none() {
            "PUBLIC_ORIGIN is missing"
        } else if origin.is_some_and(|origin| !is_origin(origin)) {
            "PUBLIC_ORIGIN is not a scheme and host like https://app.example.com"
        } else if is_production && !self.is_https() {
            "PUBLIC_ORIGIN is not https"
        } else {
            return Ok(());
        };
        Err(ServiceError::internal(problem))
    }

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
            watch_timing: WatchTiming::DEFAULT,
        }
    }

    #[test]
    fn check_requires_https_origin_in_production() {
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
    fn check_allows_rate_limits_off_only_in_tests() {
        let origin = Some("https://app.example.com");
        assert!(config(AppEnv::Test, None, false).check().is_ok());
        assert!(config(AppEnv::Development, None, false).check().is_err());
        assert!(config(AppEnv::Production, origin, false).check().is_err());
    }
}
