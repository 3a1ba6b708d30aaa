//! Notices that are shown at the next sign-in.

use hourmeter_proto::accounts::v1::{self, Scope};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use sqlx::PgConnection;
use tonic::Request;

use super::employees::unknown_object;
use super::{Api, convert};
use crate::domain::access::effective_role;
use crate::store::audit::AuditContext;
use crate::store::notices;
use crate::store::people::Person;
use crate::store::role;

/// Audit detail of an unknown notice.
const NOTICE: &str = "notice";

/// A person with notices, as seen in a session of this scope. A session with the shared password sees
/// no notices of the owner.
pub async fn user(
    connection: &mut PgConnection,
    tenant: Tenant,
    person: Person,
    scope: Scope,
) -> Result<v1::User, ServiceError> {
    let role = role(&person.role);
    let shown = if effective_role(role, scope) == role {
        notices::list(connection, tenant, person.id).await?
    } else {
        Vec::new()
    };
    Ok(v1::User {
        notices: shown.into_iter().map(notice).collect(),
        ..convert::user(person, scope)
    })
}

fn notice(notice: notices::Notice) -> v1::Notice {
    v1::Notice {
        id: notice.id.to_string(),
        kind: notice.kind,
        at: Some(timestamp(notice.at)),
    }
}

pub(super) async fn dismiss_notice(
    api: &Api,
    request: Request<v1::DismissNoticeRequest>,
) -> Result<v1::DismissNoticeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let id = convert::id(&request.get_ref().id);
    let done = match id {
        Some(id) if identity.effective_role() == identity.role => {
            notices::dismiss(&mut tx, identity.user_id, id).await?
        }
        _ => false,
    };
    if !done {
        return Err(unknown_object(tx, &AuditContext::from_identity(&identity), NOTICE, id).await);
    }
    tx.commit().await?;
    Ok(v1::DismissNoticeResponse {})
}
