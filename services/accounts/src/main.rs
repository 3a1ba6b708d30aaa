//! The accounts service as a process: `hourmeter-accounts [serve | migrate | staff ... | reseal]`.

use std::error::Error;
use std::process::ExitCode;

use hourmeter_accounts::{
    Command, Keyring, MIGRATIONS, PasswordSettings, Peppers, Secrets, reseal, routes,
};
use hourmeter_runtime::audit::keep_400_days;
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, ServiceProcess};
use hourmeter_runtime::telemetry::{self, LogFormat};
use secrecy::ExposeSecret as _;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let mut arguments = std::env::args().skip(1);
    if let Some(name) = arguments
        .next()
        .filter(|name| Command::NAMES.contains(&&**name))
    {
        let command = Command::read(&name, &arguments.collect::<Vec<_>>())?;
        return run_command(&command, settings).await;
    }
    let process = ServiceProcess::read(Service::Accounts, &mut settings);
    let peppers = settings.required_secret("PASSWORD_PEPPERS", process.env);
    let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", process.env);
    let decoys = settings.required_secret("DECOY_SECRET", process.env);
    let process = settings.finish(process)?;
    let secrets = Secrets::parse(&peppers, &keys, &decoys)?;
    let passwords = PasswordSettings::default();
    process
        .run(&MIGRATIONS, |database, clock, stop| {
            keep_400_days(database.clone(), stop);
            Ok(routes(database, clock, secrets, passwords))
        })
        .await?;
    Ok(())
}

/// Does a command that needs no running service, with just the settings it needs.
async fn run_command(
    command: &Command,
    mut settings: Settings,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let env = settings.or("APP_ENV", AppEnv::Development);
    telemetry::start(
        &settings
            .text("RUST_LOG")
            .unwrap_or_else(|| "warn".to_owned()),
        LogFormat::Json,
    );
    let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", env);
    let out = &mut std::io::stdout();
    match command {
        Command::Staff(command) => {
            let owner_url = settings.required_secret("OWNER_DATABASE_URL", env);
            let peppers = settings.required_secret("PASSWORD_PEPPERS", env);
            settings.finish(())?;
            let peppers = Peppers::parse(peppers.expose_secret())?;
            let keyring = Keyring::parse(keys.expose_secret())?;
            let passwords = PasswordSettings::default();
            command
                .run(&owner_url, &peppers, &keyring, passwords, out)
                .await?;
        }
        Command::Reseal => {
            let url = settings.required_secret("DATABASE_URL", env);
            settings.finish(())?;
            let database = Database::connect(&url, 2)?;
            let keyring = Keyring::parse(keys.expose_secret())?;
            reseal(&database, &keyring, out).await?;
        }
    }
    Ok(())
}
