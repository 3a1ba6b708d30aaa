//! Client addresses, from the connection or from trusted proxies.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::HeaderMap;
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Address of a client, for rate limits and the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The peer, or behind trusted proxies, the right-most untrusted entry of `X-Forwarded-For`.
    pub fn find(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let is_trusted = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
        let mut client = peer.to_canonical();
        // Read as bytes: invalid text from a client must not hide what a proxy appended.
        let entries: Vec<&[u8]> = headers
            .get_all(FORWARDED_FOR)
            .iter()
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .collect();
        for entry in entries.into_iter().rev() {
            if !is_trusted(&client) {
                break;
            }
            // Entries left of an invalid one can't be trusted.
            let entry = std::str::from_utf8(entry.trim_ascii()).ok();
            let Some(address) = entry.and_then(|entry| entry.parse::<IpAddr>().ok()) else {
                break;
            };
            client = address.to_canonical();
        }
        Self(client)
    }

    /// Whether the request seems to come through an untrusted proxy, so that all its clients share
    /// one address.
    pub fn is_hidden(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> bool {
        let peer = peer.map(|peer| peer.to_canonical());
        let is_trusted = |peer: IpAddr| trusted.iter().any(|net| net.contains(&peer));
        headers.contains_key(FORWARDED_FOR) && peer.is_some_and(|peer| !is_trusted(peer))
    }

    /// Key of rate limits: the IPv4 address, or the /64 of an IPv6 address.
    pub fn limit_key(self) -> String {
        match self.0 {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => v6_block(address, 64),
        }
    }

    /// The /48 of an IPv6 address, which may belong to one customer; `None` for IPv4.
    pub fn wide_limit_key(self) -> Option<String> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(v6_block(address, 48)),
        }
    }

    /// The /24 or /64, which is all that the audit log stores.
    pub fn prefix(self) -> String {
        match self.0 {
            IpAddr::V4(address) => {
                let [a, b, c, _] = address.octets();
                format!("{a}.{b}.{c}.0/24")
            }
            IpAddr::V6(address) => v6_block(address, 64),
        }
    }
}

fn v6_block(address: Ipv6Addr, bits: u32) -> String {
    let mask = !(u128::MAX >> bits);
    format!("{}/{bits}", Ipv6Addr::from_bits(address.to_bits() & mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            let value = http::HeaderValue::from_bytes(value.as_bytes());
            headers.append("x-forwarded-for", value.expect("a header"));
        }
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().expect("a net")];
        let peer = Some(peer.parse().expect("an address"));
        ClientAddress::find(peer, &headers, &trusted).limit_key()
    }

    #[test]
    fn find_ignores_addresses_claimed_by_clients() {
        assert_eq!(find("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(
            find("10.0.0.1", &["198.51.100.1, 203.0.113.9"]),
            "203.0.113.9"
        );
        assert_eq!(
            find("10.0.0.1", &["198.51.100.1, 203.0.113.9, 10.2.3.4"]),
            "203.0.113.9"
        );
        assert_eq!(
            find("10.0.0.1", &["198.51.100.1", "203.0.113.9"]),
            "203.0.113.9"
        );
    }

    #[test]
    fn find_returns_the_proxy_for_invalid_entries() {
        assert_eq!(find("10.0.0.1", &["198.51.100.1, unknown"]), "10.0.0.1");
        assert_eq!(find("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn find_reads_past_invalid_bytes() {
        let forwarded = ["\u{e9}, 198.51.100.1, 203.0.113.9"];
        assert_eq!(find("10.0.0.1", &forwarded), "203.0.113.9");
        let forwarded = ["\u{e9}", "203.0.113.9"];
        assert_eq!(find("10.0.0.1", &forwarded), "203.0.113.9");
        assert_eq!(find("10.0.0.1", &["203.0.113.9, \u{e9}"]), "10.0.0.1");
    }

    #[test]
    fn is_hidden_behind_untrusted_proxy() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().expect("a net")];
        let mut headers = HeaderMap::new();
        let is_hidden = |peer: &str, headers: &HeaderMap| {
            let peer = peer.parse().expect("an address");
            ClientAddress::is_hidden(Some(peer), headers, &trusted)
        };
        assert!(!is_hidden("192.168.0.1", &headers));
        headers.insert(FORWARDED_FOR, "203.0.113.9".parse().expect("a header"));
        assert!(is_hidden("192.168.0.1", &headers));
        assert!(!is_hidden("10.0.0.1", &headers));
        assert!(!is_hidden("::ffff:10.0.0.1", &headers));
    }

    #[test]
    fn limit_key_of_ipv6_is_a_block() {
        assert_eq!(find("2001:db8:1:2:3:4:5:6", &[]), "2001:db8:1:2::/64");
        assert_eq!(find("::ffff:203.0.113.9", &[]), "203.0.113.9");
        let wide = |text: &str| {
            let peer = Some(text.parse().expect("an address"));
            ClientAddress::find(peer, &HeaderMap::new(), &[]).wide_limit_key()
        };
        let expected = Some("2001:db8:1::/48".to_owned());
        assert_eq!(wide("2001:db8:1:2:3:4:5:6"), expected);
        assert_eq!(wide("203.0.113.9"), None);
    }
}

#[cfg(test)]
#[path = "address_fuzz.rs"]
mod fuzz;
