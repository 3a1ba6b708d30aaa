//! Types and rules, without database or wire.

pub mod access;
pub mod names;
pub mod passkey;
pub mod password;
pub mod questions;
pub mod recovery_code;
pub mod staff_code;
pub mod token;
pub mod totp;
pub mod username;

use hourmeter_runtime::error::Failure;

/// What is wrong with a request: field by its name on the wire, and text for the person.
#[derive(Debug, Default)]
#[must_use]
pub struct Problems(Vec<(String, String)>);

impl Problems {
    /// Notes a wrong field.
    pub fn note(&mut self, field: &str, message: impl Into<String>) {
        self.0.push((field.to_owned(), message.into()));
    }

    /// The value, or its problem noted and an empty value to go on with.
    pub fn take<T: Default>(&mut self, field: &str, value: Result<T, String>) -> T {
        value.unwrap_or_else(|message| {
            self.note(field, message);
            T::default()
        })
    }

    /// Nothing, or all problems at once.
    pub fn finish(self) -> Result<(), Failure> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.into())
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::fields(problems.0)
    }
}
