//! Keys and addresses of an installation, and the environments of its processes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hourmeter_runtime::identity::{Service, TrustedIssuers};
use hourmeter_runtime::process::parse_key;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::Value;

use crate::process::{Environment, free_port, named};
use crate::program::root;

pub struct Installation {
    secrets: Value,
    folder: PathBuf,
    pub database_port: u16,
    /// Ports of each service's replicas.
    ports: HashMap<Service, Vec<u16>>,
    /// Host name of the services with TLS.
    tls: Option<&'static str>,
}

impl Installation {
    /// Reads a data folder that the product has prepared and assigns new ports.
    pub fn read(data: &Path, database_port: u16, replicas: usize) -> Result<Self> {
        let secrets = std::fs::read_to_string(data.join("secrets.json"))?;
        let ports = |service| {
            let ports = (0..replicas).map(|_| free_port());
            Ok((service, ports.collect::<Result<_>>()?))
        };
        Ok(Self {
            secrets: serde_json::from_str(&secrets)?,
            folder: data.to_owned(),
            database_port,
            ports: Service::ALL.into_iter().map(ports).collect::<Result<_>>()?,
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
        let port = self.ports[&service].get(replica);
        port.copied().context("no such replica")
    }

    pub fn of_service(&self, service: Service, replica: usize) -> Result<Environment> {
        // Only what `compose.yaml` sets too, so that a service that needs more fails here.
        let callees: &[Service] = match service {
            Service::Accounts | Service::Equipment | Service::Billing => &[Service::Notifications],
            Service::OperatorUpdates => &[Service::Equipment, Service::Notifications],
            Service::Notifications => &[
                Service::Accounts,
                Service::Equipment,
                Service::OperatorUpdates,
                Service::Billing,
            ],
        };
        let port = self.port(service, replica)?;
        let mut environment = self.of_caller(callees);
        environment.extend(named([
            ("LISTEN", format!("127.0.0.1:{port}")),
            ("DATABASE_URL", self.database_url(service)?),
            ("IDENTITY_PUBLIC_KEYS", self.public_keys()?),
            ("IDENTITY_SIGNING_KEY", self.signing_key(service.name())?),
            ("MAX_CONNECTIONS", "20".to_owned()),
        ]));
        if service == Service::Accounts {
            let secret = |name: &str| self.secrets[name].to_string();
            environment.extend(named([
                ("PASSWORD_PEPPERS", secret("password_peppers")),
                ("OPERATOR_PASSWORD_KEYS", secret("operator_password_keys")),
                ("DECOY_SECRET", self.key("decoy_secret")?),
            ]));
        }
        Ok(environment)
    }

    pub fn of_gateway(&self, port: u16) -> Result<Environment> {
        let mut environment = self.of_caller(&Service::ALL);
        environment.extend(named([
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", port.to_string()),
            ("WEB_DIR", root().join("web/dist").display().to_string()),
            ("RATE_LIMITS", "off".to_owned()),
            ("IDENTITY_SIGNING_KEY", self.signing_key("gateway")?),
        ]));
        Ok(environment)
    }

    /// What every process needs, with the URLs of the services that it calls.
    fn of_caller(&self, callees: &[Service]) -> Environment {
        let mut environment = named([("APP_ENV", "test".into()), ("RUST_LOG", "warn".into())]);
        environment.extend(callees.iter().map(|service| {
            let name = service.name().to_uppercase().replace('-', "_");
            (format!("{name}_URL"), self.url(*service))
        }));
        if self.tls.is_some() {
            environment.extend(["CERT", "KEY", "CA"].map(|which| {
                let file = self.folder.join(which).display().to_string();
                (format!("TLS_{which}_FILE"), file)
            }));
        }
        environment
    }

    /// URLs of all replicas of a service.
    fn url(&self, service: Service) -> String {
        let base = match self.tls {
            Some(host) => format!("https://{host}"),
            None => "http://127.0.0.1".to_owned(),
        };
        let ports = self.ports[&service].iter();
        let urls: Vec<_> = ports.map(|port| format!("{base}:{port}")).collect();
        urls.join(",")
    }

    fn key(&self, name: &str) -> Result<String> {
        let key = self.secrets[name].as_str();
        key.map(str::to_owned).with_context(|| format!("no {name}"))
    }

    /// Of the gateway or a service.
    fn signing_key(&self, issuer: &str) -> Result<String> {
        match issuer {
            "operator-updates" => self.key("relay_signing_key"),
            _ => self.key(&format!("{issuer}_signing_key")),
        }
    }

    fn public_keys(&self) -> Result<String> {
        let mut keys = BTreeMap::new();
        let services = Service::ALL.map(Service::name);
        for issuer in services.into_iter().chain(["gateway"]) {
            let secret = self.signing_key(issuer)?.into();
            let secret = parse_key(&secret).map_err(anyhow::Error::msg)?;
            let public = TrustedIssuers::public_key(&secret);
            keys.insert(issuer, BASE64_STANDARD.encode(public));
        }
        Ok(serde_json::to_string(&keys)?)
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
