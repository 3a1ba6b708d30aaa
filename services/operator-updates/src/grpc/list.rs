use chrono::{DateTime, Datelike as _};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use hourmeter_runtime::page::Page;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::domain::update::Status;
use crate::store::updates::{self, Filter, Key};
use crate::store::{changed_at, last_reports, review};

const MAX_IN_REVIEW: u32 = 500;

pub async fn list_updates(
    api: &Api,
    request: Request<v1::ListUpdatesRequest>,
) -> Result<v1::ListUpdatesResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    api.judge.seen(identity, false);
    let request = request.into_inner();
    let filter = Filter {
        operator: operator_filter(identity),
        statuses: convert::statuses(&request.statuses)?,
        by_decision: request.by_decision,
    };
    let mut page = by_time(request.page.as_ref())?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let mut rows = updates::list(&mut reads, &filter, &mut page).await?;
    let next = page.cut(&mut rows, |row| {
        let decided_at = filter.by_decision.then(|| row.decided_at()).flatten();
        let time = decided_at.unwrap_or(row.created_at);
        (time.timestamp_micros(), row.id)
    });
    let has_all = filter.statuses.is_empty()
        && !filter.by_decision
        && page.after.is_none()
        && next.next_cursor.is_empty();
    let pending = if has_all {
        let pending = rows.iter().filter(|row| row.status == Status::Pending);
        i64::try_from(pending.count()).map_err(ServiceError::internal)?
    } else {
        updates::count_pending(&mut reads, filter.operator).await?
    };
    reads.done();
    Ok(v1::ListUpdatesResponse {
        updates: rows.into_iter().map(Into::into).collect(),
        page: Some(next),
        pending_count: count(pending),
    })
}

pub async fn list_last_reports(
    api: &Api,
    request: Request<v1::ListLastReportsRequest>,
) -> Result<v1::ListLastReportsResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let page = Page::from_request(request.get_ref().page.as_ref())?;
    let mut tx = api.database.tenant(tenant).await?;
    let mut rows = last_reports::list(&mut tx, &page).await?;
    tx.commit().await?;
    let next = page.cut(&mut rows, |(operator_id, _)| *operator_id);
    let report = |(operator_id, received_at): (Uuid, _)| v1::LastReport {
        operator_id: operator_id.to_string(),
        received_at: Some(timestamp(received_at)),
    };
    Ok(v1::ListLastReportsResponse {
        reports: rows.into_iter().map(report).collect(),
        page: Some(next),
    })
}

pub async fn list_review(
    api: &Api,
    request: Request<v1::ListReviewRequest>,
) -> Result<v1::ListReviewResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let limit = match request.get_ref().limit {
        0 => MAX_IN_REVIEW,
        limit if limit <= MAX_IN_REVIEW => limit,
        _ => {
            let text = shared::BETWEEN.with("min", 1).with("max", MAX_IN_REVIEW);
            return Err(ServiceError::field("limit", text));
        }
    };
    api.judge.seen(identity, true);
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let rows = review::list_review(&mut tx, limit.into()).await?;
    let (pending, flagged) = review::count_review(&mut tx).await?;
    tx.commit().await?;
    Ok(v1::ListReviewResponse {
        updates: rows.into_iter().map(Into::into).collect(),
        pending_count: count(pending),
        flagged_count: count(flagged),
    })
}

pub async fn get_updates_marker(
    api: &Api,
    request: Request<v1::GetUpdatesMarkerRequest>,
) -> Result<v1::GetUpdatesMarkerResponse, ServiceError> {
    let identity = &Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let marker = changed_at::marker(&mut tx, operator_filter(identity)).await?;
    tx.commit().await?;
    Ok(v1::GetUpdatesMarkerResponse { marker })
}

/// Managers see all updates of the company, others their own.
fn operator_filter(identity: &Identity) -> Option<Uuid> {
    (!identity.is_manager()).then_some(identity.user_id)
}

fn count(rows: i64) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

/// The cursor is checked before it reaches the database.
fn by_time(request: Option<&PageRequest>) -> Result<Page<Key>, ServiceError> {
    let page: Page<Key> = Page::from_request(request)?;
    let storable = |(micros, _): &Key| {
        let time = DateTime::from_timestamp_micros(*micros);
        time.is_some_and(|time| (1..=9999).contains(&time.year()))
    };
    if page.after.as_ref().is_none_or(storable) {
        Ok(page)
    } else {
        Err(ServiceError::field("cursor", shared::CURSOR_INVALID))
    }
}
