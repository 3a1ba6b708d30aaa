//! Redacted `Debug` for messages with a password, a security answer or a token.

use std::fmt;

use crate::accounts::v1;

macro_rules! redacted {
    ($($message:ident)*) => {
        $(impl fmt::Debug for v1::$message {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($message), "([redacted])"))
            }
        })*
    };
}

redacted! {
    AddPasskeyResponse
    ChangePasswordRequest
    ConfirmAuthenticatorRequest
    ConfirmAuthenticatorResponse
    CreateManagerResponse
    FinishStaffEnrolmentRequest
    ReauthenticateRequest
    RecoverPasswordRequest
    ReplaceRecoveryCodesResponse
    ResetUserPasswordRequest
    ResolveSessionRequest
    ResolveSessionResponse
    RevealAccountOperatorPasswordResponse
    RevealOperatorPasswordResponse
    SessionGrant
    SetSecurityQuestionsRequest
    SignInOperatorRequest
    SignInRequest
    SignOutRequest
    SignUpRequest
    StartAuthenticatorResponse
    StartPasskeySignInRequest
    StartRecoveryRequest
    StartStaffEnrolmentRequest
    StartStaffEnrolmentResponse
    UpdateCompanySettingsRequest
}

#[cfg(test)]
mod tests {
    use super::v1::{SessionGrant, SignInResponse};

    #[test]
    fn debug_is_redacted() {
        let session = SessionGrant {
            token: "secret-token".to_owned(),
            ..SessionGrant::default()
        };
        assert_eq!(format!("{session:?}"), "SessionGrant([redacted])");
        // Also within another message.
        let response = SignInResponse {
            session: Some(session),
        };
        assert!(!format!("{response:?}").contains("secret-token"));
    }
}
