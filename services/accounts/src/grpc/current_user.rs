//! The person behind the session.

use hourmeter_proto::accounts::v1::{GetCurrentUserRequest, GetCurrentUserResponse};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::{Api, convert};
use crate::store::people;

pub(super) async fn get_current_user(
    api: &Api,
    request: Request<GetCurrentUserRequest>,
) -> Result<GetCurrentUserResponse, Failure> {
    let identity = Caller::person(&request)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let person = people::find(&mut tx, identity.tenant(), identity.user_id).await?;
    // Removed since the session was resolved.
    let person = person.ok_or_else(Failure::unauthenticated)?;
    tx.commit().await?;
    Ok(GetCurrentUserResponse {
        user: Some(convert::user(person, identity.scope)),
    })
}
