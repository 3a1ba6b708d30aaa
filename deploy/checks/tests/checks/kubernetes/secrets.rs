//! The secrets of `deploy/make-secrets`, with which the other checks start processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use hourmeter_runtime::identity::TrustedIssuers;
use hourmeter_runtime::process::parse_key;

use super::{Overlay, SourceFile};
use crate::root;

/// A folder with the secrets of an installation.
pub struct Secrets(pub PathBuf);

impl Secrets {
    pub fn make(name: &str) -> Self {
        Self::make_with(name, &[])
    }

    /// With TLS to the servers and an authority of their own, as in production.
    pub fn verified(name: &str) -> Self {
        let other = Self::make(&format!("{name}-authority"));
        let authority = other.0.join("cluster-ca/ca.crt");
        let authority = authority.to_str().expect("a path");
        let made = Self::make_with(name, &["db.example", "cache.example", authority]);
        let redis = made.read("redis/url").replacen("redis://", "rediss://", 1);
        std::fs::write(made.0.join("redis/url"), redis).expect("written");
        made
    }

    pub fn make_with(name: &str, arguments: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{name}-{}", std::process::id()));
        let made = Self(folder);
        let mut script = Command::new(root().join("deploy/make-secrets"));
        let output = script.arg(&made.0).args(arguments).output();
        let output = output.expect("the script");
        assert!(output.status.success(), "{output:?}");
        // Provided by the operator.
        for (file, value) in [
            ("billing-stripe/api-key", "sk_test_1"),
            ("billing-stripe/webhook-secrets", "whsec_1\n"),
            ("notifications-mail/smtp-url", "smtps://a:b@mail.example"),
            ("notifications-sms/auth", "key:secret"),
        ] {
            let path = made.0.join(file);
            std::fs::write(path, value).expect("written");
        }
        made
    }

    pub fn path(&self, source_file: &SourceFile) -> PathBuf {
        self.0.join(&source_file.name).join(&source_file.key)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

impl Drop for Secrets {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn make_secrets_creates_matching_identity_keys() {
    let secrets = Secrets::make("keys");
    let public = secrets.read("identity-public-keys/public-keys");
    let public: BTreeMap<String, String> = serde_json::from_str(&public).expect("JSON");
    assert_eq!(public.len(), 6);
    for (sender, public) in public {
        let secret = secrets.read(&format!("{sender}-identity/signing-key"));
        let secret = parse_key(&secret.into()).expect("a key");
        let expected = TrustedIssuers::public_key(&secret);
        assert_eq!(parse_key(&public.into()), Ok(expected), "{sender}");
    }
}

#[test]
fn make_secrets_adds_the_key_that_older_installations_lack() {
    let secrets = Secrets::make("older");
    let path = secrets.0.join("identity-public-keys/public-keys");
    let complete = secrets.read("identity-public-keys/public-keys");
    let (older, _) = complete.split_once(",\"notifications\"").expect("a key");
    std::fs::write(&path, format!("{older}}}")).expect("written");
    let again = Command::new(root().join("deploy/make-secrets"))
        .arg(&secrets.0)
        .output();
    assert!(again.expect("the script").status.success());
    assert_eq!(secrets.read("identity-public-keys/public-keys"), complete);
}

/// Production refuses URLs without certificate verification; see `processes`.
#[test]
fn pods_mount_the_authority_that_their_url_names() {
    let secrets = Secrets::verified("authority");
    let mut urls = 0;
    let [local, production] = Overlay::all();
    for overlay in [local, production, Overlay::examples()] {
        for work in overlay.workloads() {
            let files = overlay.files(&work).into_values();
            for source_file in files.filter(|source_file| source_file.key == "url") {
                let url = secrets.read(&format!("{}/url", source_file.name));
                let path = url.split_once("sslrootcert=").map(|(_, path)| path);
                // The script creates the Redis of one host; deploy/cluster.md describes another
                // URL.
                let found = work.source_file(path.unwrap_or("/secrets/redis/ca.crt"));
                // A command on all databases uses the authority of the first one.
                let are_owners = [&found, &source_file]
                    .iter()
                    .all(|source_file| source_file.name.ends_with("-owner"));
                assert!(
                    found.name == source_file.name || are_owners,
                    "{}: {found:?}",
                    work.name
                );
                assert_eq!(found.key, "ca.crt", "{}: {found:?}", work.name);
                urls += 1;
            }
        }
    }
    assert!(urls > 16, "{urls}");
}
