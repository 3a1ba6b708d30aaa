//! Sets up, removes and requires second factors.

use chrono::{DateTime, Utc};
use hourmeter_proto::accounts::v1::{self, Role};
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::employees::{PERSON, find_person, unknown_object};
use super::second_factor::{challenge, open, party};
use super::{Api, convert, sealed};
use crate::domain::passkey::{Registration, encode};
use crate::domain::totp::TotpSecret;
use crate::domain::{names, recovery_code};
use crate::refusals;
use crate::secrets::Subject;
use crate::store::audit::{self, AuditContext, AuditEntry, Event};
use crate::store::passkeys::{self, NamedPasskey, Purpose};
use crate::store::people::{self, Person};
use crate::store::second_factor::{self as store, Summary};
use crate::store::{notices, role, security_events, sessions};

/// Audit detail of an unknown id.
const PASSKEY: &str = "passkey";
const MAX_PASSKEYS: usize = 20;

pub(super) async fn get_second_factor(
    api: &Api,
    request: Request<v1::GetSecondFactorRequest>,
) -> Result<v1::GetSecondFactorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let offered = party(&request).is_some();
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let second_factor = Some(shown(&mut tx, identity.user_id, offered).await?);
    tx.commit().await?;
    Ok(v1::GetSecondFactorResponse { second_factor })
}

async fn shown(
    tx: &mut TenantTx,
    user_id: Uuid,
    passkeys_offered: bool,
) -> Result<v1::SecondFactor, ServiceError> {
    let summary = store::summary(tx, user_id).await?;
    let passkeys = passkeys::list(tx, user_id).await?;
    Ok(v1::SecondFactor {
        authenticator_since: summary.authenticator_since.map(timestamp),
        passkeys: passkeys.into_iter().map(passkey).collect(),
        recovery_codes_left: u32::try_from(summary.recovery_codes_left).unwrap_or_default(),
        required: summary.required,
        passkeys_offered,
    })
}

fn passkey(passkey: NamedPasskey) -> v1::Passkey {
    v1::Passkey {
        id: passkey.id.to_string(),
        name: passkey.name,
        created_at: Some(timestamp(passkey.created_at)),
        last_used_at: passkey.last_used_at.map(timestamp),
    }
}

pub(super) async fn start_authenticator(
    api: &Api,
    request: Request<v1::StartAuthenticatorRequest>,
) -> Result<v1::StartAuthenticatorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let user_id = identity.user_id;
    let secret = TotpSecret::random()?;
    let text = secret.to_text();
    let subject = Subject::SecondFactor(identity.company_id, user_id);
    let sealed = api.keyring.seal(subject, &text)?;
    let (mut tx, person) = begin(api, &identity).await?;
    store::set_pending(&mut tx, user_id, &sealed, api.clock.now()).await?;
    tx.commit().await?;
    let email = person.email.unwrap_or_default();
    Ok(v1::StartAuthenticatorResponse {
        secret: text.to_string(),
        url: secret.url(&email).to_string(),
    })
}

/// Begins a transaction that locks the caller's row, and returns the caller.
async fn begin(api: &Api, identity: &Identity) -> Result<(TenantTx, Person), ServiceError> {
    let mut tx = api.database.tenant(identity.tenant()).await?;
    people::lock(&mut tx, identity.user_id).await?;
    let person = people::caller(&mut tx, identity.user_id).await?;
    Ok((tx, person))
}

pub(super) async fn confirm_authenticator(
    api: &Api,
    request: Request<v1::ConfirmAuthenticatorRequest>,
) -> Result<v1::ConfirmAuthenticatorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let offered = party(&request).is_some();
    let (tenant, user_id) = (identity.tenant(), identity.user_id);
    let context = convert::person_context(&request, &identity);
    let code = Zeroizing::new(request.into_inner().code);
    let (mut tx, _) = begin(api, &identity).await?;
    let before = store::summary(&mut tx, user_id).await?;
    let pending = store::authenticator(&mut tx, user_id, true).await?;
    let pending = pending.ok_or_else(|| ServiceError::conflict(refusals::SETUP_NOT_STARTED))?;
    let secret = match open(api, (tenant, user_id), &pending) {
        Ok(secret) => secret,
        Err(error) => {
            drop(tx);
            return Err(sealed::failed(api, tenant, &context, "totp", error).await);
        }
    };
    let now = api.clock.now();
    let step = secret.step_of(&code, now.timestamp(), 0);
    let step = step.ok_or_else(|| ServiceError::field("code", refusals::TOTP_INVALID))?;
    store::confirm_pending(&mut tx, user_id, step, now).await?;
    let recovery_codes = turned_on(api, &mut tx, &identity, &before, now).await?;
    let entry = AuditEntry::success(Event::SecondFactorOn).target(user_id, &identity.display_name);
    audit::record(&mut tx, &context, &entry.detail("authenticator")).await?;
    let event = SecurityEventKind::AuthenticatorAdded;
    security_events::record(&mut tx, user_id, event, &context).await?;
    let second_factor = Some(shown(&mut tx, user_id, offered).await?);
    tx.commit().await?;
    Ok(v1::ConfirmAuthenticatorResponse {
        second_factor,
        recovery_codes,
    })
}

/// After the first factor: creates recovery codes and ends sessions that were started without it.
async fn turned_on(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    before: &Summary,
    now: DateTime<Utc>,
) -> Result<Vec<String>, ServiceError> {
    if before.is_on() {
        return Ok(Vec::new());
    }
    let user_id = identity.user_id;
    sessions::end_all(tx, user_id, Some(identity.session_id)).await?;
    new_codes(api, tx, user_id, now).await
}

async fn new_codes(
    api: &Api,
    tx: &mut TenantTx,
    user_id: Uuid,
    now: DateTime<Utc>,
) -> Result<Vec<String>, ServiceError> {
    let company_id = tx.tenant().company_id();
    let pepper_id = api.peppers.active_id();
    let codes = recovery_code::generate()?;
    let hashes = codes.iter().map(|code| {
        let message = recovery_code::message(company_id, user_id, code);
        api.peppers.mac(pepper_id, message.as_bytes())
    });
    let hashes: Option<Vec<_>> = hashes.collect();
    let hashes = hashes.ok_or_else(|| ServiceError::internal("the active pepper is missing"))?;
    store::replace_codes(tx, user_id, pepper_id, &hashes, now).await?;
    Ok(codes.iter().map(|code| code.to_string()).collect())
}

fn passkeys_not_offered() -> ServiceError {
    ServiceError::conflict(refusals::PASSKEYS_NOT_OFFERED)
}

pub(super) async fn start_passkey(
    api: &Api,
    request: Request<v1::StartPasskeyRequest>,
) -> Result<v1::StartPasskeyResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let party = party(&request).ok_or_else(passkeys_not_offered)?;
    let user_id = identity.user_id;
    let (mut tx, person) = begin(api, &identity).await?;
    let passkeys = passkeys::list(&mut tx, user_id).await?;
    if passkeys.len() >= MAX_PASSKEYS {
        return Err(ServiceError::conflict(refusals::PASSKEY_LIMIT_REACHED));
    }
    let (challenge, now) = (challenge()?, api.clock.now());
    passkeys::insert_challenge(&mut tx, user_id, Purpose::Add, &challenge, now).await?;
    tx.commit().await?;
    let credential_ids = passkeys.iter();
    Ok(v1::StartPasskeyResponse {
        challenge: encode(&challenge),
        rp_id: party.id,
        user_handle: encode(person.id.as_bytes()),
        display_name: person.name(),
        user_name: person.email.unwrap_or_default(),
        exclude_credential_ids: credential_ids
            .map(|passkey| encode(&passkey.credential_id))
            .collect(),
    })
}

pub(super) async fn add_passkey(
    api: &Api,
    request: Request<v1::AddPasskeyRequest>,
) -> Result<v1::AddPasskeyResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let party = party(&request).ok_or_else(passkeys_not_offered)?;
    let user_id = identity.user_id;
    let context = convert::person_context(&request, &identity);
    let message = request.into_inner();
    let name = names::required_name(&message.name);
    let name = name.map_err(|text| ServiceError::field("name", text))?;
    let wrong = || ServiceError::field("attestationObject", refusals::PASSKEY_NOT_ADDED);
    let answer = Registration::decode(&message.client_data_json, &message.attestation_object);
    let answer = answer.map_err(|_| wrong())?;
    let challenge = answer.challenge().map_err(|_| wrong())?;
    let now = api.clock.now();
    let (mut tx, _) = begin(api, &identity).await?;
    let before = store::summary(&mut tx, user_id).await?;
    let taken = passkeys::take_challenge(&mut tx, user_id, Purpose::Add, &challenge, now).await?;
    let Some(credential) = answer.verify(&party).ok().filter(|_| taken) else {
        // The challenge stays consumed.
        tx.commit().await?;
        return Err(wrong());
    };
    let added = passkeys::insert(&mut tx, user_id, &name, &credential, now).await?;
    let id = added.ok_or_else(wrong)?;
    let recovery_codes = turned_on(api, &mut tx, &identity, &before, now).await?;
    audit::done(&mut tx, &context, Event::PasskeyAdded, id, &name).await?;
    notices::add(&mut tx, user_id, notices::Kind::PasskeyAdded).await?;
    let event = SecurityEventKind::PasskeyAdded;
    security_events::record(&mut tx, user_id, event, &context).await?;
    let second_factor = Some(shown(&mut tx, user_id, true).await?);
    tx.commit().await?;
    Ok(v1::AddPasskeyResponse {
        second_factor,
        recovery_codes,
    })
}

pub(super) async fn remove_passkey(
    api: &Api,
    request: Request<v1::RemovePasskeyRequest>,
) -> Result<v1::RemovePasskeyResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let user_id = identity.user_id;
    let context = convert::person_context(&request, &identity);
    let id = convert::id(&request.get_ref().id);
    let (mut tx, _) = begin(api, &identity).await?;
    let removed = match id {
        Some(id) => passkeys::delete(&mut tx, user_id, id).await?,
        None => None,
    };
    let Some((id, name)) = id.zip(removed) else {
        return Err(unknown_object(tx, &context, PASSKEY, id).await);
    };
    let after = store::summary(&mut tx, user_id).await?;
    if after.is_on() {
        let event = SecurityEventKind::PasskeyRemoved;
        security_events::record(&mut tx, user_id, event, &context).await?;
    } else {
        if after.required {
            return Err(not_removable());
        }
        turned_off(&mut tx, &identity, &context).await?;
    }
    audit::done(&mut tx, &context, Event::PasskeyRemoved, id, &name).await?;
    tx.commit().await?;
    Ok(v1::RemovePasskeyResponse {})
}

fn not_removable() -> ServiceError {
    ServiceError::conflict(refusals::SECOND_FACTOR_NOT_REMOVABLE)
}

async fn turned_off(
    tx: &mut TenantTx,
    identity: &Identity,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let user_id = identity.user_id;
    store::delete_all(tx, user_id).await?;
    let name = &identity.display_name;
    audit::done(tx, context, Event::SecondFactorOff, user_id, name).await?;
    let event = SecurityEventKind::SecondFactorOff;
    security_events::record(tx, user_id, event, context).await?;
    notices::add(tx, user_id, notices::Kind::SecondFactorOff).await
}

pub(super) async fn replace_recovery_codes(
    api: &Api,
    request: Request<v1::ReplaceRecoveryCodesRequest>,
) -> Result<v1::ReplaceRecoveryCodesResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let user_id = identity.user_id;
    let (mut tx, _) = begin(api, &identity).await?;
    if !store::summary(&mut tx, user_id).await?.is_on() {
        return Err(ServiceError::conflict(refusals::SECOND_FACTOR_OFF));
    }
    let recovery_codes = new_codes(api, &mut tx, user_id, api.clock.now()).await?;
    let context = convert::person_context(&request, &identity);
    let (event, name) = (Event::RecoveryCodesReplaced, &identity.display_name);
    audit::done(&mut tx, &context, event, user_id, name).await?;
    let event = SecurityEventKind::RecoveryCodesReplaced;
    security_events::record(&mut tx, user_id, event, &context).await?;
    tx.commit().await?;
    Ok(v1::ReplaceRecoveryCodesResponse { recovery_codes })
}

pub(super) async fn turn_off_second_factor(
    api: &Api,
    request: Request<v1::TurnOffSecondFactorRequest>,
) -> Result<v1::TurnOffSecondFactorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (mut tx, _) = begin(api, &identity).await?;
    let summary = store::summary(&mut tx, identity.user_id).await?;
    if summary.required {
        return Err(not_removable());
    }
    if summary.is_on() {
        let context = convert::person_context(&request, &identity);
        turned_off(&mut tx, &identity, &context).await?;
    }
    tx.commit().await?;
    Ok(v1::TurnOffSecondFactorResponse {})
}

pub(super) async fn set_second_factor_required(
    api: &Api,
    request: Request<v1::SetSecondFactorRequiredRequest>,
) -> Result<v1::SetSecondFactorRequiredResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let offered = party(&request).is_some();
    let (tenant, user_id) = (identity.tenant(), identity.user_id);
    let required = request.get_ref().required;
    let mut tx = api.database.tenant(tenant).await?;
    if store::set_required(&mut tx, required, api.clock.now()).await? {
        people::lock(&mut tx, user_id).await?;
        let person = people::caller(&mut tx, user_id).await?;
        if required && !store::summary(&mut tx, user_id).await?.is_on() {
            return Err(ServiceError::conflict(refusals::SECOND_FACTOR_OWN_MISSING));
        }
        let context = AuditContext::from_identity(&identity);
        let (company, name) = (tenant.company_id(), &person.company_name);
        let entry = AuditEntry::success(Event::SecondFactorRequired).target(company, name);
        let entry = entry.detail(if required { "on" } else { "off" });
        audit::record(&mut tx, &context, &entry).await?;
    }
    let second_factor = Some(shown(&mut tx, user_id, offered).await?);
    tx.commit().await?;
    Ok(v1::SetSecondFactorRequiredResponse { second_factor })
}

pub(super) async fn reset_second_factor(
    api: &Api,
    request: Request<v1::ResetSecondFactorRequest>,
) -> Result<v1::ResetSecondFactorResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(&identity));
    let tx = api.database.tenant(tenant).await?;
    let (mut tx, person) = find_person(tx, &context, &request.get_ref().user_id).await?;
    if role(&person.role) != Role::Manager {
        return Err(unknown_object(tx, &context, PERSON, Some(person.id)).await);
    }
    reset_by_other(&mut tx, &person, &context).await?;
    tx.commit().await?;
    Ok(v1::ResetSecondFactorResponse {})
}

/// Resets the second factor of another person and ends that person's sessions.
pub(crate) async fn reset_by_other(
    tx: &mut TenantTx,
    person: &Person,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    people::lock(tx, person.id).await?;
    store::delete_all(tx, person.id).await?;
    sessions::end_all(tx, person.id, None).await?;
    notices::add(tx, person.id, notices::Kind::SecondFactorReset).await?;
    let event = Event::SecondFactorReset;
    audit::done(tx, context, event, person.id, &person.name()).await?;
    let event = SecurityEventKind::SecondFactorReset;
    security_events::record(tx, person.id, event, context).await
}
