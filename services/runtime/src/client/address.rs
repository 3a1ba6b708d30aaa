//! Addresses of a service: a comma-separated list of `http(s)://host:port`. A host name may resolve
//! to many replicas.

use std::net::SocketAddr;
use std::sync::Arc;

use http::Uri;
use http::uri::{Authority, Scheme};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub scheme: Scheme,
    /// Sent as `:authority`.
    pub authority: Authority,
    /// The name to resolve, which the certificate must contain.
    pub host: Arc<str>,
    port: u16,
}

impl Address {
    /// Parses a list; None if it is empty or an entry is invalid.
    pub fn parse_list(text: &str) -> Option<Vec<Self>> {
        let entries = text.split(',').map(str::trim);
        let entries = entries.filter(|entry| !entry.is_empty());
        let list = entries.map(Self::parse).collect::<Option<Vec<_>>>()?;
        (!list.is_empty()).then_some(list)
    }

    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let scheme = uri.scheme()?.clone();
        let known = scheme == Scheme::HTTP || scheme == Scheme::HTTPS;
        let authority = uri.authority()?.clone();
        let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if !known || !bare || authority.as_str().contains('@') {
            return None;
        }
        // URIs keep the brackets of IPv6 hosts; DNS lookups do not accept them.
        let host = authority.host().trim_matches(['[', ']']).into();
        let port = authority.port_u16()?;
        Some(Self {
            scheme,
            authority,
            host,
            port,
        })
    }

    pub async fn resolve(&self) -> std::io::Result<Vec<SocketAddr>> {
        let found = tokio::net::lookup_host((&*self.host, self.port)).await?;
        Ok(found.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_list_reads_hosts_and_schemes() {
        let list =
            Address::parse_list("http://127.0.0.1:7001, https://equipment:7000/,http://[::1]:9");
        let list = list.expect("three");
        let hosts: Vec<_> = list.iter().map(|address| &*address.host).collect();
        assert_eq!(hosts, ["127.0.0.1", "equipment", "::1"]);
        assert_eq!(list[1].scheme, Scheme::HTTPS);
        assert_eq!(list[1].authority, "equipment:7000");
    }

    #[test]
    fn parse_list_rejects_other_texts() {
        for wrong in [
            "",
            " , ",
            "equipment:7000",
            "http://equipment",
            "ftp://equipment:7000",
            "http://equipment:7000/path",
            "http://equipment:7000?x",
            "http://name:password@equipment:7000",
            "http://a:1,b",
        ] {
            assert_eq!(Address::parse_list(wrong), None, "{wrong}");
        }
    }
}
