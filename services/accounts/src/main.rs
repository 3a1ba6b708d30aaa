//! The accounts service as a process: `hourmeter-accounts [serve | migrate]`.

use std::error::Error;
use std::process::ExitCode;

use hourmeter_accounts::{MIGRATIONS, PasswordSettings, Secrets, routes};
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, ServiceProcess};

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let process = ServiceProcess::read(Service::Accounts, &mut settings);
    let peppers = settings.required_secret("PASSWORD_PEPPERS", process.env);
    let keys = settings.required_secret("OPERATOR_PASSWORD_KEYS", process.env);
    let process = settings.finish(process)?;
    let secrets = Secrets::parse(&peppers, &keys)?;
    let passwords = PasswordSettings::default();
    process
        .run(&MIGRATIONS, |database, clock, _| {
            Ok(routes(database, clock, secrets, passwords))
        })
        .await?;
    Ok(())
}
