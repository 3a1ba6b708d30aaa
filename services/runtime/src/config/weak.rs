//! Detects weak keys: constant bytes, and the counting sequences of examples and tests.

use std::collections::HashSet;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::identity::TrustedIssuers;

/// Public keys of weak signing keys.
static WEAK_PUBLIC: LazyLock<HashSet<[u8; 32]>> = LazyLock::new(|| {
    let steps = [0, 1];
    let weak = steps
        .into_iter()
        .flat_map(|step| (0..=u8::MAX).map(move |first| sequence(first, step)));
    weak.map(|secret| TrustedIssuers::public_key(&secret))
        .collect()
});

/// Describes the first weak 32-byte base64 key in the text of a secret.
pub(super) fn weakness(text: &str) -> Option<&'static str> {
    let of_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let words = text.split(|c| !of_base64(c));
    let keys =
        words.filter_map(|word| <[u8; 32]>::try_from(BASE64_STANDARD.decode(word).ok()?).ok());
    keys.into_iter().find_map(|key| weakness_of(&key))
}

fn weakness_of(key: &[u8; 32]) -> Option<&'static str> {
    let step = key[1].wrapping_sub(key[0]);
    if step == 0 && *key == sequence(key[0], 0) {
        Some("has a key without randomness")
    } else if *key == sequence(key[0], step) {
        Some("has a key of an example")
    } else if WEAK_PUBLIC.contains(key) {
        Some("trusts a key of an example")
    } else {
        None
    }
}

/// Bytes that grow by `step`.
fn sequence(first: u8, step: u8) -> [u8; 32] {
    let mut next = first;
    std::array::from_fn(|_| {
        let now = next;
        next = next.wrapping_add(step);
        now
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(key: [u8; 32]) -> String {
        format!(
            "{{\"active\":\"1\",\"keys\":{{\"1\":\"{}\"}}}}",
            BASE64_STANDARD.encode(key)
        )
    }

    #[test]
    fn weakness_finds_sequences() {
        for weak in [
            sequence(0, 0),
            sequence(7, 0),
            sequence(0, 1),
            sequence(33, 1),
            sequence(250, 3),
        ] {
            assert!(weakness(&text(weak)).is_some(), "{weak:?}");
            assert!(
                weakness(&BASE64_STANDARD.encode(weak)).is_some(),
                "{weak:?}"
            );
        }
        for weak in [sequence(1, 0), sequence(0, 1)] {
            let public = TrustedIssuers::public_key(&weak);
            assert!(weakness(&text(public)).is_some(), "{weak:?}");
        }
    }

    #[test]
    fn weakness_accepts_other_keys() {
        let mut key = sequence(0, 1);
        key[31] = 0;
        for fine in [
            text(key),
            BASE64_STANDARD.encode(&key[1..]),
            "postgres://hourmeter_accounts:password@127.0.0.1/hourmeter_accounts".to_owned(),
            String::new(),
        ] {
            assert_eq!(weakness(&fine), None, "{fine}");
        }
    }
}
