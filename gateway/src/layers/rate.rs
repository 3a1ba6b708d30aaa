//! Rate limits of sessions and companies. They come before the permission check, since a denied
//! call has cost a session lookup too.

use crate::gateway::Gateway;
use crate::limits::InFlight;
use crate::rescue::Refusal;
use crate::visitor::{Visitor, Who};

/// Counts a call. The guard counts it as in flight until dropped.
pub async fn count(gateway: &Gateway, visitor: &Visitor) -> Result<Option<InFlight>, Refusal> {
    match &visitor.who {
        Who::Person { identity, .. } => {
            let (session, company) = (identity.session_id, identity.company_id);
            gateway.limits.call(session, company).await.map(Some)
        }
        Who::Staff(staff) => {
            let counted = gateway.limits.staff_call(staff.session_id).await;
            counted.map(|()| None)
        }
        Who::Nobody | Who::Unknown => Ok(None),
    }
}
