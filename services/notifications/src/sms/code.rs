//! The code that verifies a number.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

const DIGITS: usize = 6;

/// Six digits.
pub struct Code(u32);

impl Code {
    pub fn generate() -> Result<Self, getrandom::Error> {
        let all = 10_u32.pow(6);
        // Each code is as likely as the others.
        let even = u32::MAX - u32::MAX % all;
        loop {
            let number = getrandom::u32()?;
            if number < even {
                return Ok(Self(number % all));
            }
        }
    }

    /// None: not six digits.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_code = text.len() == DIGITS && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_code).map(Self)
    }

    pub fn text(&self) -> String {
        format!("{:0DIGITS$}", self.0)
    }

    /// What is stored of it.
    pub fn hash(&self, company_id: Uuid, person_id: Uuid) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(company_id);
        hash.update(person_id);
        hash.update(self.0.to_be_bytes());
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_takes_six_digits() {
        for (text, expected) in [
            ("012345", Some("012345")),
            (" 999999 ", Some("999999")),
            ("12345", None),
            ("1234567", None),
            ("+12345", None),
            ("12 456", None),
            ("", None),
        ] {
            let code = Code::read(text).map(|code| code.text());
            assert_eq!(code.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn generate_returns_six_digits() {
        let codes: Vec<_> = (0..100).map(|_| Code::generate().unwrap().text()).collect();
        assert!(codes.iter().all(|code| code.len() == DIGITS), "{codes:?}");
        assert!(codes.iter().any(|code| *code != codes[0]), "{codes:?}");
    }
}
