use bolero::check;

use super::*;

const PROXIES: &str = "10.0.0.0/8";
/// Entries of a forwarded header.
const ENTRIES: [&str; 12] = [
    "10.0.0.1",
    "10.255.255.255",
    "203.0.113.9",
    "198.51.100.1",
    "2001:db8::1",
    "::ffff:10.0.0.7",
    "::ffff:203.0.113.9",
    "unknown",
    "",
    "203.0.113.9:443",
    "[2001:db8::1]",
    "10.0.0.1 203.0.113.9",
];

/// The right-most address that is not a trusted proxy.
fn expected(peer: IpAddr, entries: &[&str], is_proxy: impl Fn(IpAddr) -> bool) -> IpAddr {
    let read = |entry: &&str| {
        entry
            .trim()
            .parse()
            .ok()
            .map(|read: IpAddr| read.to_canonical())
    };
    let forwarded = entries.iter().rev().map_while(read);
    let mut chain = std::iter::once(peer.to_canonical())
        .chain(forwarded)
        .peekable();
    while let Some(address) = chain.next() {
        if !is_proxy(address) || chain.peek().is_none() {
            return address;
        }
    }
    peer
}

#[test]
fn forwarded_finds_the_right_most_untrusted_address() {
    let proxies: IpNet = PROXIES.parse().expect("a net");
    check!().for_each(|input: &[u8]| {
        let Some((first, rest)) = input.split_first() else {
            return;
        };
        let peer = ["10.0.0.1", "203.0.113.200", "::ffff:10.0.0.1"][usize::from(*first) % 3];
        let peer: IpAddr = peer.parse().expect("an address");
        let mut headers = HeaderMap::new();
        let mut line: Vec<&str> = Vec::new();
        let mut entries = Vec::new();
        for byte in rest {
            let entry = ENTRIES[usize::from(*byte) % ENTRIES.len()];
            entries.push(entry);
            line.push(entry);
            // Proxies append to the header line or add one.
            if byte & 0x80 != 0 {
                headers.append(
                    "x-forwarded-for",
                    line.join(", ").parse().expect("a header"),
                );
                line.clear();
            }
        }
        if !line.is_empty() {
            headers.append("x-forwarded-for", line.join(",").parse().expect("a header"));
        }
        let found = ClientAddress::find(Some(peer), &headers, &[proxies]);
        let right = expected(peer, &entries, |address| proxies.contains(&address));
        assert_eq!(found, ClientAddress(right), "{entries:?}");
        assert!(found.limit_key().parse::<IpNet>().is_ok() || right.is_ipv4());
        assert!(found.prefix().parse::<IpNet>().is_ok());
    });
}

#[test]
fn forwarded_lines_of_the_client_change_nothing() {
    let proxies: Vec<IpNet> = vec![PROXIES.parse().expect("a net")];
    let find = |lines: &[&[u8]]| {
        let mut headers = HeaderMap::new();
        for line in lines {
            if let Ok(value) = http::HeaderValue::from_bytes(line) {
                headers.append("x-forwarded-for", value);
            }
        }
        ClientAddress::find(Some(Ipv4Addr::new(10, 0, 0, 1).into()), &headers, &proxies)
    };
    let client = ClientAddress(Ipv4Addr::new(203, 0, 113, 9).into());
    check!().for_each(|input: &[u8]| {
        // The client's own header line, before the proxy's.
        assert_eq!(find(&[input, b"203.0.113.9"]), client);
        if input.is_ascii() {
            // One header line, to which the proxy appends.
            let appended = [input, b", 203.0.113.9"].concat();
            let is_header = http::HeaderValue::from_bytes(&appended).is_ok();
            assert!(!is_header || find(&[&appended]) == client);
        }
        let headers = http::HeaderValue::from_bytes(input);
        let mut untrusted_headers = HeaderMap::new();
        untrusted_headers.extend(headers.ok().map(|value| {
            let name: http::HeaderName = "x-forwarded-for".parse().expect("a name");
            (name, value)
        }));
        let untrusted: IpAddr = Ipv4Addr::new(198, 51, 100, 1).into();
        let found = ClientAddress::find(Some(untrusted), &untrusted_headers, &proxies);
        assert_eq!(found, ClientAddress(untrusted));
    });
}
