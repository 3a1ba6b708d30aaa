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
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::sign_in::{begin_attempt, client_origin};
use super::values::{Id, Instant, all};
use crate::api_error::ApiError;
use crate::limits::Login;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Post, Put};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    vec![
        Route::new(
            (Get, "/api/auth/second-factor"),
            rpc("GetSecondFactor"),
            "The person's second factor, and whether the company requires one",
            second_factor,
        )
        .ok::<SecondFactor>(),
        Route::new(
            (Delete, "/api/auth/second-factor"),
            rpc("TurnOffSecondFactor"),
            "Removes the person's authenticator, passkeys and recovery codes",
            turn_off,
        )
        .empty(),
        Route::new(
            (Post, "/api/auth/second-factor/authenticator"),
            rpc("StartAuthenticator"),
            "A secret for the person's authenticator, to be confirmed by a code",
            start_authenticator,
        )
        .ok::<AuthenticatorSecret>(),
        Route::new(
            (Post, "/api/auth/second-factor/authenticator/confirm"),
            rpc("ConfirmAuthenticator"),
            "Confirms the authenticator; the first factor returns recovery codes, only this once",
            confirm_authenticator,
        )
        .body(|fields| fields.required_text("code"))
        .ok::<TurnedOn>(),
        Route::new(
            (Post, "/api/auth/second-factor/recovery-codes"),
            rpc("ReplaceRecoveryCodes"),
            "Replaces the recovery codes by ten new ones, returned only this once",
            replace_recovery_codes,
        )
        .ok::<RecoveryCodes>(),
        Route::new(
            (Post, "/api/auth/second-factor/passkey-options"),
            rpc("StartPasskey"),
            "Options to create a passkey; valid once, for 5 minutes",
            start_passkey,
        )
        .ok::<PasskeyCreation>(),
        Route::new(
            (Post, "/api/auth/second-factor/passkeys"),
            rpc("AddPasskey"),
            "Adds a passkey; the first factor returns recovery codes, only this once",
            add_passkey,
        )
        .body(passkey_body)
        .created::<TurnedOn>(),
        Route::new(
            (Delete, "/api/auth/second-factor/passkeys/{id}"),
            rpc("RemovePasskey"),
            "Removes a passkey of the person",
            remove_passkey,
        )
        .empty(),
        Route::new(
            (Put, "/api/company-settings/second-factor"),
            rpc("SetSecondFactorRequired"),
            "Sets whether owner and managers must have a second factor",
            set_required,
        )
        .body(|fields| fields.flag("required"))
        .ok::<SecondFactor>(),
        Route::new(
            (Post, "/api/auth/passkey-options"),
            AccessRule::Public,
            "A challenge to sign in with a passkey; requires the right password",
            start_passkey_sign_in,
        )
        .body(sign_in_body)
        .ok::<PasskeyRequest>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SecondFactor {
    authenticator_since: Option<Instant>,
    passkeys: Vec<Passkey>,
    recovery_codes_left: u32,
    required: bool,
    passkeys_offered: bool,
}

impl From<proto::SecondFactor> for SecondFactor {
    fn from(found: proto::SecondFactor) -> Self {
        Self {
            authenticator_since: found.authenticator_since.map(Instant::from),
            passkeys: all(found.passkeys),
            recovery_codes_left: found.recovery_codes_left,
            required: found.required,
            passkeys_offered: found.passkeys_offered,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Passkey {
    id: Id,
    name: String,
    created_at: Instant,
    last_used_at: Option<Instant>,
}

impl From<proto::Passkey> for Passkey {
    fn from(passkey: proto::Passkey) -> Self {
        Self {
            id: Id(passkey.id),
            name: passkey.name,
            created_at: passkey.created_at.into(),
            last_used_at: passkey.last_used_at.map(Instant::from),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct AuthenticatorSecret {
    secret: String,
    url: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TurnedOn {
    second_factor: SecondFactor,
    recovery_codes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeyCreation {
    challenge: String,
    rp_id: String,
    user_handle: String,
    user_name: String,
    display_name: String,
    exclude_credential_ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PasskeyRequest {
    challenge: String,
    rp_id: String,
    credential_ids: Vec<String>,
}

async fn second_factor(call: Call) -> Result<RestResponse, ApiError> {
    let request = GetSecondFactorRequest {};
    let found = call.accounts().get_second_factor(request).await?;
    let found = found.into_inner().second_factor.unwrap_or_default();
    RestResponse::ok(&SecondFactor::from(found))
}

async fn turn_off(call: Call) -> Result<RestResponse, ApiError> {
    let request = TurnOffSecondFactorRequest {};
    call.accounts().turn_off_second_factor(request).await?;
    Ok(RestResponse::empty())
}

async fn start_authenticator(call: Call) -> Result<RestResponse, ApiError> {
    let request = StartAuthenticatorRequest {};
    let made = call.accounts().start_authenticator(request).await?;
    let made = made.into_inner();
    RestResponse::ok(&AuthenticatorSecret {
        secret: made.secret,
        url: made.url,
    })
}

async fn confirm_authenticator(call: Call) -> Result<RestResponse, ApiError> {
    let code = call.body(|fields| fields.required_text("code"))?;
    let request = ConfirmAuthenticatorRequest { code };
    let done = call.accounts().confirm_authenticator(request).await?;
    let done = done.into_inner();
    RestResponse::ok(&TurnedOn {
        second_factor: done.second_factor.unwrap_or_default().into(),
        recovery_codes: done.recovery_codes,
    })
}

async fn replace_recovery_codes(call: Call) -> Result<RestResponse, ApiError> {
    let request = ReplaceRecoveryCodesRequest {};
    let made = call.accounts().replace_recovery_codes(request).await?;
    let recovery_codes = made.into_inner().recovery_codes;
    RestResponse::ok(&RecoveryCodes { recovery_codes })
}

async fn start_passkey(call: Call) -> Result<RestResponse, ApiError> {
    let request = StartPasskeyRequest {};
    let made = call.accounts().start_passkey(request).await?.into_inner();
    RestResponse::ok(&PasskeyCreation {
        challenge: made.challenge,
        rp_id: made.rp_id,
        user_handle: made.user_handle,
        user_name: made.user_name,
        display_name: made.display_name,
        exclude_credential_ids: made.exclude_credential_ids,
    })
}

fn passkey_body(fields: &mut Fields) -> AddPasskeyRequest {
    AddPasskeyRequest {
        name: fields.required_text_in("name", 1..=100),
        client_data_json: fields.required_text("clientDataJson"),
        attestation_object: fields.required_text("attestationObject"),
    }
}

async fn add_passkey(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(passkey_body)?;
    let done = call.accounts().add_passkey(request).await?.into_inner();
    RestResponse::created(&TurnedOn {
        second_factor: done.second_factor.unwrap_or_default().into(),
        recovery_codes: done.recovery_codes,
    })
}

async fn remove_passkey(call: Call) -> Result<RestResponse, ApiError> {
    let request = RemovePasskeyRequest {
        id: call.id.clone(),
    };
    call.accounts().remove_passkey(request).await?;
    Ok(RestResponse::empty())
}

async fn set_required(call: Call) -> Result<RestResponse, ApiError> {
    let required = call.body(|fields| fields.flag("required"))?;
    let required = required.ok_or_else(|| ApiError::field("required", refusals::NOT_A_FLAG))?;
    let request = SetSecondFactorRequiredRequest { required };
    let done = call.accounts().set_second_factor_required(request).await?;
    let done = done.into_inner().second_factor.unwrap_or_default();
    RestResponse::ok(&SecondFactor::from(done))
}

fn sign_in_body(fields: &mut Fields) -> StartPasskeySignInRequest {
    StartPasskeySignInRequest {
        email_or_business_name: fields.required_text("emailOrBusinessName"),
        password: fields.required_text("password"),
        origin: None,
        known_addresses_only: false,
    }
}

async fn start_passkey_sign_in(call: Call) -> Result<RestResponse, ApiError> {
    let mut request = call.body(sign_in_body)?;
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
    let made = response?.into_inner();
    RestResponse::ok(&PasskeyRequest {
        challenge: made.challenge,
        rp_id: made.rp_id,
        credential_ids: made.credential_ids,
    })
}
