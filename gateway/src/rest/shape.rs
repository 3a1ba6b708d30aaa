//! Writes answers: a list of named values that becomes JSON and, made from an empty message, the
//! schema of the API document.

use chrono::{DateTime, SecondsFormat};
use prost_types::Timestamp;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Value, json};

/// An object of an answer. Values are always there; absent ones are null.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    fields: Vec<(&'static str, Val, Kind)>,
}

#[derive(Clone, Debug)]
enum Val {
    Null,
    Text(String),
    Word(&'static str),
    Flag(bool),
    Number(f64),
    Whole(i64),
    Texts(Vec<String>),
    Words(Vec<&'static str>),
    Object(Shape),
    Objects(Vec<Shape>),
}

/// What a field holds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A UUID.
    Id,
    /// A calendar date.
    Date,
    /// An instant.
    Instant,
    /// One of these.
    Word(&'static [&'static str]),
    /// true or false.
    Flag,
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// A list of strings.
    Texts,
    /// A list of these.
    Words(&'static [&'static str]),
    /// An object.
    Object(Box<Shape>),
    /// A list of objects like this one; absent when the list has some.
    Objects(Option<Box<Shape>>),
    /// The same, or null.
    Optional(Box<Kind>),
}

fn optional(kind: Kind) -> Kind {
    Kind::Optional(Box::new(kind))
}

fn text_or_null(text: Option<String>) -> Val {
    // Services keep "nothing" in some texts as the empty string.
    text.filter(|text| !text.is_empty())
        .map_or(Val::Null, Val::Text)
}

impl Shape {
    /// No fields yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn put(mut self, name: &'static str, value: Val, kind: Kind) -> Self {
        self.fields.push((name, value, kind));
        self
    }

    /// A string.
    pub fn text(self, name: &'static str, text: String) -> Self {
        self.put(name, Val::Text(text), Kind::Text)
    }

    /// A string; an empty one is null.
    pub fn opt_text(self, name: &'static str, text: impl Into<Option<String>>) -> Self {
        self.put(name, text_or_null(text.into()), optional(Kind::Text))
    }

    /// A UUID.
    pub fn id(self, name: &'static str, id: String) -> Self {
        self.put(name, Val::Text(id), Kind::Id)
    }

    /// A UUID; an empty one is null.
    pub fn opt_id(self, name: &'static str, id: String) -> Self {
        self.put(name, text_or_null(Some(id)), optional(Kind::Id))
    }

    /// A calendar date; an empty one is null.
    pub fn opt_date(self, name: &'static str, date: String) -> Self {
        self.put(name, text_or_null(Some(date)), optional(Kind::Date))
    }

    /// An instant.
    pub fn time(self, name: &'static str, time: Option<Timestamp>) -> Self {
        self.put(name, instant(time), Kind::Instant)
    }

    /// An instant or null.
    pub fn opt_time(self, name: &'static str, time: Option<Timestamp>) -> Self {
        self.put(name, instant(time), optional(Kind::Instant))
    }

    /// One of some words.
    pub fn word(
        self,
        name: &'static str,
        word: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        self.put(name, Val::Word(word), Kind::Word(words))
    }

    /// One of some words, or null.
    pub fn opt_word(
        self,
        name: &'static str,
        word: Option<&'static str>,
        words: &'static [&'static str],
    ) -> Self {
        let value = word.map_or(Val::Null, Val::Word);
        self.put(name, value, optional(Kind::Word(words)))
    }

    /// true or false.
    pub fn flag(self, name: &'static str, flag: bool) -> Self {
        self.put(name, Val::Flag(flag), Kind::Flag)
    }

    /// A number.
    pub fn number(self, name: &'static str, number: f64) -> Self {
        self.put(name, Val::Number(number), Kind::Number)
    }

    /// A number or null.
    pub fn opt_number(self, name: &'static str, number: Option<f64>) -> Self {
        let value = number.map_or(Val::Null, Val::Number);
        self.put(name, value, optional(Kind::Number))
    }

    /// A whole number.
    pub fn whole(self, name: &'static str, whole: impl Into<i64>) -> Self {
        self.put(name, Val::Whole(whole.into()), Kind::Whole)
    }

    /// A whole number or null.
    pub fn opt_whole(self, name: &'static str, whole: Option<impl Into<i64>>) -> Self {
        let value = whole.map_or(Val::Null, |whole| Val::Whole(whole.into()));
        self.put(name, value, optional(Kind::Whole))
    }

    /// Always null: documented, and without a source so far.
    pub fn null(self, name: &'static str) -> Self {
        self.put(name, Val::Null, optional(Kind::Text))
    }

    /// A list of strings.
    pub fn texts(self, name: &'static str, texts: Vec<String>) -> Self {
        self.put(name, Val::Texts(texts), Kind::Texts)
    }

    /// Some of some words.
    pub fn words(
        self,
        name: &'static str,
        some: Vec<&'static str>,
        words: &'static [&'static str],
    ) -> Self {
        self.put(name, Val::Words(some), Kind::Words(words))
    }

    /// An object.
    pub fn object(self, name: &'static str, object: Self) -> Self {
        let kind = Kind::Object(Box::new(object.clone()));
        self.put(name, Val::Object(object), kind)
    }

    /// An object or null.
    pub fn opt_object<T: Default>(
        self,
        name: &'static str,
        item: Option<T>,
        write: impl Fn(T) -> Self,
    ) -> Self {
        let kind = optional(Kind::Object(Box::new(write(T::default()))));
        let value = item.map_or(Val::Null, |item| Val::Object(write(item)));
        self.put(name, value, kind)
    }

    /// A list of objects.
    pub fn objects<T: Default>(
        self,
        name: &'static str,
        items: Vec<T>,
        write: impl Fn(T) -> Self,
    ) -> Self {
        // Only an empty list needs an example to tell what its items are like.
        let example = items.is_empty().then(|| Box::new(write(T::default())));
        let items = items.into_iter().map(write).collect();
        self.put(name, Val::Objects(items), Kind::Objects(example))
    }

    /// The JSON schema of the object.
    pub fn schema(&self) -> Value {
        let properties: serde_json::Map<String, Value> = self
            .fields
            .iter()
            .map(|(name, _, kind)| ((*name).to_owned(), kind.schema()))
            .collect();
        let required: Vec<_> = self.fields.iter().map(|(name, ..)| *name).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }
}

impl Kind {
    fn schema(&self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Id => json!({"type": "string", "format": "uuid"}),
            Self::Date => json!({"type": "string", "format": "date"}),
            Self::Instant => json!({"type": "string", "format": "date-time"}),
            Self::Word(words) => json!({"type": "string", "enum": words}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Number => json!({"type": "number"}),
            Self::Whole => json!({"type": "integer"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Words(words) => {
                json!({"type": "array", "items": {"type": "string", "enum": words}})
            }
            Self::Object(shape) => shape.schema(),
            Self::Objects(example) => {
                let items = example.as_ref().map_or(json!({}), |shape| shape.schema());
                json!({"type": "array", "items": items})
            }
            Self::Optional(kind) => or_null(kind.schema()),
        }
    }
}

fn or_null(mut schema: Value) -> Value {
    if let Some(kind) = schema.get_mut("type") {
        *kind = json!([kind.clone(), "null"]);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    schema
}

fn instant(time: Option<Timestamp>) -> Val {
    let nanos = |time: &Timestamp| u32::try_from(time.nanos).unwrap_or(0);
    time.and_then(|time| DateTime::from_timestamp(time.seconds, nanos(&time)))
        .map_or(Val::Null, |time| {
            Val::Text(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
        })
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(self.fields.len()))?;
        for (name, value, _) in &self.fields {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Serialize for Val {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => out.serialize_unit(),
            Self::Text(text) => out.serialize_str(text),
            Self::Word(word) => out.serialize_str(word),
            Self::Flag(flag) => out.serialize_bool(*flag),
            Self::Number(number) => number_out(*number, out),
            Self::Whole(whole) => out.serialize_i64(*whole),
            Self::Texts(texts) => texts.serialize(out),
            Self::Words(words) => words.serialize(out),
            Self::Object(shape) => shape.serialize(out),
            Self::Objects(shapes) => shapes.serialize(out),
        }
    }
}

/// Whole numbers go out without a decimal point.
#[allow(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and in range just before"
)]
fn number_out<S: Serializer>(number: f64, out: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        out.serialize_i64(number as i64)
    } else {
        out.serialize_f64(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_null_and_whole_numbers_short() {
        let time = Timestamp {
            seconds: 1_795_162_500,
            nanos: 0,
        };
        let shape = Shape::new()
            .opt_text("a", None)
            .opt_text("b", String::new())
            .opt_text("c", "x".to_owned())
            .number("d", 12.0)
            .number("e", 0.1)
            .opt_number("f", None)
            .time("g", Some(time))
            .opt_object("j", Some(String::from("x")), |text| {
                Shape::new().text("k", text)
            })
            .opt_object("l", None::<String>, |text| Shape::new().text("k", text))
            .objects("h", vec![String::from("x")], |text| {
                Shape::new().text("i", text)
            });
        let json = serde_json::to_string(&shape).expect("JSON");
        assert_eq!(
            json,
            r#"{"a":null,"b":null,"c":"x","d":12,"e":0.1,"f":null,"g":"2026-11-20T08:15:00Z","j":{"k":"x"},"l":null,"h":[{"i":"x"}]}"#
        );
    }

    #[test]
    fn a_shape_tells_its_schema() {
        let shape = Shape::new()
            .opt_word("a", None, &["x"])
            .objects("b", Vec::<String>::new(), |text| {
                Shape::new().text("c", text)
            })
            .opt_object("d", None::<String>, |text| Shape::new().text("e", text));
        let schema = shape.schema();
        assert_eq!(schema["properties"]["a"]["type"], json!(["string", "null"]));
        assert_eq!(schema["properties"]["a"]["enum"], json!(["x", null]));
        let item = &schema["properties"]["b"]["items"];
        assert_eq!(item["required"], json!(["c"]));
        let object = &schema["properties"]["d"];
        assert_eq!(object["type"], json!(["object", "null"]));
        assert_eq!(object["required"], json!(["e"]));
        assert_eq!(schema["required"], json!(["a", "b", "d"]));
    }
}
