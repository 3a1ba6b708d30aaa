//! Signing up, in and out.

use hourmeter_proto::accounts::v1::{
    self as proto, ClientOrigin, PasskeyAssertion, ReauthenticateRequest, Scope, SessionGrant,
    SignInOperatorRequest, SignInOperatorResponse, SignInRequest, SignOutRequest, SignUpRequest,
};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::error::{Kind, ServiceError};
use http::{HeaderName, HeaderValue, StatusCode, header};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use tonic::{Response, Status};

use super::accounts::User;
use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use crate::api_error::ApiError;
use crate::layers::csrf::has_csrf_header;
use crate::limits::{CompanyLimit, Login, SignInAttempt};
use crate::refusals;
use crate::session::{clear_cookie, set_cookie};
use crate::session_cache::AffectedSessions;

/// The reason of a wrong current password, where the status is not 401.
const WRONG_PASSWORD: &str = "WRONG_PASSWORD";
/// Of accounts: the password was right.
const SECOND_FACTOR_MISSING: &str = "TOTP_REQUIRED";

pub fn routes() -> Vec<Route> {
    use AccessRule::{BeforeSecondFactor, Public};
    use Verb::{Get, Post};
    let see_other = ResponseDoc::Other("");
    vec![
        Public
            .at(Post, "/api/auth/signup")
            .body(sign_up_body, sign_up)
            .summary("Creates a company and signs its owner in")
            .created::<User>(),
        Public
            .at(Post, "/api/auth/login")
            .body(sign_in_body, sign_in)
            .summary("Signs in an owner or manager")
            .ok::<User>(),
        Public
            .at(Post, "/api/employee/login")
            .body(sign_in_operator_body, sign_in_operator)
            .summary("Signs in an operator, or an owner by business name")
            .ok::<OperatorSession>(),
        BeforeSecondFactor
            .at(Post, "/api/auth/reauth")
            .body(|fields| fields.required_text("password"), reauthenticate)
            .summary("Confirms the password of the session")
            .empty()
            .audited_if_limited(AuditEventType::Reauthentication),
        Public
            .route(Post, "/api/auth/logout", log_out)
            .summary("Ends the session")
            .empty(),
        Public
            .route(Get, "/api/logout", log_out_by_link)
            .summary(
                "Ends the session if the X-Requested-With header is present; else redirects to \
                 the start page",
            )
            .empty()
            .responds(StatusCode::SEE_OTHER, see_other),
        Public
            .route(Get, "/api/login/owner", async |_: Call| {
                Ok(RestResponse::redirect(StatusCode::FOUND, "/login"))
            })
            .summary("Redirects to the owner login")
            .responds(StatusCode::FOUND, ResponseDoc::Other("")),
    ]
}

fn sign_up_body(fields: &mut Fields) -> SignUpRequest {
    SignUpRequest {
        business_name: fields.required_text_in("businessName", 2..=100),
        email: fields.required_text_in("email", 6..=254),
        password: fields.required_text_in("password", 6..=128),
        first_name: fields.text_in("firstName", 0..=100).unwrap_or_default(),
        last_name: fields.text_in("lastName", 0..=100).unwrap_or_default(),
        time_zone: fields.text("timeZone").unwrap_or_default(),
        ..SignUpRequest::default()
    }
}

async fn sign_up(call: Call, mut request: SignUpRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    request.previous_token = previous_token(&call);
    let address = call.requester.context.address;
    let attempt = call.services.limits.sign_up(address).await?;
    match call.edge_accounts().sign_up(request).await {
        Ok(response) => {
            let response = signed_in::<User>(&call, response.into_inner().session).await?;
            Ok(response.with_status(StatusCode::CREATED))
        }
        Err(status) => {
            let error = ApiError::from(status);
            if matches!(&error, ApiError::Service(failure) if failure.kind == Kind::Invalid) {
                attempt.take_back().await;
            }
            Err(error)
        }
    }
}

pub fn account_name(fields: &mut Fields) -> String {
    fields.required_text("emailOrBusinessName")
}

fn sign_in_body(fields: &mut Fields) -> SignInRequest {
    SignInRequest {
        email_or_business_name: account_name(fields),
        password: fields.required_text("password"),
        remember_me: fields.flag("rememberMe").unwrap_or(false),
        totp: fields.text("totp").unwrap_or_default(),
        recovery_code: fields.text("recoveryCode").unwrap_or_default(),
        passkey: fields.object("passkey", passkey_body),
        ..SignInRequest::default()
    }
}

/// The response of the passkey, in base64url.
fn passkey_body(fields: &mut Fields) -> PasskeyAssertion {
    let mut part = |name| {
        let text = fields.required_text(name);
        if text.is_empty() {
            fields.wrong(name, refusals::FIELD_MISSING);
        }
        text
    };
    PasskeyAssertion {
        credential_id: part("credentialId"),
        client_data_json: part("clientDataJson"),
        authenticator_data: part("authenticatorData"),
        signature: part("signature"),
    }
}

async fn sign_in(call: Call, mut request: SignInRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    request.previous_token = previous_token(&call);
    let attempt = begin_attempt(&call, Login::Own, &request.email_or_business_name).await?;
    request.known_addresses_only = attempt.known_addresses_only;
    let response = call.edge_accounts().sign_in(request).await;
    let session = finish_attempt(attempt, response).await?.session;
    signed_in::<User>(&call, session).await
}

fn sign_in_operator_body(fields: &mut Fields) -> SignInOperatorRequest {
    SignInOperatorRequest {
        operator_name: fields.required_text("operatorName"),
        password: fields.required_text("password"),
        remember_me: fields.flag("rememberMe").unwrap_or(false),
        totp: fields.text("totp").unwrap_or_default(),
        recovery_code: fields.text("recoveryCode").unwrap_or_default(),
        passkey: fields.object("passkey", passkey_body),
        ..SignInOperatorRequest::default()
    }
}

async fn sign_in_operator(call: Call, mut request: SignInOperatorRequest) -> RestResult {
    request.origin = Some(client_origin(&call));
    request.previous_token = previous_token(&call);
    let attempt = begin_attempt(&call, Login::Operator, &request.operator_name).await?;
    let only_known = attempt.known_addresses_only;
    request.known_addresses_only = only_known;
    request.own_password_known_addresses_only = attempt.own_password_known_addresses_only;
    let response = call.edge_accounts().sign_in_operator(request).await;
    let response = match response {
        Ok(response) if used_shared_password(response.get_ref()) => {
            attempt.shared_succeeded().await;
            response.into_inner()
        }
        response => match finish_attempt(attempt, response).await {
            Ok(response) => response,
            Err(error) => return Err(hide_closed_login(&call, only_known, error).await),
        },
    };
    signed_in::<OperatorSession>(&call, response.session).await
}

/// Makes errors independent of the name. After an address tried a name of a company whose operator
/// login is closed, every failure from there gets the same error: otherwise errors would reveal
/// which names belong to that company.
async fn hide_closed_login(call: &Call, only_known: bool, error: ApiError) -> ApiError {
    let ApiError::Service(failure) = &error else {
        return error;
    };
    let (limits, address) = (&call.services.limits, call.requester.context.address);
    match failure.kind {
        // With `only_known` the name is under attack: known and unknown names are rejected alike.
        Kind::TooMany if !only_known => {
            let seconds = failure.retry_after.unwrap_or(1);
            limits.record_closed_login(address, seconds).await;
        }
        Kind::Unauthenticated => {}
        _ => return error,
    }
    match limits.closed_login(address).await {
        Some(seconds) => ServiceError::too_many(seconds).into(),
        None => error,
    }
}

/// Whether the shared password under the company's name was used, which has no operator's username.
fn used_shared_password(response: &SignInOperatorResponse) -> bool {
    let session = response.session.as_ref();
    let user = session.and_then(|session| session.user.as_ref());
    user.is_some_and(|user| user.scope() == Scope::Operator && user.operator_username.is_none())
}

objects! {
    struct OperatorSession(signed_in: proto::User) {
        #[schemars(extend("enum" = ["/", "/simple-operator"]))]
        redirect: &'static str => match signed_in.scope() {
            // The owner's password opens the whole product, the shared one only operator work.
            Scope::Full => "/",
            _ => "/simple-operator",
        },
        user: User = signed_in,
    }
}

async fn reauthenticate(call: Call, password: String) -> RestResult {
    let person = call.requester.person_id();
    let person = person.ok_or_else(ServiceError::unauthenticated)?;
    call.count(CompanyLimit::PasswordWork).await?;
    let attempt = begin_attempt(&call, Login::Session, &person.to_string()).await?;
    let request = ReauthenticateRequest {
        token: previous_token(&call),
        password,
        origin: Some(client_origin(&call)),
    };
    let response = call.edge_accounts().reauthenticate(request).await;
    let session = finish_attempt(attempt, response).await?.session;
    let cookie = session_cookie(&call, &session.unwrap_or_default())?;
    Ok(RestResponse::empty().with(header::SET_COOKIE, cookie))
}

async fn log_out(call: Call) -> RestResult {
    let token = previous_token(&call);
    if !token.is_empty() {
        let request = SignOutRequest { token };
        call.edge_accounts().sign_out(request).await?;
    }
    let cookie = clear_cookie(call.services.config.is_https())?;
    let clear_site_data = HeaderName::from_static("clear-site-data");
    Ok(RestResponse::empty()
        .with(header::SET_COOKIE, cookie)
        .with(clear_site_data, HeaderValue::from_static("\"cache\"")))
}

/// Links and images of other sites must not sign anyone out.
async fn log_out_by_link(call: Call) -> RestResult {
    if has_csrf_header(&call.headers) {
        log_out(call).await
    } else {
        Ok(RestResponse::redirect(StatusCode::SEE_OTHER, "/"))
    }
}

/// Begins a sign-in attempt. A rate-limited one is queued for the audit log of the company that has
/// the name.
pub async fn begin_attempt<'a>(
    call: &'a Call,
    login: Login,
    name: &str,
) -> Result<SignInAttempt<'a>, ApiError> {
    let context = call.requester.context;
    let limits = &call.services.limits;
    let attempt = limits.sign_in(login, name, context.address).await;
    // The audit layer queues those of a session.
    if attempt.is_err() && login != Login::Session {
        let at_operator_login = login == Login::Operator;
        let background = call.background.as_ref();
        let audit = &call.audit;
        audit.record_rate_limited_sign_in(context, name, at_operator_login, background);
    }
    attempt
}

/// Finishes a sign-in attempt: only a wrong password or second factor, or one not checked because of too
/// many attempts, counts as failed. A right password whose second factor is still to come does not.
pub async fn finish_attempt<T>(
    attempt: SignInAttempt<'_>,
    response: Result<Response<T>, Status>,
) -> Result<T, ApiError> {
    match response {
        Ok(response) => {
            attempt.succeeded().await;
            Ok(response.into_inner())
        }
        Err(status) => {
            let failure = ServiceError::from_status(&status);
            let failed = matches!(failure.kind, Kind::Unauthenticated | Kind::TooMany)
                && failure.reason != SECOND_FACTOR_MISSING;
            if !failed && failure.reason != WRONG_PASSWORD {
                attempt.not_tried().await;
            }
            Err(failure.into())
        }
    }
}

/// The address prefix of a call, for the audit log.
pub fn client_origin(call: &Call) -> ClientOrigin {
    let address_prefix = call.requester.context.address.prefix();
    ClientOrigin { address_prefix }
}

pub fn previous_token(call: &Call) -> String {
    let token = call.requester.token.as_ref();
    token.map_or_else(String::new, |token| token.expose_secret().to_owned())
}

/// Responds with the signed-in person, as `T`, and the session cookie.
pub async fn signed_in<T: FromProto<proto::User> + Serialize>(
    call: &Call,
    session: Option<SessionGrant>,
) -> RestResult {
    let session = session.ok_or_else(|| ServiceError::internal("accounts returned no session"))?;
    let cookie = session_cookie(call, &session)?;
    let user = session
        .user
        .ok_or_else(|| ServiceError::internal("accounts returned no user"))?;
    // The person's oldest session may have been ended for this one.
    let company_id = user.company_id.parse().ok();
    let affected = company_id.map_or(AffectedSessions::None, AffectedSessions::Company);
    call.services.sessions.invalidate(affected).await;
    let response = RestResponse::ok(&T::from_proto(user))?;
    Ok(response.with(header::SET_COOKIE, cookie))
}

pub fn session_cookie(call: &Call, session: &SessionGrant) -> Result<HeaderValue, ApiError> {
    if session.token.is_empty() {
        return Err(ServiceError::internal("accounts returned no session").into());
    }
    let https = call.services.config.is_https();
    Ok(set_cookie(&session.token, session.remember_me, https)?)
}
