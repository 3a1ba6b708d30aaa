//! The RPCs, one file per group.

mod accounts_list;
mod audit_log;
mod change_password;
mod convert;
mod current_user;
mod employees;
#[cfg(test)]
mod equal_work_tests;
mod known_addresses;
mod managers;
mod new_password;
mod new_session;
mod notices;
mod profile;
mod questions;
mod recovery;
mod reset_password;
mod reveal;
mod sealed;
mod second_factor;
mod second_factor_setup;
mod sessions;
mod settings;
mod sign_in;
mod sign_in_operator;
mod sign_up;
mod staff_enrolment;
mod staff_sessions;

use hourmeter_proto::accounts::v1 as pb;
use hourmeter_proto::accounts::v1::accounts_service_server::AccountsService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use tonic::{Request, Response, Status};

pub(crate) use self::second_factor_setup::reset_by_other;
use crate::passwords::{PasswordSettings, Passwords};
use crate::secrets::{DecoySecret, Keyring, Peppers, Secrets};

/// Shared state of the handlers.
pub struct Api {
    database: Database,
    clock: Clock,
    keyring: Keyring,
    decoys: DecoySecret,
    passwords: Passwords,
    peppers: Peppers,
}

impl Api {
    pub fn new(
        database: Database,
        clock: Clock,
        secrets: Secrets,
        passwords: PasswordSettings,
    ) -> Self {
        Self {
            database,
            clock,
            keyring: secrets.operator_password_keys,
            decoys: secrets.decoy_secret,
            passwords: Passwords::new(passwords, secrets.peppers.clone()),
            peppers: secrets.peppers,
        }
    }
}

fn respond<T>(result: Result<T, ServiceError>) -> Result<Response<T>, Status> {
    result.map(Response::new).map_err(Status::from)
}

#[tonic::async_trait]
impl AccountsService for Api {
    async fn sign_up(
        &self,
        request: Request<pb::SignUpRequest>,
    ) -> Result<Response<pb::SignUpResponse>, Status> {
        respond(sign_up::sign_up(self, request).await)
    }

    async fn sign_in(
        &self,
        request: Request<pb::SignInRequest>,
    ) -> Result<Response<pb::SignInResponse>, Status> {
        respond(sign_in::sign_in(self, request).await)
    }

    async fn sign_in_operator(
        &self,
        request: Request<pb::SignInOperatorRequest>,
    ) -> Result<Response<pb::SignInOperatorResponse>, Status> {
        respond(sign_in_operator::sign_in_operator(self, request).await)
    }

    async fn resolve_session(
        &self,
        request: Request<pb::ResolveSessionRequest>,
    ) -> Result<Response<pb::ResolveSessionResponse>, Status> {
        respond(sessions::resolve_session(self, request).await)
    }

    async fn sign_out(
        &self,
        request: Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Status> {
        respond(sessions::sign_out(self, request).await)
    }

    async fn reauthenticate(
        &self,
        request: Request<pb::ReauthenticateRequest>,
    ) -> Result<Response<pb::ReauthenticateResponse>, Status> {
        respond(sessions::reauthenticate(self, request).await)
    }

    async fn list_security_questions(
        &self,
        request: Request<pb::ListSecurityQuestionsRequest>,
    ) -> Result<Response<pb::ListSecurityQuestionsResponse>, Status> {
        drop(request);
        respond(Ok(questions::list_security_questions()))
    }

    async fn get_current_user(
        &self,
        request: Request<pb::GetCurrentUserRequest>,
    ) -> Result<Response<pb::GetCurrentUserResponse>, Status> {
        respond(current_user::get_current_user(self, request).await)
    }

    async fn set_security_questions(
        &self,
        request: Request<pb::SetSecurityQuestionsRequest>,
    ) -> Result<Response<pb::SetSecurityQuestionsResponse>, Status> {
        respond(questions::set_security_questions(self, request).await)
    }

    async fn list_employees(
        &self,
        request: Request<pb::ListEmployeesRequest>,
    ) -> Result<Response<pb::ListEmployeesResponse>, Status> {
        respond(employees::list_employees(self, request).await)
    }

    async fn create_operator(
        &self,
        request: Request<pb::CreateOperatorRequest>,
    ) -> Result<Response<pb::CreateOperatorResponse>, Status> {
        respond(employees::create_operator(self, request).await)
    }

    async fn update_employee(
        &self,
        request: Request<pb::UpdateEmployeeRequest>,
    ) -> Result<Response<pb::UpdateEmployeeResponse>, Status> {
        respond(employees::update_employee(self, request).await)
    }

    async fn delete_employee(
        &self,
        request: Request<pb::DeleteEmployeeRequest>,
    ) -> Result<Response<pb::DeleteEmployeeResponse>, Status> {
        respond(employees::delete_employee(self, request).await)
    }

    async fn reset_user_password(
        &self,
        request: Request<pb::ResetUserPasswordRequest>,
    ) -> Result<Response<pb::ResetUserPasswordResponse>, Status> {
        respond(reset_password::reset(self, request).await)
    }

    async fn get_company_settings(
        &self,
        request: Request<pb::GetCompanySettingsRequest>,
    ) -> Result<Response<pb::GetCompanySettingsResponse>, Status> {
        respond(settings::get_company_settings(self, request).await)
    }

    async fn update_company_settings(
        &self,
        request: Request<pb::UpdateCompanySettingsRequest>,
    ) -> Result<Response<pb::UpdateCompanySettingsResponse>, Status> {
        respond(settings::update_company_settings(self, request).await)
    }

    async fn change_password(
        &self,
        request: Request<pb::ChangePasswordRequest>,
    ) -> Result<Response<pb::ChangePasswordResponse>, Status> {
        respond(change_password::change_password(self, request).await)
    }

    async fn start_recovery(
        &self,
        request: Request<pb::StartRecoveryRequest>,
    ) -> Result<Response<pb::StartRecoveryResponse>, Status> {
        respond(recovery::start_recovery(self, request).await)
    }

    async fn recover_password(
        &self,
        request: Request<pb::RecoverPasswordRequest>,
    ) -> Result<Response<pb::RecoverPasswordResponse>, Status> {
        respond(recovery::recover_password(self, request).await)
    }

    async fn record_audit_events(
        &self,
        request: Request<pb::RecordAuditEventsRequest>,
    ) -> Result<Response<pb::RecordAuditEventsResponse>, Status> {
        respond(audit_log::record_audit_events(self, request).await)
    }

    async fn update_profile(
        &self,
        request: Request<pb::UpdateProfileRequest>,
    ) -> Result<Response<pb::UpdateProfileResponse>, Status> {
        respond(profile::update_profile(self, request).await)
    }

    async fn dismiss_notice(
        &self,
        request: Request<pb::DismissNoticeRequest>,
    ) -> Result<Response<pb::DismissNoticeResponse>, Status> {
        respond(notices::dismiss_notice(self, request).await)
    }

    async fn create_manager(
        &self,
        request: Request<pb::CreateManagerRequest>,
    ) -> Result<Response<pb::CreateManagerResponse>, Status> {
        respond(managers::create_manager(self, request).await)
    }

    async fn reveal_operator_password(
        &self,
        request: Request<pb::RevealOperatorPasswordRequest>,
    ) -> Result<Response<pb::RevealOperatorPasswordResponse>, Status> {
        respond(reveal::reveal_operator_password(self, request).await)
    }

    async fn list_audit_events(
        &self,
        request: Request<pb::ListAuditEventsRequest>,
    ) -> Result<Response<pb::ListAuditEventsResponse>, Status> {
        respond(audit_log::list_audit_events(self, request).await)
    }

    async fn list_accounts(
        &self,
        request: Request<pb::ListAccountsRequest>,
    ) -> Result<Response<pb::ListAccountsResponse>, Status> {
        respond(accounts_list::list_accounts(self, request).await)
    }

    async fn reveal_account_operator_password(
        &self,
        request: Request<pb::RevealAccountOperatorPasswordRequest>,
    ) -> Result<Response<pb::RevealAccountOperatorPasswordResponse>, Status> {
        respond(reveal::reveal_account_operator_password(self, request).await)
    }

    async fn start_passkey_sign_in(
        &self,
        request: Request<pb::StartPasskeySignInRequest>,
    ) -> Result<Response<pb::StartPasskeySignInResponse>, Status> {
        respond(sign_in::start_passkey_sign_in(self, request).await)
    }

    async fn start_staff_enrolment(
        &self,
        request: Request<pb::StartStaffEnrolmentRequest>,
    ) -> Result<Response<pb::StartStaffEnrolmentResponse>, Status> {
        respond(staff_enrolment::start(self, request).await)
    }

    async fn finish_staff_enrolment(
        &self,
        request: Request<pb::FinishStaffEnrolmentRequest>,
    ) -> Result<Response<pb::FinishStaffEnrolmentResponse>, Status> {
        respond(staff_enrolment::finish(self, request).await)
    }

    async fn get_second_factor(
        &self,
        request: Request<pb::GetSecondFactorRequest>,
    ) -> Result<Response<pb::GetSecondFactorResponse>, Status> {
        respond(second_factor_setup::get(self, request).await)
    }

    async fn start_authenticator(
        &self,
        request: Request<pb::StartAuthenticatorRequest>,
    ) -> Result<Response<pb::StartAuthenticatorResponse>, Status> {
        respond(second_factor_setup::start_authenticator(self, request).await)
    }

    async fn confirm_authenticator(
        &self,
        request: Request<pb::ConfirmAuthenticatorRequest>,
    ) -> Result<Response<pb::ConfirmAuthenticatorResponse>, Status> {
        respond(second_factor_setup::confirm_authenticator(self, request).await)
    }

    async fn start_passkey(
        &self,
        request: Request<pb::StartPasskeyRequest>,
    ) -> Result<Response<pb::StartPasskeyResponse>, Status> {
        respond(second_factor_setup::start_passkey(self, request).await)
    }

    async fn add_passkey(
        &self,
        request: Request<pb::AddPasskeyRequest>,
    ) -> Result<Response<pb::AddPasskeyResponse>, Status> {
        respond(second_factor_setup::add_passkey(self, request).await)
    }

    async fn remove_passkey(
        &self,
        request: Request<pb::RemovePasskeyRequest>,
    ) -> Result<Response<pb::RemovePasskeyResponse>, Status> {
        respond(second_factor_setup::remove_passkey(self, request).await)
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<pb::ReplaceRecoveryCodesRequest>,
    ) -> Result<Response<pb::ReplaceRecoveryCodesResponse>, Status> {
        respond(second_factor_setup::replace_recovery_codes(self, request).await)
    }

    async fn turn_off_second_factor(
        &self,
        request: Request<pb::TurnOffSecondFactorRequest>,
    ) -> Result<Response<pb::TurnOffSecondFactorResponse>, Status> {
        respond(second_factor_setup::turn_off(self, request).await)
    }

    async fn set_second_factor_required(
        &self,
        request: Request<pb::SetSecondFactorRequiredRequest>,
    ) -> Result<Response<pb::SetSecondFactorRequiredResponse>, Status> {
        respond(second_factor_setup::set_required(self, request).await)
    }

    async fn reset_second_factor(
        &self,
        request: Request<pb::ResetSecondFactorRequest>,
    ) -> Result<Response<pb::ResetSecondFactorResponse>, Status> {
        respond(second_factor_setup::reset(self, request).await)
    }
}
