//! Updates whose entries were voided.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::page;
use tonic::Request;
use uuid::Uuid;

use super::{Api, cursor};
use crate::store;
use crate::store::applied::VoidedUpdate;
use crate::store::{BEGINNING_OF_TIME, TimeKey};

/// Longer than a transaction takes to commit after it read the clock.
const OVERLAP: TimeDelta = TimeDelta::minutes(1);

pub async fn list_voided_updates(
    api: &Api,
    request: Request<v1::ListVoidedUpdatesRequest>,
) -> Result<v1::ListVoidedUpdatesResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let page = cursor::by_time(Some(&PageRequest {
        limit: request.limit,
        cursor: request.after,
    }))?;
    let after = page.after.unwrap_or((BEGINNING_OF_TIME, Uuid::nil()));
    let mut tx = api.database.tenant(tenant).await?;
    let limit = page.sql_limit();
    let mut found = store::applied::voided(&mut tx, after, limit).await?;
    let key = |row: &VoidedUpdate| (row.voided_at, row.update_id);
    let next = page.cut(&mut found, key);
    let next = if next.next_cursor.is_empty() {
        let last = found.last().map_or(after, key);
        page::cursor(&settled(last, api.clock.now()))
    } else {
        next.next_cursor
    };
    let updates = found.into_iter().map(|row| v1::VoidedUpdate {
        update_id: row.update_id.to_string(),
        reason: row.void_reason,
        undone: row.void_undone,
        voided_by: row.voided_by,
        voided_at: Some(timestamp(row.voided_at)),
        attempt: row.voids.unsigned_abs(),
    });
    Ok(v1::ListVoidedUpdatesResponse {
        updates: updates.collect(),
        next,
    })
}

/// The key, or an earlier one before which no transaction can add rows.
fn settled(key: TimeKey, now: DateTime<Utc>) -> TimeKey {
    key.min((now - OVERLAP, Uuid::nil()))
}
