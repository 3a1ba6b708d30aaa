//! Sends queued mail.

use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::accounts::v1::MailLinkPurpose;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::content::{self, Mail};
use super::digest;
use super::settings::MailSettings;
use super::sources::{Contacts, Facts, Sources};
use super::transport::Failure;
use crate::store::digests;
use crate::store::messages::{self, MessageKind, Outcome, QueuedMessage};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Companies in one round.
const COMPANIES: i32 = 100;
/// Messages of a company in one round.
const BATCH_SIZE: i64 = 20;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;
/// A claimed message is tried again after this time unless it is done.
const LEASE_SECONDS: i32 = 300;
/// Seconds until the next attempt, by attempts made; then the message has failed, a day after it was queued.
const RETRY_SECONDS: [i32; 8] = [30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];

/// Sends mail. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sender {
    pub database: Database,
    pub clock: Clock,
    pub sources: Sources,
    pub settings: MailSettings,
}

/// What the digests of a batch share.
type Shared = OnceCell<(Contacts, Facts)>;

impl Sender {
    /// Sends mail until `stop`. Safe to run in several processes.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            // A message that is being sent is finished, so that it is not sent twice.
            if let Err(failure) = self.round().await {
                tracing::warn!(%failure, error = ?failure.cause, "failed to send mail; retrying");
            }
        }
    }

    async fn round(&self) -> Result<(), ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = messages::due(&mut lookup, COMPANIES).await?;
        lookup.done();
        let sends = companies
            .into_iter()
            .map(|id| self.send(Tenant::from_lookup(id)));
        let mut results = futures::stream::iter(sends).buffer_unordered(CONCURRENCY);
        let mut total = Ok(());
        while let Some(sent) = results.next().await {
            total = total.and(sent);
        }
        total
    }

    /// Claims and sends messages of a company.
    async fn send(&self, tenant: Tenant) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let now = self.clock.now();
        let queued = messages::claim(&mut tx, tenant, BATCH_SIZE, LEASE_SECONDS, now).await?;
        tx.commit().await?;
        let shared = Shared::new();
        for message in queued {
            let outcome = match self.deliver(tenant, &message, &shared).await {
                Ok(outcome) => outcome,
                // The person was removed, or has verified the address, or has another one.
                Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                    Outcome::Suppressed
                }
                Err(failure) => later(&message, failure.to_string()),
            };
            let mut tx = self.database.tenant(tenant).await?;
            messages::finish(&mut tx, tenant, message.id, &outcome).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn deliver(
        &self,
        tenant: Tenant,
        message: &QueuedMessage,
        shared: &Shared,
    ) -> Result<Outcome, ServiceError> {
        if message.is_late {
            return Ok(Outcome::Late);
        }
        let mail = match message.kind() {
            Some(MessageKind::AddressVerification) => {
                self.link(tenant, message, MailLinkPurpose::Verification)
                    .await?
            }
            Some(MessageKind::PasswordRecovery) => {
                self.link(tenant, message, MailLinkPurpose::Recovery)
                    .await?
            }
            Some(MessageKind::Digest | MessageKind::RequestedDigest) => {
                self.digest(tenant, message, shared).await?
            }
            // Of a newer release.
            None => return Ok(later(message, "the kind is unknown".to_owned())),
        };
        let Some(mail) = mail else {
            return Ok(Outcome::Failed("the address is invalid".to_owned()));
        };
        Ok(match self.settings.send(message.id, mail).await {
            Ok(()) => Outcome::Sent,
            Err(Failure::Refused(problem)) => Outcome::Failed(problem),
            Err(Failure::Later(problem)) => later(message, problem),
        })
    }

    /// None: the address is invalid.
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
        shared: &Shared,
    ) -> Result<Option<Mail>, ServiceError> {
        let load = async || {
            let contacts = self.sources.contacts(tenant).await?;
            let now = self.clock.now();
            let facts = self.sources.facts(tenant, &contacts, now).await?;
            Ok::<_, ServiceError>((contacts, facts))
        };
        let (contacts, facts) = shared.get_or_try_init(load).await?;
        let is_requested = message.kind() == Some(MessageKind::RequestedDigest);
        if facts.is_empty() && !is_requested {
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

fn later(message: &QueuedMessage, problem: String) -> Outcome {
    let made = usize::try_from(message.attempts).unwrap_or_default();
    RETRY_SECONDS
        .get(made.saturating_sub(1))
        .map_or(Outcome::Failed(problem.clone()), |seconds| Outcome::Later {
            seconds: *seconds,
            problem,
        })
}
