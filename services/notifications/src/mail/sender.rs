//! Sends queued mail.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::accounts::v1::contacts_service_client::ContactsServiceClient;
use hourmeter_proto::accounts::v1::{
    CreateMailLinkRequest, CreateMailLinkResponse, MailLinkPurpose,
};
use hourmeter_runtime::client::{Backend, CallerSigner, with_deadline};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Service, Signer, Tenant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::content;
use super::settings::MailSettings;
use super::transport::Failure;
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
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Seconds until the next attempt, by attempts made; then the message has failed, a day after it was queued.
const RETRY_SECONDS: [i32; 8] = [30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];

/// Sends mail. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sender {
    database: Database,
    clock: Clock,
    accounts: ContactsServiceClient<Backend>,
    callers: Arc<CallerSigner>,
    settings: MailSettings,
}

impl Sender {
    pub fn new(
        database: Database,
        clock: Clock,
        accounts: Backend,
        signer: Signer,
        settings: MailSettings,
    ) -> Self {
        Self {
            database,
            clock,
            accounts: ContactsServiceClient::new(accounts),
            callers: CallerSigner::new(signer),
            settings,
        }
    }

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
        for message in queued {
            let outcome = self.deliver(tenant, &message).await;
            let mut tx = self.database.tenant(tenant).await?;
            messages::finish(&mut tx, tenant, message.id, &outcome).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    async fn deliver(&self, tenant: Tenant, message: &QueuedMessage) -> Outcome {
        if message.is_late {
            return Outcome::Late;
        }
        // A kind of a newer release.
        let Some(kind) = message.kind() else {
            return later(message, "the kind is unknown".to_owned());
        };
        let link = match self.link(tenant, message.person_id, kind).await {
            Ok(link) => link,
            // The person was removed, or has verified the address, or has another one.
            Err(failure) if matches!(failure.kind, Kind::NotFound | Kind::Conflict) => {
                return Outcome::Suppressed;
            }
            Err(failure) => return later(message, failure.to_string()),
        };
        let Ok(address) = link.email.parse() else {
            return Outcome::Failed("the address is invalid".to_owned());
        };
        let person = (link.name.as_str(), address);
        let language = link.language();
        let mail = content::link(kind, &self.settings.origin, person, language, &link.secret);
        match self.settings.send(message.id, mail).await {
            Ok(()) => Outcome::Sent,
            Err(Failure::Refused(problem)) => Outcome::Failed(problem),
            Err(Failure::Later(problem)) => later(message, problem),
        }
    }

    async fn link(
        &self,
        tenant: Tenant,
        person_id: Uuid,
        kind: MessageKind,
    ) -> Result<CreateMailLinkResponse, ServiceError> {
        let purpose = match kind {
            MessageKind::AddressVerification => MailLinkPurpose::Verification,
            MessageKind::PasswordRecovery => MailLinkPurpose::Recovery,
        };
        let mut request = tonic::Request::new(CreateMailLinkRequest {
            person_id: person_id.to_string(),
            purpose: purpose.into(),
        });
        let caller = Caller::Service {
            name: Service::Notifications,
            company_id: tenant.company_id(),
        };
        self.callers.attach(request.extensions_mut(), caller);
        let mut accounts = self.accounts.clone();
        match with_deadline(CALL_TIMEOUT, accounts.create_mail_link(request)).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) => Err(ServiceError::from_status(&status)),
            Err(late) => Err(ServiceError::unavailable(late)),
        }
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
