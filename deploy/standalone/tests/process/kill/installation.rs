//! Keys and addresses of an installation, and what each process is told of them.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hourmeter_runtime::identity::{Service, TrustedIssuers};
use hourmeter_runtime::process::parse_key;
use serde_json::{Value, json};

use super::process::quiet_port;
use crate::product::root;

/// Names and values.
pub type Environment = Vec<(String, String)>;

/// What the processes of an installation have to know.
pub struct Installation {
    secrets: Value,
    /// Where the database listens.
    pub database_port: u16,
    ports: [(Service, u16); 4],
}

impl Installation {
    /// The installation of a data folder, with new addresses for its services.
    pub fn read(data: &Path, database_port: u16) -> Self {
        let secrets = std::fs::read_to_string(data.join("secrets.json")).expect("keys");
        Self {
            secrets: serde_json::from_str(&secrets).expect("JSON"),
            database_port,
            ports: Service::ALL.map(|service| (service, quiet_port())),
        }
    }

    /// Where a service listens.
    pub fn port(&self, service: Service) -> u16 {
        let found = self.ports.iter().find(|(known, _)| *known == service);
        found.expect("all have one").1
    }

    /// What a service is told.
    pub fn of_service(&self, service: Service) -> Environment {
        let address = |service| format!("127.0.0.1:{}", self.port(service));
        let mut environment = named([
            ("LISTEN", address(service)),
            ("DATABASE_URL", self.database_url(service)),
            ("IDENTITY_PUBLIC_KEYS", self.public_keys()),
            ("MAX_CONNECTIONS", "16".to_owned()),
        ]);
        let secret = |name: &str| self.secrets[name].to_string();
        environment.extend(named(match service {
            Service::Accounts => vec![
                ("PASSWORD_PEPPERS", secret("password_peppers")),
                ("OPERATOR_PASSWORD_KEYS", secret("operator_password_keys")),
                ("DECOY_SECRET", self.key("decoy_secret")),
            ],
            Service::OperatorUpdates => {
                let equipment = address(Service::Equipment);
                vec![
                    ("IDENTITY_SIGNING_KEY", self.key("relay_signing_key")),
                    ("EQUIPMENT_URL", format!("http://{equipment}")),
                ]
            }
            Service::Equipment | Service::Billing => Vec::new(),
        }));
        environment
    }

    /// What a gateway that listens there is told.
    pub fn of_gateway(&self, port: u16) -> Environment {
        let mut environment = named([
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", port.to_string()),
            ("WEB_DIR", root().join("web/dist").display().to_string()),
            ("RATE_LIMITS", "off".to_owned()),
            ("IDENTITY_SIGNING_KEY", self.key("gateway_signing_key")),
        ]);
        environment.extend(self.ports.iter().map(|(service, port)| {
            let name = service.name().to_uppercase().replace('-', "_");
            (format!("{name}_URL"), format!("http://127.0.0.1:{port}"))
        }));
        environment
    }

    fn key(&self, name: &str) -> String {
        self.secrets[name].as_str().expect("a key").to_owned()
    }

    fn public_keys(&self) -> String {
        let public = |name| {
            let secret = parse_key(&self.key(name).into()).expect("a key");
            BASE64_STANDARD.encode(TrustedIssuers::public_key(&secret))
        };
        let keys = json!({
            "gateway": public("gateway_signing_key"),
            "operator-updates": public("relay_signing_key"),
        });
        keys.to_string()
    }

    fn database_url(&self, service: Service) -> String {
        let name = database_name(service);
        let password = &self.secrets["databases"][service.name()]["service"];
        let password = password.as_str().expect("a password");
        format!(
            "postgres://{name}:{password}@127.0.0.1:{}/{name}",
            self.database_port
        )
    }
}

/// A service's database; its role is called the same.
pub fn database_name(service: Service) -> String {
    format!("hourmeter_{}", service.name().replace('-', "_"))
}

fn named(settings: impl IntoIterator<Item = (&'static str, String)>) -> Environment {
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    settings.into_iter().map(owned).collect()
}
