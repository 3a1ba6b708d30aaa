//! Session cookies, and the principal of a session.

use std::sync::Arc;

use hourmeter_proto::accounts::v1::{
    ClientOrigin, ResolveSessionRequest, ResolveSessionResponse, Scope, VerifyDeviceResponse,
};
use hourmeter_proto::billing::v1::GetEntitlementsRequest;
use hourmeter_runtime::clock::read_timestamp;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{
    DEFAULT_STALE_AFTER_DAYS, Entitlements, Identity, SigningDevice, StaffIdentity,
};
use http::{HeaderMap, HeaderValue, header};
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use crate::api_error::ApiError;
use crate::browser::browser;
use crate::outgoing::{self, Outgoing};
use crate::requester::{Principal, RequestContext, Requester};
use crate::services::Services;
use crate::session_cache::{CachedSession, Lookup};

/// Length of 32 bytes in base64url without padding.
pub const TOKEN_LENGTH: usize = 43;
/// Lifetime of the cookie with "remember me".
const REMEMBER_SECONDS: u32 = 30 * 24 * 60 * 60;

/// Name of the session cookie. The prefix binds it to this host and to TLS.
pub fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-sid" } else { "sid" }
}

/// The session token of a request; `None` for several session cookies or a malformed one.
pub fn read_token(headers: &HeaderMap, https: bool) -> Option<SecretString> {
    let mut tokens = cookies(headers, cookie_name(https));
    let token = tokens.next()?;
    let is_single = tokens.next().is_none();
    let is_token = token.len() == TOKEN_LENGTH
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    (is_single && is_token).then(|| token.into())
}

/// The values of all cookies with this name.
pub fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter_map(move |(key, value)| (key == name).then_some(value))
}

/// The cookie of a new session; without `remember` it ends with the browser.
pub fn set_cookie(token: &str, remember: bool, https: bool) -> Result<HeaderValue, ServiceError> {
    cookie(token, remember.then_some(REMEMBER_SECONDS), https)
}

fn cookie(token: &str, seconds: Option<u32>, https: bool) -> Result<HeaderValue, ServiceError> {
    let secure = if https { "; Secure" } else { "" };
    let max_age = seconds.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
    let name = cookie_name(https);
    let value = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict{secure}{max_age}");
    let mut value: HeaderValue = value.parse().map_err(|_| {
        ServiceError::internal("session token contains characters not allowed in a cookie")
    })?;
    // Neither logged nor indexed by HTTP/2 header compression.
    value.set_sensitive(true);
    Ok(value)
}

pub fn clear_cookie(https: bool) -> Result<HeaderValue, ServiceError> {
    cookie("", Some(0), https)
}

/// Whether resolving a session counts as use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionUse {
    Touch,
    /// Only checks that the session exists, for an open page.
    ReadOnly,
}

/// Authenticates a request, by the cache or accounts. Tokens that are not cached are rate-limited
/// by address before accounts is asked.
pub async fn identify(
    services: &Arc<Services>,
    context: RequestContext,
    headers: &HeaderMap,
    session_use: SessionUse,
) -> Result<Requester, ApiError> {
    let https = services.config.is_https();
    let token = read_token(headers, https);
    let mut requester = Requester {
        context,
        token,
        principal: Principal::Anonymous,
        session: None,
        renewed: None,
        idempotency_key: headers.get("idempotency-key").cloned(),
        accept_language: headers.get(header::ACCEPT_LANGUAGE).cloned(),
        public_origin: public_origin(services.config.public_origin.as_deref(), headers),
        browser: browser(headers),
    };
    let Some(token) = requester.token.clone() else {
        return Ok(requester);
    };
    let unauthenticated = if services.sessions.contains(&token) {
        None
    } else {
        Some(services.limits.unauthenticated(context.address)?)
    };
    if services.sessions.is_invalid(&token) {
        return Ok(requester);
    }
    let session = match session_use {
        SessionUse::Touch => resolve_cached(services, context, token.clone()).await,
        SessionUse::ReadOnly => {
            let session = resolve_read_only(services, context.request_id, token.clone());
            Box::pin(session).await.map(CachedSession::new)
        }
    };
    if let Err(failure) = &session
        && failure.kind == Kind::Unauthenticated
    {
        services.sessions.mark_invalid(&token);
        return Ok(requester);
    }
    if let Some(counted) = unauthenticated {
        counted.uncount();
    }
    match session {
        Ok(cached) => {
            requester.renewed = renewed_cookie(&cached.session, https);
            requester.principal = principal(services, context, &cached.session).await;
            requester.session = Some(cached);
        }
        Err(_) => requester.principal = Principal::Unverified,
    }
    Ok(requester)
}

/// Resolves a token without side effects: the session is not extended, its token is not renewed,
/// and a replaced token does not end it.
pub async fn resolve_read_only(
    services: &Arc<Services>,
    request_id: Uuid,
    token: SecretString,
) -> Result<ResolveSessionResponse, ServiceError> {
    let request = ResolveSessionRequest {
        token: token.expose_secret().to_owned(),
        peek: true,
        ..ResolveSessionRequest::default()
    };
    resolve(services, request_id, request).await
}

/// The product's public origin. Without a setting, `localhost` is accepted, so that passkeys can be
/// tried; the CSRF check has compared it with the host.
fn public_origin(set: Option<&str>, headers: &HeaderMap) -> Option<HeaderValue> {
    if let Some(set) = set {
        return HeaderValue::from_str(set).ok();
    }
    let origin = headers.get(header::ORIGIN)?;
    let host = origin.to_str().ok()?.strip_prefix("http://")?;
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    (name == "localhost").then(|| origin.clone())
}

async fn resolve_cached(
    services: &Arc<Services>,
    context: RequestContext,
    token: SecretString,
) -> Result<Arc<CachedSession>, ServiceError> {
    let miss = match services.sessions.find(&token, services.clock.now()).await {
        Lookup::Hit(session) => return Ok(session),
        Lookup::Miss(miss) => miss,
    };
    let request = ResolveSessionRequest {
        token: token.expose_secret().to_owned(),
        peek: false,
        origin: Some(ClientOrigin {
            address_prefix: context.address.prefix(),
        }),
        request_id: context.request_id.to_string(),
    };
    // Boxed: otherwise the future of every request would contain its state.
    let session = Box::pin(resolve(services, context.request_id, request)).await?;
    let session = CachedSession::new(session);
    services.sessions.insert(&miss, &session);
    Ok(session)
}

async fn resolve(
    services: &Arc<Services>,
    request_id: Uuid,
    request: ResolveSessionRequest,
) -> Result<ResolveSessionResponse, ServiceError> {
    let mut accounts = outgoing::accounts(Outgoing::as_gateway(services, request_id));
    let response = accounts.resolve_session(request).await;
    let response = response.map_err(|status| ServiceError::from_status(&status))?;
    Ok(response.into_inner())
}

/// The cookie of the renewed token, once a day.
fn renewed_cookie(session: &ResolveSessionResponse, https: bool) -> Option<HeaderValue> {
    if session.new_token.is_empty() {
        return None;
    }
    let set = cookie(&session.new_token, Some(session.new_token_seconds), https);
    set.ok()
}

async fn principal(
    services: &Arc<Services>,
    context: RequestContext,
    session: &ResolveSessionResponse,
) -> Principal {
    let principal = if session.scope() == Scope::Staff || session.company_id.is_empty() {
        to_staff(context, session).map(|staff| Principal::Staff(Box::new(staff)))
    } else {
        let company_id = session.company_id.parse().unwrap_or_default();
        let entitlements = entitlements(services, context, company_id, session).await;
        let entitlements_known = entitlements.is_some();
        let identity = to_identity(context, session, entitlements.unwrap_or(NO_ENTITLEMENTS));
        identity.map(|identity| Principal::Person {
            identity: Box::new(identity),
            company_created_at: session.company_created_at,
            entitlements_known,
        })
    };
    principal.unwrap_or_else(|error| {
        tracing::error!(%error, "accounts returned a malformed session");
        Principal::Unverified
    })
}

/// The person for whom an enrolled phone signed the request of `requester`, as its sender.
pub async fn signed_by_device(
    services: &Arc<Services>,
    requester: &Requester,
    verified: &VerifyDeviceResponse,
) -> Result<Requester, ServiceError> {
    let missing = || ServiceError::internal("accounts returned no person for a phone");
    let session = verified.session.as_ref().ok_or_else(missing)?;
    let mut sender = as_person(services, requester, session).await;
    let Principal::Person { identity, .. } = &mut sender.principal else {
        return Err(missing());
    };
    identity.device = Some(SigningDevice {
        label: verified.label.clone(),
        removed_at: verified.device_removed_at.and_then(read_timestamp),
        person_removed_at: verified.person_removed_at.and_then(read_timestamp),
    });
    Ok(sender)
}

/// The person of a session that accounts resolved without a token, as the sender of a request.
pub async fn as_person(
    services: &Arc<Services>,
    requester: &Requester,
    session: &ResolveSessionResponse,
) -> Requester {
    Requester {
        context: requester.context,
        token: None,
        principal: principal(services, requester.context, session).await,
        session: None,
        renewed: None,
        idempotency_key: None,
        accept_language: requester.accept_language.clone(),
        public_origin: None,
        browser: None,
    }
}

/// Entitlements of an unknown plan.
const NO_ENTITLEMENTS: Entitlements = Entitlements {
    active: false,
    equipment_limit: 0,
    fuel_analytics: false,
    parts_entry: false,
};

fn to_identity(
    context: RequestContext,
    session: &ResolveSessionResponse,
    entitlements: Entitlements,
) -> Result<Identity, uuid::Error> {
    let authenticated_at = session.authenticated_at.as_ref();
    Ok(Identity {
        company_id: session.company_id.parse()?,
        user_id: session.user_id.parse()?,
        owner_id: session.owner_id.parse()?,
        session_id: session.session_id.parse()?,
        request_id: context.request_id,
        address_prefix: context.address.prefix(),
        role: session.role(),
        scope: session.scope(),
        authenticated_at: authenticated_at.map_or(0, |time| time.seconds),
        display_name: session.display_name.clone(),
        time_zone: session.time_zone.parse().unwrap_or_default(),
        auto_apply_updates: session.auto_apply_updates,
        entitlements,
        second_factor_missing: session.second_factor_missing,
        stale_after_days: session.stale_after_days.unwrap_or(DEFAULT_STALE_AFTER_DAYS),
        device: None,
    })
}

fn to_staff(
    context: RequestContext,
    session: &ResolveSessionResponse,
) -> Result<StaffIdentity, uuid::Error> {
    let authenticated_at = session.authenticated_at.as_ref();
    Ok(StaffIdentity {
        staff_id: session.user_id.parse()?,
        session_id: session.session_id.parse()?,
        request_id: context.request_id,
        address_prefix: context.address.prefix(),
        authenticated_at: authenticated_at.map_or(0, |time| time.seconds),
        display_name: session.display_name.clone(),
    })
}

async fn entitlements(
    services: &Arc<Services>,
    context: RequestContext,
    company_id: Uuid,
    session: &ResolveSessionResponse,
) -> Option<Entitlements> {
    let (cache, now) = (&services.entitlements, services.clock.now());
    if let Some(fresh) = cache.fresh(company_id, now) {
        return Some(fresh);
    }
    let epoch = cache.epoch();
    let edge = Outgoing::as_gateway(services, context.request_id);
    let request = GetEntitlementsRequest {
        company_id: session.company_id.clone(),
        company_created_at: session.company_created_at,
    };
    let mut billing = outgoing::billing(edge);
    let response = Box::pin(billing.get_entitlements(request)).await;
    let found = response.map(|response| response.into_inner().entitlements);
    let Ok(Some(found)) = found else {
        return cache.stale(company_id);
    };
    let entitlements = Entitlements {
        active: found.active,
        equipment_limit: found.equipment_limit,
        fuel_analytics: found.fuel_analytics,
        parts_entry: found.parts_entry,
    };
    cache.insert(company_id, epoch, now, entitlements.clone());
    Some(entitlements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cookies: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, cookie.parse().expect("a header"));
        }
        let token = read_token(&headers, true);
        token.map(|token| token.expose_secret().to_owned())
    }

    #[test]
    fn read_token_accepts_one_well_formed_cookie() {
        let token = "a".repeat(TOKEN_LENGTH);
        let good = format!("__Host-sid={token}");
        assert_eq!(read(&[&good]), Some(token.clone()));
        assert_eq!(read(&[&format!("x=1; {good}; y=2")]), Some(token.clone()));
        let other = "b".repeat(TOKEN_LENGTH);
        for bad in [
            vec![],
            vec!["__Host-sid=".to_owned()],
            vec![format!("sid={token}")],
            vec![format!("__Host-sid={token}x")],
            vec![format!("__Host-sid={}", token.replacen('a', "=", 1))],
            vec![format!("{good}; __Host-sid={other}")],
            vec![good.clone(), good.clone()],
        ] {
            let bad: Vec<&str> = bad.iter().map(String::as_str).collect();
            assert_eq!(read(&bad), None, "{bad:?}");
        }
    }

    #[test]
    fn public_origin_is_the_setting_or_localhost() {
        let origin = |set, sent: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(sent));
            let origin = public_origin(set, &headers);
            origin.map(|origin| origin.to_str().expect("text").to_owned())
        };
        let set = Some("https://app.example.com");
        let local = "http://localhost:8080";
        assert_eq!(origin(set, local).as_deref(), set);
        assert_eq!(origin(None, local).as_deref(), Some(local));
        for other in [
            "http://localhost.example.com",
            "https://app.example.com",
            "http://127.0.0.1:8080",
            "null",
        ] {
            assert_eq!(origin(None, other), None, "{other}");
        }
    }

    #[test]
    fn tokens_are_redacted_in_debug_output() {
        let token = "k".repeat(TOKEN_LENGTH);
        let mut headers = HeaderMap::new();
        let cookie = format!("__Host-sid={token}").parse().expect("a header");
        headers.insert(header::COOKIE, cookie);
        let printed = format!(
            "{:?} {:?}",
            read_token(&headers, true).expect("a token"),
            set_cookie(&token, true, true).expect("a cookie"),
        );
        assert!(!printed.contains(&token), "{printed}");
    }

    #[test]
    fn cookie_is_http_only_and_same_site() {
        let remembered = set_cookie("t", true, true).expect("a cookie");
        assert_eq!(
            remembered,
            "__Host-sid=t; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000"
        );
        let plain = set_cookie("t", false, false).expect("a cookie");
        assert_eq!(plain, "sid=t; Path=/; HttpOnly; SameSite=Strict");
        let renewed = cookie("t", Some(86_400), false).expect("a cookie");
        assert_eq!(
            renewed,
            "sid=t; Path=/; HttpOnly; SameSite=Strict; Max-Age=86400"
        );
    }
}

#[cfg(test)]
#[path = "session_fuzz.rs"]
mod fuzz;
