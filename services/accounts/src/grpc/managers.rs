//! Adds managers.

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{self, Key, Outcome};
use hourmeter_runtime::identity::{Caller, Identity, Tenant};
use tonic::Request;

use super::Api;
use super::profile::{email_taken, refuse_staff_email};
use crate::domain::{FieldErrors, names, password};
use crate::refusals;
use crate::secrets::{Sealed, Subject};
use crate::store::audit::{self, AuditContext, Event};
use crate::store::employees::{self, PersonNames};
use crate::store::{companies, notices};

/// Limited, because a new operator password is compared with the password of each manager.
const MAX_MANAGERS: i64 = 50;

/// The stored response of an idempotent request; the temporary password is sealed.
#[derive(Clone, PartialEq, prost::Message)]
struct StoredResponse {
    #[prost(message, optional, tag = "1")]
    answer: Option<v1::CreateManagerResponse>,
    #[prost(string, tag = "2")]
    key_id: String,
    #[prost(bytes = "vec", tag = "3")]
    nonce: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    sealed_box: Vec<u8>,
}

impl StoredResponse {
    fn seal(
        api: &Api,
        tenant: Tenant,
        answer: &v1::CreateManagerResponse,
    ) -> Result<Self, ServiceError> {
        let text = &answer.temporary_password;
        let Sealed {
            key_id,
            nonce,
            sealed_box,
        } = api.keyring.seal(subject(tenant), text)?;
        let answer = v1::CreateManagerResponse {
            temporary_password: String::new(),
            ..answer.clone()
        };
        Ok(Self {
            answer: Some(answer),
            key_id,
            nonce,
            sealed_box,
        })
    }

    /// The first response. Without password if its sealing key was removed; the owner can set another
    /// one.
    fn open(self, api: &Api, tenant: Tenant) -> v1::CreateManagerResponse {
        let sealed = Sealed {
            key_id: self.key_id,
            nonce: self.nonce,
            sealed_box: self.sealed_box,
        };
        let opened = api.keyring.try_open(subject(tenant), &sealed);
        let temporary_password = opened.map(|text| text.to_string()).unwrap_or_default();
        v1::CreateManagerResponse {
            temporary_password,
            ..self.answer.unwrap_or_default()
        }
    }
}

const fn subject(tenant: Tenant) -> Subject {
    Subject::TemporaryPassword(tenant.company_id())
}

pub(super) async fn create_manager(
    api: &Api,
    request: Request<v1::CreateManagerRequest>,
) -> Result<v1::CreateManagerResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "CreateManager")?;
    let message = request.into_inner();
    let mut errors = FieldErrors::default();
    let names = PersonNames {
        first: errors.take("firstName", names::required_name(&message.first_name)),
        last: errors.take("lastName", names::required_name(&message.last_name)),
    };
    let email = errors.take("email", names::email(&message.email));
    errors.finish()?;
    let tenant = identity.tenant();
    if let Some(stored) = find_repeat(api, &identity, key.as_ref()).await? {
        return Ok(stored.open(api, tenant));
    }
    let temporary = password::temporary()?;
    let passwords = api.passwords.for_company(tenant.company_id());
    let hashed = passwords.hash(temporary.clone()).await?;

    let (context, now) = (AuditContext::from_identity(&identity), api.clock.now());
    let tx = api.database.tenant(tenant).await?;
    let mut tx = match idempotency::begin::<StoredResponse>(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(stored) => return Ok(stored.open(api, tenant)),
    };
    companies::lock(&mut tx).await?;
    refuse_too_many(employees::count_managers(&mut tx).await?)?;
    refuse_staff_email(&mut tx, &email).await?;
    let manager = employees::insert_manager(&mut tx, &names, &email, &hashed, now)
        .await
        .map_err(email_taken)?;
    let kind = notices::Kind::PasswordSetByOwner;
    notices::add(&mut tx, manager.id, kind).await?;
    let name = manager.name();
    audit::done(&mut tx, &context, Event::ManagerAdded, manager.id, &name).await?;
    let answer = v1::CreateManagerResponse {
        employee: Some(manager.into()),
        temporary_password: temporary.to_string(),
    };
    let stored = StoredResponse::seal(api, tenant, &answer)?;
    tx.finish(&stored).await?;
    Ok(answer)
}

/// Finds a repeat or a reached limit before a password is hashed.
async fn find_repeat(
    api: &Api,
    identity: &Identity,
    key: Option<&Key>,
) -> Result<Option<StoredResponse>, ServiceError> {
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    let stored = idempotency::stored_response(&mut tx, identity, key, now).await?;
    if stored.is_none() {
        refuse_too_many(employees::count_managers(&mut tx).await?)?;
    }
    tx.commit().await?;
    Ok(stored)
}

fn refuse_too_many(managers: i64) -> Result<(), ServiceError> {
    if managers < MAX_MANAGERS {
        return Ok(());
    }
    Err(ServiceError::conflict(refusals::MANAGER_LIMIT_REACHED))
}
