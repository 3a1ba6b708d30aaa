//! Keys and passwords of this installation, generated once and stored in the data folder.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hourmeter_notifications::PushSettings;
use hourmeter_runtime::identity::{Service, Signer, TrustedIssuers};
use hourmeter_runtime::process::parse_key;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// Losing these secrets makes the data that they protect unreadable.
#[derive(Default, Serialize, Deserialize)]
pub struct Secrets {
    databases: BTreeMap<String, DatabasePasswords>,
    gateway_signing_key: String,
    relay_signing_key: String,
    password_peppers: KeyFile,
    operator_password_keys: KeyFile,
    // The fields from here on are missing in data folders of older versions.
    #[serde(default)]
    pub decoy_secret: String,
    #[serde(default)]
    notifications_signing_key: String,
    #[serde(default)]
    accounts_signing_key: String,
    #[serde(default)]
    billing_signing_key: String,
    #[serde(default)]
    equipment_signing_key: String,
    #[serde(default)]
    vapid_key: String,
}

#[derive(Clone, Serialize, Deserialize)]
struct DatabasePasswords {
    service: String,
    owner: String,
}

/// Several keys, one of them active.
#[derive(Default, Serialize, Deserialize)]
struct KeyFile {
    active: String,
    keys: BTreeMap<String, String>,
}

impl Secrets {
    /// Reads the secrets of the data folder, or generates them at the first start.
    pub fn load_or_create(data_dir: &Path) -> Result<Self> {
        let path = data_dir.join("secrets.json");
        if path.exists() {
            let text = std::fs::read_to_string(&path).with_context(|| unreadable(&path))?;
            let read: Self = serde_json::from_str(&text).with_context(|| unreadable(&path))?;
            return read.completed(&path);
        }
        if data_dir.join("postgres/data").exists() {
            let shown = path.display();
            bail!("{shown} is missing, but the data needs it; restore it from a copy");
        }
        Self::first()?.completed(&path)
    }

    /// Adds the secrets that are missing and writes the file if there are any.
    fn completed(mut self, path: &Path) -> Result<Self> {
        let mut is_complete = true;
        for secret in [
            &mut self.decoy_secret,
            &mut self.notifications_signing_key,
            &mut self.accounts_signing_key,
            &mut self.billing_signing_key,
            &mut self.equipment_signing_key,
            &mut self.vapid_key,
        ] {
            if secret.is_empty() {
                *secret = key()?;
                is_complete = false;
            }
        }
        for service in Service::ALL {
            if !self.databases.contains_key(service.name()) {
                let passwords = DatabasePasswords {
                    service: password()?,
                    owner: password()?,
                };
                self.databases.insert(service.name().to_owned(), passwords);
                is_complete = false;
            }
        }
        if !is_complete {
            self.write(path)?;
        }
        Ok(self)
    }

    /// Writes to a temporary file and renames it, so that a crash never leaves half a file.
    fn write(&self, path: &Path) -> Result<()> {
        let draft = path.with_extension("json.new");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(&draft)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        std::fs::rename(&draft, path)?;
        Ok(())
    }

    /// What every version had; [`Self::completed`] adds the others.
    fn first() -> Result<Self> {
        Ok(Self {
            gateway_signing_key: key()?,
            relay_signing_key: key()?,
            password_peppers: KeyFile::generate()?,
            operator_password_keys: KeyFile::generate()?,
            ..Self::default()
        })
    }

    /// Passwords of a service's own role and its owner role.
    pub fn database(&self, service: Service) -> Result<(SecretString, SecretString)> {
        let name = service.name();
        let found = self.databases.get(name);
        let found = found.with_context(|| format!("no database password for {name}"))?;
        Ok((found.service.clone().into(), found.owner.clone().into()))
    }

    /// Of the gateway or a service.
    pub fn signing_key(&self, issuer: &str) -> Result<&str> {
        let mut keys = self.signing_keys().into_iter();
        let found = keys.find(|(name, _)| *name == issuer);
        let (_, key) = found.with_context(|| format!("no signing key of {issuer}"))?;
        Ok(key)
    }

    /// Signs the calls of the gateway or of a service.
    pub fn signer(&self, issuer: &'static str) -> Result<Signer> {
        Ok(Signer::new(issuer, &read_key(self.signing_key(issuer)?)?)?)
    }

    /// How pushes are sent from this address.
    pub fn push(&self, address: &str, domains: &str) -> Result<PushSettings> {
        let key = self.vapid_key.clone().into();
        PushSettings::new(&key, address, domains).context("invalid vapid_key in secrets.json")
    }

    pub fn trusted_issuers(&self) -> Result<TrustedIssuers> {
        let mut trusted = TrustedIssuers::default();
        for (name, secret) in self.signing_keys() {
            trusted = trusted.with(name, TrustedIssuers::public_key(&read_key(secret)?));
        }
        Ok(trusted)
    }

    const fn signing_keys(&self) -> [(&'static str, &String); 6] {
        [
            ("gateway", &self.gateway_signing_key),
            ("operator-updates", &self.relay_signing_key),
            ("notifications", &self.notifications_signing_key),
            ("accounts", &self.accounts_signing_key),
            ("billing", &self.billing_signing_key),
            ("equipment", &self.equipment_signing_key),
        ]
    }

    /// As a key file for separate processes.
    pub fn public_keys_file(&self) -> Result<String> {
        let mut keys = BTreeMap::new();
        for (name, secret) in self.signing_keys() {
            let public = TrustedIssuers::public_key(&read_key(secret)?);
            keys.insert(name, BASE64_STANDARD.encode(public));
        }
        Ok(serde_json::to_string(&keys)?)
    }

    pub fn peppers_file(&self) -> Result<String> {
        Ok(serde_json::to_string(&self.password_peppers)?)
    }

    pub fn operator_password_keys_file(&self) -> Result<String> {
        Ok(serde_json::to_string(&self.operator_password_keys)?)
    }
}

impl KeyFile {
    fn generate() -> Result<Self> {
        Ok(Self {
            active: "1".to_owned(),
            keys: BTreeMap::from([("1".to_owned(), key()?)]),
        })
    }
}

fn unreadable(path: &Path) -> String {
    let shown = path.display();
    format!("failed to read {shown}; the data cannot be decrypted without it")
}

fn random() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("failed to get random bytes")?;
    Ok(bytes)
}

fn key() -> Result<String> {
    Ok(BASE64_STANDARD.encode(random()?))
}

/// Characters that need no escaping in URLs.
fn password() -> Result<String> {
    Ok(BASE64_URL_SAFE_NO_PAD.encode(random()?))
}

fn read_key(text: &str) -> Result<[u8; 32]> {
    parse_key(&text.to_owned().into()).map_err(anyhow::Error::msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_completes_secrets_of_older_versions_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Secrets::load_or_create(folder.path()).expect("secrets");
        let path = folder.path().join("secrets.json");
        let text = std::fs::read_to_string(&path).expect("a file");
        let mut older: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let fields = older.as_object_mut().expect("an object");
        assert!(fields.remove("decoy_secret").is_some());
        assert!(fields.remove("notifications_signing_key").is_some());
        assert!(fields.remove("accounts_signing_key").is_some());
        assert!(fields.remove("billing_signing_key").is_some());
        assert!(fields.remove("equipment_signing_key").is_some());
        assert!(fields.remove("vapid_key").is_some());
        let databases = fields["databases"].as_object_mut().expect("an object");
        assert!(databases.remove("notifications").is_some());
        std::fs::write(&path, older.to_string()).expect("written");

        let upgraded = Secrets::load_or_create(folder.path()).expect("secrets");
        assert!(read_key(&upgraded.decoy_secret).is_ok());
        assert_ne!(upgraded.decoy_secret, first.decoy_secret);
        assert!(upgraded.database(Service::Notifications).is_ok());
        assert!(upgraded.signer("notifications").is_ok());
        assert!(upgraded.signer("accounts").is_ok());
        assert!(upgraded.signer("billing").is_ok());
        assert!(upgraded.signer("equipment").is_ok());
        assert!(upgraded.push("http://127.0.0.1:8080", "").is_ok());
        assert_eq!(
            upgraded.peppers_file().expect("text"),
            first.peppers_file().expect("text")
        );
        let again = Secrets::load_or_create(folder.path()).expect("secrets");
        assert_eq!(again.decoy_secret, upgraded.decoy_secret);
    }
}
