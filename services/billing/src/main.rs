//! The billing service as a process: `hourmeter-billing [serve | migrate | sync-catalogue]`.

use std::error::Error;
use std::process::ExitCode;

use hourmeter_billing::{BillingSettings, MIGRATIONS, PaymentSettings, catalogue, start};
use hourmeter_runtime::audit::keep_400_days;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
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
        payments: PaymentSettings::read(&mut settings, process.env),
    };
    let redis = settings.secret("REDIS_URL", process.env);
    let (process, billing) = settings.finish((process, billing))?;
    if let Some(command) = process.own_command(&[catalogue::COMMAND])? {
        let out = &mut std::io::stdout();
        return Ok(catalogue::run(&billing.payments, &command.database, out).await?);
    }
    let build = |database: Database, clock, stop: tokio_util::sync::CancellationToken| {
        let events = Events::of_process(redis.as_ref())?;
        keep_400_days(database.clone(), stop.clone());
        start(database, clock, events, billing, stop)
    };
    process.run(&MIGRATIONS, build).await?;
    Ok(())
}
