//! The operator-updates service as a process: `hourmeter-operator-updates [serve | migrate]`.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use hourmeter_operator_updates::{MIGRATIONS, start};
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::over_tcp;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{self, ServiceProcess, read_signer};

#[tokio::main]
async fn main() -> ExitCode {
    process::end(run().await)
}

async fn run() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut settings = Settings::from_env();
    let process = ServiceProcess::read(Service::OperatorUpdates, &mut settings);
    let signer = read_signer("operator-updates", &mut settings, process.env);
    let equipment = settings.text("EQUIPMENT_URL").unwrap_or_default();
    let equipment = over_tcp(&equipment, Arc::new(policy_table()?));
    if equipment.is_err() {
        settings.problem("EQUIPMENT_URL is not an address like http://127.0.0.1:7001");
    }
    let redis = settings.secret("REDIS_URL", process.env);
    let process = settings.finish(process)?;
    let build = |database, clock, stop| {
        let signer = signer.ok_or_else(|| Failure::internal("no signing key"))?;
        let events = Events::of_process(redis.as_ref())?;
        Ok(start(database, clock, events, equipment?, signer, stop))
    };
    process.run(&MIGRATIONS, build).await?;
    Ok(())
}
