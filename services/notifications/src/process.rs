use std::sync::Arc;

use futures::future::BoxFuture;
use hourmeter_proto::access::policy_table;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process::{
    ProcessResult, ServiceCommand, ServiceProcess, migrate, read_backend, read_signer,
};

use crate::{MIGRATIONS, MailSettings, start};

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
    let signer = read_signer("notifications", &mut settings, process.env());
    let policy = Arc::new(policy_table()?);
    let tls = process.tls.as_ref();
    let accounts = read_backend(Service::Accounts, &mut settings, tls, &policy);
    let redis = settings.secret("REDIS_URL", process.env());
    let mail = MailSettings::read(&mut settings, process.env());
    let process = settings.finish(process)?;
    let build = move |database, clock, background| {
        let accounts = accounts.zip(signer);
        let accounts = accounts.ok_or_else(|| ServiceError::internal("no accounts"))?;
        let events = Events::for_process(redis.as_ref())?;
        Ok(start(database, clock, events, accounts, mail, &background))
    };
    process.serve(Box::new(build)).await?;
    Ok(())
}
