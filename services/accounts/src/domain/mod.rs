//! Types and rules, independent of database and gRPC.

pub mod access;
pub mod device;
pub mod names;
pub mod one_time_code;
pub mod passkey;
pub mod password;
pub mod questions;
pub mod recovery_code;
pub mod token;
pub mod totp;
pub mod username;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;

/// The invalid fields of a request: name on the wire, and message.
#[derive(Debug, Default)]
#[must_use]
pub struct FieldErrors(Vec<(String, Message)>);

impl FieldErrors {
    pub fn add(&mut self, field: &str, message: impl Into<Message>) {
        self.0.push((field.to_owned(), message.into()));
    }

    /// Returns the value; adds its error and returns the default if it is invalid.
    pub fn take<T: Default>(&mut self, field: &str, value: Result<T, impl Into<Message>>) -> T {
        value.unwrap_or_else(|message| {
            self.add(field, message);
            T::default()
        })
    }

    pub fn finish(self) -> Result<(), ServiceError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ServiceError::fields(self.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusals;

    #[test]
    fn field_errors_are_collected() {
        let mut errors = FieldErrors::default();
        let (wrong, missing) = (refusals::EMAIL_INVALID, refusals::FIELDS_MISSING);
        assert_eq!(errors.take("name", Ok::<_, Message>(7)), 7);
        assert_eq!(errors.take("email", Err::<u32, _>(wrong)), 0);
        errors.add("role", missing);
        let failure = errors.finish().expect_err("two errors");
        let fields = [("email", wrong), ("role", missing)];
        let fields = fields.map(|(field, reason)| (field.to_owned(), reason.into()));
        assert_eq!(failure.fields, fields);
        assert!(FieldErrors::default().finish().is_ok());
    }
}
