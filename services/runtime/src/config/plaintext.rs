//! Detects URLs of servers without TLS or without certificate verification.

use std::net::IpAddr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// The host of a PostgreSQL, Redis or SMTP URL without verified TLS. None: the connection is safe
/// or local, or the text is not such a URL.
pub(super) fn host(url: &str) -> Option<String> {
    let host = if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        of_postgres(url)
    } else if url.starts_with("redis://") || url.starts_with("rediss://") {
        of_redis(url)
    } else if url.starts_with("smtp://") {
        (!url.ends_with("tls=required")).then(|| authority_host(&url["smtp://".len()..]))
    } else {
        None
    };
    host.filter(|host| !is_local(host))
}

fn of_postgres(url: &str) -> Option<String> {
    // An invalid URL is rejected where the pool is created.
    let options: PgConnectOptions = url.parse().ok()?;
    let is_checked = matches!(
        options.get_ssl_mode(),
        PgSslMode::VerifyCa | PgSslMode::VerifyFull
    );
    let is_safe = is_checked || options.get_socket().is_some();
    (!is_safe).then(|| options.get_host().to_owned())
}

fn of_redis(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let is_checked = scheme == "rediss" && !rest.ends_with("#insecure");
    (!is_checked).then(|| authority_host(rest))
}

/// The host in what follows the scheme of a URL.
fn authority_host(rest: &str) -> String {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit('@').next().unwrap_or_default();
    let host = match address.strip_prefix('[') {
        Some(v6) => v6.split(']').next(),
        None => address.split(':').next(),
    };
    host.unwrap_or_default().to_owned()
}

fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<IpAddr>();
    host == "localhost"
        || host.starts_with('/')
        || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_none_for_safe_and_local_urls() {
        for url in [
            "postgres://a:b@db.example/c?sslmode=verify-full&sslrootcert=/ca.crt",
            "postgres://a:b@db.example/c?sslmode=verify-ca",
            "postgres://a:b@127.0.0.1:5432/c",
            "postgresql://a:b@localhost/c",
            "postgres://a:b@[::1]:5432/c",
            "postgres://a:b@%2Frun%2Fpostgresql/c",
            "rediss://:b@cache.example:6379/?sslrootcert=/ca.crt",
            "redis://:b@127.0.0.1:6379/",
            "redis://[::1]:6379/",
            "smtps://a:b@mail.example:465",
            "smtp://a:b@mail.example:587?tls=required",
            "smtp://127.0.0.1:2525",
            "4FVzLnWkxQ0mZ2nXt0d7Zx6Cwq3bT9yGf1hVJrEo8sA=",
        ] {
            assert_eq!(host(url), None, "{url}");
        }
    }

    #[test]
    fn host_is_returned_for_unverified_urls() {
        for (url, expected) in [
            ("postgres://a:b@db.example/c", "db.example"),
            ("postgres://a:b@db.example/c?sslmode=prefer", "db.example"),
            ("postgres://a:b@db.example/c?sslmode=require", "db.example"),
            ("redis://:b@cache.example:6379/", "cache.example"),
            ("redis://a:p@ss@cache.example/1", "cache.example"),
            ("redis://[2001:db8::1]:6379/", "2001:db8::1"),
            ("rediss://:b@cache.example:6379/#insecure", "cache.example"),
            ("smtp://a:b@mail.example:587", "mail.example"),
            ("smtp://mail.example?tls=opportunistic", "mail.example"),
        ] {
            assert_eq!(host(url).as_deref(), Some(expected), "{url}");
        }
    }
}
