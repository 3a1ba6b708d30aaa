//! Collects all errors of a request.

use hourmeter_runtime::message::Message;

/// Field errors in order. The first error of a field is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(Vec<(String, Message)>);

impl FieldErrors {
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<Message>) {
        let field = field.into();
        if self.0.iter().all(|(known, _)| *known != field) {
            self.0.push((field, message.into()));
        }
    }

    /// Returns the value or adds the error.
    pub fn keep<T, E: Into<Message>>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    pub fn check(&mut self) -> Result<(), Self> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(std::mem::take(self))
        }
    }

    pub fn into_fields(self) -> Vec<(String, Message)> {
        self.0
    }
}
