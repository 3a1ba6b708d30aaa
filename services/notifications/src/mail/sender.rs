//! Sends mail.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::{Contact, MailLinkPurpose};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::{Mutex, OnceCell};
use uuid::Uuid;

use super::content::{self, Mail};
use super::digest;
use super::flagged::flagged;
use super::plan::plan;
use super::security::security;
use super::settings::MailSettings;
use crate::outbox::{Channel, Delivery, Sender, numbers};
use crate::sources::{Contacts, Facts};
use crate::store::messages::{MessageKind, QueuedMessage};
use crate::store::{self, Reader, digests, watches};
use crate::watch::Watch;

impl Channel for Sender<MailSettings> {
    const KINDS: &'static [MessageKind] = &[
        MessageKind::AddressVerification,
        MessageKind::PasswordRecovery,
        MessageKind::Digest,
        MessageKind::RequestedDigest,
        MessageKind::FlaggedMail,
        MessageKind::SecurityMail,
        MessageKind::PlanMail,
    ];
    type Batch = Batch;

    /// A person gets one mail about flagged updates.
    fn group(message: &QueuedMessage) -> Uuid {
        match message.kind {
            MessageKind::FlaggedMail => message.person_id,
            _ => message.id,
        }
    }

    async fn deliver(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        batch: &Batch,
    ) -> Result<Delivery, ServiceError> {
        let message = &group[0];
        if matches!(
            message.kind,
            MessageKind::FlaggedMail | MessageKind::PlanMail
        ) && let Some(end) = self.quiet_until(tenant, message.person_id, batch).await?
        {
            return Ok(Delivery::Postponed(end));
        }
        let mail = match message.kind {
            MessageKind::FlaggedMail => self.flagged(tenant, group, batch).await,
            MessageKind::PlanMail => self.plan(tenant, message, batch).await,
            MessageKind::SecurityMail => self.security(tenant, message, batch).await,
            MessageKind::PasswordRecovery => {
                self.link(tenant, message, MailLinkPurpose::Recovery).await
            }
            MessageKind::Digest | MessageKind::RequestedDigest => {
                self.digest(tenant, message, batch).await
            }
            _ => {
                self.link(tenant, message, MailLinkPurpose::Verification)
                    .await
            }
        };
        match mail? {
            Some(mail) => Ok(self.via.send(message.id, mail).await),
            None => Ok(Delivery::Refused("the address is invalid".to_owned())),
        }
    }
}

impl Sender<MailSettings> {
    /// None: the address is invalid. `NOT_FOUND` or a conflict if the person was removed, or has verified
    /// the address, or has another one.
    async fn link(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        purpose: MailLinkPurpose,
    ) -> Result<Option<Mail>, ServiceError> {
        let person_id = message.person_id;
        let link = self.sources.mail_link(tenant, person_id, purpose).await?;
        let contact = Contact {
            name: link.name,
            email: link.email,
            language: link.language,
            ..Contact::default()
        };
        let origin = &self.via.origin;
        Ok(content::link(purpose, origin, &contact, &link.secret))
    }

    /// None: the address is invalid. `NOT_FOUND` if there is nothing to send.
    async fn digest(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &Batch,
    ) -> Result<Option<Mail>, ServiceError> {
        let contacts = self.contacts(tenant, batch).await?;
        let load = || self.watches(tenant);
        let watches = batch.watches.get_or_try_init(load).await?;
        let watch = watches.get(&message.person_id).cloned();
        let mut known = batch.facts.lock().await;
        let facts = match known.entry(watch) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (watch, now) = (entry.key().as_ref(), self.clock.now());
                let loaded = self.sources.facts(tenant, contacts, watch, now);
                let loaded = Box::pin(loaded).await?;
                entry.insert(loaded)
            }
        };
        if facts.is_empty() && message.kind == MessageKind::Digest {
            return Err(ServiceError::not_found());
        }
        let contact = contacts.find_verified(message.person_id)?;
        let mut reads = self.database.read(tenant).await?;
        let key = digests::unsubscribe_key(&mut reads, message.person_id).await?;
        reads.done();
        let key = key.ok_or_else(ServiceError::not_found)?;
        Ok(digest::digest(&self.via.origin, contact, key, facts))
    }

    async fn watches(&self, tenant: Tenant) -> Result<HashMap<Uuid, Watch>, ServiceError> {
        let mut reads = self.database.read(tenant).await?;
        let found = watches::all(&mut reads).await?;
        reads.done();
        Ok(found)
    }

    /// The end of the person's quiet hours; None: they are over.
    async fn quiet_until(
        &self,
        tenant: Tenant,
        person_id: Uuid,
        batch: &Batch,
    ) -> Result<Option<DateTime<Utc>>, ServiceError> {
        let mut reads = self.database.read(tenant).await?;
        let chosen = store::settings::find(&mut reads, person_id).await?;
        reads.done();
        let Some(hours) = chosen.quiet_hours else {
            return Ok(None);
        };
        let contacts = self.contacts(tenant, batch).await?;
        Ok(hours.end_at(self.clock.now(), contacts.time_zone))
    }

    /// None: the address is invalid. `NOT_FOUND` if there is nothing to send.
    async fn flagged(
        &self,
        tenant: Tenant,
        group: &[QueuedMessage],
        batch: &Batch,
    ) -> Result<Option<Mail>, ServiceError> {
        let person_id = group[0].person_id;
        let reader = Reader {
            person_id,
            is_manager: true,
        };
        let mut reads = self.database.read(tenant).await?;
        let chosen = store::settings::find(&mut reads, person_id).await?;
        let unread = store::unread(&mut reads, reader, &numbers(group)).await?;
        let key = digests::unsubscribe_key(&mut reads, person_id).await?;
        reads.done();
        if unread.is_empty() || !chosen.flagged_mail {
            return Err(ServiceError::not_found());
        }
        let contacts = self.contacts(tenant, batch).await?;
        let contact = contacts.find_verified(person_id)?;
        let key = key.ok_or_else(ServiceError::not_found)?;
        let (origin, zone) = (&self.via.origin, contacts.time_zone);
        Ok(flagged(origin, contact, key, zone, &unread))
    }

    /// None: the address is invalid. `NOT_FOUND` if the person was removed, the address is not verified, or
    /// the notification was read.
    async fn plan(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &Batch,
    ) -> Result<Option<Mail>, ServiceError> {
        let reader = Reader {
            person_id: message.person_id,
            is_manager: true,
        };
        let numbers = message.notification_number.as_slice();
        let mut reads = self.database.read(tenant).await?;
        let unread = store::unread(&mut reads, reader, numbers).await?;
        reads.done();
        let notification = unread.first().ok_or_else(ServiceError::not_found)?;
        let contacts = self.contacts(tenant, batch).await?;
        let contact = contacts.find_verified(message.person_id)?;
        let (origin, zone) = (&self.via.origin, contacts.time_zone);
        Ok(plan(origin, contact, zone, notification))
    }

    /// None: the address is invalid. `NOT_FOUND` if the person was removed, or the address is not verified.
    async fn security(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &Batch,
    ) -> Result<Option<Mail>, ServiceError> {
        let (person_id, number) = (message.person_id, message.notification_number);
        let number = number.ok_or_else(ServiceError::not_found)?;
        let mut reads = self.database.read(tenant).await?;
        let found = store::find(&mut reads, person_id, number).await?;
        reads.done();
        let notification = found.ok_or_else(ServiceError::not_found)?;
        let contacts = self.contacts(tenant, batch).await?;
        let contact = match &message.address {
            // The address before a change was verified.
            Some(former) => contacts.find(person_id).map(|contact| Contact {
                email: former.clone(),
                ..contact.clone()
            }),
            None => contacts.find_verified(person_id).ok().cloned(),
        };
        let contact = contact.ok_or_else(ServiceError::not_found)?;
        let (origin, zone) = (&self.via.origin, contacts.time_zone);
        Ok(security(origin, &contact, zone, &notification))
    }

    async fn contacts<'a>(
        &self,
        tenant: Tenant,
        batch: &'a Batch,
    ) -> Result<&'a Contacts, ServiceError> {
        let load = || self.sources.contacts(tenant);
        batch.contacts.get_or_try_init(load).await
    }
}

/// What mail of a company is made from.
#[derive(Debug, Default)]
pub struct Batch {
    contacts: OnceCell<Contacts>,
    /// By person.
    watches: OnceCell<HashMap<Uuid, Watch>>,
    /// By what people watch.
    facts: Mutex<HashMap<Option<Watch>, Facts>>,
}
