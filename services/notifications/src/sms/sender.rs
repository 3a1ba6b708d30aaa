//! Sends text messages.

use chrono::TimeDelta;
use chrono_tz::Tz;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;
use uuid::Uuid;

use super::{Code, SmsSettings};
use crate::fact::Notification;
use crate::outbox::{Channel, Delivery, Sender, numbers};
use crate::push::content::{self, Payload};
use crate::store;
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::sms::{self, SmsNumber};
use crate::texts::Texts;

/// How long a code is valid.
const CODE_LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Messages to a person within a day, besides codes.
const MAX_OF_DAY: i64 = 30;
/// Lines of a message, and characters of one: the provider charges for each 70 to 160 characters.
const MAX_LINES: usize = 3;
const MAX_LINE: usize = 100;

impl Channel for Sender<SmsSettings> {
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
        // A person who was removed gets nothing, and the number is not kept.
        if !self.sources.is_active(tenant, person_id).await? {
            let mut tx = self.database.tenant(tenant).await?;
            sms::remove(&mut tx, person_id).await?;
            tx.commit().await?;
            return Err(ServiceError::not_found());
        }
        let mut reads = self.database.read(tenant).await?;
        let number = sms::find(&mut reads, tenant, person_id).await?;
        reads.done();
        let number = number.ok_or_else(ServiceError::not_found)?;
        match group[0].kind {
            MessageKind::SmsCode => self.code(tenant, &number).await,
            _ => self.notifications(tenant, group, &number, zone).await,
        }
    }
}

impl Sender<SmsSettings> {
    /// Each attempt sends another code, so that no message has one.
    async fn code(&self, tenant: Tenant, number: &SmsNumber) -> Result<Delivery, ServiceError> {
        let code = Code::generate().map_err(ServiceError::internal)?;
        let hash = code.hash(tenant.company_id(), number.reader.person_id);
        let expires_at = self.clock.now() + CODE_LIFETIME;
        let mut tx = self.database.tenant(tenant).await?;
        let is_stored = sms::store_code(&mut tx, number, &hash, expires_at).await?;
        tx.commit().await?;
        if !is_stored {
            return Err(ServiceError::not_found());
        }
        let code = code.text();
        // At most 70 characters in Spanish, beyond which it is two messages.
        let text = number.texts().pick(
            format!("{code} is your Hourmeter code. It expires in 10 minutes. Do not share it."),
            format!("{code} es tu código de Hourmeter. Vence en 10 min. No lo compartas."),
        );
        Ok(self.via.send(&number.number, &text).await)
    }

    async fn notifications(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        number: &SmsNumber,
        zone: &OnceCell<Tz>,
    ) -> Result<Delivery, ServiceError> {
        let reader = number.reader;
        let mut reads = self.database.read(tenant).await?;
        let settings = store::settings::find(&mut reads, reader.person_id).await?;
        let mut unread = store::unread(&mut reads, reader, &numbers(group)).await?;
        let sent = sms::count_sent(&mut reads, reader.person_id).await?;
        reads.done();
        // The person may have changed the settings since.
        unread.retain(|one| settings.wants_sms(&one.what));
        if !number.is_verified || unread.is_empty() {
            return Err(ServiceError::not_found());
        }
        if sent >= MAX_OF_DAY {
            let problem = format!("the person got {MAX_OF_DAY} within a day");
            return Ok(Delivery::Refused(problem));
        }
        if let Some(end) = self.quiet_end(tenant, &settings, zone).await? {
            return Ok(Delivery::Postponed(end));
        }
        let text = text(&self.via.origin, &unread, number.texts());
        Ok(self.via.send(&number.number, &text).await)
    }
}

/// A line for each machine or update, about the last that happened to it.
fn text(origin: &str, notifications: &[Notification], texts: Texts) -> String {
    let mut last: Vec<Payload> = Vec::new();
    let all = notifications.iter();
    for payload in all.filter_map(|one| content::of_notification(&one.what, texts)) {
        last.retain(|known| known.tag != payload.tag);
        last.push(payload);
    }
    let left = last.len().saturating_sub(MAX_LINES);
    let mut lines: Vec<String> = last.iter().rev().take(MAX_LINES).map(line).collect();
    if left > 0 {
        lines.push(format!("+{left}"));
    }
    let path = match last.as_slice() {
        [one] => one.url.as_str(),
        _ => "/notifications",
    };
    format!("Hourmeter: {}\n{origin}{path}", lines.join("\n"))
}

fn line(payload: &Payload) -> String {
    let text = match payload.body.as_str() {
        "" => payload.title.clone(),
        body => format!("{}. {body}", payload.title),
    };
    match text.char_indices().nth(MAX_LINE) {
        Some((at, _)) => format!("{}...", text[..at].trim_end()),
        None => text,
    }
}
