//! Reloads files that are replaced while the process runs.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::config::{AppEnv, check_strength};
use crate::telemetry::names;

const POLL: Duration = Duration::from_secs(5);

/// Polls a secret's file and calls `apply` when its text differs from `known`. An unreadable file,
/// and a secret that is weak or that `apply` rejects, is logged and counted once; the previous
/// secret stays in use.
pub(super) fn follow(
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
