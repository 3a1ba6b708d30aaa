//! Keys and signatures of enrolled phones: ECDSA on P-256 with SHA-256, as `WebCrypto` makes them.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

/// Maximum length of a label in characters.
pub const MAX_LABEL: usize = 60;
/// Length of an uncompressed point.
const POINT: usize = 65;
/// First byte of an uncompressed point.
const UNCOMPRESSED: u8 = 4;
/// A key that no phone has, so that unknown phones take the same work as known ones: the generator of
/// the curve.
const NO_KEY: [u8; POINT] = [
    0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40,
    0xf2, 0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2,
    0x96, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e,
    0x16, 0x2b, 0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51,
    0xf5,
];

/// Decodes a public key; None if it is not an uncompressed point.
pub fn public_key(text: &str) -> Option<Vec<u8>> {
    let key = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    (key.len() == POINT && key.first() == Some(&UNCOMPRESSED)).then_some(key)
}

/// Whether the phone with this key signed the payload. Without a key it takes the same work and fails.
pub fn has_signed(public_key: Option<&[u8]>, payload: &[u8], signature: &str) -> bool {
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
    let key = public_key.unwrap_or(&NO_KEY);
    let verified =
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(payload, &signature);
    verified.is_ok() && public_key.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        (0..hex.len()).step_by(2).map(byte).collect()
    }

    /// RFC 6979, A.2.5: the key, and the signatures with SHA-256.
    const POINT_X: &str = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
    const POINT_Y: &str = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
    const OF_SAMPLE: &str = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
        f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
    const OF_TEST: &str = "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367\
        019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083";

    fn key() -> Vec<u8> {
        bytes(&format!("04{POINT_X}{POINT_Y}"))
    }

    fn signature(hex: &str) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(bytes(hex))
    }

    #[test]
    fn has_signed_accepts_the_vectors_of_rfc_6979() {
        let key = key();
        for (payload, hex) in [("sample", OF_SAMPLE), ("test", OF_TEST)] {
            assert!(has_signed(Some(&key), payload.as_bytes(), &signature(hex)));
        }
    }

    #[test]
    fn has_signed_rejects_other_payloads_keys_and_signatures() {
        let (key, sample) = (key(), signature(OF_SAMPLE));
        assert!(!has_signed(Some(&key), b"Sample", &sample));
        assert!(!has_signed(Some(&key), b"sample", &signature(OF_TEST)));
        assert!(!has_signed(Some(&NO_KEY), b"sample", &sample));
        assert!(!has_signed(None, b"sample", &sample));
        for malformed in ["", "AA", "not base64", &sample[..sample.len() - 2]] {
            assert!(!has_signed(Some(&key), b"sample", malformed), "{malformed}");
        }
    }

    #[test]
    fn public_key_is_an_uncompressed_point() {
        let key = key();
        assert_eq!(
            public_key(&BASE64_URL_SAFE_NO_PAD.encode(&key)),
            Some(key.clone())
        );
        let mut compressed = key.clone();
        compressed[0] = 2;
        for other in [&key[..64], &compressed, &[]] {
            assert_eq!(public_key(&BASE64_URL_SAFE_NO_PAD.encode(other)), None);
        }
        assert_eq!(public_key("!"), None);
    }
}
