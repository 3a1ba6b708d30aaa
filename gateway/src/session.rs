//! From cookie to identity, and back to a cookie.

use std::sync::Arc;

use hourmeter_proto::accounts::v1::{
    ClientOrigin, ResolveSessionRequest, ResolveSessionResponse, Scope,
};
use hourmeter_proto::billing::v1::GetEntitlementsRequest;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Entitlements, Identity, StaffIdentity};
use http::{HeaderMap, HeaderValue, header};
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use crate::gateway::Gateway;
use crate::outgoing::{self, Outgoing};
use crate::rescue::Refusal;
use crate::session_cache::{Found, KeptSession};
use crate::visitor::{Visit, Visitor, Who};
use crate::watch;

/// Length of 32 bytes in base64url without padding.
pub const TOKEN_LENGTH: usize = 43;
/// How long a remembered session's cookie lives.
const REMEMBER_SECONDS: u32 = 30 * 24 * 60 * 60;
/// What open pages call by themselves, however long nobody looks at them.
const PEEKING: [&str; 1] = [watch::PATH];

/// Name of the session cookie. The prefix binds it to this host and to TLS.
pub fn cookie_name(https: bool) -> &'static str {
    if https { "__Host-sid" } else { "sid" }
}

/// The session token of a request. Two session cookies, or one that no token looks like, are as
/// good as none.
pub fn read_token(headers: &HeaderMap, https: bool) -> Option<SecretString> {
    let name = cookie_name(https);
    let mut tokens = headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    let token = tokens.next()?;
    let alone = tokens.next().is_none();
    let is_token = token.len() == TOKEN_LENGTH
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    (alone && is_token).then(|| token.into())
}

/// Sets the cookie of a new session; without `remember` it ends with the browser.
pub fn set_cookie(token: &str, remember: bool, https: bool) -> Result<HeaderValue, ServiceError> {
    cookie(token, remember.then_some(REMEMBER_SECONDS), https)
}

fn cookie(token: &str, seconds: Option<u32>, https: bool) -> Result<HeaderValue, ServiceError> {
    let secure = if https { "; Secure" } else { "" };
    let lasting = seconds.map_or_else(String::new, |seconds| format!("; Max-Age={seconds}"));
    let name = cookie_name(https);
    let value = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict{secure}{lasting}");
    let mut value: HeaderValue = value
        .parse()
        .map_err(|_| ServiceError::internal("session token is no cookie value"))?;
    // Neither printed nor kept by the compression of HTTP/2.
    value.set_sensitive(true);
    Ok(value)
}

/// Clears the session cookie.
pub fn clear_cookie(https: bool) -> HeaderValue {
    HeaderValue::from_static(if https {
        "__Host-sid=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0"
    } else {
        "sid=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"
    })
}

/// What asking for a session means for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Somebody uses it.
    Use,
    /// An open page only looks whether it is still there.
    Peek,
}

impl Manner {
    /// Of a request to this path.
    pub fn from_path(path: &str) -> Self {
        if PEEKING.contains(&path) {
            Self::Peek
        } else {
            Self::Use
        }
    }
}

/// Finds out who sent a request, from the cache or from accounts. Tokens that are not known to be
/// alive are limited by address before accounts is asked.
pub async fn identify(
    gateway: &Arc<Gateway>,
    visit: Visit,
    headers: &HeaderMap,
    manner: Manner,
) -> Result<Visitor, Refusal> {
    let token = read_token(headers, gateway.config.is_https());
    let mut visitor = Visitor {
        visit,
        token,
        who: Who::Nobody,
        session: None,
        renewed: None,
        idempotency_key: headers.get("idempotency-key").cloned(),
        accept_language: headers.get(header::ACCEPT_LANGUAGE).cloned(),
        public_origin: public_origin(gateway.config.public_origin.as_deref(), headers),
    };
    let Some(token) = visitor.token.clone() else {
        return Ok(visitor);
    };
    let stranger = if gateway.sessions.remembers(&token) {
        None
    } else {
        Some(gateway.limits.stranger(visit.address)?)
    };
    if gateway.sessions.is_dead(&token) {
        return Ok(visitor);
    }
    let session = match manner {
        Manner::Use => resolve_cached(gateway, visit, token.clone()).await,
        Manner::Peek => {
            let session = Box::pin(peek(gateway, visit.request_id, token.clone())).await;
            session.map(KeptSession::new)
        }
    };
    if let Err(failure) = &session
        && failure.kind == Kind::Unauthenticated
    {
        gateway.sessions.note_dead(&token);
        return Ok(visitor);
    }
    if let Some(stranger) = stranger {
        stranger.uncount();
    }
    match session {
        Ok(kept) => {
            visitor.renewed = renewed(gateway, &kept.session);
            visitor.who = who(gateway, visit, &kept.session).await;
            visitor.session = Some(kept);
        }
        Err(_) => visitor.who = Who::Unknown,
    }
    Ok(visitor)
}

/// Asks whom a token belongs to and leaves no trace: the session comes no later to its end, gets no
/// other token, and is not ended by one that was given up.
pub async fn peek(
    gateway: &Arc<Gateway>,
    request_id: Uuid,
    token: SecretString,
) -> Result<ResolveSessionResponse, ServiceError> {
    let request = ResolveSessionRequest {
        token: token.expose_secret().to_owned(),
        peek: true,
        ..ResolveSessionRequest::default()
    };
    resolve(gateway, request_id, request).await
}

/// The product's public address. Where none is set, a page that was opened at `localhost` counts, so
/// that passkeys can be tried without settings; the origin check has matched it with the host.
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
    gateway: &Arc<Gateway>,
    visit: Visit,
    token: SecretString,
) -> Result<Arc<KeptSession>, ServiceError> {
    let look = match gateway.sessions.find(&token, gateway.clock.now()).await {
        Found::Session(session) => return Ok(session),
        Found::Nothing(look) => look,
    };
    let request = ResolveSessionRequest {
        token: token.expose_secret().to_owned(),
        peek: false,
        origin: Some(ClientOrigin {
            address_prefix: visit.address.prefix(),
        }),
        request_id: visit.request_id.to_string(),
    };
    // In a box, as every request would carry its state, and few come here.
    let session = Box::pin(resolve(gateway, visit.request_id, request)).await?;
    let session = KeptSession::new(session);
    gateway.sessions.keep(&look, &session);
    Ok(session)
}

async fn resolve(
    gateway: &Arc<Gateway>,
    request_id: Uuid,
    request: ResolveSessionRequest,
) -> Result<ResolveSessionResponse, ServiceError> {
    let mut accounts = outgoing::accounts(Outgoing::edge(gateway, request_id));
    let answer = accounts.resolve_session(request).await;
    let answer = answer.map_err(|status| ServiceError::from_status(&status))?;
    Ok(answer.into_inner())
}

/// The cookie of a session's next token, once a day.
fn renewed(gateway: &Gateway, session: &ResolveSessionResponse) -> Option<HeaderValue> {
    if session.new_token.is_empty() {
        return None;
    }
    let https = gateway.config.is_https();
    let set = cookie(&session.new_token, Some(session.new_token_seconds), https);
    set.ok()
}

async fn who(gateway: &Arc<Gateway>, visit: Visit, session: &ResolveSessionResponse) -> Who {
    if session.scope() == Scope::Staff || session.company_id.is_empty() {
        return match to_staff(visit, session) {
            Ok(staff) => Who::Staff(Box::new(staff)),
            Err(error) => {
                tracing::error!(%error, "a session can't be read");
                Who::Unknown
            }
        };
    }
    let company_id = session.company_id.parse().unwrap_or_default();
    let entitlements = entitlements(gateway, visit, company_id, session).await;
    let entitlements_known = entitlements.is_some();
    match to_identity(visit, session, entitlements.unwrap_or(NOTHING)) {
        Ok(identity) => Who::Person {
            identity: Box::new(identity),
            company_created_at: session.company_created_at,
            entitlements_known,
        },
        Err(error) => {
            tracing::error!(%error, "a session can't be read");
            Who::Unknown
        }
    }
}

/// What a plan nobody knows entitles to.
const NOTHING: Entitlements = Entitlements {
    active: false,
    equipment_limit: 0,
    fuel_analytics: false,
    parts_entry: false,
};

fn to_identity(
    visit: Visit,
    session: &ResolveSessionResponse,
    entitlements: Entitlements,
) -> Result<Identity, uuid::Error> {
    let authenticated_at = session.authenticated_at.as_ref();
    Ok(Identity {
        company_id: session.company_id.parse()?,
        user_id: session.user_id.parse()?,
        owner_id: session.owner_id.parse()?,
        session_id: session.session_id.parse()?,
        request_id: visit.request_id,
        address_prefix: visit.address.prefix(),
        role: session.role(),
        scope: session.scope(),
        authenticated_at: authenticated_at.map_or(0, |time| time.seconds),
        display_name: session.display_name.clone(),
        time_zone: session.time_zone.parse().unwrap_or_default(),
        auto_apply_updates: session.auto_apply_updates,
        entitlements,
        second_factor_missing: session.second_factor_missing,
    })
}

fn to_staff(visit: Visit, session: &ResolveSessionResponse) -> Result<StaffIdentity, uuid::Error> {
    let authenticated_at = session.authenticated_at.as_ref();
    Ok(StaffIdentity {
        staff_id: session.user_id.parse()?,
        session_id: session.session_id.parse()?,
        request_id: visit.request_id,
        address_prefix: visit.address.prefix(),
        authenticated_at: authenticated_at.map_or(0, |time| time.seconds),
        display_name: session.display_name.clone(),
    })
}

async fn entitlements(
    gateway: &Arc<Gateway>,
    visit: Visit,
    company_id: Uuid,
    session: &ResolveSessionResponse,
) -> Option<Entitlements> {
    let (cache, now) = (&gateway.entitlements, gateway.clock.now());
    if let Some(fresh) = cache.fresh(company_id, now) {
        return Some(fresh);
    }
    let asked = cache.asking();
    let edge = Outgoing::edge(gateway, visit.request_id);
    let request = GetEntitlementsRequest {
        company_id: session.company_id.clone(),
        company_created_at: session.company_created_at,
    };
    let mut billing = outgoing::billing(edge);
    let answer = Box::pin(billing.get_entitlements(request)).await;
    let Some(found) = answer
        .ok()
        .and_then(|answer| answer.into_inner().entitlements)
    else {
        return cache.stand_in(company_id);
    };
    let entitlements = Entitlements {
        active: found.active,
        equipment_limit: found.equipment_limit,
        fuel_analytics: found.fuel_analytics,
        parts_entry: found.parts_entry,
    };
    cache.keep(company_id, asked, now, entitlements.clone());
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
    fn one_well_formed_cookie_is_a_token() {
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
    fn public_origin_is_the_set_one_or_localhost() {
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
    fn no_token_is_printed() {
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
    fn cookies_are_closed_to_scripts_and_other_sites() {
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
