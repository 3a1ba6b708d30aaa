//! The secret a browser keeps for a session.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hourmeter_runtime::error::ServiceError;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

const BYTES: usize = 32;

/// A session token. Only its hash is ever stored.
pub struct Token(Zeroizing<[u8; BYTES]>);

impl Token {
    /// A new random one.
    pub fn random() -> Result<Self, ServiceError> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        getrandom::fill(bytes.as_mut_slice()).map_err(ServiceError::internal)?;
        Ok(Self(bytes))
    }

    /// Reads one from a cookie; absent when it can't be one of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        let length = BASE64_URL_SAFE_NO_PAD.decode_slice(text, bytes.as_mut_slice());
        (length == Ok(BYTES)).then_some(Self(bytes))
    }

    /// The text for the cookie.
    pub fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.0.as_slice())
    }

    /// What the database knows it by.
    pub fn sid(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_slice()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back() {
        let token = Token::random().expect("a token");
        let text = token.to_text();
        assert_eq!(text.len(), 43);
        assert_eq!(Token::parse(&text).expect("a token").sid(), token.sid());
        assert_ne!(Token::random().expect("a token").sid(), token.sid());
    }

    #[test]
    fn anything_else_is_no_token() {
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
