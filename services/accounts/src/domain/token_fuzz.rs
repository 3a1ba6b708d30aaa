use bolero::check;

use super::*;

#[test]
fn tokens_have_one_text_each() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        if let Some(token) = Token::parse(&text) {
            // No second text opens the same session.
            assert_eq!(token.to_text(), text);
            assert_eq!(text.len(), 43);
        }
        let mut bytes = [0; BYTES];
        for (place, byte) in input.iter().enumerate() {
            bytes[place % BYTES] ^= byte;
        }
        let token = Token(Zeroizing::new(bytes));
        let text = token.to_text();
        let read = Token::parse(&text).expect("a token");
        assert_eq!(read.sid(), token.sid());
        // One character more, less or changed is another token or none.
        let place = usize::from(input.first().copied().unwrap_or_default()) % text.len();
        for other in [
            format!("{text}A"),
            text[1..].to_owned(),
            format!(
                "{}{}{}",
                &text[..place],
                if &text[place..=place] == "A" {
                    "B"
                } else {
                    "A"
                },
                &text[place + 1..]
            ),
        ] {
            let sid = Token::parse(&other).map(|read| read.sid());
            assert_ne!(sid, Some(token.sid()), "{other}");
        }
    });
}
