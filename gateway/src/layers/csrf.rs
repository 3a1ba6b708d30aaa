//! Only our own pages may act with a person's cookie.

use std::sync::Arc;

use axum::extract::Request;
use http::{HeaderMap, Method, Uri, header};

use super::audit::Place;
use crate::audit;
use crate::gateway::Gateway;
use crate::rescue::Refusal;
use crate::rest::webhook;
use crate::session::read_token;
use crate::visitor::{Door, Visit};

/// The header a form or link of another site can't send.
pub const MARKER: &str = "x-requested-with";

/// Refuses a request that does not come from one of our pages.
pub fn check(gateway: &Arc<Gateway>, visit: Visit, request: &Request) -> Result<(), Refusal> {
    let ours = visit.door == Door::Page
        || webhook::is_call(request.method(), request.uri().path())
        || is_ours(
            visit.door,
            request.method(),
            request.uri(),
            request.headers(),
            gateway.config.public_origin.as_deref(),
        );
    if ours {
        return Ok(());
    }
    tracing::warn!(path = request.uri().path(), "not from our pages");
    let token = read_token(request.headers(), gateway.config.is_https());
    audit::note_foreign(gateway, visit, token, &Place::of(request));
    Err(Refusal::Foreign)
}

/// Whether a request carries the marker.
pub fn has_marker(headers: &HeaderMap) -> bool {
    headers
        .get(MARKER)
        .is_some_and(|value| value == "XMLHttpRequest")
}

fn is_ours(
    door: Door,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    public_origin: Option<&str>,
) -> bool {
    let only_reads = door == Door::Rest && (method == Method::GET || method == Method::HEAD);
    let marked = only_reads || has_marker(headers);
    marked && origin_is_ours(uri, headers, public_origin) && site_is_ours(headers, only_reads)
}

fn origin_is_ours(uri: &Uri, headers: &HeaderMap, public_origin: Option<&str>) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    match public_origin {
        Some(ours) => origin.eq_ignore_ascii_case(ours),
        // Without a setting, the page must come from where the request goes.
        None => origin_host(origin).is_some_and(|from| {
            let host = headers
                .get(header::HOST)
                .and_then(|host| host.to_str().ok());
            let host = host.or_else(|| uri.authority().map(http::uri::Authority::as_str));
            host.is_some_and(|host| host.eq_ignore_ascii_case(from))
        }),
    }
}

fn origin_host(origin: &str) -> Option<&str> {
    let (scheme, host) = origin.split_once("://")?;
    matches!(scheme, "http" | "https").then_some(host)
}

fn site_is_ours(headers: &HeaderMap, only_reads: bool) -> bool {
    match headers.get("sec-fetch-site") {
        None => true,
        Some(site) => site == "same-origin" || (only_reads && site == "none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(door: Door, method: &Method, ours: Option<&str>, headers: &[(&str, &str)]) -> bool {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                let name: http::HeaderName = name.parse().expect("a name");
                (name, value.parse().expect("a value"))
            })
            .collect();
        is_ours(door, method, &Uri::from_static("/api/x"), &headers, ours)
    }

    const MARKED: (&str, &str) = (MARKER, "XMLHttpRequest");

    #[test]
    fn writes_and_rpcs_need_the_marker() {
        assert!(check(Door::Rest, &Method::GET, None, &[]));
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(!check(Door::Rest, &method, None, &[]), "{method}");
            assert!(check(Door::Rest, &method, None, &[MARKED]), "{method}");
        }
        assert!(!check(Door::GrpcWeb, &Method::POST, None, &[]));
        assert!(!check(Door::GrpcWeb, &Method::GET, None, &[]));
        assert!(!check(
            Door::Rest,
            &Method::POST,
            None,
            &[(MARKER, "fetch")]
        ));
    }

    #[test]
    fn the_origin_must_be_ours() {
        let ours = Some("https://app.example.com");
        let post = |ours, origin| {
            let headers = [MARKED, ("host", "localhost:8080"), ("origin", origin)];
            check(Door::Rest, &Method::POST, ours, &headers)
        };
        assert!(post(ours, "https://app.example.com"));
        for foreign in [
            "https://evil.example",
            "http://app.example.com",
            "https://app.example.com.evil.example",
            "null",
            "",
        ] {
            assert!(!post(ours, foreign), "{foreign}");
        }
        assert!(post(None, "http://localhost:8080"));
        for foreign in [
            "http://localhost:8081",
            "http://localhost",
            "null",
            "file://localhost:8080",
        ] {
            assert!(!post(None, foreign), "{foreign}");
        }
    }

    #[test]
    fn the_fetch_site_must_be_ours() {
        for (method, site, good) in [
            (Method::POST, "same-origin", true),
            (Method::POST, "same-site", false),
            (Method::POST, "cross-site", false),
            (Method::POST, "none", false),
            (Method::GET, "none", true),
            (Method::GET, "cross-site", false),
        ] {
            let headers = [MARKED, ("sec-fetch-site", site)];
            assert_eq!(check(Door::Rest, &method, None, &headers), good, "{site}");
        }
    }
}
