//! `ListUpdates`.

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::page::Page;

use super::{OperatorUpdates, convert};
use crate::store::updates;

impl OperatorUpdates {
    pub(super) async fn list(
        &self,
        identity: &Identity,
        request: &proto::ListUpdatesRequest,
    ) -> Result<proto::ListUpdatesResponse, Failure> {
        let statuses = convert::statuses(&request.statuses)?;
        let page: Page<updates::Key> = Page::from_request(request.page.as_ref())?;
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
