//! Redacted `Debug` for messages with a field of the option `debug_redact`.

macro_rules! redacted {
    ($message:path, $name:literal) => {
        impl std::fmt::Debug for $message {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!($name, "([redacted])"))
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/redacted.rs"));

#[cfg(test)]
mod tests {
    use crate::accounts::v1::{SessionGrant, SignInResponse};

    #[test]
    fn debug_is_redacted() {
        let session = SessionGrant {
            token: "secret-token".to_owned(),
            ..SessionGrant::default()
        };
        assert_eq!(format!("{session:?}"), "SessionGrant([redacted])");
        // Also within another message.
        let response = SignInResponse {
            session: Some(session),
        };
        assert!(!format!("{response:?}").contains("secret-token"));
    }
}
