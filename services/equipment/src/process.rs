//! The equipment service as a process of its own.

use futures::future::BoxFuture;
use hourmeter_runtime::audit::keep_400_days;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{Call, Ended, ServiceProcess, database_of_command, migrate};

use crate::maintenance::Task;
use crate::{MIGRATIONS, routes};

/// Does what the arguments say: `serve` (or nothing), `migrate`, `check-projections` or
/// `rebuild-projections`.
pub fn process(arguments: &[String]) -> BoxFuture<'_, Ended> {
    Box::pin(async move {
        let mut settings = Settings::from_env();
        match Call::read(arguments, &Task::COMMANDS)? {
            Call::Serve => serve(settings).await,
            Call::Migrate => migrate(Service::Equipment, settings, &MIGRATIONS).await,
            Call::Own(name, rest) => {
                let task = Task::read(name, rest)?;
                let database = database_of_command(&mut settings);
                let database = settings.finish(database)?.connect()?;
                Ok(task.run(&database, &mut std::io::stdout()).await?)
            }
        }
    })
}

async fn serve(mut settings: Settings) -> Ended {
    let process = ServiceProcess::read(Service::Equipment, &mut settings);
    let redis = settings.secret("REDIS_URL", process.env());
    let process = settings.finish(process)?;
    process
        .serve(Box::new(move |database, clock, background| {
            keep_400_days(database.clone(), &background);
            let events = Events::of_process(redis.as_ref())?;
            Ok(routes(database, clock, events))
        }))
        .await?;
    Ok(())
}
