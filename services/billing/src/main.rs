//! The billing service as a process: `hourmeter-billing [serve | migrate]`.

use std::error::Error;
use std::process::ExitCode;

use hourmeter_billing::{BillingSettings, MIGRATIONS, routes};
use hourmeter_runtime::audit::keep_400_days;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, ServiceProcess};

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let process = ServiceProcess::read(Service::Billing, &mut settings);
    let billing = BillingSettings {
        trial_days: settings.or("TRIAL_DAYS", 28),
    };
    let (process, billing) = settings.finish((process, billing))?;
    process
        .run(&MIGRATIONS, |database, clock, stop| {
            keep_400_days(database.clone(), stop);
            Ok(routes(database, clock, billing))
        })
        .await?;
    Ok(())
}
