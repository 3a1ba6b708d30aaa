//! Sessions of support staff, who sign in with e-mail, password and a one-time code.

use hourmeter_proto::accounts::v1::{
    ChangePasswordResponse, ReauthenticateResponse, ResolveSessionResponse, Role, Scope,
    SessionGrant, SignInRequest, SignInResponse, User,
};
use hourmeter_runtime::audit::{AuditContext, AuditEntry, AuditOutcome, NO_COMPANY, record};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::message::Reason;
use sqlx::PgConnection;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Api, convert, new_password, sealed, staff_enrolment};
use crate::domain::token::Token;
use crate::domain::totp::TotpSecret;
use crate::domain::{Problems, password};
use crate::passwords::{Hashed, Verdict};
use crate::refusals;
use crate::store::staff::{self, Staff};
use crate::store::{attempts, people, staff_sessions};

/// A name under attack stays so for a day.
const A_DAY: u64 = 24 * 60 * 60;

/// Signs a member of staff in whose e-mail was given; `refused` is the text of every wrong
/// combination at that login.
pub(super) async fn sign_in(
    api: &Api,
    staff: &Staff,
    message: &SignInRequest,
    typed: Zeroizing<String>,
    trail: &AuditContext,
    refused: Reason,
) -> Result<SignInResponse, ServiceError> {
    let trail = trail.with_actor(staff.id, &staff.name, Scope::Staff);
    if message.known_addresses_only {
        check_address(api, staff, &trail).await?;
    }
    let refuse = |detail| refuse(api, "sign_in", detail, &trail, refused);
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
    let Some(step) = step_of(api, staff, &message.totp, &trail).await? else {
        return Err(refuse("totp_wrong").await);
    };

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    if !staff::hold(&mut tx, staff).await? {
        drop(tx);
        return Err(refuse("").await);
    }
    // Two who use one code at once: the second finds it used.
    if !staff::use_step(&mut tx, staff.id, step).await? {
        drop(tx);
        return Err(refuse("totp_wrong").await);
    }
    if let Some(rehashed) = &rehashed {
        staff::rehash(&mut tx, staff.id, rehashed).await?;
    }
    let token = begin(&mut tx, staff, &message.previous_token, &trail).await?;
    tx.commit().await?;
    Ok(SignInResponse {
        session: Some(grant(staff, &token)),
    })
}

/// While the name is under attack, only addresses that signed in before may try. The same queries
/// as for every other name.
async fn check_address(api: &Api, staff: &Staff, trail: &AuditContext) -> Result<(), ServiceError> {
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    attempts::operator_login_blocked(&mut tx, NO_COMPANY, false).await?;
    let is_known = staff::signed_in_from(&mut tx, staff.id, &trail.address_prefix).await?;
    tx.commit().await?;
    if is_known {
        return Ok(());
    }
    note(api, "sign_in", AuditOutcome::Limited, "", trail).await?;
    Err(ServiceError::too_many(A_DAY))
}

/// Whether it is the password; and if it was hashed in an old way, the same hashed anew.
async fn check(
    api: &Api,
    staff: &Staff,
    typed: Zeroizing<String>,
) -> Result<Option<Option<Hashed>>, ServiceError> {
    let stored = Some(staff.password.clone());
    let [verdict] = api.passwords.check(typed.clone(), [stored]).await?;
    Ok(match verdict {
        Verdict::Wrong => None,
        Verdict::Right => Some(None),
        Verdict::RightButOld => Some(Some(api.passwords.hash(typed).await?)),
    })
}

/// The step a code belongs to, if it is right and not used.
async fn step_of(
    api: &Api,
    staff: &Staff,
    code: &str,
    trail: &AuditContext,
) -> Result<Option<i64>, ServiceError> {
    let opened = api.keyring.open_totp(staff.id, &staff.totp);
    let text = match opened {
        Ok(text) => text,
        Err(error) => return Err(sealed::failed(api, NO_COMPANY, trail, "totp", error).await),
    };
    let secret = TotpSecret::parse(&text);
    let secret = secret.ok_or_else(|| ServiceError::internal("a sealed secret is none"))?;
    let now = api.clock.now().timestamp();
    Ok(secret.step_of(code, now, staff.totp_last_step))
}

/// Begins a session in place of the one the browser had. The person's row must be held.
pub(super) async fn begin(
    tx: &mut PgConnection,
    staff: &Staff,
    previous_token: &str,
    trail: &AuditContext,
) -> Result<Token, ServiceError> {
    if let Some(previous) = Token::parse(previous_token) {
        crate::store::sessions::end(tx, &previous, "session_replaced", trail).await?;
        staff_sessions::end(tx, &previous, "session_replaced", trail).await?;
    }
    for expired in staff_sessions::sweep(tx, staff.id).await? {
        let line = AuditEntry::success("session_expired").target(expired, "");
        record(tx, NO_COMPANY, trail, &line).await?;
    }
    for ended in staff_sessions::make_room(tx, staff.id).await? {
        let line = AuditEntry::success("session_crowded_out").target(ended, "");
        record(tx, NO_COMPANY, trail, &line).await?;
    }
    let token = Token::random()?;
    let id = staff_sessions::insert(tx, staff.id, &token, &trail.address_prefix).await?;
    let line = AuditEntry::success("sign_in")
        .target(id, "")
        .detail("email");
    record(tx, NO_COMPANY, trail, &line).await?;
    Ok(token)
}

/// Confirms the password of a running session of staff, if the token is of one.
pub(super) async fn reauthenticate(
    api: &Api,
    token: &Token,
    typed: Zeroizing<String>,
    trail: &AuditContext,
) -> Result<ReauthenticateResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff_sessions::find(&mut lookup, token).await?;
    drop(lookup);
    let (session_id, staff) = found.ok_or_else(ServiceError::unauthenticated)?;
    let trail = trail.with_actor(staff.id, &staff.name, Scope::Staff);
    let refuse = || async {
        let failure = refuse(
            api,
            "reauthentication",
            "",
            &trail,
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
    if !staff::hold(&mut tx, &staff).await? {
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
    let line = AuditEntry::success("reauthentication").target(session_id, "");
    record(&mut tx, NO_COMPANY, &trail, &line).await?;
    tx.commit().await?;
    Ok(ReauthenticateResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

const CURRENT: &str = "currentPassword";

/// Changes the password of a running session of staff, if the token is of one.
pub(super) async fn change_password(
    api: &Api,
    token: &Token,
    current: &str,
    new: &str,
    trail: &AuditContext,
) -> Result<ChangePasswordResponse, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let found = staff_sessions::find(&mut lookup, token).await?;
    drop(lookup);
    let (session_id, staff) = found.ok_or_else(ServiceError::unauthenticated)?;
    let trail = trail.with_actor(staff.id, &staff.name, Scope::Staff);
    let mut problems = Problems::default();
    if current.is_empty() {
        problems.note(CURRENT, refusals::CURRENT_PASSWORD_MISSING);
    }
    let form = staff_enrolment::read_password(&staff, new);
    let form = problems.take(new_password::FIELD, form);
    problems.finish()?;
    let refuse = || async {
        let (event, outcome) = ("password_changed", AuditOutcome::Failed);
        match note(api, event, outcome, "wrong_password", &trail).await {
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
    if !staff::hold(&mut tx, &staff).await? {
        drop(tx);
        return Err(refuse().await);
    }
    staff::set_password(&mut tx, staff.id, &hashed).await?;
    staff_sessions::end_others(&mut tx, staff.id, session_id).await?;
    let new_token = Token::random()?;
    if !staff_sessions::confirm(&mut tx, session_id, token, &new_token).await? {
        return Err(ServiceError::unauthenticated());
    }
    let line = AuditEntry::success("password_changed").target(staff.id, &staff.name);
    record(&mut tx, NO_COMPANY, &trail, &line).await?;
    tx.commit().await?;
    Ok(ChangePasswordResponse {
        session: Some(grant(&staff, &new_token)),
    })
}

/// Who a running session of staff belongs to.
pub(super) async fn resolve(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<ResolveSessionResponse, ServiceError> {
    resolved(staff_sessions::resolve(connection, token).await?)
}

/// The same, and it does not count as use.
pub(super) async fn peek(
    connection: &mut PgConnection,
    token: &Token,
) -> Result<ResolveSessionResponse, ServiceError> {
    resolved(staff_sessions::peek(connection, token).await?)
}

fn resolved(
    found: Option<staff_sessions::Resolved>,
) -> Result<ResolveSessionResponse, ServiceError> {
    let found = found.ok_or_else(ServiceError::unauthenticated)?;
    Ok(ResolveSessionResponse {
        session_id: found.session_id.to_string(),
        user_id: found.staff_id.to_string(),
        role: Role::Support.into(),
        scope: Scope::Staff.into(),
        authenticated_at: Some(convert::timestamp(found.auth_time)),
        display_name: found.name,
        ..ResolveSessionResponse::default()
    })
}

/// A member of staff, as that person may see it.
pub(super) fn user(staff: &Staff) -> User {
    User {
        id: staff.id.to_string(),
        first_name: staff.name.clone(),
        email: Some(staff.email.clone()),
        role: Role::Support.into(),
        scope: Scope::Staff.into(),
        created_at: Some(convert::timestamp(staff.created_at)),
        updated_at: Some(convert::timestamp(staff.updated_at)),
        ..User::default()
    }
}

pub(super) fn grant(staff: &Staff, token: &Token) -> SessionGrant {
    SessionGrant {
        token: token.to_text(),
        user: Some(user(staff)),
        remember_me: false,
    }
}

/// Notes in the platform's log that somebody did not get in, and answers it.
async fn refuse(
    api: &Api,
    event: &'static str,
    detail: &'static str,
    trail: &AuditContext,
    message: Reason,
) -> ServiceError {
    match note(api, event, AuditOutcome::Failed, detail, trail).await {
        Ok(()) => ServiceError::new(Kind::Unauthenticated, message),
        Err(failure) => failure,
    }
}

async fn note(
    api: &Api,
    event: &'static str,
    outcome: AuditOutcome,
    detail: &'static str,
    trail: &AuditContext,
) -> Result<(), ServiceError> {
    let line = AuditEntry {
        target_id: trail.actor_id,
        outcome,
        ..AuditEntry::success(event).detail(detail)
    };
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    // Finds nobody, like for a name that nobody has: a refusal costs the same for every name.
    people::find(&mut tx, NO_COMPANY, Uuid::nil()).await?;
    record(&mut tx, NO_COMPANY, trail, &line).await?;
    tx.commit().await
}
