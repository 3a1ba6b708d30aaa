//! Rejects cross-site requests.

use std::sync::Arc;

use axum::extract::Request;
use http::{HeaderMap, Method, Uri, header};

use crate::api_error::ApiError;
use crate::audit::{AuditSink, CalledRoute};
use crate::config::GatewayConfig;
use crate::requester::{Protocol, RequestContext};
use crate::rest::{unsubscribe, webhook};
use crate::session::read_token;

/// A header that forms and links of other sites can't send.
pub const CSRF_HEADER: &str = "x-requested-with";

/// Fails if the request does not come from a page of the product.
pub fn check(
    config: &GatewayConfig,
    audit: &Arc<AuditSink>,
    context: RequestContext,
    request: &Request,
) -> Result<(), ApiError> {
    let is_allowed = context.protocol == Protocol::Page
        || webhook::is_call(request.method(), request.uri().path())
        || unsubscribe::is_call(request.method(), request.uri().path())
        || is_same_site(context.protocol, request, config.public_origin.as_deref());
    if is_allowed {
        return Ok(());
    }
    tracing::warn!(path = request.uri().path(), "CSRF check failed");
    let token = read_token(request.headers(), config.is_https());
    audit.record_cross_site(context, token, &CalledRoute::of(request));
    Err(ApiError::CrossSite)
}

pub fn has_csrf_header(headers: &HeaderMap) -> bool {
    headers
        .get(CSRF_HEADER)
        .is_some_and(|value| value == "XMLHttpRequest")
}

fn is_same_site(protocol: Protocol, request: &Request, public_origin: Option<&str>) -> bool {
    let (method, headers) = (request.method(), request.headers());
    let is_read = protocol == Protocol::Rest && (method == Method::GET || method == Method::HEAD);
    let has_header = is_read || has_csrf_header(headers);
    has_header
        && is_same_origin(request.uri(), headers, public_origin)
        && is_same_fetch_site(headers, is_read)
}

fn is_same_origin(uri: &Uri, headers: &HeaderMap, public_origin: Option<&str>) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    match public_origin {
        Some(ours) => origin.eq_ignore_ascii_case(ours),
        // Without the setting, the origin must match the `Host` header.
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

fn is_same_fetch_site(headers: &HeaderMap, is_read: bool) -> bool {
    match headers.get("sec-fetch-site") {
        None => true,
        Some(site) => site == "same-origin" || (is_read && site == "none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        protocol: Protocol,
        method: &Method,
        ours: Option<&str>,
        headers: &[(&str, &str)],
    ) -> bool {
        let mut request = Request::builder().method(method).uri("/api/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(axum::body::Body::empty()).expect("a request");
        is_same_site(protocol, &request, ours)
    }

    const HEADER: (&str, &str) = (CSRF_HEADER, "XMLHttpRequest");

    #[test]
    fn check_requires_the_header_for_writes_and_rpcs() {
        assert!(check(Protocol::Rest, &Method::GET, None, &[]));
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(!check(Protocol::Rest, &method, None, &[]), "{method}");
            assert!(check(Protocol::Rest, &method, None, &[HEADER]), "{method}");
        }
        assert!(!check(Protocol::GrpcWeb, &Method::POST, None, &[]));
        assert!(!check(Protocol::GrpcWeb, &Method::GET, None, &[]));
        assert!(!check(
            Protocol::Rest,
            &Method::POST,
            None,
            &[(CSRF_HEADER, "fetch")]
        ));
    }

    #[test]
    fn check_requires_own_origin() {
        let ours = Some("https://app.example.com");
        let post = |ours, origin| {
            let headers = [HEADER, ("host", "localhost:8080"), ("origin", origin)];
            check(Protocol::Rest, &Method::POST, ours, &headers)
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
    fn check_requires_same_site_fetch() {
        for (method, site, good) in [
            (Method::POST, "same-origin", true),
            (Method::POST, "same-site", false),
            (Method::POST, "cross-site", false),
            (Method::POST, "none", false),
            (Method::GET, "none", true),
            (Method::GET, "cross-site", false),
        ] {
            let headers = [HEADER, ("sec-fetch-site", site)];
            assert_eq!(
                check(Protocol::Rest, &method, None, &headers),
                good,
                "{site}"
            );
        }
    }
}
