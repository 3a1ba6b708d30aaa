//! Where a request came from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::HeaderMap;
use ipnet::IpNet;

/// Address of a client, for limits and the audit log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

impl ClientAddress {
    /// The peer, or the right-most forwarded entry that is not one of our own proxies when the
    /// peer is one.
    pub fn find(peer: Option<IpAddr>, headers: &HeaderMap, trusted: &[IpNet]) -> Self {
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let is_ours = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
        let mut client = peer.to_canonical();
        let entries: Vec<&str> = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        for entry in entries.into_iter().rev() {
            if !is_ours(&client) {
                break;
            }
            // Beyond an entry that can't be read nothing can be believed.
            let Ok(address) = entry.trim().parse::<IpAddr>() else {
                break;
            };
            client = address.to_canonical();
        }
        Self(client)
    }

    /// What limits count by: the address, of IPv6 the /64 one customer holds.
    pub fn limit_key(self) -> String {
        match self.0 {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => v6_block(address, 64),
        }
    }

    /// The /48 around an IPv6 address, which may be one customer's too; absent for IPv4.
    pub fn wide_limit_key(self) -> Option<String> {
        match self.0 {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => Some(v6_block(address, 48)),
        }
    }

    /// The /24 or /64 it belongs to, which is all the audit log keeps.
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
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().expect("a net")];
        let peer = Some(peer.parse().expect("an address"));
        ClientAddress::find(peer, &headers, &trusted).limit_key()
    }

    #[test]
    fn a_stranger_cannot_claim_an_address() {
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
    fn nonsense_counts_as_the_proxy() {
        assert_eq!(find("10.0.0.1", &["198.51.100.1, unknown"]), "10.0.0.1");
        assert_eq!(find("10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn ipv6_counts_by_block() {
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
