//! Session tokens.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hourmeter_runtime::error::ServiceError;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

const BYTES: usize = 32;

/// A session token. Only its hash is stored.
pub struct Token(Zeroizing<[u8; BYTES]>);

impl Token {
    pub fn random() -> Result<Self, ServiceError> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        getrandom::fill(bytes.as_mut_slice()).map_err(ServiceError::internal)?;
        Ok(Self(bytes))
    }

    /// Parses a cookie value; None if it is not a valid token.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(text, bytes.as_mut_slice());
        (length == Ok(BYTES)).then_some(Self(bytes))
    }

    pub fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.as_slice())
    }

    /// The stored hash.
    pub fn sid(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_slice()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_text_round_trip() {
        let token = Token::random().expect("a token");
        let text = token.to_text();
        assert_eq!(text.len(), 43);
        assert_eq!(Token::parse(&text).expect("a token").sid(), token.sid());
        assert_ne!(Token::random().expect("a token").sid(), token.sid());
    }

    #[test]
    fn parse_rejects_other_texts() {
        let text = Token::random().expect("a token").to_text();
        let (longer, padded) = (format!("{text}A"), format!("{text}="));
        for bad in [
            "",
            "x",
            "../../etc",
            &text[1..],
            &longer,
            &padded,
            &"A".repeat(10_000),
        ] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
    }
}

#[cfg(test)]
#[path = "token_fuzz.rs"]
mod fuzz;
