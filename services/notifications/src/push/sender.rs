//! Sends notifications to browsers.

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;

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
    type Batch = ();

    async fn deliver(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        (): &(),
    ) -> Result<Delivery, ServiceError> {
        let mut reads = self.database.read(tenant).await?;
        let id = message.subscription_id.unwrap_or_default();
        let subscription = push::find(&mut reads, tenant, id).await?;
        let what = match message.notification_number {
            Some(number) => store::find(&mut reads, tenant, number).await?,
            None => None,
        };
        reads.done();
        let subscription = subscription.ok_or_else(ServiceError::not_found)?;
        // The session has ended: the person signed out, was removed or has a new password.
        let session = [subscription.session_id];
        let active = self.sources.active_sessions(tenant, &session).await?;
        if active.is_empty() {
            return self.end(tenant, &subscription).await;
        }
        let spanish = subscription.language == "es";
        let payload = match (message.kind, what) {
            (MessageKind::TestPush, _) => content::test(spanish),
            (_, Some(what)) => content::of_notification(&what, spanish),
            _ => return Err(ServiceError::not_found()),
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
