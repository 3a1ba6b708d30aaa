use bolero::check;

use super::*;

fn read(lines: &[&[u8]], https: bool) -> Option<String> {
    let mut headers = HeaderMap::new();
    for line in lines {
        if let Ok(value) = HeaderValue::from_bytes(line) {
            headers.append(header::COOKIE, value);
        }
    }
    read_token(&headers, https).map(|token| token.expose_secret().to_owned())
}

#[test]
fn read_token_finds_the_single_token_or_none() {
    check!().for_each(|input: &[u8]| {
        for https in [true, false] {
            let name = cookie_name(https);
            let found = read(&[input], https);
            // Other cookies before or after it make no difference.
            let others: [&[u8]; 2] = [b"theme=dark; _ga=GA1.2.3", b"lang=es; =; ;"];
            assert_eq!(read(&[others[0], input, others[1]], https), found);
            let second = format!("{name}={}", "b".repeat(TOKEN_LENGTH));
            if let Some(token) = found {
                let pair = format!("{name}={token}");
                let text = String::from_utf8_lossy(input);
                assert_eq!(text.matches(&pair).count(), 1, "{text}");
                // A second session cookie, which another site of the domain may set, invalidates
                // both.
                assert_eq!(read(&[input, second.as_bytes()], https), None);
                assert_eq!(read(&[second.as_bytes(), input], https), None);
                // The cookie that the browser stores is read back.
                let set = set_cookie(&token, true, https).expect("a cookie");
                let kept = set.as_bytes().split(|byte| *byte == b';').next();
                assert_eq!(read(&[kept.expect("a pair")], https), Some(token));
            } else {
                let own = format!("{name}={}", "a".repeat(TOKEN_LENGTH));
                let beside = read(&[input, own.as_bytes()], https);
                // A malformed session cookie invalidates a valid one.
                let named = String::from_utf8_lossy(input).contains(&format!("{name}="));
                assert!(named || beside == Some("a".repeat(TOKEN_LENGTH)));
            }
        }
    });
}
