//! What is wrong with a request, all of it at once.

use std::fmt::Display;

/// Wrong fields with their texts, in the order they were found; the first word on a field stands.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<(String, String)>);

impl Problems {
    /// Notes a wrong field, unless something is known to be wrong with it already.
    pub fn add(&mut self, field: impl Into<String>, message: impl Into<String>) {
        let field = field.into();
        if self.0.iter().all(|(known, _)| *known != field) {
            self.0.push((field, message.into()));
        }
    }

    /// The value, or nothing and a note.
    pub fn keep<T, E: Display>(&mut self, field: &str, result: Result<T, E>) -> Option<T> {
        result
            .map_err(|error| self.add(field, error.to_string()))
            .ok()
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
    pub fn into_fields(self) -> Vec<(String, String)> {
        self.0
    }
}
