//! Reads and changes company settings.

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use zeroize::Zeroizing;

use super::Api;
use super::profile::already_taken;
use crate::domain::names;
use crate::domain::{FieldErrors, password};
use crate::passwords::Hashed;
use crate::refusals;
use crate::secrets::{Sealed, Subject};
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::companies::{self, Changes, Company};
use crate::store::{card_codes, fuel_unit_name, people, sessions, violated_key};

const MAX_STALE_AFTER_DAYS: i32 = 365;

pub(super) async fn get_company_settings(
    api: &Api,
    request: Request<v1::GetCompanySettingsRequest>,
) -> Result<v1::GetCompanySettingsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = find(&mut tx).await?;
    tx.commit().await?;
    let settings = Some(company.into());
    Ok(v1::GetCompanySettingsResponse { settings })
}

pub(super) async fn update_company_settings(
    api: &Api,
    request: Request<v1::UpdateCompanySettingsRequest>,
) -> Result<v1::UpdateCompanySettingsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    // An idempotency key stores a fast hash of the request, which must not contain a password.
    let key = match new_operator_password(request.get_ref()) {
        Some(_) => None,
        None => Key::read(&request, "UpdateCompanySettings")?,
    };
    let message = request.into_inner();
    check_allowed(api, &identity, &message)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = find(&mut tx).await?;
    tx.commit().await?;
    let (changes, operator_password) = read(&message, &company)?;
    let new_password = match operator_password {
        Some(password) => {
            refuse_taken_name(api, &identity, &changes).await?;
            Some(NewPassword::make(api, &identity, &password).await?)
        }
        None => None,
    };

    let now = api.clock.now();
    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let context = AuditContext::from_identity(&identity);
    write(api, &mut tx, &context, &company.name, changes, new_password).await?;
    let settings = Some(find(&mut tx).await?.into());
    let answer = v1::UpdateCompanySettingsResponse { settings };
    tx.finish(&answer).await?;
    Ok(answer)
}

/// Rejects a taken business name before the password is compared; a later error would roll back the
/// audit entry of the attempt.
async fn refuse_taken_name(
    api: &Api,
    identity: &Identity,
    changes: &Changes,
) -> Result<(), ServiceError> {
    if changes.name.is_none() {
        return Ok(());
    }
    let changes = Changes {
        name: changes.name.clone(),
        ..Changes::default()
    };
    let (tenant, now) = (identity.tenant(), api.clock.now());
    // The unique key decides; the transaction is rolled back.
    let mut tx = api.database.tenant(tenant).await?;
    let stored = companies::update(&mut tx, &changes, now).await;
    stored.map_err(name_taken)
}

pub(super) async fn find(tx: &mut TenantTx) -> Result<Company, ServiceError> {
    let company = companies::find(tx).await?;
    company.ok_or_else(ServiceError::unauthenticated)
}

/// The new operator password, unless it is the mask.
fn new_operator_password(message: &v1::UpdateCompanySettingsRequest) -> Option<&str> {
    message
        .operator_password
        .as_deref()
        .filter(|password| *password != password::MASK)
}

/// Checks rights that depend on the fields, which the access policy cannot express.
fn check_allowed(
    api: &Api,
    identity: &Identity,
    message: &v1::UpdateCompanySettingsRequest,
) -> Result<(), ServiceError> {
    if *message == v1::UpdateCompanySettingsRequest::default() {
        return Err(ServiceError::new(Kind::Invalid, refusals::NO_SETTING));
    }
    let guarded = new_operator_password(message).is_some() || message.company_name.is_some();
    if guarded && !identity.signed_in_recently(&api.clock) {
        return Err(ServiceError::reauth_required());
    }
    let free = v1::UpdateCompanySettingsRequest {
        operator_password: message.operator_password.clone(),
        ..v1::UpdateCompanySettingsRequest::default()
    };
    let paid = *message != free;
    if paid && !identity.entitlements.active {
        return Err(ServiceError::subscription_inactive());
    }
    Ok(())
}

/// The changes to settings, and the new operator password.
fn read(
    message: &v1::UpdateCompanySettingsRequest,
    company: &Company,
) -> Result<(Changes, Option<Zeroizing<String>>), ServiceError> {
    let mut errors = FieldErrors::default();
    let name = message.company_name.as_deref();
    let name = name.map(|raw| errors.take("companyName", names::company_name(raw)));
    let new_name = name.as_ref().map_or("", |name| name.name.as_str());
    let guessable = [company.name.as_str(), new_name];
    let operator_password = new_operator_password(message).map(|raw| {
        let password = password::new_operator_password(raw, &guessable);
        errors.take("masterPassword", password)
    });
    let time_zone = message.time_zone.as_deref().map(|raw| {
        let zone = names::time_zone(raw).ok_or(refusals::TIME_ZONE_UNKNOWN);
        errors.take("timeZone", zone)
    });
    let stale_after_days = message.stale_after_days.map(|days| {
        let days = i32::try_from(days)
            .ok()
            .filter(|days| *days <= MAX_STALE_AFTER_DAYS);
        let days = days.ok_or(refusals::STALE_AFTER_DAYS_INVALID.with("max", MAX_STALE_AFTER_DAYS));
        errors.take("staleAfterDays", days)
    });
    errors.finish()?;
    let changes = Changes {
        name,
        time_zone,
        auto_apply_updates: message.auto_apply_updates,
        earlier_warnings: message.earlier_warnings,
        fuel_unit: fuel_unit_name(message.fuel_unit()),
        stale_after_days,
    };
    Ok((changes, operator_password))
}

/// A hashed and sealed operator password.
struct NewPassword {
    hashed: Hashed,
    sealed: Sealed,
    /// The passwords it was compared with.
    managers: Vec<Hashed>,
}

impl NewPassword {
    /// Runs outside a transaction, because hashing is slow. The audit entry is written first, so that
    /// failed attempts have one too.
    async fn make(
        api: &Api,
        identity: &Identity,
        password: &Zeroizing<String>,
    ) -> Result<Self, ServiceError> {
        let (tenant, context) = (identity.tenant(), AuditContext::from_identity(identity));
        let mut tx = api.database.tenant(tenant).await?;
        let managers = people::manager_passwords(&mut tx).await?;
        let entry = AuditEntry::success(Event::OperatorPasswordTried);
        audit::record(&mut tx, &context, &entry).await?;
        tx.commit().await?;
        let passwords = api.passwords.for_company(tenant.company_id());
        let form = password::normal_form(password);
        if passwords.is_one_of(form.clone(), managers.clone()).await? {
            let entry = AuditEntry::failed(Event::OperatorPasswordSet);
            api.record(tenant, &context, &entry).await?;
            let text = refusals::PERSONAL_PASSWORD;
            return Err(ServiceError::field("masterPassword", text));
        }
        let subject = Subject::OperatorPassword(tenant.company_id());
        Ok(Self {
            hashed: passwords.hash(form).await?,
            sealed: api.keyring.seal(subject, password)?,
            managers,
        })
    }
}

async fn write(
    api: &Api,
    tx: &mut TenantTx,
    context: &AuditContext,
    old_name: &str,
    changes: Changes,
    new_password: Option<NewPassword>,
) -> Result<(), ServiceError> {
    let (company_id, now) = (tx.tenant().company_id(), api.clock.now());
    if changes != Changes::default() {
        companies::update(tx, &changes, now)
            .await
            .map_err(name_taken)?;
    }
    let new_name = changes.name.as_ref().map_or(old_name, |name| &name.name);
    if new_name != old_name {
        audit::done(tx, context, Event::CompanyRenamed, company_id, new_name).await?;
    }
    let settings = Changes {
        name: None,
        ..changes.clone()
    };
    if settings != Changes::default() {
        let detail = settings.to_audit_detail();
        let entry = AuditEntry::success(Event::SettingsChanged).target(company_id, new_name);
        audit::record(tx, context, &entry.detail(&detail)).await?;
    }
    if let Some(password) = new_password {
        companies::lock(tx).await?;
        if people::manager_passwords(tx).await? != password.managers {
            let text = refusals::MANAGER_PASSWORD_CHANGED_MEANWHILE;
            return Err(ServiceError::new(Kind::Stale, text).with_reason("STALE"));
        }
        companies::set_operator_password(tx, &password.hashed, &password.sealed, now).await?;
        sessions::end_operator_scope(tx).await?;
        card_codes::delete_all(tx).await?;
        let event = Event::OperatorPasswordSet;
        audit::done(tx, context, event, company_id, new_name).await?;
    }
    Ok(())
}

fn name_taken(error: sqlx::Error) -> ServiceError {
    if violated_key(&error) != Some("companies_name_key_key") {
        return error.into();
    }
    already_taken("companyName", refusals::BUSINESS_NAME_TAKEN)
}
