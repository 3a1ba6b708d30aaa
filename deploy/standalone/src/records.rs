//! Commands on companies' records in all databases: those of the settings, or this installation's,
//! whether or not it is running.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use hourmeter_records::{Command, Databases as Records};
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::telemetry::{self, LogFormat};
use secrecy::SecretString;

use crate::databases::Databases;
use crate::lock_data_dir;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Runs a command. `None` for another name.
pub async fn run(name: &str, arguments: &[String]) -> Option<Result<()>> {
    if !Command::NAMES.contains(&name) {
        return None;
    }
    let command = match Command::read(name, arguments) {
        Ok(command) => command,
        Err(error) => return Some(Err(error.into())),
    };
    Some(find_and_run(&command).await)
}

async fn find_and_run(command: &Command) -> Result<()> {
    telemetry::start("warn", LogFormat::Plain, None);
    let out = &mut std::io::stdout();
    if !command.needs_databases() {
        return Ok(command.run(None, out).await?);
    }
    let mut named = Settings::from_env();
    let env = named.or("APP_ENV", AppEnv::Development);
    let databases = Records::read(&mut named, env);
    if let Some(databases) = named.finish(databases)? {
        return Ok(command.run(Some(&databases), out).await?);
    }
    let settings = StandaloneSettings::read(Settings::from_env())?;
    // A mistyped folder would become a new, empty installation.
    if !settings.data_dir.join("secrets.json").is_file() {
        let shown = settings.data_dir.display();
        bail!("no installation in {shown}; set DATA_DIR to its folder");
    }
    if let Some(_only_one) = lock_data_dir(&settings.data_dir)? {
        let secrets = Secrets::load_or_create(&settings.data_dir)?;
        let databases = Databases::start(&settings, &secrets).await?;
        let result = on_server(command, &settings).await;
        databases.stop().await?;
        return result;
    }
    on_server(command, &settings).await
}

async fn on_server(command: &Command, settings: &StandaloneSettings) -> Result<()> {
    let url = match &settings.database_url {
        Some(url) => url.clone(),
        None => running_server(&settings.data_dir)?,
    };
    let databases = Records::on_server(&url)?;
    Ok(command
        .run(Some(&databases), &mut std::io::stdout())
        .await?)
}

/// The superuser's URL of the embedded server of a running product.
fn running_server(data_dir: &Path) -> Result<SecretString> {
    let read = |name: &str| {
        let file = data_dir.join("postgres").join(name);
        let text = fs::read_to_string(&file);
        text.with_context(|| {
            format!(
                "failed to read {}; is the product starting?",
                file.display()
            )
        })
    };
    let (port, password) = (read("port")?, read("password")?);
    let (port, password) = (port.trim(), password.trim());
    Ok(format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres").into())
}
