//! What people are told at their next sign-in.

use hourmeter_proto::accounts::v1::{
    DismissNoticeRequest, DismissNoticeResponse, Notice, Scope, User,
};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use sqlx::PgConnection;
use tonic::Request;

use super::employees::unknown;
use super::{Api, convert};
use crate::domain::access::effective_role;
use crate::store::audit::AuditContext;
use crate::store::notices;
use crate::store::people::Person;
use crate::store::role;

/// What an id that is nobody's notice stands for in the audit log.
const NOTICE: &str = "notice";

/// A person in a session of this scope, with what is to be told. A session that knows only the
/// shared password is told nothing of the owner's.
pub async fn user(
    connection: &mut PgConnection,
    tenant: Tenant,
    person: Person,
    scope: Scope,
) -> Result<User, ServiceError> {
    let role = role(&person.role);
    let told = if effective_role(role, scope) == role {
        notices::list(connection, tenant, person.id).await?
    } else {
        Vec::new()
    };
    Ok(User {
        notices: told.into_iter().map(notice).collect(),
        ..convert::user(person, scope)
    })
}

fn notice(notice: notices::Notice) -> Notice {
    Notice {
        id: notice.id.to_string(),
        kind: notice.kind,
        at: Some(convert::timestamp(notice.at)),
    }
}

pub(super) async fn dismiss_notice(
    api: &Api,
    request: Request<DismissNoticeRequest>,
) -> Result<DismissNoticeResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let id = convert::id(&request.get_ref().id);
    let done = match id {
        Some(id) if identity.effective_role() == identity.role => {
            notices::dismiss(&mut tx, tenant, identity.user_id, id).await?
        }
        _ => false,
    };
    if !done {
        return Err(unknown(tx, &AuditContext::from_identity(&identity), NOTICE, id).await);
    }
    tx.commit().await?;
    Ok(DismissNoticeResponse {})
}
