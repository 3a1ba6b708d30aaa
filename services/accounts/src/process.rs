//! The accounts service as its own process.

use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::audit::start_retention;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ProcessSettings, ServiceCommand, ServiceProcess, migrate, read_backend,
    read_signer,
};
use secrecy::ExposeSecret as _;

use crate::{
    Command, Keyring, MIGRATIONS, PasswordSettings, Peppers, Secrets, reseal, reset_password,
    reset_second_factor, routes, start_security_events, start_username_hashing,
};

/// Runs `serve` (the default), `migrate`, or a command of the service.
pub fn process(arguments: &[String]) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let settings = Settings::from_env();
        match ServiceCommand::read(arguments, &Command::NAMES)? {
            ServiceCommand::Serve => serve(settings).await,
            ServiceCommand::Migrate => migrate(Service::Accounts, settings, &MIGRATIONS).await,
            ServiceCommand::Own(name, rest) => {
                run_command(&Command::read(name, rest)?, settings).await
            }
        }
    })
}

async fn serve(mut settings: Settings) -> ProcessResult {
    let process = ServiceProcess::read(Service::Accounts, &mut settings);
    let peppers = settings.required_secret("PASSWORD_PEPPERS", process.env());
    let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", process.env());
    let decoys = settings.required_secret("DECOY_SECRET", process.env());
    let signer = read_signer("accounts", &mut settings, process.env());
    let (policy, tls) = (Arc::new(policy_table()?), process.tls.as_ref());
    let notifications = read_backend(Service::Notifications, &mut settings, tls, &policy);
    let process = settings.finish(process)?;
    let secrets = Secrets::parse(&peppers, &keys, &decoys)?;
    let passwords = PasswordSettings::default();
    process
        .serve(Box::new(move |database, clock, background| {
            start_retention(database.clone(), &background);
            start_username_hashing(database.clone(), &secrets, &background);
            let (notifications, signer) = notifications
                .zip(signer)
                .ok_or_else(|| ServiceError::internal("no backend or signing key"))?;
            start_security_events(database.clone(), notifications, signer, &background);
            Ok(routes(database, clock, secrets, passwords))
        }))
        .await?;
    Ok(())
}

/// Runs a command with only the settings it needs.
async fn run_command(command: &Command, mut settings: Settings) -> ProcessResult {
    let common = ProcessSettings::read(&mut settings, "warn");
    common.start_log();
    let env = common.env;
    let out = &mut std::io::stdout();
    match command {
        Command::Staff(command) => {
            let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", env);
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
        Command::ResetPassword { email } => {
            let url = settings.required_secret("DATABASE_URL", env);
            let peppers = settings.required_secret("PASSWORD_PEPPERS", env);
            settings.finish(())?;
            let database = Database::connect(&url, 2)?;
            let peppers = Peppers::parse(peppers.expose_secret())?;
            let passwords = PasswordSettings::default();
            reset_password(&database, &peppers, passwords, email, out).await?;
        }
        Command::ResetSecondFactor { email } => {
            let url = settings.required_secret("DATABASE_URL", env);
            settings.finish(())?;
            let database = Database::connect(&url, 2)?;
            reset_second_factor(&database, email, out).await?;
        }
        Command::Reseal => {
            let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", env);
            let url = settings.required_secret("DATABASE_URL", env);
            settings.finish(())?;
            let database = Database::connect(&url, 2)?;
            let keyring = Keyring::parse(keys.expose_secret())?;
            reseal(&database, &keyring, out).await?;
        }
    }
    Ok(())
}
