//! Returns the caller.

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, StaffIdentity};
use tonic::Request;

use super::{Api, convert, notices, staff_sessions};
use crate::store::{people, staff};

pub(super) async fn get_current_user(
    api: &Api,
    request: Request<v1::GetCurrentUserRequest>,
) -> Result<v1::GetCurrentUserResponse, ServiceError> {
    if let Ok(identity) = Caller::staff(&request) {
        return staff_user(api, &identity).await;
    }
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    let person = people::find(&mut reads, tenant, identity.user_id).await?;
    // The person was removed after the session was resolved.
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    let user = if person.has_notices {
        notices::user(&mut reads, tenant, person, identity.scope).await?
    } else {
        convert::user(person, identity.scope)
    };
    reads.done();
    let user = v1::User {
        second_factor_missing: identity.second_factor_missing,
        ..user
    };
    Ok(v1::GetCurrentUserResponse { user: Some(user) })
}

async fn staff_user(
    api: &Api,
    identity: &StaffIdentity,
) -> Result<v1::GetCurrentUserResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff::find(&mut lookup, identity.staff_id).await?;
    // The person was removed after the session was resolved.
    let found = found.ok_or_else(ServiceError::unauthenticated)?;
    Ok(v1::GetCurrentUserResponse {
        user: Some(staff_sessions::user(&found)),
    })
}
