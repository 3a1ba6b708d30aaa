//! Sends notifications to browsers.

use chrono_tz::Tz;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::content::{self, Payload};
use super::settings::{PushSettings, Pushed};
use crate::outbox::{Channel, Delivery};
use crate::sources::Sources;
use crate::store;
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::push::{self, Subscription};

#[derive(Debug)]
pub struct PushSender {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
    pub settings: PushSettings,
}

impl Channel for PushSender {
    const KINDS: &'static [MessageKind] = &[MessageKind::Push, MessageKind::TestPush];
    /// The company's time zone.
    type Batch = OnceCell<Tz>;

    /// A browser shows its notifications as one.
    fn group(message: &QueuedMessage) -> Uuid {
        match message.kind {
            MessageKind::Push => message.subscription_id.unwrap_or(message.id),
            _ => message.id,
        }
    }

    async fn deliver(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        zone: &OnceCell<Tz>,
    ) -> Result<Delivery, ServiceError> {
        let id = group[0].subscription_id.unwrap_or_default();
        let mut reads = self.database.read(tenant).await?;
        let subscription = push::find(&mut reads, tenant, id).await?;
        let subscription = subscription.ok_or_else(ServiceError::not_found)?;
        let reader = subscription.reader();
        let settings = store::settings::find(&mut reads, tenant, reader.person_id).await?;
        let numbers = group.iter().filter_map(|one| one.notification_number);
        let numbers: Vec<i64> = numbers.collect();
        let mut unread = store::unread(&mut reads, tenant, reader, &numbers).await?;
        reads.done();
        // The person may have changed the settings since.
        unread.retain(|one| settings.wants_push(&one.what, reader.is_manager));
        let is_test = group[0].kind == MessageKind::TestPush;
        if unread.is_empty() && !is_test {
            return Err(ServiceError::not_found());
        }
        // The session has ended: the person signed out, was removed or has a new password.
        let session = [subscription.session_id];
        let active = self.sources.active_sessions(tenant, &session).await?;
        if active.is_empty() {
            return self.end(tenant, &subscription).await;
        }
        if let Some(hours) = settings.quiet_hours.filter(|_| !is_test) {
            let load = || self.sources.time_zone(tenant);
            let zone = zone.get_or_try_init(load).await?;
            if let Some(end) = hours.end_at(self.clock.now(), *zone) {
                return Ok(Delivery::Postponed(end));
            }
        }
        let spanish = subscription.language == "es";
        let payload = match unread.as_slice() {
            [] => content::test(spanish),
            [one] => {
                content::of_notification(&one.what, spanish).ok_or_else(ServiceError::not_found)?
            }
            several => content::of_several(several, spanish),
        };
        self.push(tenant, &subscription, &payload).await
    }
}

impl PushSender {
    async fn push(
        &self,
        tenant: Tenant,
        subscription: &Subscription,
        payload: &Payload,
    ) -> Result<Delivery, ServiceError> {
        let text = serde_json::to_vec(payload).map_err(ServiceError::internal)?;
        let Some(body) = subscription.keys().encrypt(&text) else {
            return self.end(tenant, subscription).await;
        };
        let (endpoint, now) = (&subscription.endpoint, self.clock.now());
        match self.settings.push(endpoint, body, now).await {
            Pushed::Delivery(delivery) => Ok(delivery),
            Pushed::Gone => self.end(tenant, subscription).await,
        }
    }

    /// Deletes a subscription that ended; its messages are not sent.
    async fn end(
        &self,
        tenant: Tenant,
        subscription: &Subscription,
    ) -> Result<Delivery, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        push::delete(&mut tx, tenant, subscription.id).await?;
        tx.commit().await?;
        Err(ServiceError::not_found())
    }
}
