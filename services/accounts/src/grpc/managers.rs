//! Managers, whom the owner adds.

use hourmeter_proto::accounts::v1::{CreateManagerRequest, CreateManagerResponse};
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::Api;
use super::profile::{email_taken, refuse_staff_email};
use crate::domain::{Problems, names, password};
use crate::store::audit::{self, Event, Trail};
use crate::store::employees::{self, PersonNames};
use crate::store::notices;

pub(super) async fn create_manager(
    api: &Api,
    request: Request<CreateManagerRequest>,
) -> Result<CreateManagerResponse, Failure> {
    let identity = Caller::person(&request)?;
    let message = request.into_inner();
    let mut problems = Problems::default();
    let names = PersonNames {
        first: problems.take("firstName", names::required_name(&message.first_name)),
        last: problems.take("lastName", names::required_name(&message.last_name)),
    };
    let email = problems.take("email", names::email(&message.email));
    problems.finish()?;
    let temporary = password::temporary()?;
    let hashed = api.passwords.hash(temporary.clone()).await?;

    let (tenant, trail, now) = (identity.tenant(), Trail::of(&identity), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    refuse_staff_email(&mut tx, &email).await?;
    let manager = employees::insert_manager(&mut tx, tenant, &names, &email, &hashed, now)
        .await
        .map_err(email_taken)?;
    let kind = notices::Kind::PasswordSetByOwner;
    notices::tell(&mut tx, tenant, manager.id, kind).await?;
    let (event, target, name) = (Event::ManagerAdded, Some(manager.id), manager.name());
    audit::record_on(&mut tx, tenant, &trail, event, target, &name, "").await?;
    tx.commit().await?;
    Ok(CreateManagerResponse {
        employee: Some(manager.into()),
        temporary_password: temporary.to_string(),
    })
}
