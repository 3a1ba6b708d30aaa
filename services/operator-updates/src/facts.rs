//! Facts for the notifications service.

use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::facts::FactOutbox;
use hourmeter_runtime::identity::{Service, Tenant};
use sqlx::PgConnection;

use crate::domain::update::Status;
use crate::store::facts::{self, FactRow};

/// The table `facts`.
pub struct Facts;

impl FactOutbox for Facts {
    const SERVICE: Service = Service::OperatorUpdates;
    type Row = FactRow;

    async fn claim(
        connection: &mut PgConnection,
        tenant: Tenant,
        at_most: i64,
        retry_seconds: i32,
    ) -> Result<Vec<FactRow>, ServiceError> {
        facts::claim(connection, tenant, at_most, retry_seconds).await
    }

    async fn delete(
        connection: &mut PgConnection,
        tenant: Tenant,
        facts: &[FactRow],
    ) -> Result<(), ServiceError> {
        facts::delete(connection, tenant, facts).await
    }

    fn message(row: &FactRow) -> Option<v1::Fact> {
        message(row)
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
