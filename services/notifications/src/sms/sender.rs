//! Sends text messages.

use chrono::TimeDelta;
use chrono_tz::Tz;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::{Code, SmsSettings};
use crate::outbox::{Channel, Delivery};
use crate::push::content;
use crate::sources::Sources;
use crate::store;
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::sms::{self, SmsNumber};

/// How long a code is valid.
const CODE_LIFETIME: TimeDelta = TimeDelta::minutes(10);

#[derive(Debug)]
pub struct SmsSender {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
    pub settings: SmsSettings,
}

impl Channel for SmsSender {
    const KINDS: &'static [MessageKind] = &[MessageKind::Sms, MessageKind::SmsCode];
    /// The company's time zone.
    type Batch = OnceCell<Tz>;

    /// A person gets the notifications of a minute as one.
    fn group(message: &QueuedMessage) -> Uuid {
        match message.kind {
            MessageKind::Sms => message.person_id,
            _ => message.id,
        }
    }

    async fn deliver(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        zone: &OnceCell<Tz>,
    ) -> Result<Delivery, ServiceError> {
        let person_id = group[0].person_id;
        let mut reads = self.database.read(tenant).await?;
        let number = sms::find(&mut reads, tenant, person_id).await?;
        reads.done();
        let number = number.ok_or_else(ServiceError::not_found)?;
        // A person who was removed gets nothing.
        if !self.sources.is_active(tenant, person_id).await? {
            return Err(ServiceError::not_found());
        }
        match group[0].kind {
            MessageKind::SmsCode => self.code(tenant, person_id, &number).await,
            _ => self.notifications(tenant, group, &number, zone).await,
        }
    }
}

impl SmsSender {
    /// Each attempt sends another code, so that none is stored in clear.
    async fn code(
        &self,
        tenant: Tenant,
        person_id: Uuid,
        number: &SmsNumber,
    ) -> Result<Delivery, ServiceError> {
        if number.is_verified {
            return Err(ServiceError::not_found());
        }
        let code = Code::generate().map_err(ServiceError::internal)?;
        let hash = code.hash(tenant.company_id(), person_id);
        let expires_at = self.clock.now() + CODE_LIFETIME;
        let mut tx = self.database.tenant(tenant).await?;
        sms::store_code(&mut tx, tenant, person_id, &hash, expires_at).await?;
        tx.commit().await?;
        let code = code.text();
        let text = if number.is_spanish() {
            format!("{code} es tu código de Hourmeter. Vence en 10 minutos. No lo compartas.")
        } else {
            format!("{code} is your Hourmeter code. It expires in 10 minutes. Do not share it.")
        };
        Ok(self.settings.send(&number.number, &text).await)
    }

    async fn notifications(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        number: &SmsNumber,
        zone: &OnceCell<Tz>,
    ) -> Result<Delivery, ServiceError> {
        let reader = number.reader();
        let numbers = group.iter().filter_map(|one| one.notification_number);
        let numbers: Vec<i64> = numbers.collect();
        let mut reads = self.database.read(tenant).await?;
        let settings = store::settings::find(&mut reads, tenant, reader.person_id).await?;
        let unread = store::unread(&mut reads, tenant, reader, &numbers).await?;
        reads.done();
        if !number.is_verified || unread.is_empty() {
            return Err(ServiceError::not_found());
        }
        if let Some(hours) = settings.quiet_hours {
            let load = || self.sources.time_zone(tenant);
            let zone = zone.get_or_try_init(load).await?;
            if let Some(end) = hours.end_at(self.clock.now(), *zone) {
                return Ok(Delivery::Postponed(end));
            }
        }
        let spanish = number.is_spanish();
        let payload = match unread.as_slice() {
            [one] => {
                content::of_notification(&one.what, spanish).ok_or_else(ServiceError::not_found)?
            }
            several => content::of_several(several, spanish),
        };
        let (title, body) = (payload.title, payload.body);
        let link = format!("{}{}", self.settings.origin, payload.url);
        let text = format!("Hourmeter: {title}. {body}\n{link}");
        Ok(self.settings.send(&number.number, &text).await)
    }
}
