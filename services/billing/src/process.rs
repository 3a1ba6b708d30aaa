//! The billing service as a separate process.

use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::audit::start_retention;
use hourmeter_runtime::config::{AppEnv, Settings};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ServiceCommand, ServiceProcess, command_database, migrate, read_backend,
    read_signer,
};
use hourmeter_runtime::shutdown::BackgroundTasks;

use crate::{BillingSettings, MIGRATIONS, PaymentSettings, catalogue, start};

/// Runs the command: `serve` (the default), `migrate` or `sync-catalogue`.
pub fn process(arguments: &[String]) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let mut settings = Settings::from_env();
        match ServiceCommand::read(arguments, &[catalogue::COMMAND])? {
            ServiceCommand::Serve => serve(settings).await,
            ServiceCommand::Migrate => migrate(Service::Billing, settings, &MIGRATIONS).await,
            ServiceCommand::Own(..) => {
                let env = settings.or("APP_ENV", AppEnv::Development);
                let payments = PaymentSettings::read(&mut settings, env);
                let database = command_database(&mut settings);
                let (payments, database) = settings.finish((payments, database))?;
                let database = database.connect()?;
                Ok(catalogue::run(&payments, &database, &mut std::io::stdout()).await?)
            }
        }
    })
}

async fn serve(mut settings: Settings) -> ProcessResult {
    let process = ServiceProcess::read(Service::Billing, &mut settings);
    let billing = BillingSettings {
        trial_days: settings.or("TRIAL_DAYS", 28),
        payments: PaymentSettings::read(&mut settings, process.env()),
    };
    let redis = settings.secret("REDIS_URL", process.env());
    let signer = read_signer("billing", &mut settings, process.env());
    let (policy, tls) = (Arc::new(policy_table()?), process.tls.as_ref());
    let notifications = read_backend(Service::Notifications, &mut settings, tls, &policy);
    let (process, billing) = settings.finish((process, billing))?;
    let build = move |database: Database, clock, background: BackgroundTasks| {
        let events = Events::for_process(redis.as_ref())?;
        start_retention(database.clone(), &background);
        let (notifications, signer) = notifications
            .zip(signer)
            .ok_or_else(|| ServiceError::internal("no backend or signing key"))?;
        start_facts::<StoredFacts>(
            Service::Billing,
            database.clone(),
            notifications,
            signer,
            &background,
        );
        start(database, clock, events, billing, &background)
    };
    process.serve(Box::new(build)).await?;
    Ok(())
}
