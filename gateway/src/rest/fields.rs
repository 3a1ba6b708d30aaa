//! Reads request bodies and queries field by field. All invalid fields are collected, and every
//! read is recorded, so that the OpenAPI document matches the code.

pub mod kind;
mod numbers;

use std::ops::RangeInclusive;
use std::str::FromStr as _;

use chrono::{DateTime, Utc};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::{Message, Reason};
use hourmeter_runtime::refusals as shared;
use prost_types::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

use self::kind::{Field, FieldKind};
use super::wire_enums::{WireEnum, WireNames};
use crate::api_error::ApiError;
use crate::refusals;

/// The deepest nesting of a body.
const MAX_DEPTH: usize = 32;
/// The longest text, in characters.
pub const LONGEST_TEXT: usize = 5000;
/// The longest list of ids in most requests.
pub const MOST_IDS: usize = 500;

/// Reads the fields of an object. Null counts as omitted.
pub struct Fields<'a> {
    values: &'a Map<String, Value>,
    /// Prefix of field names in errors, e.g. `serviceParts[0].`.
    prefix: String,
    /// All values are strings, as in a query.
    all_strings: bool,
    errors: Vec<(String, Message)>,
    seen: Vec<Field>,
}

pub fn parse(bytes: &[u8]) -> Result<Value, ApiError> {
    if bytes.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let value: Value =
        serde_json::from_slice(bytes).map_err(|_| invalid(refusals::BODY_NOT_JSON))?;
    if depth(&value) > MAX_DEPTH {
        return Err(invalid(refusals::BODY_TOO_DEEP));
    }
    if value.is_object() {
        Ok(value)
    } else {
        Err(invalid(refusals::BODY_NOT_AN_OBJECT))
    }
}

fn invalid(message: Reason) -> ApiError {
    ApiError::field("body", message)
}

fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}

/// Reads an object with `reader`; fails with all invalid fields.
pub fn read<T>(
    values: &Map<String, Value>,
    all_strings: bool,
    reader: impl Fn(&mut Fields) -> T,
) -> Result<T, ApiError> {
    let mut fields = Fields::new(values, String::new(), all_strings);
    let read = reader(&mut fields);
    if fields.errors.is_empty() {
        Ok(read)
    } else {
        Err(ServiceError::fields(fields.errors).into())
    }
}

/// The fields that a reader reads.
pub fn describe<T>(reader: impl Fn(&mut Fields) -> T) -> Vec<Field> {
    let nothing = Map::new();
    let mut fields = Fields::new(&nothing, String::new(), false);
    reader(&mut fields);
    fields.seen
}

impl<'a> Fields<'a> {
    const fn new(values: &'a Map<String, Value>, prefix: String, all_strings: bool) -> Self {
        Self {
            values,
            prefix,
            all_strings,
            errors: Vec::new(),
            seen: Vec::new(),
        }
    }

    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.text_in(name, 0..=LONGEST_TEXT)
    }

    /// A string whose service accepts these numbers of characters.
    pub fn text_in(&mut self, name: &'static str, length: RangeInclusive<usize>) -> Option<String> {
        self.note(name, FieldKind::Text(length), false);
        self.string(name)
    }

    /// A required string; the service rejects an empty one.
    pub fn required_text(&mut self, name: &'static str) -> String {
        self.required_text_in(name, 1..=LONGEST_TEXT)
    }

    /// A required string whose service accepts these numbers of characters.
    pub fn required_text_in(
        &mut self,
        name: &'static str,
        length: RangeInclusive<usize>,
    ) -> String {
        self.note(name, FieldKind::Text(length), true);
        self.string(name).unwrap_or_default()
    }

    pub fn required_id(&mut self, name: &'static str) -> String {
        let text = self.required_text(name);
        if !is_id(&text) {
            self.wrong(name, shared::NOT_AN_ID);
        }
        text
    }

    /// A required string that only the size of the request limits; the service rejects an empty one.
    pub fn required_long_text(&mut self, name: &'static str) -> String {
        self.note(name, FieldKind::Text(1..=usize::MAX), true);
        self.long_string(name).unwrap_or_default()
    }

    /// A field that null and "" clear: returns the default value for them.
    pub fn clearable<T: Default>(
        &mut self,
        name: &'static str,
        reader: impl Fn(&mut Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        if self.cleared(name) {
            Some(T::default())
        } else {
            reader(self, name)
        }
    }

    /// A field that may be empty; null and "" are the same as omitted.
    pub fn unless_empty<T>(
        &mut self,
        name: &'static str,
        reader: impl Fn(&mut Self, &'static str) -> Option<T>,
    ) -> Option<T> {
        if self.cleared(name) {
            None
        } else {
            reader(self, name)
        }
    }

    /// A string that null and "" clear; returns "" for them.
    pub fn clearable_text(&mut self, name: &'static str, longest: usize) -> Option<String> {
        self.clearable(name, |fields, name| fields.text_in(name, 0..=longest))
    }

    pub fn date(&mut self, name: &'static str) -> Option<String> {
        self.note(name, FieldKind::Date, false);
        self.string(name)
    }

    pub fn instant(&mut self, name: &'static str) -> Option<Timestamp> {
        self.note(name, FieldKind::Instant, false);
        let text = self.string(name)?;
        let Ok(time) = DateTime::parse_from_rfc3339(&text) else {
            self.wrong(name, refusals::NOT_AN_INSTANT);
            return None;
        };
        Some(timestamp(time.with_timezone(&Utc)))
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        self.note(name, FieldKind::Flag, false);
        let value = self.value(name)?;
        let flag = if self.all_strings {
            value.as_str().and_then(|text| bool::from_str(text).ok())
        } else {
            value.as_bool()
        };
        if flag.is_none() {
            self.wrong(name, refusals::NOT_A_FLAG);
        }
        flag
    }

    pub fn word<T: Copy>(&mut self, name: &'static str, words: WireNames<T>) -> Option<T> {
        self.note(name, FieldKind::WireName(known(words)), false);
        let text = self.string(name)?;
        let meaning = words.iter().find(|(word, _)| *word == text);
        if meaning.is_none() {
            self.wrong_word(name, words);
        }
        meaning.map(|(_, meaning)| *meaning)
    }

    /// The number of an enum value, by its name.
    pub fn enum_value<T: WireEnum>(&mut self, name: &'static str) -> Option<i32> {
        self.word(name, T::NAMES).map(T::into)
    }

    /// Absent: unspecified.
    pub fn enum_or_unspecified<T: WireEnum>(&mut self, name: &'static str) -> i32 {
        self.enum_value::<T>(name).unwrap_or_default()
    }

    pub fn required_enum_value<T: WireEnum>(&mut self, name: &'static str) -> i32 {
        let value = self.required_word(name, T::NAMES);
        value.unwrap_or_default().into()
    }

    pub fn required_word<T: Copy>(&mut self, name: &'static str, words: WireNames<T>) -> Option<T> {
        let word = self.word(name, words);
        if let Some(field) = self.seen.last_mut() {
            field.required = true;
        }
        if self.value(name).is_none() {
            self.wrong_word(name, words);
        }
        word
    }

    /// A list of names, separated by commas.
    pub fn words<T: Copy>(&mut self, name: &'static str, words: WireNames<T>) -> Vec<T> {
        self.note(name, FieldKind::WireName(known(words)), false);
        let text = self.string(name).unwrap_or_default();
        let mut meanings = Vec::new();
        for part in separated(&text) {
            match words.iter().find(|(word, _)| *word == part) {
                Some((_, meaning)) => meanings.push(*meaning),
                None => self.wrong_word(name, words),
            }
        }
        meanings
    }

    /// A required list of ids, of which the service accepts at least one and at most `most`.
    pub fn ids(&mut self, name: &'static str, most: usize) -> Vec<String> {
        self.note(name, FieldKind::Ids(1..=most), true);
        self.read_ids(name)
    }

    /// A list of ids; empty if absent.
    pub fn optional_ids(&mut self, name: &'static str, most: usize) -> Vec<String> {
        self.note(name, FieldKind::Ids(0..=most), false);
        self.read_ids(name)
    }

    fn read_ids(&mut self, name: &'static str) -> Vec<String> {
        let Some(value) = self.value(name) else {
            return Vec::new();
        };
        let id = |item: &Value| item.as_str().filter(|id| is_id(id)).map(str::to_owned);
        let ids = value.as_array().map(|items| items.iter().map(id));
        let ids = ids.and_then(Iterator::collect::<Option<Vec<_>>>);
        if ids.is_none() {
            self.wrong(name, refusals::NOT_A_LIST_OF_IDS);
        }
        ids.unwrap_or_default()
    }

    pub fn object<T>(
        &mut self,
        name: &'static str,
        reader: impl Fn(&mut Fields) -> T,
    ) -> Option<T> {
        self.note(name, FieldKind::Object(describe(&reader)), false);
        let Some(values) = self.value(name)?.as_object() else {
            self.wrong(name, refusals::NOT_AN_OBJECT);
            return None;
        };
        let mut fields = Fields::new(values, format!("{}{name}.", self.prefix), false);
        let read = reader(&mut fields);
        self.errors.append(&mut fields.errors);
        Some(read)
    }

    /// A list of objects, of which the service accepts at most `most`.
    pub fn objects<T>(
        &mut self,
        name: &'static str,
        most: usize,
        reader: impl Fn(&mut Fields) -> T,
    ) -> Option<Vec<T>> {
        self.note(name, FieldKind::Objects(describe(&reader), most), false);
        let Some(items) = self.value(name)?.as_array() else {
            self.wrong(name, refusals::NOT_A_LIST);
            return None;
        };
        let mut read = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let Some(values) = item.as_object() else {
                self.wrong(name, refusals::NOT_A_LIST_OF_OBJECTS);
                return None;
            };
            let prefix = format!("{}{name}[{index}].", self.prefix);
            let mut fields = Fields::new(values, prefix, false);
            read.push(reader(&mut fields));
            self.errors.append(&mut fields.errors);
        }
        Some(read)
    }

    /// Whether the field is present and empty: null or "".
    pub fn cleared(&self, name: &str) -> bool {
        let value = self.values.get(name);
        value.is_some_and(|value| value.is_null() || value == "")
    }

    /// Whether the field is absent; null is present.
    pub fn missing(&self, name: &str) -> bool {
        !self.values.contains_key(name)
    }

    pub fn wrong(&mut self, name: &str, message: impl Into<Message>) {
        let name = format!("{}{name}", self.prefix);
        self.errors.push((name, message.into()));
    }

    fn wrong_word<T>(&mut self, name: &str, words: WireNames<T>) {
        let words = known(words).join(", ");
        self.wrong(name, refusals::ONE_OF.with("words", words));
    }

    fn note(&mut self, name: &'static str, kind: FieldKind, required: bool) {
        let field = Field {
            name,
            kind,
            required,
        };
        self.seen.push(field);
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| match value {
            Value::Null => false,
            // `?status=` in a query counts as omitted.
            Value::String(text) => !(self.all_strings && text.is_empty()),
            _ => true,
        })
    }

    fn string(&mut self, name: &str) -> Option<String> {
        let text = self.long_string(name)?;
        if text.chars().nth(LONGEST_TEXT).is_some() {
            self.wrong(name, shared::TEXT_TOO_LONG.with("max", LONGEST_TEXT));
            return None;
        }
        Some(text)
    }

    fn long_string(&mut self, name: &str) -> Option<String> {
        let text = self.value(name)?.as_str().map(str::to_owned);
        if text.is_none() {
            self.wrong(name, refusals::NOT_A_TEXT);
        }
        text
    }
}

/// The parts between commas that are not empty.
pub fn separated(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// Whether it is a UUID in the form of responses.
fn is_id(text: &str) -> bool {
    text.len() == 36 && text.parse::<Uuid>().is_ok()
}

fn known<T>(words: WireNames<T>) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

/// The number of rows of a page; absent: not given.
pub fn limit(fields: &mut Fields) -> Option<u32> {
    fields.whole_in("limit", 0..=500)
}

pub fn page(fields: &mut Fields) -> PageRequest {
    let limit = limit(fields);
    let cursor = fields.text("cursor").unwrap_or_default();
    PageRequest {
        limit: limit.unwrap_or_default(),
        cursor,
    }
}

#[cfg(test)]
#[path = "fields_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "fields_fuzz.rs"]
mod fuzz;
