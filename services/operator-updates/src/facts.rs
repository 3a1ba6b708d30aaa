//! Sends facts to the notifications service.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::notifications_service_client::NotificationsServiceClient;
use hourmeter_runtime::client::{Backend, CallerSigner, with_deadline};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service, Signer, Tenant};
use tokio_util::sync::CancellationToken;

use crate::domain::update::Status;
use crate::store::facts::{self, FactRow};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Companies in one round.
const COMPANIES: i32 = 100;
/// Facts of a company in one round and one call.
const BATCH_SIZE: i64 = 100;
/// Companies served concurrently.
const CONCURRENCY: usize = 4;
/// A fact is sent again after this time unless it is confirmed.
const RETRY_SECONDS: i32 = 30;
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends facts from the outbox. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Facts {
    database: Database,
    client: NotificationsServiceClient<Backend>,
    callers: Arc<CallerSigner>,
}

impl Facts {
    pub fn new(database: Database, notifications: Backend, signer: Signer) -> Self {
        Self {
            database,
            client: NotificationsServiceClient::new(notifications),
            callers: CallerSigner::new(signer),
        }
    }

    /// Sends facts until `stop`. Safe to run in several processes.
    pub async fn run(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.send_due() => {}
            }
        }
    }

    /// Sends all due facts; after a failure the others wait for the next round.
    async fn send_due(&self) {
        loop {
            match self.round().await {
                Ok(0) => return,
                Ok(_) => {}
                Err(failure) => {
                    tracing::warn!(%failure, error = ?failure.cause, "failed to send facts to notifications; retrying");
                    return;
                }
            }
        }
    }

    /// Sends due facts of some companies and returns how many.
    async fn round(&self) -> Result<usize, ServiceError> {
        let mut lookup = self.database.lookup().await?;
        let companies = facts::due(&mut lookup, COMPANIES).await?;
        lookup.done();
        let sends = companies
            .into_iter()
            .map(|id| self.send(Tenant::from_lookup(id)));
        let mut results = futures::stream::iter(sends).buffer_unordered(CONCURRENCY);
        let mut total = Ok(0);
        while let Some(sent) = results.next().await {
            total = total.and_then(|total| Ok(total + sent?));
        }
        total
    }

    /// Claims and sends facts of a company and returns how many.
    async fn send(&self, tenant: Tenant) -> Result<usize, ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        let rows = facts::claim(&mut tx, tenant, BATCH_SIZE, RETRY_SECONDS).await?;
        tx.commit().await?;
        let messages: Vec<v1::Fact> = rows.iter().filter_map(message).collect();
        if !messages.is_empty() {
            self.record(tenant, messages).await?;
        }
        let mut tx = self.database.tenant(tenant).await?;
        facts::delete(&mut tx, tenant, &rows).await?;
        tx.commit().await?;
        Ok(rows.len())
    }

    async fn record(&self, tenant: Tenant, facts: Vec<v1::Fact>) -> Result<(), ServiceError> {
        let mut request = tonic::Request::new(v1::RecordFactsRequest { facts });
        let caller = Caller::Service {
            name: Service::OperatorUpdates,
            company_id: tenant.company_id(),
        };
        self.callers.attach(request.extensions_mut(), caller);
        let mut client = self.client.clone();
        match with_deadline(CALL_TIMEOUT, client.record_facts(request)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(status)) => Err(ServiceError::from_status(&status)),
            Err(late) => Err(ServiceError::unavailable(late)),
        }
    }
}

/// The fact for the notifications service; None if a later change has overtaken it.
fn message(row: &FactRow) -> Option<v1::Fact> {
    let status = Status::from_name(&row.status)?;
    let update_id = row.update_id.to_string();
    let equipment_id = row.equipment_id.to_string();
    let equipment_name = row.equipment_name.clone();
    let is_voided = !row.taken_back_by.is_empty();
    let (key, actor_id, what) = match row.kind.as_str() {
        "flagged" if status == Status::Pending && !row.flags.is_empty() => (
            format!("flagged:{update_id}"),
            Some(row.operator_id),
            What::FlaggedUpdate(v1::FlaggedUpdate {
                update_id,
                equipment_id,
                equipment_name,
                operator_name: row.operator_name.clone(),
                flags: row.flags.clone(),
            }),
        ),
        // One whose entry was voided is rejected, too.
        "rejected" if status == Status::Rejected => (
            format!(
                "rejected:{update_id}:{}",
                row.happened_at.timestamp_micros()
            ),
            row.reviewed_by_id,
            What::ReturnedUpdate(v1::ReturnedUpdate {
                update_id,
                equipment_id,
                equipment_name,
                operator_id: row.operator_id.to_string(),
                reason: row.reject_reason.clone(),
                returned_by: if is_voided {
                    row.taken_back_by.clone()
                } else {
                    row.reviewed_by.clone()
                },
                voided: is_voided,
            }),
        ),
        "settled" => (
            format!("settled:{update_id}:{}", row.happened_at.timestamp_micros()),
            None,
            What::SettledUpdate(v1::SettledUpdate {
                update_id,
                settled: status != Status::Pending || row.flags.is_empty(),
            }),
        ),
        _ => return None,
    };
    Some(v1::Fact {
        key,
        happened_at: Some(timestamp(row.happened_at)),
        actor_id: actor_id.map(|id| id.to_string()).unwrap_or_default(),
        what: Some(what),
    })
}
