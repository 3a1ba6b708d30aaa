use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::audit::start_retention;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ServiceCommand, ServiceProcess, command_database, migrate, read_backend,
    read_signer,
};

use crate::maintenance::Task;
use crate::{MIGRATIONS, routes};

/// Runs `serve` (the default), `migrate`, `check-projections` or `rebuild-projections`.
pub fn process(arguments: &[String]) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let mut settings = Settings::from_env();
        match ServiceCommand::read(arguments, &Task::COMMANDS)? {
            ServiceCommand::Serve => serve(settings).await,
            ServiceCommand::Migrate => migrate(Service::Equipment, settings, &MIGRATIONS).await,
            ServiceCommand::Own(name, rest) => {
                let task = Task::read(name, rest)?;
                let database = command_database(&mut settings);
                let database = settings.finish(database)?.connect()?;
                Ok(task.run(&database, &mut std::io::stdout()).await?)
            }
        }
    })
}

async fn serve(mut settings: Settings) -> ProcessResult {
    let process = ServiceProcess::read(Service::Equipment, &mut settings);
    let redis = settings.secret("REDIS_URL", process.env());
    let signer = read_signer("equipment", &mut settings, process.env());
    let (policy, tls) = (Arc::new(policy_table()?), process.tls.as_ref());
    let notifications = read_backend(Service::Notifications, &mut settings, tls, &policy);
    let process = settings.finish(process)?;
    process
        .serve(Box::new(move |database, clock, background| {
            start_retention(database.clone(), &background);
            let (notifications, signer) = notifications
                .zip(signer)
                .ok_or_else(|| ServiceError::internal("no backend or signing key"))?;
            start_facts::<StoredFacts>(
                Service::Equipment,
                database.clone(),
                notifications,
                signer,
                &background,
            );
            let events = Events::for_process(redis.as_ref())?;
            Ok(routes(database, clock, events))
        }))
        .await?;
    Ok(())
}
