use futures::future::BoxFuture;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{ProcessResult, ServiceCommand, ServiceProcess, migrate};

use crate::{MIGRATIONS, start};

/// Runs `serve` (the default) or `migrate`.
pub fn process(arguments: &[String]) -> BoxFuture<'_, ProcessResult> {
    Box::pin(async move {
        let settings = Settings::from_env();
        match ServiceCommand::read(arguments, &[])? {
            ServiceCommand::Migrate => migrate(Service::Notifications, settings, &MIGRATIONS).await,
            ServiceCommand::Serve | ServiceCommand::Own(..) => serve(settings).await,
        }
    })
}

async fn serve(mut settings: Settings) -> ProcessResult {
    let process = ServiceProcess::read(Service::Notifications, &mut settings);
    let redis = settings.secret("REDIS_URL", process.env());
    let process = settings.finish(process)?;
    process
        .serve(Box::new(move |database, clock, background| {
            let events = Events::for_process(redis.as_ref())?;
            Ok(start(database, clock, events, &background))
        }))
        .await?;
    Ok(())
}
