//! Keys that are no secret: what somebody types to see something start, and what stands in tests.

use std::collections::HashSet;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::identity::TrustedIssuers;

/// Public keys of weak signing keys, by which anybody could sign.
static WEAK_PUBLIC: LazyLock<HashSet<[u8; 32]>> = LazyLock::new(|| {
    let steps = [0, 1];
    let weak = steps
        .into_iter()
        .flat_map(|step| (0..=u8::MAX).map(move |first| even(first, step)));
    weak.map(|secret| TrustedIssuers::public_key(&secret))
        .collect()
});

/// What is wrong with a key of 32 bytes somewhere in the text of a secret, if one is no secret.
pub(super) fn weakness(text: &str) -> Option<&'static str> {
    let of_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let words = text.split(|c| !of_base64(c));
    let keys =
        words.filter_map(|word| <[u8; 32]>::try_from(BASE64_STANDARD.decode(word).ok()?).ok());
    keys.into_iter().find_map(|key| weakness_of(&key))
}

fn weakness_of(key: &[u8; 32]) -> Option<&'static str> {
    let step = key[1].wrapping_sub(key[0]);
    if step == 0 && *key == even(key[0], 0) {
        Some("has a key without randomness")
    } else if *key == even(key[0], step) {
        Some("has a key that stands in examples")
    } else if WEAK_PUBLIC.contains(key) {
        Some("believes a key that stands in examples")
    } else {
        None
    }
}

/// Bytes of which each is so much more than the one before.
fn even(first: u8, step: u8) -> [u8; 32] {
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
    fn keys_of_examples_are_known() {
        for weak in [
            even(0, 0),
            even(7, 0),
            even(0, 1),
            even(33, 1),
            even(250, 3),
        ] {
            assert!(weakness(&text(weak)).is_some(), "{weak:?}");
            assert!(
                weakness(&BASE64_STANDARD.encode(weak)).is_some(),
                "{weak:?}"
            );
        }
        for weak in [even(1, 0), even(0, 1)] {
            let public = TrustedIssuers::public_key(&weak);
            assert!(weakness(&text(public)).is_some(), "{weak:?}");
        }
    }

    #[test]
    fn others_are_not() {
        let mut key = even(0, 1);
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
