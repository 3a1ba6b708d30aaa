//! Peppers and sealing keys: read from key files, wiped from memory, never printed.

mod decoy;
mod keys;
mod sealing;

use hourmeter_runtime::error::ServiceError;
use secrecy::{ExposeSecret as _, SecretString};

pub use decoy::DecoySecret;
pub use keys::{Peppers, SecretsError, generate_key_file};
pub use sealing::{Keyring, SealError, Sealed};

/// Everything secret that this service needs.
#[derive(Clone, Debug)]
pub struct Secrets {
    /// Mixed into every password hash.
    pub peppers: Peppers,
    /// Seal the copy of the operator password that is printed on access cards.
    pub operator_password_keys: Keyring,
    /// Chooses the questions shown for names that have none.
    pub decoy_secret: DecoySecret,
}

impl Secrets {
    /// Reads both key files, each `{"active":"1","keys":{"1":"<base64>"}}`, and the secret of
    /// decoys, 32 bytes in base64.
    pub fn parse(
        peppers: &SecretString,
        operator_password_keys: &SecretString,
        decoy_secret: &SecretString,
    ) -> Result<Self, SecretsError> {
        Ok(Self {
            peppers: Peppers::parse(peppers.expose_secret())?,
            operator_password_keys: Keyring::parse(operator_password_keys.expose_secret())?,
            decoy_secret: DecoySecret::parse(decoy_secret.expose_secret())?,
        })
    }

    /// New secrets for a development start or a test; whoever keeps data must keep the key files
    /// of [`generate_key_file`] instead.
    pub fn generate() -> Result<Self, ServiceError> {
        let (peppers, keys) = (generate_key_file()?, generate_key_file()?);
        Self::parse(&peppers, &keys, &DecoySecret::generate()?).map_err(ServiceError::internal)
    }
}
