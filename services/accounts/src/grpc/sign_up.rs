//! Creates a company with its owner.

use hourmeter_proto::accounts::v1::{self, Role, Scope};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use tonic::Request;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Api, convert, new_session};
use crate::domain::access::display_name;
use crate::domain::names::{self, BusinessName};
use crate::domain::{FieldErrors, password};
use crate::refusals;
use crate::store::audit::{self, Event};
use crate::store::employees::PersonNames;
use crate::store::sessions::NewSession;
use crate::store::{companies, notices, people, staff, violated_key};

struct NewCompany {
    name: BusinessName,
    email: String,
    password: Zeroizing<String>,
    names: PersonNames,
    time_zone: &'static str,
}

impl NewCompany {
    fn read(message: &v1::SignUpRequest) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let name = errors.take("businessName", names::business_name(&message.business_name));
        let email = errors.take("email", names::email(&message.email));
        let first = errors.take("firstName", names::person_name(&message.first_name));
        let last = errors.take("lastName", names::person_name(&message.last_name));
        let whole_name = format!("{first} {last}");
        let guessable = [
            name.name.as_str(),
            names::local_part(&email),
            &email,
            &first,
            &last,
            &whole_name,
        ];
        let password = password::new_password(&message.password, &guessable);
        let password = errors.take("password", password);
        errors.finish()?;
        Ok(Self {
            name,
            email,
            password,
            names: PersonNames { first, last },
            time_zone: names::time_zone(&message.time_zone).unwrap_or("UTC"),
        })
    }
}

pub(super) async fn sign_up(
    api: &Api,
    request: Request<v1::SignUpRequest>,
) -> Result<v1::SignUpResponse, ServiceError> {
    let context = convert::edge_context(&request, request.get_ref().origin.as_ref())?;
    let message = request.into_inner();
    let company = NewCompany::read(&message)?;
    let passwords = api.passwords.for_others();
    let hashed = passwords.hash(company.password.clone()).await?;

    // A new company, so the id is not from a client.
    let tenant = Tenant::from_lookup(Uuid::now_v7());
    let (owner_id, now) = (Uuid::now_v7(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    if staff::is_staff_email(&mut tx, &company.email).await? {
        let text = refusals::EMAIL_OR_BUSINESS_NAME_TAKEN;
        return Err(ServiceError::new(Kind::AlreadyExists, text));
    }
    let (name, names) = (&company.name, &company.names);
    companies::insert(&mut tx, name, owner_id, company.time_zone, now)
        .await
        .map_err(taken)?;
    people::insert_owner(&mut tx, owner_id, names, &company.email, &hashed, now)
        .await
        .map_err(taken)?;
    for kind in [notices::Kind::FirstSteps, notices::Kind::FirstCards] {
        notices::add(&mut tx, owner_id, kind).await?;
    }
    let (first, last) = (&names.first, &names.last);
    let shown = display_name(Role::Owner, Scope::Full, first, last, &name.name);
    let by_owner = context.with_actor(owner_id, &shown, Scope::Full);
    audit::done(&mut tx, &by_owner, Event::SignUp, owner_id, "").await?;
    let session = NewSession {
        user_id: owner_id,
        role: Role::Owner,
        scope: Scope::Full,
        remember: false,
        via: "sign_up",
    };
    let previous = &message.previous_token;
    let session = Some(new_session::start(&mut tx, &session, previous, &context).await?);
    tx.commit().await?;
    Ok(v1::SignUpResponse { session })
}

fn taken(error: sqlx::Error) -> ServiceError {
    match violated_key(&error) {
        Some("companies_name_key_key" | "users_email_key") => {
            ServiceError::new(Kind::AlreadyExists, refusals::EMAIL_OR_BUSINESS_NAME_TAKEN)
        }
        _ => error.into(),
    }
}
