//! What happened to accounts; append-only.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::{Identity, Tenant};
use sqlx::PgConnection;
use uuid::Uuid;

use super::scope_name;

/// Stands in where no company is known, so that the work is the same.
pub const NO_COMPANY: Tenant = Tenant::found_by_lookup(Uuid::nil());

/// Who did something, and from where.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The request, as in the logs.
    pub request_id: Uuid,
    /// Where it came from; empty: not known.
    pub address_prefix: String,
    /// The person, where known.
    pub actor_id: Option<Uuid>,
    /// Scope of the session.
    pub scope: Scope,
}

impl Trail {
    /// The trail of a call with a session.
    pub fn of(identity: &Identity) -> Self {
        Self {
            request_id: identity.request_id,
            address_prefix: String::new(),
            actor_id: Some(identity.user_id),
            scope: identity.scope,
        }
    }

    /// The same once it is known who it is.
    #[must_use]
    pub fn by(&self, actor_id: Uuid, scope: Scope) -> Self {
        Self {
            actor_id: Some(actor_id),
            scope,
            ..self.clone()
        }
    }
}

/// What happened; stable words.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A company was made.
    SignedUp,
    /// Somebody signed in.
    SignedIn,
    /// Somebody did not get in.
    SignInFailed,
    /// The password of a session was confirmed.
    Reauthenticated,
    /// It was not.
    ReauthenticationFailed,
    /// A session was ended to make room for another.
    SessionCrowdedOut,
    /// A session was found to have expired.
    SessionExpired,
    /// Security questions were stored.
    QuestionsSet,
    /// An operator was added.
    OperatorAdded,
    /// An operator got other names.
    OperatorChanged,
    /// An operator was removed.
    OperatorRemoved,
    /// The operator password was set.
    OperatorPasswordSet,
    /// Somebody tried an owner's or manager's password as operator password.
    OperatorPasswordRefused,
    /// Somebody got another password by somebody else.
    PasswordReset,
    /// It was refused.
    PasswordResetRefused,
    /// The company got another name.
    CompanyRenamed,
    /// Time zone or automatic applying was changed.
    SettingsChanged,
    /// An id was tried that is not there.
    UnknownObject,
}

impl Event {
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::SignedUp => ("sign_up", "success"),
            Self::SignedIn => ("sign_in", "success"),
            Self::SignInFailed => ("sign_in", "failed"),
            Self::Reauthenticated => ("reauthentication", "success"),
            Self::ReauthenticationFailed => ("reauthentication", "failed"),
            Self::SessionCrowdedOut => ("session_crowded_out", "success"),
            Self::SessionExpired => ("session_expired", "success"),
            Self::QuestionsSet => ("security_questions_set", "success"),
            Self::OperatorAdded => ("operator_added", "success"),
            Self::OperatorChanged => ("operator_changed", "success"),
            Self::OperatorRemoved => ("operator_removed", "success"),
            Self::OperatorPasswordSet => ("operator_password_set", "success"),
            Self::OperatorPasswordRefused => ("operator_password_set", "failed"),
            Self::PasswordReset => ("password_reset", "success"),
            Self::PasswordResetRefused => ("password_reset", "failed"),
            Self::CompanyRenamed => ("company_renamed", "success"),
            Self::SettingsChanged => ("settings_changed", "success"),
            Self::UnknownObject => ("unknown_object", "failed"),
        }
    }
}

/// Writes an event down, in the transaction of what happened.
pub async fn record(
    connection: &mut PgConnection,
    tenant: Tenant,
    trail: &Trail,
    event: Event,
    target_id: Option<Uuid>,
    detail: &'static str,
) -> Result<(), Failure> {
    let (event, outcome) = event.words();
    sqlx::query(
        "INSERT INTO audit_events (
            company_id,
            id,
            event,
            outcome,
            actor_id,
            scope,
            address_prefix,
            request_id,
            target_id,
            detail
        ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(tenant.company_id())
    .bind(Uuid::now_v7())
    .bind(event)
    .bind(outcome)
    .bind(trail.actor_id)
    .bind(scope_name(trail.scope))
    .bind(&trail.address_prefix)
    .bind(trail.request_id)
    .bind(target_id)
    .bind(detail)
    .execute(connection)
    .await?;
    Ok(())
}
