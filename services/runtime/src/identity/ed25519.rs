//! Ed25519 for `jsonwebtoken` by ring, without RSA and other curves, which no token may use.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the type of `CryptoProvider`'s fields"
)]

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs the provider of the process. Repeated calls have no effect.
pub(super) fn install() {
    let _ = PROVIDER.install_default();
}

pub(super) fn public_key(secret: &[u8; 32]) -> [u8; 32] {
    let pair = key_pair(secret).expect("every 32 bytes are a secret");
    let public = pair.public_key().as_ref();
    public.try_into().expect("a public key has 32 bytes")
}

fn key_pair(secret: &[u8]) -> Result<Ed25519KeyPair, Error> {
    Ed25519KeyPair::from_seed_unchecked(secret).map_err(|_| ErrorKind::InvalidEddsaKey.into())
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>, Error> {
    require_eddsa(*algorithm)?;
    Ok(Box::new(Signer(key_pair(key.as_bytes())?)))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    require_eddsa(*algorithm)?;
    let public = key.try_get_as_bytes()?.to_vec();
    Ok(Box::new(Verifier(UnparsedPublicKey::new(&ED25519, public))))
}

fn require_eddsa(algorithm: Algorithm) -> Result<(), Error> {
    match algorithm {
        Algorithm::EdDSA => Ok(()),
        _ => Err(ErrorKind::InvalidAlgorithm.into()),
    }
}

/// The key is the 32-byte seed, not a PKCS#8 document.
struct Signer(Ed25519KeyPair);

impl signature::Signer<Vec<u8>> for Signer {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, signature::Error> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for Signer {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

struct Verifier(UnparsedPublicKey<Vec<u8>>);

impl signature::Verifier<Vec<u8>> for Verifier {
    fn verify(&self, message: &[u8], signed: &Vec<u8>) -> Result<(), signature::Error> {
        let verified = self.0.verify(message, signed);
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for Verifier {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, tests 1 and 2.
    const VECTORS: [(&str, &str, &[u8], &str); 2] = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            b"",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            b"\x72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        let pairs = (0..hex.len()).step_by(2);
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
        pairs.map(byte).collect()
    }

    #[test]
    fn ed25519_matches_rfc_8032() {
        for (secret, public, message, signed) in VECTORS {
            let secret: [u8; 32] = bytes(secret).try_into().expect("32 bytes");
            assert_eq!(public_key(&secret).to_vec(), bytes(public));
            let key = EncodingKey::from_ed_der(&secret);
            let found = signer(&Algorithm::EdDSA, &key).expect("a signer");
            assert_eq!(found.try_sign(message).expect("signed"), bytes(signed));
            let key = DecodingKey::from_ed_der(&bytes(public));
            let found = verifier(&Algorithm::EdDSA, &key).expect("a verifier");
            found.verify(message, &bytes(signed)).expect("genuine");
            assert!(found.verify(b"another", &bytes(signed)).is_err());
        }
    }

    #[test]
    fn provider_rejects_other_algorithms() {
        let key = EncodingKey::from_secret(&[1; 32]);
        assert!(signer(&Algorithm::HS256, &key).is_err());
        let key = DecodingKey::from_secret(&[1; 32]);
        assert!(verifier(&Algorithm::HS256, &key).is_err());
    }
}
