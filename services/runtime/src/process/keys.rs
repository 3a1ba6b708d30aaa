//! Keys in settings, and their files, which are reloaded when they change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use crate::config::{AppEnv, Settings, check_strength};
use crate::identity::{Service, Signer, TrustedIssuers, Verifier};
use crate::telemetry::names;

/// Interval of reads of the files.
const POLL: Duration = Duration::from_secs(5);

/// Parses a 32-byte secret in base64.
pub fn parse_key(text: &SecretString) -> Result<[u8; 32], String> {
    let bytes = BASE64_STANDARD.decode(text.expose_secret().trim());
    let bytes = bytes.map_err(|_| "is not base64".to_owned())?;
    let key: [u8; 32] = bytes
        .try_into()
        .map_err(|_| "is not 32 bytes long".to_owned())?;
    if key.iter().all(|byte| *byte == key[0]) {
        return Err("has no randomness".to_owned());
    }
    Ok(key)
}

/// One key, or several during a rotation.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// Parses public keys by issuer:
/// `{"gateway": "<base64>", "operator-updates": ["<base64>", "<base64>"]}`.
pub fn parse_public_keys(text: &SecretString) -> Result<TrustedIssuers, String> {
    let keys: BTreeMap<String, OneOrMore> = serde_json::from_str(text.expose_secret())
        .map_err(|_| "is not an object of names and keys".to_owned())?;
    let mut issuers = TrustedIssuers::default();
    for (name, keys) in keys {
        let keys = match keys {
            OneOrMore::One(key) => vec![key],
            OneOrMore::More(keys) => keys,
        };
        if keys.is_empty() {
            return Err(format!("has no key of {name}"));
        }
        for key in keys {
            let key =
                parse_key(&key.into()).map_err(|problem| format!("key of {name} {problem}"))?;
            issuers = issuers.with(name.as_str(), key);
        }
    }
    Ok(issuers)
}

/// `IDENTITY_PUBLIC_KEYS`: the trusted issuers, and the file to watch for changes.
#[derive(Debug)]
pub(super) struct PublicKeys {
    issuers: TrustedIssuers,
    text: SecretString,
    file: Option<PathBuf>,
    env: AppEnv,
}

impl PublicKeys {
    const NAME: &str = "IDENTITY_PUBLIC_KEYS";

    pub fn read(settings: &mut Settings, env: AppEnv) -> Self {
        let text = settings.required_secret(Self::NAME, env);
        let issuers = parse_public_keys(&text).unwrap_or_else(|problem| {
            settings.problem(format!("{}_FILE {problem}", Self::NAME));
            TrustedIssuers::default()
        });
        Self {
            issuers,
            text,
            file: settings.secret_file(Self::NAME),
            env,
        }
    }

    /// Creates a verifier that reloads the file.
    pub fn verifier(self, service: Service) -> Verifier {
        let verifier = Verifier::new(service, &self.issuers);
        if let Some(file) = self.file {
            let verifier = verifier.clone();
            follow(Self::NAME, file, self.text, self.env, move |text| {
                verifier.trust(&parse_public_keys(text)?);
                Ok(())
            });
        }
        verifier
    }
}

/// Reads `IDENTITY_SIGNING_KEY`, which signs calls, and reloads its file. Needs a Tokio runtime.
pub fn read_signer(issuer: &'static str, settings: &mut Settings, env: AppEnv) -> Option<Signer> {
    const NAME: &str = "IDENTITY_SIGNING_KEY";
    let secret = settings.required_secret(NAME, env);
    let signer = parse_key(&secret)
        .and_then(|key| Signer::new(issuer, &key).map_err(|failure| failure.to_string()))
        .inspect_err(|problem| settings.problem(format!("{NAME}_FILE {problem}")))
        .ok()?;
    if let Some(file) = settings.secret_file(NAME) {
        let signer = signer.clone();
        follow(NAME, file, secret, env, move |text| {
            signer.sign_with(&parse_key(text)?);
            Ok(())
        });
    }
    Some(signer)
}

/// Polls a secret's file and calls `apply` when its text differs from `known`. An unreadable file,
/// and a secret that is weak or that `apply` rejects, is logged and counted once; the previous
/// secret stays in use.
fn follow(
    name: &'static str,
    file: PathBuf,
    mut known: SecretString,
    env: AppEnv,
    apply: impl Fn(&SecretString) -> Result<(), String> + Send + 'static,
) {
    tokio::spawn(async move {
        let mut unreadable = false;
        loop {
            tokio::time::sleep(POLL).await;
            let text = match tokio::fs::read_to_string(&file).await {
                Ok(text) => SecretString::from(text.trim()),
                Err(error) => {
                    if !unreadable {
                        names::KEY_FAILURES.count(["identity"]);
                        tracing::error!(name, %error, "failed to read key file; previous keys stay in use");
                    }
                    unreadable = true;
                    continue;
                }
            };
            unreadable = false;
            if text.expose_secret() == known.expose_secret() {
                continue;
            }
            let strong = check_strength(&text, env).map_err(str::to_owned);
            match strong.and_then(|()| apply(&text)) {
                Ok(()) => tracing::info!(name, "new keys are in use"),
                Err(problem) => {
                    names::KEY_FAILURES.count(["identity"]);
                    tracing::error!(name, problem, "invalid key file; previous keys stay in use");
                }
            }
            known = text;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_key_requires_32_different_bytes() {
        let parse = |bytes: &[u8]| parse_key(&BASE64_STANDARD.encode(bytes).into());
        let good: Vec<u8> = (0..32).collect();
        assert_eq!(parse(&good).expect("a key").as_slice(), good);
        for bad in [&good[1..], &[], &[0; 32], &[7; 32], &[1; 33]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse_key(&"%".to_owned().into()).is_err());
    }

    #[test]
    fn parse_public_keys_accepts_several_per_issuer() {
        let encode = |first: u8| {
            let key: Vec<u8> = (first..first + 32).collect();
            BASE64_STANDARD.encode(key)
        };
        let (one, other) = (encode(0), encode(1));
        for (text, fine) in [
            (format!(r#"{{"gateway":"{one}"}}"#), true),
            (format!(r#"{{"gateway":["{one}"]}}"#), true),
            (
                format!(r#"{{"gateway":["{one}","{other}"],"billing":"{one}"}}"#),
                true,
            ),
            (r#"{"gateway":[]}"#.to_owned(), false),
            (r#"{"gateway":["short"]}"#.to_owned(), false),
            (r#"{"gateway":1}"#.to_owned(), false),
            ("[]".to_owned(), false),
        ] {
            assert_eq!(
                parse_public_keys(&text.clone().into()).is_ok(),
                fine,
                "{text}"
            );
        }
    }

    /// A temporary file and the settings that name it.
    fn setting(name: &str, text: &str) -> (tempfile::NamedTempFile, Settings) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        let path = file.path().display().to_string();
        (file, Settings::from_pairs([(format!("{name}_FILE"), path)]))
    }

    fn key(first: u8) -> ([u8; 32], String) {
        let mut key = [first; 32];
        key[0] = 0;
        (key, BASE64_STANDARD.encode(key))
    }

    async fn wait_until(condition: impl Fn() -> bool) {
        for _ in 0..300 {
            if condition() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        panic!("the condition is still false after 30 s");
    }

    #[tokio::test]
    async fn key_files_are_reloaded() {
        let [(old, old_text), (new, new_text)] = [key(1), key(2)];
        let public = |secret| BASE64_STANDARD.encode(TrustedIssuers::public_key(secret));
        let trusting = |secret| format!("{{\"gateway\":\"{}\"}}", public(secret));
        let (public_file, mut settings) = setting(PublicKeys::NAME, &trusting(&old));
        let keys = PublicKeys::read(&mut settings, AppEnv::Production);
        settings.finish(()).expect("good settings");
        let verifier = keys.verifier(Service::Equipment);
        let (secret_file, mut settings) = setting("IDENTITY_SIGNING_KEY", &old_text);
        let signer = read_signer("gateway", &mut settings, AppEnv::Production).expect("a signer");
        let believed = |signer: &Signer| {
            let caller = crate::identity::Caller::Edge {
                request_id: uuid::Uuid::now_v7(),
            };
            let token = signer.sign(Service::Equipment, &caller).expect("a token");
            verifier.verify(&token).is_ok()
        };
        let by = |secret| Signer::new("gateway", secret).expect("a signer");
        assert!(believed(&signer) && !believed(&by(&new)));

        std::fs::write(public_file.path(), trusting(&new)).expect("written");
        std::fs::write(secret_file.path(), &new_text).expect("written");
        wait_until(|| believed(&by(&new)) && believed(&signer)).await;
        assert!(!believed(&by(&old)));

        // Invalid files change nothing and are counted: a truncated file, a weak key, no file.
        let failures = || {
            let text = crate::telemetry::metrics_text();
            let of = |line: &str| {
                let count = line.strip_prefix("hourmeter_key_failures_total{key=\"identity\"} ")?;
                count.parse::<u64>().ok()
            };
            text.lines().find_map(of).unwrap_or_default()
        };
        let example: [u8; 32] = std::array::from_fn(|at| u8::try_from(at).expect("small"));
        let wrong = [
            Some(["half a fi".to_owned(), "half a fi".to_owned()]),
            Some([trusting(&example), BASE64_STANDARD.encode(example)]),
            None,
        ];
        for texts in wrong {
            let before = failures();
            for (at, file) in [&public_file, &secret_file].into_iter().enumerate() {
                match &texts {
                    Some(texts) => std::fs::write(file.path(), &texts[at]).expect("written"),
                    None => std::fs::remove_file(file.path()).expect("removed"),
                }
            }
            wait_until(|| failures() >= before + 2).await;
            assert!(believed(&signer) && !believed(&by(&old)) && !believed(&by(&example)));
        }
        // Counted once per invalid file, not at each poll.
        let counted = failures();
        tokio::time::sleep(std::time::Duration::from_secs(6)).await;
        assert_eq!(failures(), counted);
        // Valid files are reloaded afterwards.
        std::fs::write(public_file.path(), trusting(&old)).expect("written");
        std::fs::write(secret_file.path(), &old_text).expect("written");
        wait_until(|| believed(&by(&old)) && believed(&signer)).await;
    }
}
