use bolero::check;
use hourmeter_runtime::error::Kind;
use serde_json::json;

use super::*;

const ID: &str = "01890000-0000-7000-8000-000000000000";
const TEXTS: [&str; 8] = [
    "x",
    "y",
    "",
    "2026-11-20",
    "2026-11-20T08:15:00Z",
    ID,
    "NaN",
    "1",
];

/// Bytes as choices; zeros after the end.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn of(&mut self, count: u8) -> u8 {
        self.0.next().copied().unwrap_or_default() % count
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.of(if depth == 0 { 7 } else { 9 }) {
            0 => Value::Null,
            1 => json!(self.of(2) == 0),
            2 => json!(self.of(255)),
            3 => json!(-i64::from(self.of(255))),
            4 => json!(f64::from(self.of(255)) * [0.5, 1e18, -1e-7, 1.0][usize::from(self.of(4))]),
            5 => json!(TEXTS[usize::from(self.of(8))]),
            6 => json!([u64::MAX, u64::from(u32::MAX) + 1, 1 << 53][usize::from(self.of(3))]),
            7 => (0..self.of(4)).map(|_| self.value(depth - 1)).collect(),
            _ => Value::Object(self.object(depth - 1)),
        }
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        const NAMES: [&str; 11] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "unknown"];
        let fields = (0..self.of(11)).map(|_| {
            let name = NAMES[usize::from(self.of(11))];
            (name.to_owned(), self.value(depth))
        });
        fields.collect()
    }
}

/// One field of each kind.
fn reader(fields: &mut Fields) {
    fields.text("a");
    fields.number("b");
    fields.flag("c");
    fields.whole::<u32>("d");
    fields.whole_of::<i32>("e", FieldKind::Whole(-9..=9), shared::NOT_WHOLE);
    fields.word("f", &[("x", 1), ("y", 2)]);
    fields.instant("g");
    fields.ids("h", 9);
    fields.object("i", |inner| inner.text("a"));
    fields.objects("j", 9, |inner| inner.number("b"));
}

/// Whether a value matches the documented type.
fn fits(kind: &FieldKind, value: &Value) -> bool {
    let whole = |least: f64, most: f64| {
        let number = value.as_f64();
        number.is_some_and(|number| number.fract() == 0.0 && (least..=most).contains(&number))
    };
    match kind {
        _ if value.is_null() => true,
        FieldKind::Text(_) | FieldKind::Date => value.is_string(),
        FieldKind::Instant => value
            .as_str()
            .is_some_and(|text| DateTime::parse_from_rfc3339(text).is_ok()),
        FieldKind::Flag => value.is_boolean(),
        FieldKind::Number(_) => value.is_number(),
        FieldKind::Whole(range) if *range.start() < 0 => whole(i32::MIN.into(), i32::MAX.into()),
        FieldKind::Whole(_) | FieldKind::OneOf(_) => whole(0.0, u32::MAX.into()),
        FieldKind::WireName(words) => value.as_str().is_some_and(|text| words.contains(&text)),
        FieldKind::Ids(_) => {
            let items = value.as_array();
            let id = |item: &Value| item.as_str().is_some_and(|text| text == ID);
            items.is_some_and(|items| items.iter().all(id))
        }
        FieldKind::Object(inner) => value.as_object().is_some_and(|value| fit(inner, value)),
        FieldKind::Objects(inner, _) => value.as_array().is_some_and(|items| {
            let mut objects = items.iter().map(Value::as_object);
            objects.all(|value| value.is_some_and(|value| fit(inner, value)))
        }),
    }
}

fn fit(fields: &[Field], values: &Map<String, Value>) -> bool {
    let mut read = fields.iter().map(|field| (field, values.get(field.name)));
    read.all(|(field, value)| value.is_none_or(|value| fits(&field.kind, value)))
}

/// The depth of brackets outside strings.
fn brackets(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[test]
fn parse_accepts_objects_that_round_trip() {
    check!().for_each(|input: &[u8]| {
        let strict: Option<Map<String, Value>> = serde_json::from_slice(input).ok();
        match parse(input) {
            Ok(value) => {
                let text = value.to_string();
                assert_eq!(parse(text.as_bytes()).ok(), Some(value));
                assert!(input.is_empty() || strict.is_some());
                assert!(brackets(input) <= MAX_DEPTH);
            }
            Err(error) => {
                assert!(
                    matches!(error, ApiError::Service(failure) if failure.kind == Kind::Invalid)
                );
                assert!(strict.is_none() || brackets(input) > MAX_DEPTH);
            }
        }
    });
}

#[test]
fn read_accepts_exactly_what_describe_documents() {
    let described = describe(reader);
    check!().for_each(|input: &[u8]| {
        let values = Choices(input.iter()).object(3);
        let accepted = read(&values, false, reader);
        let matches = fit(&described, &values);
        assert_eq!(accepted.is_ok(), matches, "{values:?}");
        if let Err(error) = accepted {
            let ApiError::Service(failure) = error else {
                panic!("{error:?}");
            };
            assert!(!failure.fields.is_empty());
            for (name, _) in &failure.fields {
                let first = name.split(['.', '[']).next().unwrap_or_default();
                let field = described.iter().find(|field| field.name == first);
                let field = field.expect("a described field");
                assert!(!fits(&field.kind, &values[first]), "{name} of {values:?}");
            }
        }
    });
}

#[test]
fn read_of_queries_is_as_strict_as_of_bodies() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        let values: Map<String, Value> = ["c", "d", "f"]
            .map(|name| (name.to_owned(), text.as_ref().into()))
            .into_iter()
            .collect();
        let flag = read(&values, true, |fields| fields.flag("c"))
            .ok()
            .flatten();
        assert_eq!(
            flag,
            serde_json::from_str(&text)
                .ok()
                .filter(|_| text == text.trim())
        );
        let whole = read(&values, true, |fields| fields.whole::<u32>("d"))
            .ok()
            .flatten();
        assert!(whole.is_none_or(|whole| text.trim_start_matches(['+', '0'])
            == match whole {
                0 => String::new(),
                whole => whole.to_string(),
            }));
    });
}
