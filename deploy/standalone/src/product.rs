//! The services and the gateway in one process.

use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use hourmeter_accounts::{
    PasswordSettings, Secrets as AccountsSecrets, start_security_events, start_username_hashing,
};
use hourmeter_gateway::{Backends, GatewayConfig, WatchTiming};
use hourmeter_notifications::{Backends as NotificationSources, Channels};
use hourmeter_proto::access::{PolicyTable, policy_table};
use hourmeter_runtime::audit::start_retention;
use hourmeter_runtime::client::{Backend, in_process};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::{Service, TrustedIssuers, Verifier};
use hourmeter_runtime::server::{Guard, guarded};
use hourmeter_runtime::shutdown::BackgroundTasks;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use crate::databases::Databases;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// The services with authentication, ready for calls.
pub struct Product {
    pub backends: Backends,
    events: Events,
    databases: Vec<Database>,
}

impl Product {
    /// `clock` is the clock of all services.
    pub fn assemble(
        settings: &StandaloneSettings,
        databases: &Databases,
        secrets: &Secrets,
        clock: &Clock,
        stop: &CancellationToken,
    ) -> Result<Self> {
        let policy = Arc::new(policy_table()?);
        let issuers = secrets.trusted_issuers()?;
        let protect = |service, routes| protected(service, routes, &issuers, &policy, clock);

        let mut all = Vec::new();
        let mut connect = |service| {
            let database = databases.connect(service)?;
            all.push(database.clone());
            anyhow::Ok(database)
        };
        let accounts = connect(Service::Accounts)?;
        let equipment = connect(Service::Equipment)?;
        let operator_updates = connect(Service::OperatorUpdates)?;
        let billing = connect(Service::Billing)?;
        let notifications = connect(Service::Notifications)?;
        let background = BackgroundTasks::from(stop.clone());
        let outboxes = [accounts.clone(), equipment.clone(), billing.clone()];
        for database in &outboxes {
            start_retention(database.clone(), &background);
        }
        let accounts_secrets = AccountsSecrets::parse(
            &secrets.peppers_file()?.into(),
            &secrets.operator_password_keys_file()?.into(),
            &secrets.decoy_secret.clone().into(),
        )?;
        start_username_hashing(accounts.clone(), &accounts_secrets, &background);
        let accounts = hourmeter_accounts::routes(
            accounts,
            clock.clone(),
            accounts_secrets,
            PasswordSettings::default(),
        );
        let redis = settings.redis_url.as_ref();
        let events = redis.map_or_else(|| Ok(Events::local()), Events::shared)?;
        let equipment = hourmeter_equipment::routes(equipment, clock.clone(), events.clone());
        let equipment = protect(Service::Equipment, equipment);
        let accounts = protect(Service::Accounts, accounts);
        let channels = Channels {
            mail: Some(settings.mail.clone()),
            push: Some(secrets.push(&settings.address, &settings.push_domains)?),
            sms: settings.sms.clone(),
        };
        let outbox = notifications.clone();
        let notifications = hourmeter_notifications::start(
            notifications,
            clock.clone(),
            events.clone(),
            (equipment.clone(), secrets.signer("notifications")?),
            channels.clone(),
            &background,
        );
        let notifications = protect(Service::Notifications, notifications);
        start_outboxes(outboxes, &notifications, secrets, &background)?;
        let operator_updates = hourmeter_operator_updates::start(
            operator_updates,
            clock.clone(),
            events.clone(),
            equipment.clone(),
            notifications.clone(),
            secrets.signer("operator-updates")?,
            &background,
        );
        let operator_updates = protect(Service::OperatorUpdates, operator_updates);
        let billing = hourmeter_billing::start(
            billing,
            clock.clone(),
            events.clone(),
            settings.billing.clone(),
            &background,
        )?;
        let billing = protect(Service::Billing, billing);
        hourmeter_notifications::start_channels(
            &outbox,
            clock,
            events.clone(),
            (
                NotificationSources {
                    accounts: accounts.clone(),
                    equipment: equipment.clone(),
                    operator_updates: operator_updates.clone(),
                    billing: billing.clone(),
                },
                secrets.signer("notifications")?,
            ),
            channels,
            &background,
        );
        let backends = Backends {
            accounts,
            equipment,
            operator_updates,
            billing,
            notifications,
        };
        Ok(Self {
            backends,
            events,
            databases: all,
        })
    }

    /// The gateway's router in front of these services.
    pub fn gateway(
        &self,
        settings: &StandaloneSettings,
        secrets: &Secrets,
        clock: &Clock,
    ) -> Result<Router> {
        let config = GatewayConfig {
            env: settings.common.env,
            public_origin: settings.public_origin.clone(),
            trusted_proxies: settings.proxies.clone(),
            web_dir: settings.web_dir.clone(),
            rate_limits: settings.rate_limits,
            redis_url: settings.redis_url.clone(),
            limits_key: None,
            watch_timing: WatchTiming::DEFAULT,
        };
        Ok(hourmeter_gateway::router(
            config,
            self.backends.clone(),
            secrets.signer("gateway")?,
            clock.clone(),
            self.events.clone(),
        )?)
    }

    pub async fn close(self) {
        for database in self.databases {
            database.close().await;
        }
    }
}

/// Starts to send the facts of accounts, equipment and billing to the notifications service.
fn start_outboxes(
    [accounts, equipment, billing]: [Database; 3],
    notifications: &Backend,
    secrets: &Secrets,
    background: &BackgroundTasks,
) -> Result<()> {
    let signer = secrets.signer("accounts")?;
    start_security_events(accounts, notifications.clone(), signer, background);
    for (service, database) in [(Service::Equipment, equipment), (Service::Billing, billing)] {
        let signer = secrets.signer(service.name())?;
        start_facts::<StoredFacts>(service, database, notifications.clone(), signer, background);
    }
    Ok(())
}

fn protected(
    service: Service,
    routes: Routes,
    issuers: &TrustedIssuers,
    policy: &Arc<PolicyTable>,
    clock: &Clock,
) -> Backend {
    let verifier = Verifier::new(service, issuers);
    let guard = Guard::new(verifier, policy.clone(), clock.clone());
    in_process(guarded(routes, guard), policy.clone())
}
