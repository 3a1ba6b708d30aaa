//! `ListUpdates`.

use chrono::{DateTime, Datelike as _};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::page::Page;

use super::{OperatorUpdates, convert};
use crate::store::updates::{self, Key};

impl OperatorUpdates {
    pub(super) async fn list(
        &self,
        identity: &Identity,
        request: &proto::ListUpdatesRequest,
    ) -> Result<proto::ListUpdatesResponse, Failure> {
        let statuses = convert::statuses(&request.statuses)?;
        let page = by_time(request.page.as_ref())?;
        // Whoever is not a manager sees the own rows only.
        let operator = (!identity.is_manager()).then_some(identity.user_id);

        let tenant = identity.tenant();
        let mut tx = self.database.tenant(tenant).await?;
        let mut rows = updates::list(&mut tx, tenant, operator, &statuses, &page).await?;
        let pending = updates::count_pending(&mut tx, tenant, operator).await?;
        tx.commit().await?;

        let next = page.cut(&mut rows, |row| (row.created_at.timestamp_micros(), row.id));
        Ok(proto::ListUpdatesResponse {
            updates: rows.into_iter().map(Into::into).collect(),
            page: Some(next),
            pending_count: u32::try_from(pending).unwrap_or(u32::MAX),
        })
    }
}

/// A page of a list sorted by time. What a cursor says is checked before it meets the database.
fn by_time(request: Option<&PageRequest>) -> Result<Page<Key>, Failure> {
    let page: Page<Key> = Page::from_request(request)?;
    let storable = |(micros, _): &Key| {
        let time = DateTime::from_timestamp_micros(*micros);
        time.is_some_and(|time| (1..=9999).contains(&time.year()))
    };
    if page.after.as_ref().is_none_or(storable) {
        Ok(page)
    } else {
        Err(Failure::field("cursor", "Is not a cursor of this list."))
    }
}
