//! Counts a session's and a company's calls. Before the permission check, since a refused call
//! has cost a session lookup too.

use crate::gateway::Gateway;
use crate::limits::InFlight;
use crate::rescue::Refusal;
use crate::visitor::{Visitor, Who};

/// Counts a call; the company's calls under way include it until what comes back is dropped.
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
