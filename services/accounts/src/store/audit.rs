//! Audit events of accounts.

use hourmeter_runtime::audit::{AuditEntry, AuditOutcome, record as write};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use sqlx::PgConnection;
use uuid::Uuid;

pub use hourmeter_runtime::audit::{AuditContext, NO_COMPANY};

#[derive(Clone, Copy, Debug)]
pub enum Event {
    SignedUp,
    SignedIn,
    SignInFailed,
    SignInLimited,
    Reauthenticated,
    ReauthenticationFailed,
    SessionCrowdedOut,
    SessionExpired,
    QuestionsSet,
    SecondFactorOn,
    SecondFactorOff,
    SecondFactorReset,
    SecondFactorRequired,
    PasskeyAdded,
    PasskeyRemoved,
    RecoveryCodesReplaced,
    RecoveryCodeUsed,
    PasswordRecovered,
    RecoveryFailed,
    PasswordChanged,
    PasswordChangeFailed,
    ProfileChanged,
    EmailChanged,
    ManagerAdded,
    ManagerChanged,
    ManagerRemoved,
    PermissionDenied,
    OperatorAdded,
    OperatorChanged,
    OperatorRemoved,
    OperatorPasswordSet,
    OperatorPasswordTried,
    OperatorPasswordRefused,
    PasswordReset,
    PasswordResetRefused,
    CompanyRenamed,
    SettingsChanged,
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

/// Records an event. Call it in the transaction of the change.
pub async fn record(
    connection: &mut PgConnection,
    tenant: Tenant,
    context: &AuditContext,
    event: Event,
    target_id: Option<Uuid>,
    detail: &'static str,
) -> Result<(), ServiceError> {
    record_on(connection, tenant, context, event, target_id, "", detail).await
}

/// [`record`] with the name of the target.
pub async fn record_on(
    connection: &mut PgConnection,
    tenant: Tenant,
    context: &AuditContext,
    event: Event,
    target_id: Option<Uuid>,
    target_name: &str,
    detail: &str,
) -> Result<(), ServiceError> {
    let (event, outcome) = event.words();
    let entry = AuditEntry {
        event,
        outcome,
        target_id,
        target_name,
        detail,
    };
    write(connection, tenant, context, &entry).await
}
