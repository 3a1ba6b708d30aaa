use bolero::check;

use super::*;

#[test]
fn token_has_one_text() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        if let Some(token) = Token::parse(&text) {
            // A token has only one text.
            assert_eq!(token.to_text(), text);
            assert_eq!(text.len(), 43);
        }
        let mut bytes = [0; BYTES];
        for (at, byte) in input.iter().enumerate() {
            bytes[at % BYTES] ^= byte;
        }
        let token = Token(Zeroizing::new(bytes));
        let text = token.to_text();
        let read = Token::parse(&text).expect("a token");
        assert_eq!(read.sid(), token.sid());
        // A longer, shorter or changed text is another token or invalid.
        let at = usize::from(input.first().copied().unwrap_or_default()) % text.len();
        for other in [
            format!("{text}A"),
            text[1..].to_owned(),
            format!(
                "{}{}{}",
                &text[..at],
                if &text[at..=at] == "A" { "B" } else { "A" },
                &text[at + 1..]
            ),
        ] {
            let sid = Token::parse(&other).map(|read| read.sid());
            assert_ne!(sid, Some(token.sid()), "{other}");
        }
    });
}
