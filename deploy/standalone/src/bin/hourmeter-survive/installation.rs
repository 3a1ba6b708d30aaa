//! Keys and addresses of an installation, and what each process is told of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hourmeter_runtime::identity::{Service, TrustedIssuers};
use hourmeter_runtime::process::parse_key;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};

use crate::fleet::Member;
use crate::process::{Environment, quiet_port};

/// Names of the files with a process's certificate, its key, and who signed it.
const CERTIFICATES: [(&str, &str); 3] = [
    ("TLS_CERT_FILE", "certificate.pem"),
    ("TLS_KEY_FILE", "key.pem"),
    ("TLS_CA_FILE", "authority.pem"),
];

/// How many of each run.
pub const REPLICAS: usize = 2;

/// What the processes of an installation have to know.
pub struct Installation {
    secrets: Value,
    /// Where the database is reached.
    pub database_port: u16,
    /// Where Redis listens.
    pub redis_port: u16,
    /// Whether calls are counted and refused.
    pub limits: bool,
    /// Where billing finds the provider of payments; none: the sandbox in billing itself.
    pub provider: Option<String>,
    /// How long a process that is asked to stop goes on serving, in seconds.
    pub stop_wait: u32,
    ports: Vec<(Service, [u16; REPLICAS])>,
    /// Where the gateways listen.
    pub gateways: [u16; REPLICAS],
    /// Where certificates are.
    folder: PathBuf,
    /// Where each tells how it is.
    admin: Vec<(Member, u16)>,
}

impl Installation {
    /// The installation of a data folder, with new addresses for its processes.
    pub fn read(data: &Path, database_port: u16, stop_wait: u32) -> Result<Self> {
        let secrets = std::fs::read_to_string(data.join("secrets.json"))?;
        write_certificates(data)?;
        let ports = Service::ALL.map(|service| Ok((service, [quiet_port()?, quiet_port()?])));
        let admin = Member::all().into_iter();
        let admin = admin.map(|member| Ok((member, quiet_port()?)));
        Ok(Self {
            secrets: serde_json::from_str(&secrets)?,
            database_port,
            redis_port: quiet_port()?,
            limits: true,
            provider: None,
            stop_wait,
            ports: ports.into_iter().collect::<Result<_>>()?,
            gateways: [quiet_port()?, quiet_port()?],
            folder: data.to_owned(),
            admin: admin.collect::<Result<_>>()?,
        })
    }

    fn port(&self, service: Service, replica: usize) -> Result<u16> {
        let found = self.ports.iter().find(|(known, _)| *known == service);
        found.map(|(_, ports)| ports[replica]).context("no port")
    }

    /// Where a member tells how it is.
    pub fn admin_port(&self, member: Member) -> Result<u16> {
        let found = self.admin.iter().find(|(known, _)| *known == member);
        found.map(|(_, port)| *port).context("no port")
    }

    /// What a member is told.
    pub fn of(&self, member: Member) -> Result<Environment> {
        let mut environment = match member {
            Member::Gateway(replica) => self.of_gateway(replica)?,
            Member::Service(service, replica) => self.of_service(service, replica)?,
        };
        let admin = format!("127.0.0.1:{}", self.admin_port(member)?);
        environment.push(("ADMIN_LISTEN".to_owned(), admin));
        Ok(environment)
    }

    fn of_service(&self, service: Service, replica: usize) -> Result<Environment> {
        let mut environment = self.of_all();
        let port = self.port(service, replica)?;
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
            ],
            Service::OperatorUpdates => vec![
                ("IDENTITY_SIGNING_KEY", self.key("relay_signing_key")?),
                ("EQUIPMENT_URL", self.url(Service::Equipment)?),
            ],
            Service::Billing => self.payments(),
            Service::Equipment => Vec::new(),
        }));
        Ok(environment)
    }

    fn of_gateway(&self, replica: usize) -> Result<Environment> {
        let mut environment = self.of_all();
        let limits = if self.limits { "on" } else { "off" };
        environment.extend(named([
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", self.gateways[replica].to_string()),
            ("RATE_LIMITS", limits.to_owned()),
            // The harness stands where the load balancer does.
            ("TRUSTED_PROXIES", "127.0.0.1/32".to_owned()),
            ("IDENTITY_SIGNING_KEY", self.key("gateway_signing_key")?),
        ]));
        for service in Service::ALL {
            let name = service.name().to_uppercase().replace('-', "_");
            environment.push((format!("{name}_URL"), self.url(service)?));
        }
        Ok(environment)
    }

    fn of_all(&self) -> Environment {
        let mut environment = named([
            ("APP_ENV", "test".to_owned()),
            ("RUST_LOG", "warn".to_owned()),
            ("STOP_WAIT_SECONDS", self.stop_wait.to_string()),
            (
                "REDIS_URL",
                format!("redis://127.0.0.1:{}/", self.redis_port),
            ),
        ]);
        let certificates = CERTIFICATES.map(|(name, file)| {
            let file = self.folder.join(file);
            (name.to_owned(), file.display().to_string())
        });
        environment.extend(certificates);
        environment
    }

    /// Every replica of a service.
    fn url(&self, service: Service) -> Result<String> {
        let replicas = (0..REPLICAS).map(|replica| {
            let port = self.port(service, replica)?;
            Ok(format!("https://127.0.0.1:{port}"))
        });
        Ok(replicas.collect::<Result<Vec<_>>>()?.join(","))
    }

    fn payments(&self) -> Vec<(&'static str, String)> {
        let Some(provider) = &self.provider else {
            return Vec::new();
        };
        vec![
            ("STRIPE_API_KEY", "sk_test_of_nobody_at_all".to_owned()),
            (
                "STRIPE_WEBHOOK_SECRETS",
                "whsec_of_nobody_at_all".to_owned(),
            ),
            ("STRIPE_API_BASE", provider.clone()),
            ("PUBLIC_ORIGIN", "http://127.0.0.1:8080".to_owned()),
        ]
    }

    fn key(&self, name: &str) -> Result<String> {
        let key = self.secrets[name].as_str();
        key.map(str::to_owned).with_context(|| format!("no {name}"))
    }

    fn public_keys(&self) -> Result<String> {
        let public = |name| {
            let secret = parse_key(&self.key(name)?.into());
            let secret = secret.map_err(anyhow::Error::msg)?;
            let key = TrustedIssuers::public_key(&secret);
            anyhow::Ok(BASE64_STANDARD.encode(key))
        };
        let keys = json!({
            "gateway": public("gateway_signing_key")?,
            "operator-updates": public("relay_signing_key")?,
        });
        Ok(keys.to_string())
    }

    fn database_url(&self, service: Service) -> Result<String> {
        let name = database_name(service);
        let password = &self.secrets["databases"][service.name()]["service"];
        let password = password.as_str().context("no password")?;
        let port = self.database_port;
        Ok(format!(
            "postgres://{name}:{password}@127.0.0.1:{port}/{name}"
        ))
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

/// One certificate for all, since all are at the same address.
fn write_certificates(folder: &Path) -> Result<()> {
    let mut params = CertificateParams::new(Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, &authority)?;
    let signer: &rcgen::Certificate = authority.as_ref();
    let texts = [certificate.pem(), key.serialize_pem(), signer.pem()];
    for ((_, file), text) in CERTIFICATES.into_iter().zip(texts) {
        std::fs::write(folder.join(file), text)?;
    }
    Ok(())
}
