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

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;

/// What is wrong with a request: field by its name on the wire, and message for the person.
#[derive(Debug, Default)]
#[must_use]
pub struct Problems(Vec<(String, Message)>);

impl Problems {
    /// Notes a wrong field.
    pub fn note(&mut self, field: &str, message: impl Into<Message>) {
        self.0.push((field.to_owned(), message.into()));
    }

    /// The value, or its problem noted and an empty value to go on with.
    pub fn take<T: Default>(&mut self, field: &str, value: Result<T, impl Into<Message>>) -> T {
        value.unwrap_or_else(|message| {
            self.note(field, message);
            T::default()
        })
    }

    /// Nothing, or all problems at once.
    pub fn finish(self) -> Result<(), ServiceError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.into())
        }
    }
}

impl From<Problems> for ServiceError {
    fn from(problems: Problems) -> Self {
        Self::fields(problems.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusals;

    #[test]
    fn problems_are_told_at_once() {
        let mut problems = Problems::default();
        let (wrong, missing) = (refusals::EMAIL_INVALID, refusals::FIELDS_MISSING);
        assert_eq!(problems.take("name", Ok::<_, Message>(7)), 7);
        assert_eq!(problems.take("email", Err::<u32, _>(wrong)), 0);
        problems.note("role", missing);
        let failure = problems.finish().expect_err("two problems");
        let fields = [("email", wrong), ("role", missing)];
        let fields = fields.map(|(field, reason)| (field.to_owned(), reason.into()));
        assert_eq!(failure.fields, fields);
        assert!(Problems::default().finish().is_ok());
    }
}
