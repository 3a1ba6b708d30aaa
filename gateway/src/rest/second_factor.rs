//! The second factor of owners and managers.

use hourmeter_proto::accounts::v1::{
    self as proto, AddPasskeyRequest, ConfirmAuthenticatorRequest, GetSecondFactorRequest,
    RemovePasskeyRequest, ReplaceRecoveryCodesRequest, SetSecondFactorRequiredRequest,
    StartAuthenticatorRequest, StartPasskeyRequest, StartPasskeySignInRequest,
    TurnOffSecondFactorRequest,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service::Accounts;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto as _, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::sign_in::{account_name, begin_attempt, client_origin};
use super::values::{Id, Instant};
use crate::api_error::ApiError;
use crate::limits::Login;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post, Put};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    vec![
        rpc("GetSecondFactor")
            .route(Get, "/api/auth/second-factor", second_factor)
            .summary("The person's second factor, and whether the company requires one")
            .ok::<SecondFactor>(),
        rpc("TurnOffSecondFactor")
            .route(Delete, "/api/auth/second-factor", turn_off)
            .summary("Removes the person's authenticator, passkeys and recovery codes")
            .empty(),
        rpc("StartAuthenticator")
            .route(
                Post,
                "/api/auth/second-factor/authenticator",
                start_authenticator,
            )
            .summary("A secret for the person's authenticator, to be confirmed by a code")
            .ok::<AuthenticatorSecret>(),
        rpc("ConfirmAuthenticator")
            .at(Post, "/api/auth/second-factor/authenticator/confirm")
            .body(|fields| fields.required_text("code"), confirm_authenticator)
            .summary(
                "Confirms the authenticator; the first factor returns recovery codes, only this \
                 once",
            )
            .ok::<TurnedOn>(),
        rpc("ReplaceRecoveryCodes")
            .route(
                Post,
                "/api/auth/second-factor/recovery-codes",
                replace_recovery_codes,
            )
            .summary("Replaces the recovery codes by ten new ones, returned only this once")
            .ok::<RecoveryCodes>(),
        rpc("StartPasskey")
            .route(
                Post,
                "/api/auth/second-factor/passkey-options",
                start_passkey,
            )
            .summary("Options to create a passkey; valid once, for 5 minutes")
            .ok::<PasskeyCreation>(),
        rpc("AddPasskey")
            .at(Post, "/api/auth/second-factor/passkeys")
            .body(passkey_body, add_passkey)
            .summary("Adds a passkey; the first factor returns recovery codes, only this once")
            .created::<TurnedOn>(),
        rpc("RemovePasskey")
            .route(
                Delete,
                "/api/auth/second-factor/passkeys/{id}",
                remove_passkey,
            )
            .summary("Removes a passkey of the person")
            .empty(),
        rpc("SetSecondFactorRequired")
            .at(Put, "/api/company-settings/second-factor")
            .body(|fields| fields.flag("required"), set_required)
            .summary("Sets whether owner and managers must have a second factor")
            .ok::<SecondFactor>(),
        AccessRule::Public
            .at(Post, "/api/auth/passkey-options")
            .body(sign_in_body, start_passkey_sign_in)
            .summary("A challenge to sign in with a passkey; requires the right password")
            .ok::<PasskeyRequest>(),
    ]
}

objects! {
    struct SecondFactor(found: proto::SecondFactor) {
        authenticator_since: Option<Instant>,
        passkeys: Vec<Passkey>,
        recovery_codes_left: u32,
        required: bool,
        passkeys_offered: bool,
    }

    struct Passkey(passkey: proto::Passkey) {
        id: Id,
        name: String,
        created_at: Instant,
        last_used_at: Option<Instant>,
    }

    struct AuthenticatorSecret(made: proto::StartAuthenticatorResponse) {
        secret: String,
        url: String,
    }

    struct RecoveryCodes(made: proto::ReplaceRecoveryCodesResponse) {
        recovery_codes: Vec<String>,
    }

    struct PasskeyCreation(made: proto::StartPasskeyResponse) {
        challenge: String,
        rp_id: String,
        user_handle: String,
        user_name: String,
        display_name: String,
        exclude_credential_ids: Vec<String>,
    }

    struct PasskeyRequest(made: proto::StartPasskeySignInResponse) {
        challenge: String,
        rp_id: String,
        credential_ids: Vec<String>,
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TurnedOn {
    second_factor: SecondFactor,
    recovery_codes: Vec<String>,
}

async fn second_factor(call: Call) -> RestResult {
    let request = GetSecondFactorRequest {};
    let found = call.accounts().get_second_factor(request).await?;
    RestResponse::ok(&SecondFactor::from_proto(found.into_inner().second_factor))
}

async fn turn_off(call: Call) -> RestResult {
    let request = TurnOffSecondFactorRequest {};
    call.accounts().turn_off_second_factor(request).await?;
    Ok(RestResponse::empty())
}

async fn start_authenticator(call: Call) -> RestResult {
    let request = StartAuthenticatorRequest {};
    let made = call.accounts().start_authenticator(request).await?;
    RestResponse::ok(&AuthenticatorSecret::from_proto(made.into_inner()))
}

async fn confirm_authenticator(call: Call, code: String) -> RestResult {
    let request = ConfirmAuthenticatorRequest { code };
    let done = call.accounts().confirm_authenticator(request).await?;
    let done = done.into_inner();
    RestResponse::ok(&TurnedOn {
        second_factor: SecondFactor::from_proto(done.second_factor),
        recovery_codes: done.recovery_codes,
    })
}

async fn replace_recovery_codes(call: Call) -> RestResult {
    let request = ReplaceRecoveryCodesRequest {};
    let made = call.accounts().replace_recovery_codes(request).await?;
    RestResponse::ok(&RecoveryCodes::from_proto(made.into_inner()))
}

async fn start_passkey(call: Call) -> RestResult {
    let request = StartPasskeyRequest {};
    let made = call.accounts().start_passkey(request).await?;
    RestResponse::ok(&PasskeyCreation::from_proto(made.into_inner()))
}

fn passkey_body(fields: &mut Fields) -> AddPasskeyRequest {
    AddPasskeyRequest {
        name: fields.required_text_in("name", 1..=100),
        client_data_json: fields.required_text("clientDataJson"),
        attestation_object: fields.required_text("attestationObject"),
    }
}

async fn add_passkey(call: Call, request: AddPasskeyRequest) -> RestResult {
    let done = call.accounts().add_passkey(request).await?.into_inner();
    RestResponse::created(&TurnedOn {
        second_factor: SecondFactor::from_proto(done.second_factor),
        recovery_codes: done.recovery_codes,
    })
}

async fn remove_passkey(call: Call) -> RestResult {
    let request = RemovePasskeyRequest { id: call.id() };
    call.accounts().remove_passkey(request).await?;
    Ok(RestResponse::empty())
}

async fn set_required(call: Call, required: Option<bool>) -> RestResult {
    let required = required.ok_or_else(|| ApiError::field("required", refusals::NOT_A_FLAG))?;
    let request = SetSecondFactorRequiredRequest { required };
    let done = call.accounts().set_second_factor_required(request).await?;
    RestResponse::ok(&SecondFactor::from_proto(done.into_inner().second_factor))
}

fn sign_in_body(fields: &mut Fields) -> StartPasskeySignInRequest {
    StartPasskeySignInRequest {
        email_or_business_name: account_name(fields),
        password: fields.required_text("password"),
        ..StartPasskeySignInRequest::default()
    }
}

async fn start_passkey_sign_in(call: Call, mut request: StartPasskeySignInRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    let attempt = begin_attempt(&call, Login::Own, &request.email_or_business_name).await?;
    request.known_addresses_only = attempt.known_addresses_only;
    let response = call.edge_accounts().start_passkey_sign_in(request).await;
    let failure = response.as_ref().err().map(ServiceError::from_status);
    let failed = failure
        .is_some_and(|failure| matches!(failure.kind, Kind::Unauthenticated | Kind::TooMany));
    if !failed {
        // The password alone is not a success: failures of the second factor stay counted.
        attempt.not_tried().await;
    }
    RestResponse::ok(&PasskeyRequest::from_proto(response?.into_inner()))
}
