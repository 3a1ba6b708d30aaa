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

use crate::{
    Backends, Channels, MIGRATIONS, MailSettings, PushSettings, SmsSettings, start, start_channels,
};

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
    let services = [
        Service::Accounts,
        Service::Equipment,
        Service::OperatorUpdates,
        Service::Billing,
    ];
    let backends = services.map(|service| read_backend(service, &mut settings, tls, &policy));
    let redis = settings.secret("REDIS_URL", process.env());
    let origin = settings.text("PUBLIC_ORIGIN");
    let channels = Channels {
        mail: MailSettings::read(&mut settings, process.env()),
        push: PushSettings::read(&mut settings, process.env()),
        sms: SmsSettings::read(&mut settings, process.env(), origin.as_deref()),
    };
    let process = settings.finish(process)?;
    let build = move |database, clock, background| {
        let [
            Some(accounts),
            Some(equipment),
            Some(operator_updates),
            Some(billing),
        ] = backends
        else {
            return Err(ServiceError::internal("no backends"));
        };
        let signer = signer.ok_or_else(|| ServiceError::internal("no signing key"))?;
        let groups = (equipment.clone(), signer.clone());
        let backends = Backends {
            accounts,
            equipment,
            operator_updates,
            billing,
        };
        let events = Events::for_process(redis.as_ref())?;
        let sources = (backends, signer);
        let (sent, shared) = (channels.clone(), events.clone());
        start_channels(&database, &clock, shared, sources, sent, &background);
        Ok(start(
            database,
            clock,
            events,
            groups,
            channels,
            &background,
        ))
    };
    process.serve(Box::new(build)).await?;
    Ok(())
}
