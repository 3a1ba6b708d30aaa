//! Settings from the environment, listed in the crate's README.

use std::net::IpAddr;
use std::path::PathBuf;

use hourmeter_billing::{BillingSettings, PaymentSettings};
use hourmeter_gateway::parse_proxies;
use hourmeter_notifications::{MailSettings, SmsSettings};
use hourmeter_runtime::config::{AppEnv, Settings, SettingsError};
use hourmeter_runtime::process::ProcessSettings;
use ipnet::IpNet;
use secrecy::SecretString;

#[derive(Debug)]
pub struct StandaloneSettings {
    pub common: ProcessSettings,
    pub host: IpAddr,
    pub port: u16,
    pub data_dir: PathBuf,
    pub public_origin: Option<String>,
    /// The address to open in a browser.
    pub address: String,
    /// Trusted proxies of `X-Forwarded-For` as configured.
    pub trusted_proxies: String,
    pub proxies: Vec<IpNet>,
    pub billing: BillingSettings,
    /// Without an SMTP server, mail is written to the data folder.
    pub mail: MailSettings,
    /// None: no text messages are sent.
    pub sms: Option<SmsSettings>,
    /// Further push services, separated by commas.
    pub push_domains: String,
    /// Folder of the web client; `None`: the embedded one.
    pub web_dir: Option<PathBuf>,
    /// A server to use instead of the embedded one.
    pub database_url: Option<SecretString>,
    /// Shared rate limits and change events of several processes.
    pub redis_url: Option<SecretString>,
    /// Folder of the PostgreSQL programs.
    pub postgres_package: Option<PathBuf>,
    /// Seed a demo company.
    pub demo: bool,
    pub rate_limits: bool,
}

impl StandaloneSettings {
    /// Reads all settings and reports all errors together.
    pub fn read(mut settings: Settings) -> Result<Self, SettingsError> {
        let common = ProcessSettings::read(&mut settings, "warn");
        let env = common.env;
        if env == AppEnv::Production {
            settings.problem("APP_ENV=production requires separate processes");
        }
        let rate_limits = settings.text("RATE_LIMITS").as_deref() != Some("off");
        if !rate_limits && env != AppEnv::Test {
            settings.problem("RATE_LIMITS=off requires APP_ENV=test");
        }
        let trial_days = settings.or("TRIAL_DAYS", 28);
        if !(1..=365).contains(&trial_days) {
            settings.problem("TRIAL_DAYS must be 1 to 365");
        }
        let trusted_proxies = settings.text("TRUSTED_PROXIES").unwrap_or_default();
        let proxies = parse_proxies(&trusted_proxies).unwrap_or_else(|problem| {
            settings.problem(problem);
            Vec::new()
        });
        let host = settings.or("HOST", IpAddr::from([127, 0, 0, 1]));
        let port = settings.or("PORT", 8080);
        let data_dir = settings
            .text("DATA_DIR")
            .map_or_else(|| default_data_dir(&settings), PathBuf::from);
        let public_origin = settings.text("PUBLIC_ORIGIN");
        let address = public_origin
            .clone()
            .unwrap_or_else(|| local_address(host, port));
        let mail = MailSettings::read(&mut settings, env)
            .unwrap_or_else(|| MailSettings::folder(data_dir.join("mail"), &address));
        let read = Self {
            common,
            host,
            port,
            data_dir,
            public_origin,
            mail,
            sms: SmsSettings::read(&mut settings, env, Some(&address)),
            address,
            push_domains: settings.text("PUSH_DOMAINS").unwrap_or_default(),
            trusted_proxies,
            proxies,
            billing: BillingSettings {
                trial_days,
                payments: PaymentSettings::read(&mut settings, env),
            },
            web_dir: settings.text("WEB_DIR").map(PathBuf::from),
            database_url: settings.secret("DATABASE_URL", env),
            redis_url: settings.secret("REDIS_URL", env),
            postgres_package: settings.text("POSTGRES_PACKAGE").map(PathBuf::from),
            demo: settings.text("DEMO").as_deref() == Some("1"),
            rate_limits,
        };
        settings.finish(read)
    }

    /// The payment provider in one line.
    pub const fn payments(&self) -> &'static str {
        match &self.billing.payments {
            PaymentSettings::Sandbox => "the built-in sandbox, which moves no money",
            PaymentSettings::Stripe(_) => "Stripe",
        }
    }
}

fn local_address(host: IpAddr, port: u16) -> String {
    if host.is_unspecified() {
        return format!("http://127.0.0.1:{port}");
    }
    format!("http://{host}:{port}")
}

/// For root, a place that the database's unprivileged user can reach.
fn default_data_dir(settings: &Settings) -> PathBuf {
    let home = settings.text("HOME").map(PathBuf::from);
    let own = settings.text("XDG_DATA_HOME").map(PathBuf::from);
    match (own, home) {
        _ if rustix::process::geteuid().is_root() => "/var/lib/hourmeter".into(),
        (Some(data), _) => data.join("hourmeter"),
        (None, Some(home)) => home.join(".local/share/hourmeter"),
        (None, None) => ".data/hourmeter".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<StandaloneSettings, SettingsError> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        StandaloneSettings::read(Settings::from_pairs(pairs))
    }

    #[test]
    fn settings_have_defaults() {
        let settings = read(&[]).expect("defaults");
        assert_eq!(settings.address, "http://127.0.0.1:8080");
        assert_eq!(settings.billing.trial_days, 28);
        assert!(settings.payments().contains("sandbox"));
        assert!(settings.rate_limits);
    }

    #[test]
    fn settings_allow_rate_limits_off_only_in_tests() {
        assert!(read(&[("RATE_LIMITS", "off")]).is_err());
        assert!(read(&[("RATE_LIMITS", "off"), ("APP_ENV", "test")]).is_ok());
    }

    #[test]
    fn settings_parse_trusted_proxies() {
        let settings = read(&[("TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7,::1")]).expect("a list");
        assert_eq!(settings.proxies.len(), 3);
        assert!(read(&[("TRUSTED_PROXIES", "everyone")]).is_err());
    }

    #[test]
    fn settings_with_key_use_stripe() {
        let key = ("STRIPE_API_KEY", "sk_test_1");
        let secrets = ("STRIPE_WEBHOOK_SECRETS", "whsec_1\nwhsec_2");
        let origin = ("PUBLIC_ORIGIN", "http://localhost:8080");
        let settings = read(&[key, secrets, origin]).expect("settings");
        assert_eq!(settings.payments(), "Stripe");
        // The debug output contains no key.
        let printed = format!("{settings:?}");
        assert!(!printed.contains("sk_test_1") && !printed.contains("whsec_1"));
        for missing in [[key, secrets], [key, origin]] {
            assert!(read(&missing).is_err(), "{missing:?}");
        }
    }

    #[test]
    fn settings_limit_trial_days() {
        for (days, fine) in [
            ("0", false),
            ("1", true),
            ("365", true),
            ("366", false),
            ("x", false),
        ] {
            assert_eq!(read(&[("TRIAL_DAYS", days)]).is_ok(), fine, "{days}");
        }
    }
}
