//! Keys and addresses of an installation, and the environments of its processes.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hourmeter_runtime::identity::{Service, TrustedIssuers};
use hourmeter_runtime::process::parse_key;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};

use crate::process::{Environment, free_port};
use crate::program::root;

pub struct Installation {
    secrets: Value,
    folder: PathBuf,
    pub database_port: u16,
    /// Ports of each service's replicas.
    ports: Vec<(Service, Vec<u16>)>,
    /// Host name of the services with TLS.
    tls: Option<&'static str>,
}

impl Installation {
    /// Reads a data folder that the product has prepared and assigns new ports.
    pub fn read(data: &Path, database_port: u16, replicas: usize) -> Result<Self> {
        let secrets = std::fs::read_to_string(data.join("secrets.json"))?;
        let ports = |_| (0..replicas).map(|_| free_port()).collect::<Result<_>>();
        let ports = Service::ALL.map(|service| Ok((service, ports(service)?)));
        Ok(Self {
            secrets: serde_json::from_str(&secrets)?,
            folder: data.to_owned(),
            database_port,
            ports: ports.into_iter().collect::<Result<_>>()?,
            tls: None,
        })
    }

    /// Mutual TLS between all processes at this host.
    pub fn with_tls(mut self, host: &'static str) -> Result<Self> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let params = CertificateParams::new(vec![host.to_owned()])?;
        let certificate = params.signed_by(&key, &authority)?.pem();
        let signer: &rcgen::Certificate = authority.as_ref();
        for (file, text) in [
            ("CERT", certificate),
            ("KEY", key.serialize_pem()),
            ("CA", signer.pem()),
        ] {
            std::fs::write(self.folder.join(file), text)?;
        }
        self.tls = Some(host);
        Ok(self)
    }

    pub fn port(&self, service: Service, replica: usize) -> Result<u16> {
        let found = self.ports.iter().find(|(known, _)| *known == service);
        let port = found.and_then(|(_, ports)| ports.get(replica));
        port.copied().context("no such replica")
    }

    pub fn of_service(&self, service: Service, replica: usize) -> Result<Environment> {
        let port = self.port(service, replica)?;
        let mut environment = self.of_all();
        environment.extend(named([
            ("LISTEN", format!("127.0.0.1:{port}")),
            ("DATABASE_URL", self.database_url(service)?),
            ("IDENTITY_PUBLIC_KEYS", self.public_keys()?),
            ("MAX_CONNECTIONS", "20".to_owned()),
        ]));
        let secret = |name: &str| self.secrets[name].to_string();
        environment.extend(named(match service {
            Service::Accounts => vec![
                ("PASSWORD_PEPPERS", secret("password_peppers")),
                ("OPERATOR_PASSWORD_KEYS", secret("operator_password_keys")),
                ("DECOY_SECRET", self.key("decoy_secret")?),
                ("IDENTITY_SIGNING_KEY", self.key("accounts_signing_key")?),
                ("NOTIFICATIONS_URL", self.url(Service::Notifications)?),
            ],
            Service::OperatorUpdates => vec![
                ("IDENTITY_SIGNING_KEY", self.key("relay_signing_key")?),
                ("EQUIPMENT_URL", self.url(Service::Equipment)?),
                ("NOTIFICATIONS_URL", self.url(Service::Notifications)?),
            ],
            Service::Notifications => vec![
                (
                    "IDENTITY_SIGNING_KEY",
                    self.key("notifications_signing_key")?,
                ),
                ("ACCOUNTS_URL", self.url(Service::Accounts)?),
                ("EQUIPMENT_URL", self.url(Service::Equipment)?),
                ("OPERATOR_UPDATES_URL", self.url(Service::OperatorUpdates)?),
                ("BILLING_URL", self.url(Service::Billing)?),
            ],
            Service::Billing => vec![
                ("IDENTITY_SIGNING_KEY", self.key("billing_signing_key")?),
                ("NOTIFICATIONS_URL", self.url(Service::Notifications)?),
            ],
            Service::Equipment => vec![
                ("IDENTITY_SIGNING_KEY", self.key("equipment_signing_key")?),
                ("NOTIFICATIONS_URL", self.url(Service::Notifications)?),
            ],
        }));
        Ok(environment)
    }

    pub fn of_gateway(&self, port: u16) -> Result<Environment> {
        let mut environment = self.of_all();
        environment.extend(named([
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", port.to_string()),
            ("WEB_DIR", root().join("web/dist").display().to_string()),
            ("RATE_LIMITS", "off".to_owned()),
            ("IDENTITY_SIGNING_KEY", self.key("gateway_signing_key")?),
        ]));
        for service in Service::ALL {
            let name = service.name().to_uppercase().replace('-', "_");
            environment.push((format!("{name}_URL"), self.url(service)?));
        }
        Ok(environment)
    }

    fn of_all(&self) -> Environment {
        let mut environment = named([("APP_ENV", "test".into()), ("RUST_LOG", "warn".into())]);
        if self.tls.is_some() {
            environment.extend(["CERT", "KEY", "CA"].map(|which| {
                let file = self.folder.join(which).display().to_string();
                (format!("TLS_{which}_FILE"), file)
            }));
        }
        environment
    }

    /// URLs of all replicas of a service.
    fn url(&self, service: Service) -> Result<String> {
        let (scheme, host) = self
            .tls
            .map_or(("http", "127.0.0.1"), |host| ("https", host));
        let found = self.ports.iter().find(|(known, _)| *known == service);
        let (_, ports) = found.context("no such service")?;
        let urls = ports.iter().map(|port| format!("{scheme}://{host}:{port}"));
        Ok(urls.collect::<Vec<_>>().join(","))
    }

    fn key(&self, name: &str) -> Result<String> {
        let key = self.secrets[name].as_str();
        key.map(str::to_owned).with_context(|| format!("no {name}"))
    }

    fn public_keys(&self) -> Result<String> {
        let public = |name| {
            let secret = parse_key(&self.key(name)?.into());
            let secret = secret.map_err(anyhow::Error::msg)?;
            anyhow::Ok(BASE64_STANDARD.encode(TrustedIssuers::public_key(&secret)))
        };
        let keys = json!({
            "gateway": public("gateway_signing_key")?,
            "operator-updates": public("relay_signing_key")?,
            "notifications": public("notifications_signing_key")?,
            "accounts": public("accounts_signing_key")?,
            "billing": public("billing_signing_key")?,
            "equipment": public("equipment_signing_key")?,
        });
        Ok(keys.to_string())
    }

    fn database_url(&self, service: Service) -> Result<String> {
        let (name, port) = (database_name(service), self.database_port);
        let password = &self.secrets["databases"][service.name()]["service"];
        let password = password.as_str().context("no password")?;
        Ok(format!(
            "postgres://{name}:{password}@127.0.0.1:{port}/{name}"
        ))
    }
}

/// The name of a service's database and role.
pub fn database_name(service: Service) -> String {
    format!("hourmeter_{}", service.name().replace('-', "_"))
}

fn named(variables: impl IntoIterator<Item = (&'static str, String)>) -> Environment {
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    variables.into_iter().map(owned).collect()
}
