//! Sessions of support staff, who sign in with e-mail, password and TOTP code.

use hourmeter_proto::accounts::v1::{self, Role, Scope};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, AuditOutcome, NO_COMPANY, record};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Reason;
use sqlx::PgConnection;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Api, new_password, sealed};
use crate::domain::token::Token;
use crate::domain::totp::TotpSecret;
use crate::domain::{FieldErrors, password};
use crate::passwords::{Hashed, PasswordCheck};
use crate::refusals;
use crate::store::staff::{self, Staff};
use crate::store::{attempts, people, staff_sessions};

const A_DAY: u64 = 24 * 60 * 60;

/// Signs a member of staff in; `refused` is the message of every wrong combination at that login.
pub(super) async fn sign_in(
    api: &Api,
    staff: &Staff,
    message: &v1::SignInRequest,
    typed: Zeroizing<String>,
    context: &AuditContext,
    refused: Reason,
) -> Result<v1::SignInResponse, ServiceError> {
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    if message.known_addresses_only {
        check_address(api, staff, &context).await?;
    }
    let refuse = |detail| refuse(api, AuditEventType::SignIn, detail, &context, refused);
    let Some(rehashed) = check(api, staff, typed).await? else {
        return Err(refuse("").await);
    };
    if message.totp.trim().is_empty() {
        let failure = refuse("totp_required").await;
        return Err(match failure.kind {
            Kind::Unauthenticated => {
                ServiceError::new(Kind::Unauthenticated, refusals::TOTP_REQUIRED)
            }
            _ => failure,
        });
    }
    let Some(step) = step_of(api, staff, &message.totp, &context).await? else {
        return Err(refuse("totp_wrong").await);
    };

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::lock(&mut tx, staff).await? {
        drop(tx);
        return Err(refuse("").await);
    }
    // Of two concurrent sign-ins with one code, the second finds it used.
    if !staff::use_step(&mut tx, staff.id, step).await? {
        drop(tx);
        return Err(refuse("totp_wrong").await);
    }
    if let Some(rehashed) = &rehashed {
        staff::rehash(&mut tx, staff.id, rehashed).await?;
    }
    let token = start(&mut tx, staff, &message.previous_token, &context).await?;
    tx.commit().await?;
    Ok(v1::SignInResponse {
        session: Some(grant(staff, &token)),
    })
}

/// While the name is under attack, only known addresses may try. Runs the same queries as for other
/// names.
async fn check_address(
    api: &Api,
    staff: &Staff,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    attempts::operator_login_blocked(&mut tx, false).await?;
    let is_known = staff::signed_in_from(&mut tx, staff.id, &context.address_prefix).await?;
    tx.commit().await?;
    if is_known {
        return Ok(());
    }
    record_attempt(
        api,
        AuditEventType::SignIn,
        AuditOutcome::Limited,
        "",
        context,
    )
    .await?;
    Err(ServiceError::too_many(A_DAY))
}

/// Verifies the password; returns a new hash if the stored one is outdated.
async fn check(
    api: &Api,
    staff: &Staff,
    typed: Zeroizing<String>,
) -> Result<Option<Option<Hashed>>, ServiceError> {
    let stored = Some(staff.password.clone());
    let [verdict] = api.passwords.check(typed.clone(), [stored]).await?;
    Ok(match verdict {
        PasswordCheck::Wrong => None,
        PasswordCheck::Right => Some(None),
        PasswordCheck::RightButOutdated => Some(Some(api.passwords.hash(typed).await?)),
    })
}

/// The step of a valid, unused code.
async fn step_of(
    api: &Api,
    staff: &Staff,
    code: &str,
    context: &AuditContext,
) -> Result<Option<i64>, ServiceError> {
    let opened = api.keyring.open_totp(staff.id, &staff.totp);
    let text = match opened {
        Ok(text) => text,
        Err(error) => return Err(sealed::failed(api, NO_COMPANY, context, "totp", error).await),
    };
    let secret = TotpSecret::parse(&text);
    let secret =
        secret.ok_or_else(|| ServiceError::internal("the decrypted TOTP secret is not valid"))?;
    let now = api.clock.now().timestamp();
    Ok(secret.step_of(code, now, staff.totp_last_step))
}

/// Starts a session and ends the previous one of the browser. The person's row must be locked.
pub(super) async fn start(
    tx: &mut PgConnection,
    staff: &Staff,
    previous_token: &str,
    context: &AuditContext,
) -> Result<Token, ServiceError> {
    if let Some(previous) = Token::parse(previous_token) {
        crate::store::sessions::end(tx, &previous, AuditEventType::SessionReplaced, context)
            .await?;
        staff_sessions::end(tx, &previous, AuditEventType::SessionReplaced, context).await?;
    }
    for expired in staff_sessions::delete_ended(tx, staff.id).await? {
        let entry = AuditEntry::success(AuditEventType::SessionExpired).target(expired, "");
        record(tx, NO_COMPANY, context, &entry).await?;
    }
    for ended in staff_sessions::evict_oldest(tx, staff.id).await? {
        let entry = AuditEntry::success(AuditEventType::SessionCrowdedOut).target(ended, "");
        record(tx, NO_COMPANY, context, &entry).await?;
    }
    let token = Token::random()?;
    let id = staff_sessions::insert(tx, staff.id, &token, &context.address_prefix).await?;
    let entry = AuditEntry::success(AuditEventType::SignIn)
        .target(id, "")
        .detail("email");
    record(tx, NO_COMPANY, context, &entry).await?;
    Ok(token)
}

/// Reauthenticates a staff session; fails if the token is not one of staff.
pub(super) async fn reauthenticate(
    api: &Api,
    token: &Token,
    typed: Zeroizing<String>,
    context: &AuditContext,
) -> Result<v1::ReauthenticateResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff_sessions::find(&mut lookup, token).await?;
    drop(lookup);
    let (session_id, staff) = found.ok_or_else(ServiceError::unauthenticated)?;
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    let refuse = || async {
        let failure = refuse(
            api,
            AuditEventType::Reauthentication,
            "",
            &context,
            refusals::WRONG_PASSWORD,
        )
        .await;
        match failure.kind {
            Kind::Unauthenticated => failure.with_reason("WRONG_PASSWORD"),
            _ => failure,
        }
    };
    let Some(rehashed) = check(api, &staff, typed).await? else {
        return Err(refuse().await);
    };
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::lock(&mut tx, &staff).await? {
        drop(tx);
        return Err(refuse().await);
    }
    if let Some(rehashed) = &rehashed {
        staff::rehash(&mut tx, staff.id, rehashed).await?;
    }
    let new_token = Token::random()?;
    if !staff_sessions::confirm(&mut tx, session_id, token, &new_token).await? {
        return Err(ServiceError::unauthenticated());
    }
    let entry = AuditEntry::success(AuditEventType::Reauthentication).target(session_id, "");
    record(&mut tx, NO_COMPANY, &context, &entry).await?;
    tx.commit().await?;
    Ok(v1::ReauthenticateResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

const CURRENT: &str = "currentPassword";

/// Changes the password of staff; fails if the token is not one of staff.
pub(super) async fn change_password(
    api: &Api,
    token: &Token,
    current: &str,
    new: &str,
    context: &AuditContext,
) -> Result<v1::ChangePasswordResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff_sessions::find(&mut lookup, token).await?;
    drop(lookup);
    let (session_id, staff) = found.ok_or_else(ServiceError::unauthenticated)?;
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    let mut errors = FieldErrors::default();
    if current.is_empty() {
        errors.add(CURRENT, refusals::CURRENT_PASSWORD_MISSING);
    }
    let form = new_password::read_staff(&staff, new);
    let form = errors.take(new_password::FIELD, form);
    errors.finish()?;
    let refuse = || async {
        let (event, outcome) = (AuditEventType::PasswordChanged, AuditOutcome::Failed);
        match record_attempt(api, event, outcome, "wrong_password", &context).await {
            Ok(()) => ServiceError::field(CURRENT, refusals::CURRENT_PASSWORD_WRONG)
                .with_reason("WRONG_PASSWORD"),
            Err(failure) => failure,
        }
    };
    if check(api, &staff, password::typed(current))
        .await?
        .is_none()
    {
        return Err(refuse().await);
    }
    let hashed = api.passwords.hash(form).await?;
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::lock(&mut tx, &staff).await? {
        drop(tx);
        return Err(refuse().await);
    }
    staff::set_password(&mut tx, staff.id, &hashed).await?;
    staff_sessions::end_others(&mut tx, staff.id, session_id).await?;
    let new_token = Token::random()?;
    if !staff_sessions::confirm(&mut tx, session_id, token, &new_token).await? {
        return Err(ServiceError::unauthenticated());
    }
    let entry = AuditEntry::success(AuditEventType::PasswordChanged).target(staff.id, &staff.name);
    record(&mut tx, NO_COMPANY, &context, &entry).await?;
    tx.commit().await?;
    Ok(v1::ChangePasswordResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

/// Resolves a staff session.
pub(super) async fn resolve(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<v1::ResolveSessionResponse, ServiceError> {
    resolved(staff_sessions::resolve(connection, token).await?)
}

/// Resolves a staff session without recording use.
pub(super) async fn peek(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<v1::ResolveSessionResponse, ServiceError> {
    resolved(staff_sessions::peek(connection, token).await?)
}

fn resolved(
    found: Option<staff_sessions::Resolved>,
) -> Result<v1::ResolveSessionResponse, ServiceError> {
    let found = found.ok_or_else(ServiceError::unauthenticated)?;
    Ok(v1::ResolveSessionResponse {
        session_id: found.session_id.to_string(),
        user_id: found.staff_id.to_string(),
        role: Role::Support.into(),
        scope: Scope::Staff.into(),
        authenticated_at: Some(timestamp(found.auth_time)),
        display_name: found.name,
        ..v1::ResolveSessionResponse::default()
    })
}

pub(super) fn user(staff: &Staff) -> v1::User {
    v1::User {
        id: staff.id.to_string(),
        first_name: staff.name.clone(),
        email: Some(staff.email.clone()),
        role: Role::Support.into(),
        scope: Scope::Staff.into(),
        created_at: Some(timestamp(staff.created_at)),
        updated_at: Some(timestamp(staff.updated_at)),
        ..v1::User::default()
    }
}

pub(super) fn grant(staff: &Staff, token: &Token) -> v1::SessionGrant {
    v1::SessionGrant {
        token: token.to_text(),
        user: Some(user(staff)),
        remember_me: false,
    }
}

/// Records a rejected sign-in in the platform's log.
async fn refuse(
    api: &Api,
    event: AuditEventType,
    detail: &'static str,
    context: &AuditContext,
    message: Reason,
) -> ServiceError {
    match record_attempt(api, event, AuditOutcome::Failed, detail, context).await {
        Ok(()) => ServiceError::new(Kind::Unauthenticated, message),
        Err(failure) => failure,
    }
}

async fn record_attempt(
    api: &Api,
    event: AuditEventType,
    outcome: AuditOutcome,
    detail: &'static str,
    context: &AuditContext,
) -> Result<(), ServiceError> {
    let entry = AuditEntry {
        target_id: context.actor_id,
        outcome,
        ..AuditEntry::success(event).detail(detail)
    };
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    // Finds no person, as for unknown names, so that a rejection costs the same.
    people::find(&mut tx, NO_COMPANY, Uuid::nil()).await?;
    record(&mut tx, NO_COMPANY, context, &entry).await?;
    tx.commit().await
}
