//! What happened to accounts.

use hourmeter_runtime::audit::{AuditEntry, AuditOutcome, record as write};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

pub use hourmeter_runtime::audit::{AuditContext, NO_COMPANY};

/// What happened; stable words.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A company was made.
    SignedUp,
    /// Somebody signed in.
    SignedIn,
    /// Somebody did not get in.
    SignInFailed,
    /// Somebody came too often, or from elsewhere while the name is under attack.
    SignInLimited,
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
    /// A person has a second factor now, or another authenticator.
    SecondFactorOn,
    /// A person has none any more.
    SecondFactorOff,
    /// Somebody else took it away.
    SecondFactorReset,
    /// The company requires one, or no longer.
    SecondFactorRequired,
    /// A passkey was added.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// Recovery codes were replaced.
    RecoveryCodesReplaced,
    /// A recovery code signed in.
    RecoveryCodeUsed,
    /// A password was set by security questions.
    PasswordRecovered,
    /// Wrong answers.
    RecoveryFailed,
    /// A person set another password.
    PasswordChanged,
    /// It was refused.
    PasswordChangeFailed,
    /// A person changed names, or an operator contact addresses.
    ProfileChanged,
    /// An owner or manager has other addresses.
    EmailChanged,
    /// A manager was added.
    ManagerAdded,
    /// A manager got other names.
    ManagerChanged,
    /// A manager was removed.
    ManagerRemoved,
    /// Somebody wanted to change who is above.
    PermissionDenied,
    /// An operator was added.
    OperatorAdded,
    /// An operator got other names.
    OperatorChanged,
    /// An operator was removed.
    OperatorRemoved,
    /// The operator password was set.
    OperatorPasswordSet,
    /// An operator password is about to be compared with those of owner and managers.
    OperatorPasswordTried,
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
    const fn words(self) -> (&'static str, AuditOutcome) {
        match self {
            Self::SignedUp => ("sign_up", AuditOutcome::Success),
            Self::SignedIn => ("sign_in", AuditOutcome::Success),
            Self::SignInFailed => ("sign_in", AuditOutcome::Failed),
            Self::SignInLimited => ("sign_in", AuditOutcome::Limited),
            Self::Reauthenticated => ("reauthentication", AuditOutcome::Success),
            Self::ReauthenticationFailed => ("reauthentication", AuditOutcome::Failed),
            Self::SessionCrowdedOut => ("session_crowded_out", AuditOutcome::Success),
            Self::SessionExpired => ("session_expired", AuditOutcome::Success),
            Self::QuestionsSet => ("security_questions_set", AuditOutcome::Success),
            Self::SecondFactorOn => ("second_factor_on", AuditOutcome::Success),
            Self::SecondFactorOff => ("second_factor_off", AuditOutcome::Success),
            Self::SecondFactorReset => ("second_factor_reset", AuditOutcome::Success),
            Self::SecondFactorRequired => ("second_factor_required", AuditOutcome::Success),
            Self::PasskeyAdded => ("passkey_added", AuditOutcome::Success),
            Self::PasskeyRemoved => ("passkey_removed", AuditOutcome::Success),
            Self::RecoveryCodesReplaced => ("recovery_codes_replaced", AuditOutcome::Success),
            Self::RecoveryCodeUsed => ("recovery_code_used", AuditOutcome::Success),
            Self::PasswordRecovered => ("password_recovery", AuditOutcome::Success),
            Self::RecoveryFailed => ("password_recovery", AuditOutcome::Failed),
            Self::PasswordChanged => ("password_changed", AuditOutcome::Success),
            Self::PasswordChangeFailed => ("password_changed", AuditOutcome::Failed),
            Self::ProfileChanged => ("profile_changed", AuditOutcome::Success),
            Self::EmailChanged => ("email_changed", AuditOutcome::Success),
            Self::ManagerAdded => ("manager_added", AuditOutcome::Success),
            Self::ManagerChanged => ("manager_changed", AuditOutcome::Success),
            Self::ManagerRemoved => ("manager_removed", AuditOutcome::Success),
            Self::PermissionDenied => ("permission_denied", AuditOutcome::Failed),
            Self::OperatorAdded => ("operator_added", AuditOutcome::Success),
            Self::OperatorChanged => ("operator_changed", AuditOutcome::Success),
            Self::OperatorRemoved => ("operator_removed", AuditOutcome::Success),
            Self::OperatorPasswordSet => ("operator_password_set", AuditOutcome::Success),
            Self::OperatorPasswordTried => ("operator_password_tried", AuditOutcome::Success),
            Self::OperatorPasswordRefused => ("operator_password_set", AuditOutcome::Failed),
            Self::PasswordReset => ("password_reset", AuditOutcome::Success),
            Self::PasswordResetRefused => ("password_reset", AuditOutcome::Failed),
            Self::CompanyRenamed => ("company_renamed", AuditOutcome::Success),
            Self::SettingsChanged => ("settings_changed", AuditOutcome::Success),
            Self::UnknownObject => ("unknown_object", AuditOutcome::Failed),
        }
    }
}

/// Writes an event down, in the transaction of what happened.
pub async fn record(
    connection: &mut PgConnection,
    tenant: Tenant,
    trail: &AuditContext,
    event: Event,
    target_id: Option<Uuid>,
    detail: &'static str,
) -> Result<(), ServiceError> {
    record_on(connection, tenant, trail, event, target_id, "", detail).await
}

/// The same with the name of what it was done to.
pub async fn record_on(
    connection: &mut PgConnection,
    tenant: Tenant,
    trail: &AuditContext,
    event: Event,
    target_id: Option<Uuid>,
    target_name: &str,
    detail: &str,
) -> Result<(), ServiceError> {
    let (event, outcome) = event.words();
    let line = AuditEntry {
        event,
        outcome,
        target_id,
        target_name,
        detail,
    };
    write(connection, tenant, trail, &line).await
}
