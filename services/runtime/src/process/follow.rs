//! Files that may be replaced while the process runs.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use crate::telemetry::names;

/// How often a file is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Hands on what a secret's file says whenever that has changed since `known`. What `take` refuses is
/// told and counted, and what was in use before stays in use.
pub(super) fn follow(
    name: &'static str,
    file: PathBuf,
    mut known: SecretString,
    take: impl Fn(&SecretString) -> Result<(), String> + Send + 'static,
) {
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOOK).await;
            let text = match tokio::fs::read_to_string(&file).await {
                Ok(text) => SecretString::from(text.trim()),
                Err(error) => {
                    tracing::error!(name, %error, "a file of keys can't be read");
                    continue;
                }
            };
            if text.expose_secret() == known.expose_secret() {
                continue;
            }
            match take(&text) {
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
