use futures::future::BoxFuture;
use std::sync::Arc;

use hourmeter_proto::access::policy_table;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ServiceCommand, ServiceProcess, migrate, read_backend, read_signer,
};

use crate::{MIGRATIONS, start};

/// Runs `serve` (the default) or `migrate`.
pub fn process(arguments: &[String]) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let settings = Settings::from_env();
        match ServiceCommand::read(arguments, &[])? {
            ServiceCommand::Migrate => {
                migrate(Service::OperatorUpdates, settings, &MIGRATIONS).await
            }
            ServiceCommand::Serve | ServiceCommand::Own(..) => serve(settings).await,
        }
    })
}

async fn serve(mut settings: Settings) -> ProcessResult {
    let process = ServiceProcess::read(Service::OperatorUpdates, &mut settings);
    let signer = read_signer("operator-updates", &mut settings, process.env());
    let (policy, tls) = (Arc::new(policy_table()?), process.tls.as_ref());
    let equipment = read_backend(Service::Equipment, &mut settings, tls, &policy);
    let notifications = read_backend(Service::Notifications, &mut settings, tls, &policy);
    let redis = settings.secret("REDIS_URL", process.env());
    let process = settings.finish(process)?;
    let build = move |database, clock, background| {
        let signer = signer.ok_or_else(|| ServiceError::internal("no signing key"))?;
        let events = Events::for_process(redis.as_ref())?;
        let (equipment, notifications) = equipment
            .zip(notifications)
            .ok_or_else(|| ServiceError::internal("no backends"))?;
        Ok(start(
            database,
            clock,
            events,
            equipment,
            notifications,
            signer,
            &background,
        ))
    };
    process.serve(Box::new(build)).await?;
    Ok(())
}
