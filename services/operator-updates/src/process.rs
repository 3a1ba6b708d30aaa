use futures::future::BoxFuture;
use std::sync::Arc;

use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::over_tcp;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ServiceCommand, ServiceProcess, migrate, read_signer,
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
    let equipment = settings.text("EQUIPMENT_URL").unwrap_or_default();
    let policy = Arc::new(policy_table()?);
    let equipment = over_tcp(Service::Equipment, &equipment, policy, process.tls.as_ref());
    if let Err(problem) = &equipment {
        settings.problem(format!("EQUIPMENT_URL {problem}"));
    }
    let redis = settings.secret("REDIS_URL", process.env());
    let process = settings.finish(process)?;
    let build = move |database, clock, background| {
        let signer = signer.ok_or_else(|| ServiceError::internal("no signing key"))?;
        let events = Events::for_process(redis.as_ref())?;
        let equipment = equipment.map_err(ServiceError::internal)?;
        Ok(start(
            database,
            clock,
            events,
            equipment,
            signer,
            &background,
        ))
    };
    process.serve(Box::new(build)).await?;
    Ok(())
}
