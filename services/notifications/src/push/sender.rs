//! Sends notifications to browsers.

use chrono_tz::Tz;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::content::{self, Payload};
use super::settings::PushSettings;
use crate::outbox::{Channel, Delivery, Sender, numbers};
use crate::store;
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::push::{self, Subscription};
use crate::texts::Texts;

impl Channel for Sender<PushSettings> {
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
        let subscription = push::find(&mut reads, id).await?;
        let subscription = subscription.ok_or_else(ServiceError::not_found)?;
        let reader = subscription.reader;
        let settings = store::settings::find(&mut reads, reader.person_id).await?;
        let mut unread = store::unread(&mut reads, reader, &numbers(group)).await?;
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
        if !is_test && let Some(end) = self.quiet_end(tenant, &settings, zone).await? {
            return Ok(Delivery::Postponed(end));
        }
        let texts = Texts(subscription.language == "es");
        let payload = match unread.as_slice() {
            [] => content::test(texts),
            [one] => {
                content::of_notification(&one.what, texts).ok_or_else(ServiceError::not_found)?
            }
            several => content::of_several(several, texts),
        };
        self.push(tenant, &subscription, &payload).await
    }
}

impl Sender<PushSettings> {
    async fn push(
        &self,
        tenant: Tenant,
        subscription: &Subscription,
        payload: &Payload,
    ) -> Result<Delivery, ServiceError> {
        let text = serde_json::to_vec(payload).map_err(ServiceError::internal)?;
        let Some(body) = subscription.keys.encrypt(&text) else {
            return self.end(tenant, subscription).await;
        };
        let (endpoint, now) = (&subscription.endpoint, self.clock.now());
        match self.via.push(endpoint, body, now).await {
            Some(delivery) => Ok(delivery),
            None => self.end(tenant, subscription).await,
        }
    }

    /// Deletes a subscription that ended; its messages are not sent.
    async fn end(
        &self,
        tenant: Tenant,
        subscription: &Subscription,
    ) -> Result<Delivery, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        push::delete(&mut tx, subscription.id).await?;
        tx.commit().await?;
        Err(ServiceError::not_found())
    }
}
