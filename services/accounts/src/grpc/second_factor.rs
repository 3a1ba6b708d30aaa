//! Verifies the second factor at sign-in, after the password.

use hourmeter_proto::accounts::v1;
use hourmeter_proto::notifications::v1::SecurityEventKind;
use hourmeter_runtime::client::PUBLIC_ORIGIN;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::message::Reason;
use tonic::Request;
use uuid::Uuid;

use super::{Api, new_session, sealed};
use crate::domain::passkey::{Assertion, CHALLENGE, PasskeyError, RelyingParty, encode};
use crate::domain::recovery_code;
use crate::domain::totp::TotpSecret;
use crate::refusals;
use crate::secrets::{SealError, Subject};
use crate::store::audit::{self, AuditContext, Event};
use crate::store::notices;
use crate::store::passkeys::{self, Purpose};
use crate::store::people;
use crate::store::second_factor::{self as store, Summary};
use crate::store::security_events;
use crate::store::sign_in::Candidate;

pub(super) struct SecondFactorInput<'a> {
    pub totp: &'a str,
    pub recovery_code: &'a str,
    pub passkey: Option<&'a v1::PasskeyAssertion>,
    pub party: Option<&'a RelyingParty>,
}

enum Rejection {
    /// No second factor was entered; the fields that are possible.
    Missing(Vec<(&'static str, Reason)>),
    /// Wrong; with the audit detail.
    Wrong(&'static str),
    /// The sealed secret cannot be decrypted.
    Broken(SealError),
}

impl Rejection {
    /// Records the rejection and returns the error. An open transaction must have ended.
    async fn into_error(
        self,
        api: &Api,
        candidate: &Candidate,
        context: &AuditContext,
    ) -> ServiceError {
        let refuse =
            |detail, text| new_session::reject(api, Some(candidate), context, detail, text);
        match self {
            Self::Missing(kinds) => {
                let required = refusals::TOTP_REQUIRED;
                let text = kinds.first().map_or(required, |(_, text)| *text);
                let failure = refuse("totp_required", text).await;
                if failure.kind != Kind::Unauthenticated {
                    return failure;
                }
                let fields = kinds.into_iter();
                ServiceError {
                    fields: fields
                        .map(|(field, text)| (field.to_owned(), text.into()))
                        .collect(),
                    ..failure.with_reason(required.code)
                }
            }
            Self::Wrong(detail) => refuse(detail, refusals::TOTP_WRONG).await,
            Self::Broken(error) => {
                sealed::failed(api, candidate.tenant, context, "totp", error).await
            }
        }
    }
}

/// The relying party, from the origin that the gateway sends; None where passkeys are not supported.
pub(super) fn party<T>(request: &Request<T>) -> Option<RelyingParty> {
    let origin = request.metadata().get(PUBLIC_ORIGIN)?;
    RelyingParty::of_origin(origin.to_str().ok()?)
}

/// Verifies and consumes the second factor of a person whose row is locked, if the person has one.
/// A rejection is recorded after the transaction is committed, because codes and challenges stay
/// consumed.
pub(super) async fn check(
    api: &Api,
    mut tx: TenantTx,
    candidate: &Candidate,
    context: &AuditContext,
    input: &SecondFactorInput<'_>,
) -> Result<TenantTx, ServiceError> {
    let Some(rejection) = find_rejection(api, &mut tx, candidate, context, input).await? else {
        return Ok(tx);
    };
    tx.commit().await?;
    Err(rejection.into_error(api, candidate, context).await)
}

/// None: the second factor is right, or the person has none.
async fn find_rejection(
    api: &Api,
    tx: &mut TenantTx,
    candidate: &Candidate,
    context: &AuditContext,
    input: &SecondFactorInput<'_>,
) -> Result<Option<Rejection>, ServiceError> {
    let user_id = candidate.user_id;
    let summary = store::summary(tx, user_id).await?;
    if !summary.is_on() {
        return Ok(None);
    }
    if let Some(passkey) = input.passkey {
        return check_passkey(api, tx, user_id, passkey, input.party).await;
    }
    if !input.totp.trim().is_empty() {
        return check_code(api, tx, user_id, input.totp).await;
    }
    if !input.recovery_code.trim().is_empty() {
        return check_recovery_code(api, tx, user_id, context, input.recovery_code).await;
    }
    Ok(Some(Rejection::Missing(kinds(&summary, input.party))))
}

/// The possible fields with their messages.
fn kinds(summary: &Summary, party: Option<&RelyingParty>) -> Vec<(&'static str, Reason)> {
    let has_code = summary.authenticator_since.is_some();
    let has_passkey = summary.passkeys > 0 && party.is_some();
    let kinds = [
        (has_code, "totp", refusals::TOTP_REQUIRED),
        (has_passkey, "passkey", refusals::PASSKEY_MISSING),
        (
            summary.recovery_codes_left > 0,
            "recoveryCode",
            refusals::RECOVERY_CODE_MISSING,
        ),
    ];
    let there = kinds.into_iter().filter(|(is_there, ..)| *is_there);
    there.map(|(_, field, text)| (field, text)).collect()
}

async fn check_code(
    api: &Api,
    tx: &mut TenantTx,
    user_id: Uuid,
    code: &str,
) -> Result<Option<Rejection>, ServiceError> {
    const WRONG: Option<Rejection> = Some(Rejection::Wrong("totp_wrong"));
    let Some(found) = store::authenticator(tx, user_id, false).await? else {
        return Ok(WRONG);
    };
    let secret = match open(api, (tx.tenant(), user_id), &found) {
        Ok(secret) => secret,
        Err(error) => return Ok(Some(Rejection::Broken(error))),
    };
    let now = api.clock.now().timestamp();
    let Some(step) = secret.step_of(code, now, found.last_step) else {
        return Ok(WRONG);
    };
    let is_first = store::use_step(tx, user_id, step).await?;
    Ok(if is_first { None } else { WRONG })
}

pub(super) fn open(
    api: &Api,
    (tenant, user_id): (Tenant, Uuid),
    found: &store::Authenticator,
) -> Result<TotpSecret, SealError> {
    let subject = Subject::SecondFactor(tenant.company_id(), user_id);
    let text = api.keyring.open(subject, &found.secret)?;
    TotpSecret::parse(&text).ok_or(SealError::Broken)
}

async fn check_recovery_code(
    api: &Api,
    tx: &mut TenantTx,
    user_id: Uuid,
    context: &AuditContext,
    code: &str,
) -> Result<Option<Rejection>, ServiceError> {
    let tenant = tx.tenant();
    let message = recovery_code::message(tenant.company_id(), user_id, code);
    let hash = |pepper_id: &str| api.peppers.mac(pepper_id, message.as_bytes());
    if !store::use_code(tx, user_id, hash, api.clock.now()).await? {
        return Ok(Some(Rejection::Wrong("recovery_code_wrong")));
    }
    let person = people::find(tx, tenant, user_id).await?;
    let name = person.map_or_else(String::new, |person| person.name());
    audit::done(tx, context, Event::RecoveryCodeUsed, user_id, &name).await?;
    notices::add(tx, user_id, notices::Kind::RecoveryCodeUsed).await?;
    let event = SecurityEventKind::RecoveryCodeUsed;
    security_events::record(tx, user_id, event, context).await?;
    Ok(None)
}

async fn check_passkey(
    api: &Api,
    tx: &mut TenantTx,
    user_id: Uuid,
    passkey: &v1::PasskeyAssertion,
    party: Option<&RelyingParty>,
) -> Result<Option<Rejection>, ServiceError> {
    const WRONG: Option<Rejection> = Some(Rejection::Wrong("passkey_wrong"));
    let encoded = [
        passkey.credential_id.as_str(),
        &passkey.client_data_json,
        &passkey.authenticator_data,
        &passkey.signature,
    ];
    let assertion = Assertion::decode(encoded);
    let (Some(party), Ok(assertion)) = (party, assertion) else {
        return Ok(WRONG);
    };
    let Ok(challenge) = assertion.challenge() else {
        return Ok(WRONG);
    };
    let now = api.clock.now();
    if !passkeys::take_challenge(tx, user_id, Purpose::SignIn, &challenge, now).await? {
        return Ok(WRONG);
    }
    let found = passkeys::credential(tx, user_id, &assertion.credential_id).await?;
    let Some((id, credential)) = found else {
        return Ok(WRONG);
    };
    match assertion.verify(party, &credential) {
        Ok(sign_count) => {
            passkeys::mark_used(tx, id, sign_count, now).await?;
            Ok(None)
        }
        Err(PasskeyError::Counter) => Ok(Some(Rejection::Wrong("passkey_counter"))),
        Err(_) => Ok(WRONG),
    }
}

/// Issues a challenge to a person whose password was right.
pub(super) async fn start_passkey_sign_in(
    api: &Api,
    candidate: &Candidate,
    party: Option<RelyingParty>,
) -> Result<v1::StartPasskeySignInResponse, ServiceError> {
    let user_id = candidate.user_id;
    let mut tx = api.database.tenant(candidate.tenant).await?;
    let passkeys = passkeys::list(&mut tx, user_id).await?;
    let party = party.filter(|_| !passkeys.is_empty());
    let party = party.ok_or_else(|| ServiceError::conflict(refusals::NO_PASSKEY))?;
    let challenge = challenge()?;
    let now = api.clock.now();
    passkeys::insert_challenge(&mut tx, user_id, Purpose::SignIn, &challenge, now).await?;
    tx.commit().await?;
    Ok(v1::StartPasskeySignInResponse {
        challenge: encode(&challenge),
        rp_id: party.id,
        credential_ids: passkeys
            .iter()
            .map(|passkey| encode(&passkey.credential_id))
            .collect(),
    })
}

pub(super) fn challenge() -> Result<[u8; CHALLENGE], ServiceError> {
    let mut challenge = [0; CHALLENGE];
    getrandom::fill(&mut challenge).map_err(ServiceError::internal)?;
    Ok(challenge)
}
