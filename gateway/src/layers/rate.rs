//! Rate limits of sessions and companies. They come before the permission check, since a denied
//! call has cost a session lookup too.

use crate::api_error::ApiError;
use crate::limits::{InFlight, Limits};
use crate::requester::{Principal, Requester};

/// Counts a call. The guard counts it as in flight until dropped.
pub async fn count(limits: &Limits, requester: &Requester) -> Result<Option<InFlight>, ApiError> {
    match &requester.principal {
        Principal::Person { identity, .. } => {
            let (session, company) = (identity.session_id, identity.company_id);
            limits.call(session, company).await.map(Some)
        }
        Principal::Staff(staff) => {
            let counted = limits.staff_call(staff.session_id).await;
            counted.map(|()| None)
        }
        Principal::Anonymous | Principal::Unverified => Ok(None),
    }
}
