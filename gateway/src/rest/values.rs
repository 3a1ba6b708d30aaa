//! Types of response fields, and the schema of a response.

use chrono::{DateTime, Utc};
use prost_types::Timestamp;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A number; whole numbers are written without a decimal point.
#[derive(Clone, Copy, Debug, JsonSchema)]
pub struct Number(pub f64);

impl Serialize for Number {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and in range just before"
    )]
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            out.serialize_i64(self.0 as i64)
        } else {
            out.serialize_f64(self.0)
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(extend("format" = "uuid"))]
pub struct Id(pub String);

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(extend("format" = "date"))]
pub struct Date(pub String);

/// An instant; null if a service omits it.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(extend("format" = "date-time"))]
pub struct Instant(#[schemars(with = "String")] Option<DateTime<Utc>>);

impl From<Option<Timestamp>> for Instant {
    fn from(time: Option<Timestamp>) -> Self {
        let nanos = |time: &Timestamp| u32::try_from(time.nanos).unwrap_or(0);
        Self(time.and_then(|time| DateTime::from_timestamp(time.seconds, nanos(&time))))
    }
}

pub fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().subschema_for::<T>();
    RecursiveTransform(remove_rust_types).transform(&mut schema);
    schema.to_value()
}

/// Removes keywords that describe Rust types.
fn remove_rust_types(schema: &mut Schema) {
    schema.remove("description");
    schema.remove("minimum");
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| format.contains("int") || format == "double") {
        schema.remove("format");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Default, Serialize, JsonSchema)]
    struct Sample {
        text: Option<String>,
        number: Option<Number>,
        whole: u32,
        id: Option<Id>,
        time: Option<Instant>,
        parts: Vec<Part>,
        part: Option<Part>,
    }

    /// Must not appear in the schema.
    #[derive(Serialize, JsonSchema)]
    struct Part {
        time: Instant,
    }

    #[test]
    fn serialize_writes_null_and_short_whole_numbers() {
        let time = Timestamp {
            seconds: 1_795_162_500,
            nanos: 0,
        };
        let sample = Sample {
            text: Some("x".to_owned()),
            number: Some(Number(12.0)),
            time: Some(Some(time).into()),
            part: Some(Part { time: None.into() }),
            ..Sample::default()
        };
        let json = serde_json::to_string(&sample).expect("JSON");
        assert_eq!(
            json,
            r#"{"text":"x","number":12,"whole":0,"id":null,"time":"2026-11-20T08:15:00Z","parts":[],"part":{"time":null}}"#
        );
        assert_eq!(json!(Number(0.1)), json!(0.1));
    }

    #[test]
    fn schema_is_inline_and_has_no_rust_types() {
        let part = |kind| {
            let time = json!({"type": "string", "format": "date-time"});
            json!({"type": kind, "properties": {"time": time}, "required": ["time"]})
        };
        let fields = ["text", "number", "whole", "id", "time", "parts", "part"];
        let expected = json!({
            "type": "object",
            "properties": {
                "text": {"type": ["string", "null"]},
                "number": {"type": ["number", "null"]},
                "whole": {"type": "integer"},
                "id": {"type": ["string", "null"], "format": "uuid"},
                "time": {"type": ["string", "null"], "format": "date-time"},
                "parts": {"type": "array", "items": part(json!("object"))},
                "part": part(json!(["object", "null"])),
            },
            "required": fields,
        });
        assert_eq!(schema::<Sample>(), expected);
    }
}
