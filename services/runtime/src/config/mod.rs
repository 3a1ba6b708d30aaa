//! Settings: read once, typed, with all errors reported together.

mod plaintext;
mod weak;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};

/// The environment of the process; determines which settings may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEnv {
    /// A developer's machine: secrets are generated in the data folder.
    Development,
    /// Tests and load tests: limits may be off.
    Test,
    /// Production: all settings and secrets are required.
    Production,
}

impl FromStr for AppEnv {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "development" => Ok(Self::Development),
            "test" => Ok(Self::Test),
            "production" => Ok(Self::Production),
            other => Err(format!(
                "is \"{other}\", not development, test or production"
            )),
        }
    }
}

/// The source of settings, which collects errors.
#[derive(Debug, Default)]
pub struct Settings {
    values: BTreeMap<String, String>,
    problems: Vec<String>,
}

/// All settings that are missing or invalid.
#[derive(Debug, thiserror::Error)]
#[error("settings:\n  {}", .0.join("\n  "))]
pub struct SettingsError(pub Vec<String>);

impl Settings {
    /// From the process environment. An empty value counts as not set.
    pub fn from_env() -> Self {
        let pairs = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::from_pairs(pairs)
    }

    /// From names and values. An empty value counts as not set.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let values = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        Self {
            values: values.collect(),
            problems: Vec::new(),
        }
    }

    /// The raw value of a setting.
    pub fn text(&self, name: &str) -> Option<String> {
        self.values.get(name).cloned()
    }

    /// The parsed value, or the default if it is not set or invalid.
    pub fn or<T>(&mut self, name: &str, default: T) -> T
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        self.optional(name).unwrap_or(default)
    }

    /// The parsed value; None if it is not set or invalid.
    pub fn optional<T>(&mut self, name: &str) -> Option<T>
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        let read = self.values.get(name)?.parse();
        read.inspect_err(|error| self.problems.push(format!("{name} {error}")))
            .ok()
    }

    /// A secret from the file `NAME_FILE`, or, outside production, from `NAME`.
    pub fn secret(&mut self, name: &str, env: AppEnv) -> Option<SecretString> {
        let file = format!("{name}_FILE");
        if let Some(path) = self.secret_file(name) {
            match std::fs::read_to_string(path) {
                Ok(text) => {
                    let secret = text.trim().to_owned().into();
                    if let Err(weakness) = check_strength(&secret, env) {
                        self.problem(format!("{file} {weakness}"));
                    }
                    self.check_transport(&file, &secret, env);
                    return Some(secret);
                }
                Err(error) => self.problems.push(format!("{file} can't be read: {error}")),
            }
        }
        if env == AppEnv::Production {
            if self.values.contains_key(name) {
                self.problems
                    .push(format!("{name} must come from a file: set {file}"));
            }
            return None;
        }
        self.values.get(name).cloned().map(SecretString::from)
    }

    /// Rejects, in production, the URL of a database, Redis or SMTP server without TLS or without
    /// certificate verification, unless the host is local or in `PLAINTEXT_HOSTS`.
    fn check_transport(&mut self, file: &str, secret: &SecretString, env: AppEnv) {
        let Some(host) = plaintext::host(secret.expose_secret()) else {
            return;
        };
        let allowed = self.text("PLAINTEXT_HOSTS").unwrap_or_default();
        let is_allowed = allowed.split(',').any(|allowed| allowed.trim() == host);
        if env == AppEnv::Production && !is_allowed {
            self.problem(format!(
                "{file} connects to {host} without certificate verification: use \
                 sslmode=verify-full, rediss:// or smtps://, or add the host to PLAINTEXT_HOSTS"
            ));
        }
    }

    /// The file of a secret, if `NAME_FILE` is set.
    pub fn secret_file(&self, name: &str) -> Option<PathBuf> {
        self.values.get(&format!("{name}_FILE")).map(PathBuf::from)
    }

    /// A secret that must be set.
    pub fn required_secret(&mut self, name: &str, env: AppEnv) -> SecretString {
        let secret = self.secret(name, env);
        if secret.is_none() {
            self.problem(format!("{name}_FILE is missing"));
        }
        secret.unwrap_or_default()
    }

    /// Records an error.
    pub fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// Returns `settings` if there were no errors.
    pub fn finish<T>(self, settings: T) -> Result<T, SettingsError> {
        if self.problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError(self.problems))
        }
    }
}

/// Rejects, in production, a secret that contains a weak or known key; the error gives the reason.
pub(crate) fn check_strength(secret: &SecretString, env: AppEnv) -> Result<(), &'static str> {
    match weak::weakness(secret.expose_secret()) {
        Some(weakness) if env == AppEnv::Production => Err(weakness),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        Settings::from_pairs(
            pairs
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned())),
        )
    }

    #[test]
    fn finish_reports_all_errors() {
        let mut settings = settings(&[("PORT", "many"), ("TRIAL_DAYS", "-1")]);
        let _ = settings.or::<u16>("PORT", 8080);
        let _ = settings.or::<u32>("TRIAL_DAYS", 28);
        let error = settings.finish(()).expect_err("two problems");
        assert_eq!(error.0.len(), 2);
    }

    #[test]
    fn secret_in_production_rejects_example_keys() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_str().expect("a path");
        for (key, env, fine) in [
            (
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                AppEnv::Production,
                false,
            ),
            (
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
                AppEnv::Test,
                true,
            ),
            (
                "4FVzLnWkxQ0mZ2nXt0d7Zx6Cwq3bT9yGf1hVJrEo8sA=",
                AppEnv::Production,
                true,
            ),
        ] {
            std::fs::write(file.path(), key).expect("written");
            let mut settings = settings(&[("KEY_FILE", path)]);
            assert!(settings.secret("KEY", env).is_some());
            assert_eq!(settings.finish(()).is_ok(), fine, "{key} {env:?}");
        }
    }

    #[test]
    fn secret_in_production_requires_verified_tls() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_str().expect("a path");
        for (url, hosts, env, fine) in [
            ("redis://cache/", "", AppEnv::Production, false),
            ("redis://cache/", "", AppEnv::Development, true),
            ("redis://cache/", "db, cache", AppEnv::Production, true),
            ("redis://cache/", "cache2", AppEnv::Production, false),
            ("redis://localhost/", "", AppEnv::Production, true),
            ("postgres://a:b@db/c", "cache", AppEnv::Production, false),
            ("postgres://a:b@db/c", "cache,db", AppEnv::Production, true),
            (
                "postgres://a:b@db/c?sslmode=verify-full",
                "",
                AppEnv::Production,
                true,
            ),
        ] {
            std::fs::write(file.path(), url).expect("written");
            let mut settings = settings(&[("URL_FILE", path), ("PLAINTEXT_HOSTS", hosts)]);
            assert!(settings.secret("URL", env).is_some());
            let result = settings.finish(());
            assert_eq!(result.is_ok(), fine, "{url} {hosts} {env:?}");
        }
    }

    #[test]
    fn secret_in_production_must_come_from_a_file() {
        let mut settings = settings(&[("KEY", "secret")]);
        assert!(settings.secret("KEY", AppEnv::Development).is_some());
        assert!(settings.secret("KEY", AppEnv::Production).is_none());
        assert!(settings.finish(()).is_err());
    }
}
