//! `deploy/make-secrets` makes keys, passwords and certificates that fit together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use hourmeter_runtime::identity::{Service, TrustedIssuers};
use hourmeter_runtime::process::parse_key;

use super::{Held, Overlay};
use crate::root;

/// A folder with the secrets of an installation.
pub struct Secrets(pub PathBuf);

impl Secrets {
    pub fn make(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{name}-{}", std::process::id()));
        let made = Self(folder);
        let output = made.run(&[]);
        assert!(output.status.success(), "{output:?}");
        // The operator gives these.
        for (file, value) in [("api-key", "sk_test_1"), ("webhook-secrets", "whsec_1\n")] {
            let path = made.0.join("billing-stripe").join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, value).expect("written");
        }
        made
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut script = Command::new(root().join("deploy/make-secrets"));
        script
            .arg(&self.0)
            .args(arguments)
            .output()
            .expect("the script")
    }

    pub fn path(&self, held: &Held) -> PathBuf {
        self.0.join(&held.name).join(&held.key)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn remove(&self, path: &str) {
        std::fs::remove_file(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
}

impl Drop for Secrets {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn keys_fit_together_and_parts_that_are_missing_are_made_again() {
    let secrets = Secrets::make("keys");
    let public = secrets.read("identity-public-keys/public-keys");
    let public: BTreeMap<String, String> = serde_json::from_str(&public).expect("JSON");
    assert_eq!(public.len(), 2);
    for (sender, public) in public {
        let secret = parse_key(
            &secrets
                .read(&format!("{sender}-identity/signing-key"))
                .into(),
        );
        let expected = TrustedIssuers::public_key(&secret.expect("a key"));
        assert_eq!(parse_key(&public.into()), Ok(expected), "{sender}");
    }
    // Files that are made of others: a script that was killed left them out.
    let made_of_others = [
        "accounts-database/url",
        "redis/url",
        "identity-public-keys/public-keys",
    ];
    let before = made_of_others.map(|path| secrets.read(path));
    made_of_others
        .iter()
        .chain(&["cluster-ca/ca.crt"])
        .for_each(|path| secrets.remove(path));
    let output = secrets.run(&[]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(before, made_of_others.map(|path| secrets.read(path)));
    let settings = secrets.read("redis-settings/redis.conf");
    let password = settings
        .lines()
        .find_map(|line| line.strip_prefix("requirepass "));
    assert_eq!(
        before[1],
        format!("redis://:{}@redis:6379/", password.expect("a password"))
    );
    for process in ["gateway", "billing"] {
        let mut openssl = Command::new("openssl");
        openssl
            .args(["verify", "-CAfile"])
            .arg(secrets.0.join("cluster-ca/ca.crt"));
        let output = openssl
            .arg(secrets.0.join(format!("{process}-tls/tls.crt")))
            .output();
        let output = output.expect("openssl; deploy/gate installs it");
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn databases_are_verified_by_the_authority_that_is_given() {
    let secrets = Secrets::make("authority");
    let authority = secrets.0.join("cluster-ca/ca.crt");
    let arguments = [
        "db.example",
        "cache.example",
        authority.to_str().expect("a path"),
    ];
    // URLs that were made without it would trust any server.
    let refused = secrets.run(&arguments);
    assert!(!refused.status.success());
    let services = Service::ALL.map(Service::name);
    for service in services {
        secrets.remove(&format!("{service}-database/url"));
        secrets.remove(&format!("{service}-database-owner/url"));
    }
    let output = secrets.run(&arguments);
    assert!(output.status.success(), "{output:?}");
    for (service, kind) in services
        .iter()
        .flat_map(|service| [(service, "database"), (service, "database-owner")])
    {
        let url = secrets.read(&format!("{service}-{kind}/url"));
        let (address, options) = url.split_once('?').expect("options");
        assert!(address.ends_with(&format!(
            "@db.example:5432/hourmeter_{}",
            service.replace('-', "_")
        )));
        assert_eq!(
            options,
            format!("sslmode=verify-full&sslrootcert=/secrets/{kind}/ca.crt")
        );
        assert_eq!(
            secrets.read(&format!("{service}-{kind}/ca.crt")),
            secrets.read("cluster-ca/ca.crt")
        );
    }
    // There each pod finds the authority of its server.
    let mut urls = 0;
    for overlay in [
        Overlay::of("local"),
        Overlay::of("production"),
        Overlay::examples(),
    ] {
        for work in overlay.workloads() {
            for held in overlay
                .files(&work)
                .into_values()
                .filter(|held| held.key == "url")
            {
                let url = secrets.read(&format!("{}/{}", held.name, held.key));
                let path = url.split_once("sslrootcert=").map(|(_, path)| path);
                // The script makes the Redis of one host; deploy/cluster.md has another URL.
                let authority = work.held(path.unwrap_or("/secrets/redis/ca.crt"));
                // A command on all databases finds that of the first one's server.
                let alike = authority.name == held.name
                    || authority.name.ends_with("-owner") && held.name.ends_with("-owner");
                assert!(
                    alike && authority.key == "ca.crt",
                    "{}: {held:?} {authority:?}",
                    work.name
                );
                urls += 1;
            }
        }
    }
    assert!(urls > 16, "{urls}");
}
