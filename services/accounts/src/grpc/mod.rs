//! The RPCs, one file per group.

mod account;
mod accounts_list;
mod audit_log;
mod calendar_feeds;
mod card_codes;
mod change_password;
mod company_deletion;
mod convert;
mod current_user;
mod devices;
mod employees;
#[cfg(test)]
mod equal_work_tests;
mod known_addresses;
mod mail_links;
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

use hourmeter_proto::accounts::v1;
use hourmeter_proto::accounts::v1::accounts_service_server::AccountsService;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::server::respond;
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

#[tonic::async_trait]
impl AccountsService for Api {
    async fn sign_up(
        &self,
        request: Request<v1::SignUpRequest>,
    ) -> Result<Response<v1::SignUpResponse>, Status> {
        respond(sign_up::sign_up(self, request).await)
    }

    async fn sign_in(
        &self,
        request: Request<v1::SignInRequest>,
    ) -> Result<Response<v1::SignInResponse>, Status> {
        respond(sign_in::sign_in(self, request).await)
    }

    async fn sign_in_operator(
        &self,
        request: Request<v1::SignInOperatorRequest>,
    ) -> Result<Response<v1::SignInOperatorResponse>, Status> {
        respond(sign_in_operator::sign_in_operator(self, request).await)
    }

    async fn resolve_session(
        &self,
        request: Request<v1::ResolveSessionRequest>,
    ) -> Result<Response<v1::ResolveSessionResponse>, Status> {
        respond(sessions::resolve_session(self, request).await)
    }

    async fn sign_out(
        &self,
        request: Request<v1::SignOutRequest>,
    ) -> Result<Response<v1::SignOutResponse>, Status> {
        respond(sessions::sign_out(self, request).await)
    }

    async fn reauthenticate(
        &self,
        request: Request<v1::ReauthenticateRequest>,
    ) -> Result<Response<v1::ReauthenticateResponse>, Status> {
        respond(sessions::reauthenticate(self, request).await)
    }

    async fn list_security_questions(
        &self,
        request: Request<v1::ListSecurityQuestionsRequest>,
    ) -> Result<Response<v1::ListSecurityQuestionsResponse>, Status> {
        drop(request);
        respond(Ok(questions::list_security_questions()))
    }

    async fn get_current_user(
        &self,
        request: Request<v1::GetCurrentUserRequest>,
    ) -> Result<Response<v1::GetCurrentUserResponse>, Status> {
        respond(current_user::get_current_user(self, request).await)
    }

    async fn set_security_questions(
        &self,
        request: Request<v1::SetSecurityQuestionsRequest>,
    ) -> Result<Response<v1::SetSecurityQuestionsResponse>, Status> {
        respond(questions::set_security_questions(self, request).await)
    }

    async fn list_employees(
        &self,
        request: Request<v1::ListEmployeesRequest>,
    ) -> Result<Response<v1::ListEmployeesResponse>, Status> {
        respond(employees::list_employees(self, request).await)
    }

    async fn create_operator(
        &self,
        request: Request<v1::CreateOperatorRequest>,
    ) -> Result<Response<v1::CreateOperatorResponse>, Status> {
        respond(employees::create_operator(self, request).await)
    }

    async fn update_employee(
        &self,
        request: Request<v1::UpdateEmployeeRequest>,
    ) -> Result<Response<v1::UpdateEmployeeResponse>, Status> {
        respond(employees::update_employee(self, request).await)
    }

    async fn delete_employee(
        &self,
        request: Request<v1::DeleteEmployeeRequest>,
    ) -> Result<Response<v1::DeleteEmployeeResponse>, Status> {
        respond(employees::delete_employee(self, request).await)
    }

    async fn reset_user_password(
        &self,
        request: Request<v1::ResetUserPasswordRequest>,
    ) -> Result<Response<v1::ResetUserPasswordResponse>, Status> {
        respond(reset_password::reset(self, request).await)
    }

    async fn get_company_settings(
        &self,
        request: Request<v1::GetCompanySettingsRequest>,
    ) -> Result<Response<v1::GetCompanySettingsResponse>, Status> {
        respond(settings::get_company_settings(self, request).await)
    }

    async fn update_company_settings(
        &self,
        request: Request<v1::UpdateCompanySettingsRequest>,
    ) -> Result<Response<v1::UpdateCompanySettingsResponse>, Status> {
        respond(settings::update_company_settings(self, request).await)
    }

    async fn change_password(
        &self,
        request: Request<v1::ChangePasswordRequest>,
    ) -> Result<Response<v1::ChangePasswordResponse>, Status> {
        respond(change_password::change_password(self, request).await)
    }

    async fn start_recovery(
        &self,
        request: Request<v1::StartRecoveryRequest>,
    ) -> Result<Response<v1::StartRecoveryResponse>, Status> {
        respond(recovery::start_recovery(self, request).await)
    }

    async fn recover_password(
        &self,
        request: Request<v1::RecoverPasswordRequest>,
    ) -> Result<Response<v1::RecoverPasswordResponse>, Status> {
        respond(recovery::recover_password(self, request).await)
    }

    async fn record_audit_events(
        &self,
        request: Request<v1::RecordAuditEventsRequest>,
    ) -> Result<Response<v1::RecordAuditEventsResponse>, Status> {
        respond(audit_log::record_audit_events(self, request).await)
    }

    async fn update_profile(
        &self,
        request: Request<v1::UpdateProfileRequest>,
    ) -> Result<Response<v1::UpdateProfileResponse>, Status> {
        respond(profile::update_profile(self, request).await)
    }

    async fn dismiss_notice(
        &self,
        request: Request<v1::DismissNoticeRequest>,
    ) -> Result<Response<v1::DismissNoticeResponse>, Status> {
        respond(notices::dismiss_notice(self, request).await)
    }

    async fn create_manager(
        &self,
        request: Request<v1::CreateManagerRequest>,
    ) -> Result<Response<v1::CreateManagerResponse>, Status> {
        respond(managers::create_manager(self, request).await)
    }

    async fn reveal_operator_password(
        &self,
        request: Request<v1::RevealOperatorPasswordRequest>,
    ) -> Result<Response<v1::RevealOperatorPasswordResponse>, Status> {
        respond(reveal::reveal_operator_password(self, request).await)
    }

    async fn create_card_codes(
        &self,
        request: Request<v1::CreateCardCodesRequest>,
    ) -> Result<Response<v1::CreateCardCodesResponse>, Status> {
        respond(card_codes::create_card_codes(self, request).await)
    }

    async fn get_calendar_feed(
        &self,
        request: Request<v1::GetCalendarFeedRequest>,
    ) -> Result<Response<v1::GetCalendarFeedResponse>, Status> {
        respond(calendar_feeds::get_calendar_feed(self, request).await)
    }

    async fn create_calendar_feed(
        &self,
        request: Request<v1::CreateCalendarFeedRequest>,
    ) -> Result<Response<v1::CreateCalendarFeedResponse>, Status> {
        respond(calendar_feeds::create_calendar_feed(self, request).await)
    }

    async fn delete_calendar_feed(
        &self,
        request: Request<v1::DeleteCalendarFeedRequest>,
    ) -> Result<Response<v1::DeleteCalendarFeedResponse>, Status> {
        respond(calendar_feeds::delete_calendar_feed(self, request).await)
    }

    async fn resolve_calendar_feed(
        &self,
        request: Request<v1::ResolveCalendarFeedRequest>,
    ) -> Result<Response<v1::ResolveCalendarFeedResponse>, Status> {
        respond(calendar_feeds::resolve_calendar_feed(self, request).await)
    }

    async fn find_mail_recipient(
        &self,
        request: Request<v1::FindMailRecipientRequest>,
    ) -> Result<Response<v1::FindMailRecipientResponse>, Status> {
        respond(recovery::find_mail_recipient(self, request).await)
    }

    async fn recover_by_link(
        &self,
        request: Request<v1::RecoverByLinkRequest>,
    ) -> Result<Response<v1::RecoverByLinkResponse>, Status> {
        respond(recovery::recover_by_link(self, request).await)
    }

    async fn verify_email(
        &self,
        request: Request<v1::VerifyEmailRequest>,
    ) -> Result<Response<v1::VerifyEmailResponse>, Status> {
        respond(mail_links::verify_email(self, request).await)
    }

    async fn list_audit_events(
        &self,
        request: Request<v1::ListAuditEventsRequest>,
    ) -> Result<Response<v1::ListAuditEventsResponse>, Status> {
        respond(audit_log::list_audit_events(self, request).await)
    }

    async fn list_accounts(
        &self,
        request: Request<v1::ListAccountsRequest>,
    ) -> Result<Response<v1::ListAccountsResponse>, Status> {
        respond(accounts_list::list_accounts(self, request).await)
    }

    async fn reveal_account_operator_password(
        &self,
        request: Request<v1::RevealAccountOperatorPasswordRequest>,
    ) -> Result<Response<v1::RevealAccountOperatorPasswordResponse>, Status> {
        respond(reveal::reveal_account_operator_password(self, request).await)
    }

    async fn start_passkey_sign_in(
        &self,
        request: Request<v1::StartPasskeySignInRequest>,
    ) -> Result<Response<v1::StartPasskeySignInResponse>, Status> {
        respond(sign_in::start_passkey_sign_in(self, request).await)
    }

    async fn start_staff_enrolment(
        &self,
        request: Request<v1::StartStaffEnrolmentRequest>,
    ) -> Result<Response<v1::StartStaffEnrolmentResponse>, Status> {
        respond(staff_enrolment::start(self, request).await)
    }

    async fn finish_staff_enrolment(
        &self,
        request: Request<v1::FinishStaffEnrolmentRequest>,
    ) -> Result<Response<v1::FinishStaffEnrolmentResponse>, Status> {
        respond(staff_enrolment::finish(self, request).await)
    }

    async fn get_second_factor(
        &self,
        request: Request<v1::GetSecondFactorRequest>,
    ) -> Result<Response<v1::GetSecondFactorResponse>, Status> {
        respond(second_factor_setup::get(self, request).await)
    }

    async fn start_authenticator(
        &self,
        request: Request<v1::StartAuthenticatorRequest>,
    ) -> Result<Response<v1::StartAuthenticatorResponse>, Status> {
        respond(second_factor_setup::start_authenticator(self, request).await)
    }

    async fn confirm_authenticator(
        &self,
        request: Request<v1::ConfirmAuthenticatorRequest>,
    ) -> Result<Response<v1::ConfirmAuthenticatorResponse>, Status> {
        respond(second_factor_setup::confirm_authenticator(self, request).await)
    }

    async fn start_passkey(
        &self,
        request: Request<v1::StartPasskeyRequest>,
    ) -> Result<Response<v1::StartPasskeyResponse>, Status> {
        respond(second_factor_setup::start_passkey(self, request).await)
    }

    async fn add_passkey(
        &self,
        request: Request<v1::AddPasskeyRequest>,
    ) -> Result<Response<v1::AddPasskeyResponse>, Status> {
        respond(second_factor_setup::add_passkey(self, request).await)
    }

    async fn remove_passkey(
        &self,
        request: Request<v1::RemovePasskeyRequest>,
    ) -> Result<Response<v1::RemovePasskeyResponse>, Status> {
        respond(second_factor_setup::remove_passkey(self, request).await)
    }

    async fn replace_recovery_codes(
        &self,
        request: Request<v1::ReplaceRecoveryCodesRequest>,
    ) -> Result<Response<v1::ReplaceRecoveryCodesResponse>, Status> {
        respond(second_factor_setup::replace_recovery_codes(self, request).await)
    }

    async fn turn_off_second_factor(
        &self,
        request: Request<v1::TurnOffSecondFactorRequest>,
    ) -> Result<Response<v1::TurnOffSecondFactorResponse>, Status> {
        respond(second_factor_setup::turn_off(self, request).await)
    }

    async fn set_second_factor_required(
        &self,
        request: Request<v1::SetSecondFactorRequiredRequest>,
    ) -> Result<Response<v1::SetSecondFactorRequiredResponse>, Status> {
        respond(second_factor_setup::set_required(self, request).await)
    }

    async fn request_company_deletion(
        &self,
        request: Request<v1::RequestCompanyDeletionRequest>,
    ) -> Result<Response<v1::RequestCompanyDeletionResponse>, Status> {
        respond(company_deletion::request(self, request).await)
    }

    async fn cancel_company_deletion(
        &self,
        request: Request<v1::CancelCompanyDeletionRequest>,
    ) -> Result<Response<v1::CancelCompanyDeletionResponse>, Status> {
        respond(company_deletion::cancel(self, request).await)
    }

    async fn reset_second_factor(
        &self,
        request: Request<v1::ResetSecondFactorRequest>,
    ) -> Result<Response<v1::ResetSecondFactorResponse>, Status> {
        respond(second_factor_setup::reset(self, request).await)
    }

    async fn enrol_device(
        &self,
        request: Request<v1::EnrolDeviceRequest>,
    ) -> Result<Response<v1::EnrolDeviceResponse>, Status> {
        respond(devices::enrol_device(self, request).await)
    }

    async fn list_devices(
        &self,
        request: Request<v1::ListDevicesRequest>,
    ) -> Result<Response<v1::ListDevicesResponse>, Status> {
        respond(devices::list_devices(self, request).await)
    }

    async fn remove_device(
        &self,
        request: Request<v1::RemoveDeviceRequest>,
    ) -> Result<Response<v1::RemoveDeviceResponse>, Status> {
        respond(devices::remove_device(self, request).await)
    }

    async fn leave_device(
        &self,
        request: Request<v1::LeaveDeviceRequest>,
    ) -> Result<Response<v1::LeaveDeviceResponse>, Status> {
        respond(devices::leave_device(self, request).await)
    }

    async fn verify_device(
        &self,
        request: Request<v1::VerifyDeviceRequest>,
    ) -> Result<Response<v1::VerifyDeviceResponse>, Status> {
        respond(devices::verify_device(self, request).await)
    }

    async fn contact_device(
        &self,
        request: Request<v1::ContactDeviceRequest>,
    ) -> Result<Response<v1::ContactDeviceResponse>, Status> {
        respond(devices::contact_device(self, request).await)
    }
}
