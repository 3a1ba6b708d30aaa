//! Settings, read once and typed; all that is wrong is said at once.

mod plaintext;
mod weak;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use secrecy::{ExposeSecret as _, SecretString};

/// Where the process runs; decides what it may leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppEnv {
    /// On somebody's own machine: secrets are made in the data folder.
    Development,
    /// Tests and load runs: limits may be off.
    Test,
    /// For customers: nothing may be left out.
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

/// A place settings come from, remembering what was wrong.
#[derive(Debug, Default)]
pub struct Settings {
    values: BTreeMap<String, String>,
    problems: Vec<String>,
}

/// Every setting that is missing or wrong.
#[derive(Debug, thiserror::Error)]
#[error("settings:\n  {}", .0.join("\n  "))]
pub struct SettingsError(pub Vec<String>);

impl Settings {
    /// From the environment of the process. An empty value counts as left out.
    pub fn from_env() -> Self {
        let pairs = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::from_pairs(pairs)
    }

    /// From given pairs.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let values = pairs
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect();
        Self {
            values,
            problems: Vec::new(),
        }
    }

    /// A value as it stands, if given.
    pub fn text(&self, name: &str) -> Option<String> {
        self.values.get(name).cloned()
    }

    /// A value of some type, or the default when it is left out.
    pub fn or<T>(&mut self, name: &str, default: T) -> T
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        self.optional(name).unwrap_or(default)
    }

    /// A value of some type, if given.
    pub fn optional<T>(&mut self, name: &str) -> Option<T>
    where
        T: FromStr,
        T::Err: std::fmt::Display,
    {
        let text = self.values.get(name)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.problems.push(format!("{name} {error}"));
                None
            }
        }
    }

    /// A secret: from the file that `NAME_FILE` names, or, outside production, from `NAME`.
    pub fn secret(&mut self, name: &str, env: AppEnv) -> Option<SecretString> {
        let file = format!("{name}_FILE");
        if let Some(path) = self.values.get(&file).map(PathBuf::from) {
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    let secret = text.trim().to_owned().into();
                    self.refuse_weak(&file, &secret, env);
                    self.refuse_plaintext(&file, &secret, env);
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

    fn refuse_weak(&mut self, file: &str, secret: &SecretString, env: AppEnv) {
        if let Err(weakness) = check_strength(secret, env) {
            self.problem(format!("{file} {weakness}"));
        }
    }

    /// Refuses, in production, the URL of a database or a Redis that is reached without TLS or whose
    /// certificate is not checked, unless it is on this machine or `PLAINTEXT_HOSTS` names its host.
    fn refuse_plaintext(&mut self, file: &str, secret: &SecretString, env: AppEnv) {
        let Some(host) = plaintext::host(secret.expose_secret()) else {
            return;
        };
        let allowed = self.text("PLAINTEXT_HOSTS").unwrap_or_default();
        let is_allowed = allowed.split(',').any(|allowed| allowed.trim() == host);
        if env == AppEnv::Production && !is_allowed {
            self.problem(format!(
                "{file} leads to {host} without a checked certificate: use sslmode=verify-full or \
                 rediss://, or name the host in PLAINTEXT_HOSTS"
            ));
        }
    }

    /// Where the file of a secret is, if it comes from one.
    pub fn secret_file(&self, name: &str) -> Option<PathBuf> {
        self.values.get(&format!("{name}_FILE")).map(PathBuf::from)
    }

    /// A secret that must be there.
    pub fn required_secret(&mut self, name: &str, env: AppEnv) -> SecretString {
        let secret = self.secret(name, env);
        if secret.is_none() {
            self.problem(format!("{name}_FILE is missing"));
        }
        secret.unwrap_or_default()
    }

    /// Notes a problem found while putting settings together.
    pub fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// The settings, if nothing was wrong.
    pub fn finish<T>(self, settings: T) -> Result<T, SettingsError> {
        if self.problems.is_empty() {
            Ok(settings)
        } else {
            Err(SettingsError(self.problems))
        }
    }
}

/// Refuses, in production, the text of a secret that has a key which is none. An error says why.
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
    fn all_problems_are_told_at_once() {
        let mut settings = settings(&[("PORT", "many"), ("TRIAL_DAYS", "-1")]);
        let _ = settings.or::<u16>("PORT", 8080);
        let _ = settings.or::<u32>("TRIAL_DAYS", 28);
        let error = settings.finish(()).expect_err("two problems");
        assert_eq!(error.0.len(), 2);
    }

    #[test]
    fn production_takes_no_key_of_an_example() {
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
    fn production_reaches_databases_by_checked_tls_only() {
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
            let ended = settings.finish(());
            assert_eq!(ended.is_ok(), fine, "{url} {hosts} {env:?}");
        }
    }

    #[test]
    fn production_takes_secrets_only_from_files() {
        let mut settings = settings(&[("KEY", "secret")]);
        assert!(settings.secret("KEY", AppEnv::Development).is_some());
        assert!(settings.secret("KEY", AppEnv::Production).is_none());
        assert!(settings.finish(()).is_err());
    }
}
