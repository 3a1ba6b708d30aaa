//! Commands of the accounts service on this installation: support staff, passwords, second factors,
//! resealing.
//! They work whether or not the product is running.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};
use hourmeter_accounts::{
    Command, Keyring, PasswordSettings, Peppers, reseal, reset_password, reset_second_factor,
};
use hourmeter_runtime::db::{Database, url_for};
use hourmeter_runtime::identity::Service;
use secrecy::SecretString;

use crate::databases::{Databases, running_server};
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Also the prefix of the role names.
const DATABASE: &str = "hourmeter_accounts";
/// Few: the running product may use the other connections.
const CONNECTIONS: u32 = 2;

/// Runs a command on the server of the running product, or on one started for it.
pub async fn run(
    settings: &StandaloneSettings,
    command: &Command,
    is_product_running: bool,
) -> Result<()> {
    let secrets = Secrets::load_or_create(&settings.data_dir)?;
    if !is_product_running {
        let work = async |databases: &Databases| {
            run_on(databases.url(Service::Accounts), command, &secrets).await
        };
        return Databases::run(settings, &secrets, work).await;
    }
    let server = running_server(settings)?;
    if *command == Command::Reseal {
        check_keys_known(&settings.data_dir)?;
    }
    run_on(&server, command, &secrets).await
}

async fn run_on(server: &SecretString, command: &Command, secrets: &Secrets) -> Result<()> {
    let (service_password, owner_password) = secrets.database(Service::Accounts)?;
    let out = &mut std::io::stdout();
    let keyring = Keyring::parse(&secrets.operator_password_keys_file()?)?;
    let peppers = Peppers::parse(&secrets.peppers_file()?)?;
    let passwords = PasswordSettings::default();
    if let Command::Staff(command) = command {
        let owner = format!("{DATABASE}_owner");
        let owner_url = url_for(server, &owner, &owner_password, DATABASE)?;
        let done = command.run(&owner_url, &peppers, &keyring, passwords, out);
        return Ok(done.await?);
    }
    // As the service's own role.
    let url = url_for(server, DATABASE, &service_password, DATABASE)?;
    let database = Database::connect(&url, CONNECTIONS)?;
    let result = match command {
        Command::Staff(_) => Ok(()),
        Command::ResetPassword { email } => {
            reset_password(&database, &peppers, passwords, email, out).await
        }
        Command::ResetSecondFactor { email } => reset_second_factor(&database, email, out).await,
        Command::Reseal => reseal(&database, &keyring, out).await,
    };
    database.close().await;
    Ok(result?)
}

/// A running product has only the keys of its start: it can read passwords sealed with a newer key
/// only after its next start.
fn check_keys_known(data_dir: &Path) -> Result<()> {
    // Third line of the lock file: start time in seconds since the epoch.
    let lock = std::fs::read_to_string(data_dir.join("postgres/data/postmaster.pid"));
    let started = lock.ok().and_then(|lock| lock.lines().nth(2)?.parse().ok());
    let Some(started) = started.map(Duration::from_secs) else {
        return Ok(());
    };
    let file = data_dir.join("secrets.json");
    let changed = std::fs::metadata(&file).and_then(|about| about.modified());
    let changed = changed.with_context(|| format!("failed to read {}", file.display()))?;
    ensure!(
        changed <= UNIX_EPOCH + started + Duration::from_secs(1),
        "{} was changed after Hourmeter was started; restart it, so that it has the active key, \
        and then reseal",
        file.display()
    );
    Ok(())
}
