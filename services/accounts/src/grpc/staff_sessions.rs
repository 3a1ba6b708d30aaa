//! Sessions of support staff, who sign in with e-mail, password and TOTP code.

use hourmeter_proto::accounts::v1::{self, Role, Scope};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::{Kind, ServiceError};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::known_addresses::A_DAY;
use super::{Api, new_password, sealed};
use crate::domain::password;
use crate::domain::token::Token;
use crate::domain::totp::TotpSecret;
use crate::refusals;
use crate::secrets::{Sealed, Subject};
use crate::store::audit::{self, AuditContext, AuditEntry, Event, NO_COMPANY, limited};
use crate::store::staff::{self, Staff};
use crate::store::{attempts, people, sessions, staff_sessions};

pub(super) async fn sign_in(
    api: &Api,
    staff: &Staff,
    message: &v1::SignInRequest,
    typed: Zeroizing<String>,
    context: &AuditContext,
) -> Result<v1::SignInResponse, ServiceError> {
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    if message.known_addresses_only {
        check_address(api, staff, &context).await?;
    }
    let refuse = |detail, text| {
        let error = ServiceError::new(Kind::Unauthenticated, text);
        let entry = AuditEntry::failed(Event::SignIn).detail(detail);
        refuse_attempt(api, entry, &context, error)
    };
    let wrong = refusals::SIGN_IN_REFUSED;
    let stored = Some(staff.password.clone());
    let Some(rehashed) = api.passwords.verify(typed, stored).await? else {
        return Err(refuse("", wrong).await);
    };
    if message.totp.trim().is_empty() {
        return Err(refuse("totp_required", refusals::TOTP_REQUIRED).await);
    }
    let Some(step) = step_of(api, staff, &message.totp, &context).await? else {
        return Err(refuse("totp_wrong", wrong).await);
    };

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::lock(&mut tx, staff).await? {
        drop(tx);
        return Err(refuse("", wrong).await);
    }
    // Of two concurrent sign-ins with one code, the second finds it used.
    if !staff::use_step(&mut tx, staff.id, step).await? {
        drop(tx);
        return Err(refuse("totp_wrong", wrong).await);
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
    let error = ServiceError::too_many(A_DAY);
    Err(refuse_attempt(api, limited(Event::SignIn), context, error).await)
}

/// The step of a valid, unused code.
async fn step_of(
    api: &Api,
    staff: &Staff,
    code: &str,
    context: &AuditContext,
) -> Result<Option<i64>, ServiceError> {
    let secret = open_totp(api, staff.id, &staff.totp, context).await?;
    let now = api.clock.now().timestamp();
    Ok(secret.step_of(code, now, staff.totp_last_step))
}

/// Decrypts a TOTP secret; records a copy that can't be decrypted.
pub(super) async fn open_totp(
    api: &Api,
    staff_id: Uuid,
    totp: &Sealed,
    context: &AuditContext,
) -> Result<TotpSecret, ServiceError> {
    let text = match api.keyring.open(Subject::StaffTotp(staff_id), totp) {
        Ok(text) => text,
        Err(error) => return Err(sealed::failed(api, NO_COMPANY, context, "totp", error).await),
    };
    TotpSecret::parse(&text)
        .ok_or_else(|| ServiceError::internal("the decrypted TOTP secret is not valid"))
}

/// Starts a session and ends the previous one of the browser. The person's row must be locked.
pub(super) async fn start(
    tx: &mut TenantTx,
    staff: &Staff,
    previous_token: &str,
    context: &AuditContext,
) -> Result<Token, ServiceError> {
    if let Some(previous) = Token::parse(previous_token) {
        sessions::end(tx, &previous, Event::SessionReplaced, context).await?;
    }
    for expired in staff_sessions::delete_ended(tx, staff.id).await? {
        audit::done(tx, context, Event::SessionExpired, expired, "").await?;
    }
    for ended in staff_sessions::evict_oldest(tx, staff.id).await? {
        audit::done(tx, context, Event::SessionCrowdedOut, ended, "").await?;
    }
    let token = Token::random()?;
    let id = staff_sessions::insert(tx, staff.id, &token, &context.address_prefix).await?;
    let entry = AuditEntry::success(Event::SignIn).target(id, "");
    audit::record(tx, context, &entry.detail("email")).await?;
    Ok(token)
}

/// The session of a token, its person, and the audit context; fails if the token is not one of staff.
async fn find(
    api: &Api,
    token: &Token,
    context: &AuditContext,
) -> Result<(Uuid, Staff, AuditContext), ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff_sessions::find(&mut lookup, token).await?;
    let (session_id, staff) = found.ok_or_else(ServiceError::unauthenticated)?;
    let context = context.with_actor(staff.id, &staff.name, Scope::Staff);
    Ok((session_id, staff, context))
}

/// Reauthenticates a staff session; fails if the token is not one of staff.
pub(super) async fn reauthenticate(
    api: &Api,
    token: &Token,
    typed: Zeroizing<String>,
    context: &AuditContext,
) -> Result<v1::ReauthenticateResponse, ServiceError> {
    let (session_id, staff, context) = find(api, token, context).await?;
    let refuse = || {
        let wrong = ServiceError::new(Kind::Unauthenticated, refusals::WRONG_PASSWORD);
        let entry = AuditEntry::failed(Event::Reauthentication);
        refuse_attempt(api, entry, &context, wrong)
    };
    let stored = Some(staff.password.clone());
    let Some(rehashed) = api.passwords.verify(typed, stored).await? else {
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
    audit::done(&mut tx, &context, Event::Reauthentication, session_id, "").await?;
    tx.commit().await?;
    Ok(v1::ReauthenticateResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

/// Changes the password of staff; fails if the token is not one of staff.
pub(super) async fn change_password(
    api: &Api,
    token: &Token,
    current: &str,
    new: &str,
    context: &AuditContext,
) -> Result<v1::ChangePasswordResponse, ServiceError> {
    let (session_id, staff, context) = find(api, token, context).await?;
    let form = new_password::read_change(current, new_password::read_staff(&staff, new))?;
    let refuse = || {
        let entry = AuditEntry::failed(Event::PasswordChanged).detail("wrong_password");
        refuse_attempt(api, entry, &context, new_password::wrong_current())
    };
    let stored = Some(staff.password.clone());
    let [verdict] = api
        .passwords
        .check(password::typed(current), [stored])
        .await?;
    if !verdict.is_right() {
        return Err(refuse().await);
    }
    let hashed = api.passwords.hash(form).await?;
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::lock(&mut tx, &staff).await? {
        drop(tx);
        return Err(refuse().await);
    }
    staff::set_password(&mut tx, staff.id, &hashed).await?;
    staff_sessions::end_all(&mut tx, staff.id, Some(session_id)).await?;
    let new_token = Token::random()?;
    if !staff_sessions::confirm(&mut tx, session_id, token, &new_token).await? {
        return Err(ServiceError::unauthenticated());
    }
    audit::done(
        &mut tx,
        &context,
        Event::PasswordChanged,
        staff.id,
        &staff.name,
    )
    .await?;
    tx.commit().await?;
    Ok(v1::ChangePasswordResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

impl From<staff_sessions::Resolved> for v1::ResolveSessionResponse {
    fn from(found: staff_sessions::Resolved) -> Self {
        Self {
            session_id: found.session_id.to_string(),
            user_id: found.staff_id.to_string(),
            role: Role::Support.into(),
            scope: Scope::Staff.into(),
            authenticated_at: Some(timestamp(found.auth_time)),
            display_name: found.name,
            ..Self::default()
        }
    }
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

/// Records a refused attempt in the platform's log and returns its error.
async fn refuse_attempt(
    api: &Api,
    entry: AuditEntry<'_>,
    context: &AuditContext,
    error: ServiceError,
) -> ServiceError {
    let recorded = async {
        let mut tx = api.database.tenant(NO_COMPANY).await?;
        // Finds no person, as for unknown names, so that a rejection costs the same.
        people::find(&mut tx, NO_COMPANY, Uuid::nil()).await?;
        let entry = AuditEntry {
            target_id: context.actor_id,
            ..entry
        };
        audit::record(&mut tx, context, &entry).await?;
        tx.commit().await
    };
    recorded.await.err().unwrap_or(error)
}
