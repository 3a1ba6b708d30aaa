//! Security headers of every response.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::requester::Protocol;

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; \
    script-src 'self' https://js.stripe.com; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self' https://api.stripe.com; \
    frame-src https://js.stripe.com https://hooks.stripe.com; worker-src 'self'; \
    manifest-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; \
    frame-ancestors 'none'";

const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (
        header::STRICT_TRANSPORT_SECURITY,
        "max-age=63072000; includeSubDomains",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    (OPENER_POLICY, "same-origin"),
    (RESOURCE_POLICY, "same-origin"),
    (PERMISSIONS, "geolocation=(), camera=(), microphone=()"),
];

pub fn set(headers: &mut HeaderMap, protocol: Protocol) {
    headers.reserve(ALWAYS.len());
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.remove(header::SERVER);
    if protocol != Protocol::Page {
        let no_store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, no_store);
    }
}
