//! The equipment service as a process: `hourmeter-equipment [serve | migrate | check-projections |
//! rebuild-projections]`.

use std::error::Error;
use std::process::ExitCode;

use hourmeter_equipment::maintenance::Task;
use hourmeter_equipment::{MIGRATIONS, routes};
use hourmeter_runtime::audit::keep_400_days;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, ServiceProcess};

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let process = ServiceProcess::read(Service::Equipment, &mut settings);
    let redis = settings.secret("REDIS_URL", process.env);
    let process = settings.finish(process)?;
    if let Some(command) = process.own_command(&Task::COMMANDS)? {
        let task = Task::read(command.name, &command.arguments)?;
        return Ok(task.run(&command.database, &mut std::io::stdout()).await?);
    }
    process
        .run(&MIGRATIONS, |database, clock, stop| {
            keep_400_days(database.clone(), stop);
            let events = Events::of_process(redis.as_ref())?;
            Ok(routes(database, clock, events))
        })
        .await?;
    Ok(())
}
