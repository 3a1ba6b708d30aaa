//! Sends mail.

use hourmeter_proto::accounts::v1::MailLinkPurpose;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;

use super::content::{self, Mail};
use super::digest;
use super::settings::MailSettings;
use crate::outbox::{Channel, Delivery};
use crate::sources::{Contacts, Facts, Sources};
use crate::store::digests;
use crate::store::messages::{MessageKind, QueuedMessage};

#[derive(Debug)]
pub struct MailSender {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
    pub settings: MailSettings,
}

impl Channel for MailSender {
    const KINDS: &'static [MessageKind] = &[
        MessageKind::AddressVerification,
        MessageKind::PasswordRecovery,
        MessageKind::Digest,
        MessageKind::RequestedDigest,
    ];
    /// What digests of a company say.
    type Batch = OnceCell<(Contacts, Facts)>;

    async fn deliver(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &Self::Batch,
    ) -> Result<Delivery, ServiceError> {
        let mail = match message.kind {
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
            Some(mail) => Ok(self.settings.send(message.id, mail).await),
            None => Ok(Delivery::Refused("the address is invalid".to_owned())),
        }
    }
}

impl MailSender {
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
        let address = link.email.parse().ok();
        let (origin, language) = (&self.settings.origin, link.language());
        Ok(address.map(|address| {
            let person = (link.name.as_str(), address);
            content::link(purpose, origin, person, language, &link.secret)
        }))
    }

    /// None: the address is invalid. `NOT_FOUND` if there is nothing to send.
    async fn digest(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        batch: &OnceCell<(Contacts, Facts)>,
    ) -> Result<Option<Mail>, ServiceError> {
        let load = async || {
            let contacts = self.sources.contacts(tenant).await?;
            let now = self.clock.now();
            let facts = self.sources.facts(tenant, &contacts, now).await?;
            Ok::<_, ServiceError>((contacts, facts))
        };
        let (contacts, facts) = batch.get_or_try_init(load).await?;
        if facts.is_empty() && message.kind == MessageKind::Digest {
            return Err(ServiceError::not_found());
        }
        let contact = contacts.find(message.person_id);
        let contact = contact.filter(|contact| contact.verified);
        let contact = contact.ok_or_else(ServiceError::not_found)?;
        let mut reads = self.database.read(tenant).await?;
        let key = digests::unsubscribe_key(&mut reads, tenant, message.person_id).await?;
        reads.done();
        let key = key.ok_or_else(ServiceError::not_found)?;
        let address = contact.email.parse().ok();
        Ok(address
            .map(|address| digest::digest(&self.settings.origin, (contact, address), key, facts)))
    }
}
