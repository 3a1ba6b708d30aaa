//! Commands on companies' records in all databases: those of the settings, or this installation's,
//! whether or not it is running.

use std::convert::Infallible;
use std::io::stdout;
use std::time::Duration;

use anyhow::{Result, bail};
pub use hourmeter_records::Command;
use hourmeter_records::{Databases as Records, OPEN_CALLS_WAIT, delete_due};
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::telemetry::{self, LogFormat};

use crate::databases::{Databases, running_server};
use crate::lock_data_dir;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

const DELETION_INTERVAL: Duration = Duration::from_hours(1);

pub async fn run(command: &Command) -> Result<()> {
    telemetry::start("warn", LogFormat::Plain, None);
    if !command.needs_databases() {
        return Ok(command.run(None, &mut stdout()).await?);
    }
    let mut named = Settings::from_env();
    let env = named.or("APP_ENV", AppEnv::Development);
    let databases = Records::read(&mut named, env);
    if let Some(databases) = named.finish(databases)? {
        return Ok(command.run(Some(&databases), &mut stdout()).await?);
    }
    let settings = StandaloneSettings::read(Settings::from_env())?;
    // A mistyped folder would become a new, empty installation.
    if !settings.data_dir.join("secrets.json").is_file() {
        let shown = settings.data_dir.display();
        bail!("no installation in {shown}; set DATA_DIR to its folder");
    }
    let on_running_server = async || {
        let databases = Records::on_server(&running_server(&settings)?)?;
        Ok(command.run(Some(&databases), &mut stdout()).await?)
    };
    let Some(_only_one) = lock_data_dir(&settings.data_dir)? else {
        return on_running_server().await;
    };
    let secrets = Secrets::load_or_create(&settings.data_dir)?;
    Databases::run(&settings, &secrets, async |_| on_running_server().await).await
}

/// Deletes companies whose deletion is due, at the start and every hour.
pub async fn delete_due_companies(settings: &StandaloneSettings) -> Infallible {
    loop {
        let deleted = async {
            let databases = Records::on_server(&running_server(settings)?)?;
            let mut report = Vec::new();
            let refused = delete_due(&databases, Some(OPEN_CALLS_WAIT), &mut report).await?;
            if refused > 0 {
                let report = String::from_utf8_lossy(&report);
                tracing::warn!(%report, "companies whose deletion is due are not deleted; retrying in an hour");
            }
            anyhow::Ok(())
        };
        if let Err(error) = deleted.await {
            tracing::error!(%error, "failed to delete companies whose deletion is due; retrying in an hour");
        }
        tokio::time::sleep(DELETION_INTERVAL).await;
    }
}
