//! Files that may be replaced while the process runs.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::config::{AppEnv, check_strength};
use crate::telemetry::names;

/// How often a file is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Hands on what a secret's file says whenever that has changed since `known`. What would be refused at
/// the start, or by `take`, is told and counted once, as is a file that can't be read; what was in use
/// before stays in use.
pub(super) fn follow(
    name: &'static str,
    file: PathBuf,
    mut known: SecretString,
    env: AppEnv,
    take: impl Fn(&SecretString) -> Result<(), String> + Send + 'static,
) {
    tokio::spawn(async move {
        let mut unreadable = false;
        loop {
            tokio::time::sleep(LOOK).await;
            let text = match tokio::fs::read_to_string(&file).await {
                Ok(text) => SecretString::from(text.trim()),
                Err(error) => {
                    if !unreadable {
                        names::KEY_FAILURES.count(["identity"]);
                        tracing::error!(name, %error, "a file of keys can't be read");
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
            match strong.and_then(|()| take(&text)) {
                Ok(()) => tracing::info!(name, "new keys are in use"),
                Err(problem) => {
                    names::KEY_FAILURES.count(["identity"]);
                    tracing::error!(
                        name,
                        problem,
                        "the keys are wrong; those from before stay in use"
                    );
                }
            }
            known = text;
        }
    });
}
