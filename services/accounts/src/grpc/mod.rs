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
use hourmeter_proto::accounts::v1::contacts_service_server::ContactsService;
use hourmeter_proto::accounts::v1::staff_service_server::StaffService;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, record};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::rpcs;
use uuid::Uuid;

pub(crate) use self::second_factor_setup::reset_by_other;
use crate::domain::token::Token;
use crate::passwords::{PasswordSettings, Passwords};
use crate::secrets::{DecoySecret, Keyring, Peppers, Secrets};
use crate::store::people;

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

    /// Records an event in its own transaction, such as a refused call, whose changes are rolled back.
    async fn record(
        &self,
        tenant: Tenant,
        context: &AuditContext,
        entry: &AuditEntry<'_>,
    ) -> Result<(), ServiceError> {
        let mut tx = self.database.tenant(tenant).await?;
        record(&mut tx, tenant, context, entry).await?;
        tx.commit().await
    }

    /// The hash, company and person of a secret; `find` is the query of the secret's kind.
    async fn find_by_secret(
        &self,
        secret: &str,
        find: &'static str,
    ) -> Result<([u8; 32], Tenant, Uuid), ServiceError> {
        let secret = Token::parse(secret).ok_or_else(ServiceError::not_found)?;
        let hash = secret.sid();
        let mut lookup = self.database.lookup().await?;
        let found = people::find_by_secret(&mut lookup, find, &hash).await?;
        let (tenant, id) = found.ok_or_else(ServiceError::not_found)?;
        Ok((hash, tenant, id))
    }

    /// Records a refused call with [`Self::record`] and returns its error.
    async fn refuse(
        &self,
        tenant: Tenant,
        context: &AuditContext,
        entry: &AuditEntry<'_>,
        error: ServiceError,
    ) -> ServiceError {
        let recorded = self.record(tenant, context, entry).await;
        recorded.err().unwrap_or(error)
    }
}

rpcs! { Api, AccountsService:
    accounts_list {
        list_accounts(ListAccountsRequest) -> ListAccountsResponse;
    }
    audit_log {
        record_audit_events(RecordAuditEventsRequest) -> RecordAuditEventsResponse;
        list_audit_events(ListAuditEventsRequest) -> ListAuditEventsResponse;
    }
    calendar_feeds {
        get_calendar_feed(GetCalendarFeedRequest) -> GetCalendarFeedResponse;
        create_calendar_feed(CreateCalendarFeedRequest) -> CreateCalendarFeedResponse;
        delete_calendar_feed(DeleteCalendarFeedRequest) -> DeleteCalendarFeedResponse;
        resolve_calendar_feed(ResolveCalendarFeedRequest) -> ResolveCalendarFeedResponse;
    }
    card_codes {
        create_card_codes(CreateCardCodesRequest) -> CreateCardCodesResponse;
    }
    change_password {
        change_password(ChangePasswordRequest) -> ChangePasswordResponse;
    }
    company_deletion {
        request_company_deletion(RequestCompanyDeletionRequest) -> RequestCompanyDeletionResponse;
        cancel_company_deletion(CancelCompanyDeletionRequest) -> CancelCompanyDeletionResponse;
    }
    current_user {
        get_current_user(GetCurrentUserRequest) -> GetCurrentUserResponse;
    }
    devices {
        enrol_device(EnrolDeviceRequest) -> EnrolDeviceResponse;
        list_devices(ListDevicesRequest) -> ListDevicesResponse;
        remove_device(RemoveDeviceRequest) -> RemoveDeviceResponse;
        leave_device(LeaveDeviceRequest) -> LeaveDeviceResponse;
        verify_device(VerifyDeviceRequest) -> VerifyDeviceResponse;
        contact_device(ContactDeviceRequest) -> ContactDeviceResponse;
    }
    employees {
        list_employees(ListEmployeesRequest) -> ListEmployeesResponse;
        create_operator(CreateOperatorRequest) -> CreateOperatorResponse;
        update_employee(UpdateEmployeeRequest) -> UpdateEmployeeResponse;
        delete_employee(DeleteEmployeeRequest) -> DeleteEmployeeResponse;
    }
    mail_links {
        verify_email(VerifyEmailRequest) -> VerifyEmailResponse;
    }
    managers {
        create_manager(CreateManagerRequest) -> CreateManagerResponse;
    }
    notices {
        dismiss_notice(DismissNoticeRequest) -> DismissNoticeResponse;
    }
    profile {
        update_profile(UpdateProfileRequest) -> UpdateProfileResponse;
    }
    questions {
        list_security_questions(ListSecurityQuestionsRequest) -> ListSecurityQuestionsResponse;
        set_security_questions(SetSecurityQuestionsRequest) -> SetSecurityQuestionsResponse;
    }
    recovery {
        start_recovery(StartRecoveryRequest) -> StartRecoveryResponse;
        recover_password(RecoverPasswordRequest) -> RecoverPasswordResponse;
        find_mail_recipient(FindMailRecipientRequest) -> FindMailRecipientResponse;
        recover_by_link(RecoverByLinkRequest) -> RecoverByLinkResponse;
    }
    reset_password {
        reset_user_password(ResetUserPasswordRequest) -> ResetUserPasswordResponse;
    }
    reveal {
        reveal_operator_password(RevealOperatorPasswordRequest) -> RevealOperatorPasswordResponse;
        reveal_account_operator_password(RevealAccountOperatorPasswordRequest)
            -> RevealAccountOperatorPasswordResponse;
    }
    second_factor_setup {
        get_second_factor(GetSecondFactorRequest) -> GetSecondFactorResponse;
        start_authenticator(StartAuthenticatorRequest) -> StartAuthenticatorResponse;
        confirm_authenticator(ConfirmAuthenticatorRequest) -> ConfirmAuthenticatorResponse;
        start_passkey(StartPasskeyRequest) -> StartPasskeyResponse;
        add_passkey(AddPasskeyRequest) -> AddPasskeyResponse;
        remove_passkey(RemovePasskeyRequest) -> RemovePasskeyResponse;
        replace_recovery_codes(ReplaceRecoveryCodesRequest) -> ReplaceRecoveryCodesResponse;
        turn_off_second_factor(TurnOffSecondFactorRequest) -> TurnOffSecondFactorResponse;
        set_second_factor_required(SetSecondFactorRequiredRequest)
            -> SetSecondFactorRequiredResponse;
        reset_second_factor(ResetSecondFactorRequest) -> ResetSecondFactorResponse;
    }
    sessions {
        resolve_session(ResolveSessionRequest) -> ResolveSessionResponse;
        sign_out(SignOutRequest) -> SignOutResponse;
        reauthenticate(ReauthenticateRequest) -> ReauthenticateResponse;
    }
    settings {
        get_company_settings(GetCompanySettingsRequest) -> GetCompanySettingsResponse;
        update_company_settings(UpdateCompanySettingsRequest) -> UpdateCompanySettingsResponse;
    }
    sign_in {
        sign_in(SignInRequest) -> SignInResponse;
        start_passkey_sign_in(StartPasskeySignInRequest) -> StartPasskeySignInResponse;
    }
    sign_in_operator {
        sign_in_operator(SignInOperatorRequest) -> SignInOperatorResponse;
    }
    sign_up {
        sign_up(SignUpRequest) -> SignUpResponse;
    }
    staff_enrolment {
        start_staff_enrolment(StartStaffEnrolmentRequest) -> StartStaffEnrolmentResponse;
        finish_staff_enrolment(FinishStaffEnrolmentRequest) -> FinishStaffEnrolmentResponse;
    }
}

rpcs! { Api, ContactsService:
    mail_links {
        create_mail_link(CreateMailLinkRequest) -> CreateMailLinkResponse;
        list_contacts(ListContactsRequest) -> ListContactsResponse;
        list_active_sessions(ListActiveSessionsRequest) -> ListActiveSessionsResponse;
        list_silent_devices(ListSilentDevicesRequest) -> ListSilentDevicesResponse;
        list_active_people(ListActivePeopleRequest) -> ListActivePeopleResponse;
    }
}

rpcs! { Api, StaffService:
    account {
        find_accounts(FindAccountsRequest) -> FindAccountsResponse;
        get_account(GetAccountRequest) -> GetAccountResponse;
    }
}
