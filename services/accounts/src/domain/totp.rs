//! TOTP codes (RFC 6238): SHA-1, six digits, 30 seconds.

use hmac::{Hmac, KeyInit as _, Mac as _};
use hourmeter_runtime::error::ServiceError;
use sha1::Sha1;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

const BYTES: usize = 20;
const DIGITS: usize = 6;
const STEP_SECONDS: i64 = 30;
/// Accepted clock drift in steps.
const DRIFT: i64 = 1;
/// Base 32 (RFC 4648).
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub struct TotpSecret(Zeroizing<[u8; BYTES]>);

impl TotpSecret {
    pub fn random() -> Result<Self, ServiceError> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        getrandom::fill(bytes.as_mut_slice()).map_err(ServiceError::internal)?;
        Ok(Self(bytes))
    }

    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; BYTES]);
        if text.len() != BYTES * 8 / 5 {
            return None;
        }
        for (characters, five) in text.as_bytes().chunks(8).zip(bytes.chunks_mut(5)) {
            let mut bits = 0_u64;
            for character in characters {
                let value = ALPHABET.iter().position(|known| known == character)?;
                bits = bits << 5 | value as u64;
            }
            five.copy_from_slice(&bits.to_be_bytes()[3..]);
        }
        Some(Self(bytes))
    }

    /// The secret in base 32.
    pub fn to_text(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(BYTES * 8 / 5));
        for five in self.0.chunks(5) {
            let bits = five
                .iter()
                .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            for place in (0..8).rev() {
                let value = (bits >> (place * 5)) & 31;
                text.push(char::from(ALPHABET[usize::try_from(value).unwrap_or(0)]));
            }
        }
        text
    }

    /// The otpauth URL for the QR code.
    pub fn url(&self, email: &str) -> Zeroizing<String> {
        let account = escaped(email);
        let secret = self.to_text();
        Zeroizing::new(format!(
            "otpauth://totp/Hourmeter:{account}?secret={}&issuer=Hourmeter",
            secret.as_str()
        ))
    }

    fn code(&self, step: i64) -> [u8; DIGITS] {
        let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(self.0.as_slice()) else {
            // Unreachable: HMAC accepts keys of any length.
            return [0; DIGITS];
        };
        mac.update(&step.to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let offset = usize::from(digest[19] & 15);
        let mut rest = u32::from_be_bytes([
            digest[offset] & 0x7f,
            digest[offset + 1],
            digest[offset + 2],
            digest[offset + 3],
        ]);
        let mut digits = [b'0'; DIGITS];
        for digit in digits.iter_mut().rev() {
            *digit += u8::try_from(rest % 10).unwrap_or(0);
            rest /= 10;
        }
        digits
    }

    /// Returns the step of a valid code at `now` (seconds since the epoch). None: the code is wrong, or
    /// its step is not after `last`, the last one used. Compares all steps, in constant time.
    pub fn step_of(&self, typed: &str, now: i64, last: i64) -> Option<i64> {
        let typed: Vec<u8> = typed.bytes().filter(|byte| *byte != b' ').collect();
        let typed = Zeroizing::new(typed);
        let current = now.div_euclid(STEP_SECONDS);
        let mut found = None;
        for step in current - DRIFT..=current + DRIFT {
            let matches = bool::from(self.code(step).ct_eq(typed.as_slice()));
            if matches && step > last && found.is_none() {
                found = Some(step);
            }
        }
        found
    }
}

fn escaped(text: &str) -> String {
    let bytes = text.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rfc() -> TotpSecret {
        TotpSecret(Zeroizing::new(*b"12345678901234567890"))
    }

    #[test]
    fn step_of_matches_rfc_6238() {
        for (now, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(rfc().step_of(code, now, 0), Some(now / 30), "{now}");
        }
    }

    #[test]
    fn step_of_accepts_one_step_of_drift() {
        // The code of step 41,152,263.
        let step = 1_234_567_890 / 30;
        for (away, fine) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let found = rfc().step_of("005924", (step + away) * 30, 0);
            assert_eq!(found, fine.then_some(step), "{away}");
        }
        // Boundaries of the window.
        assert!(rfc().step_of("005924", (step - 1) * 30, 0).is_some());
        assert!(rfc().step_of("005924", (step - 1) * 30 - 1, 0).is_none());
        assert!(rfc().step_of("005924", (step + 2) * 30 - 1, 0).is_some());
        assert!(rfc().step_of("005924", (step + 2) * 30, 0).is_none());
    }

    #[test]
    fn step_of_rejects_used_steps() {
        let step = 1_234_567_890 / 30;
        assert!(rfc().step_of("005924", step * 30, step - 1).is_some());
        assert!(rfc().step_of("005924", step * 30, step).is_none());
        assert!(rfc().step_of("005924", step * 30, step + 1).is_none());
    }

    #[test]
    fn step_of_requires_six_digits() {
        let at = |typed: &str| rfc().step_of(typed, 1_234_567_890, 0);
        assert!(at("005 924").is_some());
        for bad in [
            "",
            "5924",
            "05924",
            "0059240",
            "005924\n",
            "００５９２４",
            "abcdef",
        ] {
            assert!(at(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn secret_text_round_trip() {
        assert_eq!(rfc().to_text().as_str(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let secret = TotpSecret::random().expect("a secret");
        let text = secret.to_text();
        assert_eq!(TotpSecret::parse(&text).expect("the secret").0, secret.0);
        for bad in [
            "",
            "GEZDGNBV",
            &text[1..],
            &text.to_lowercase().replace('2', "a"),
            "1".repeat(32).as_str(),
        ] {
            assert!(TotpSecret::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn url_has_the_otpauth_format() {
        assert_eq!(
            rfc().url("ana+help@mail.example").as_str(),
            "otpauth://totp/Hourmeter:ana%2Bhelp%40mail.example\
            ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Hourmeter"
        );
    }
}
