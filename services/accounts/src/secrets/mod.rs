//! Peppers and sealing keys: read from key files, wiped from memory, redacted in `Debug`.

mod decoy;
mod keys;
mod sealing;

use hourmeter_runtime::error::ServiceError;
use secrecy::{ExposeSecret as _, SecretString};

pub use decoy::DecoySecret;
pub use keys::{Peppers, SecretsError, generate_key_file};
pub use sealing::{Keyring, SealError, Sealed, Subject};

#[derive(Clone, Debug)]
pub struct Secrets {
    pub peppers: Peppers,
    /// Seal operator passwords for access cards, and TOTP secrets.
    pub operator_password_keys: Keyring,
    pub decoy_secret: DecoySecret,
}

impl Secrets {
    /// Parses both key files, each `{"active":"1","keys":{"1":"<base64>"}}`, and the decoy secret,
    /// 32 bytes in base64.
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

    /// Generates secrets for development and tests. Data can only be read with the secrets it was
    /// stored with.
    pub fn generate() -> Result<Self, ServiceError> {
        let (peppers, keys) = (generate_key_file()?, generate_key_file()?);
        Self::parse(&peppers, &keys, &DecoySecret::generate()?).map_err(ServiceError::internal)
    }
}
