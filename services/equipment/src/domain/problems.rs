//! What is wrong with a request, all of it at once.

use hourmeter_runtime::message::Message;

/// Wrong fields with their texts, in the order they were found; the first word on a field stands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<(String, Message)>);

impl Problems {
    /// Notes a wrong field, unless something is known to be wrong with it already.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<Message>) {
        let field = field.into();
        if self.0.iter().all(|(known, _)| *known != field) {
            self.0.push((field, message.into()));
        }
    }

    /// The value, or nothing and a note.
    pub fn keep<T, E: Into<Message>>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.add(field, error)).ok()
    }

    /// Ok when nothing was wrong.
    pub fn check(&mut self) -> Result<(), Self> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(std::mem::take(self))
        }
    }

    /// The fields and their texts.
    pub fn into_fields(self) -> Vec<(String, Message)> {
        self.0
    }
}
