//! Encrypts for a browser (RFC 8291).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use web_push_native::{Auth, p256};

const AUTH_BYTES: usize = 16;

/// Keys of a browser, decoded and valid.
#[derive(Clone, Debug, PartialEq, Eq, sqlx_macros::FromRow)]
pub struct BrowserKeys {
    /// An uncompressed point.
    pub p256dh: Vec<u8>,
    pub auth: Vec<u8>,
}

impl BrowserKeys {
    /// Reads keys in base64url, with or without padding. Fails with the name of the invalid key.
    pub fn decode(p256dh: &str, auth: &str) -> Result<Self, &'static str> {
        let decode = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('='));
        let p256dh = decode(p256dh).map_err(|_| "p256dh")?;
        let auth = decode(auth).map_err(|_| "auth")?;
        let keys = Self { p256dh, auth };
        keys.public_key().ok_or("p256dh")?;
        if keys.auth.len() == AUTH_BYTES {
            Ok(keys)
        } else {
            Err("auth")
        }
    }

    fn public_key(&self) -> Option<p256::PublicKey> {
        let is_uncompressed = self.p256dh.first() == Some(&4);
        let key = p256::PublicKey::from_sec1_bytes(&self.p256dh).ok();
        key.filter(|_| is_uncompressed)
    }

    /// None if the keys are invalid.
    pub fn encrypt(&self, payload: &[u8]) -> Option<Vec<u8>> {
        let key = self.public_key()?;
        let auth: [u8; AUTH_BYTES] = self.auth.as_slice().try_into().ok()?;
        web_push_native::encrypt(payload.to_vec(), &key, &Auth::from(auth)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8291, appendix A.
    const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";
    const PUBLIC: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const MESSAGE: &str = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

    fn decrypt(message: Vec<u8>) -> String {
        let secret = BASE64_URL_SAFE_NO_PAD.decode(PRIVATE).unwrap();
        let secret = p256::SecretKey::from_slice(&secret).unwrap();
        let auth = BASE64_URL_SAFE_NO_PAD.decode(AUTH).unwrap();
        let auth: [u8; AUTH_BYTES] = auth.try_into().unwrap();
        let text = web_push_native::decrypt(message, &secret, &Auth::from(auth)).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn encrypt_is_decrypted_with_the_keys_of_the_rfc() {
        let message = BASE64_URL_SAFE_NO_PAD.decode(MESSAGE).unwrap();
        let expected = "When I grow up, I want to be a watermelon";
        assert_eq!(decrypt(message), expected);
        let keys = BrowserKeys::decode(PUBLIC, AUTH).unwrap();
        let encrypted = keys.encrypt(expected.as_bytes()).unwrap();
        assert_eq!(decrypt(encrypted), expected);
    }

    #[test]
    fn decode_names_the_invalid_key() {
        let padded = format!("{AUTH}==");
        assert!(BrowserKeys::decode(PUBLIC, &padded).is_ok());
        // Not on the curve.
        let mut bytes = BASE64_URL_SAFE_NO_PAD.decode(PUBLIC).unwrap();
        bytes[64] ^= 1;
        let off = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        for wrong in ["", "?", AUTH, off.as_str()] {
            let decoded = BrowserKeys::decode(wrong, AUTH);
            assert_eq!(decoded, Err("p256dh"), "{wrong}");
        }
        for wrong in ["", "?", PUBLIC] {
            let decoded = BrowserKeys::decode(PUBLIC, wrong);
            assert_eq!(decoded, Err("auth"), "{wrong}");
        }
    }
}
