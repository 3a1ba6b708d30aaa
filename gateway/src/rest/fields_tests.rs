use serde_json::json;

use super::*;

fn errors<T>(value: Value, reader: impl Fn(&mut Fields) -> T) -> Vec<String> {
    let Value::Object(values) = value else {
        panic!("not an object");
    };
    match read(&values, false, reader) {
        Ok(_) => Vec::new(),
        Err(ApiError::Service(failure)) => failure.fields.into_iter().map(|f| f.0).collect(),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn read_collects_all_errors() {
    let reader = |fields: &mut Fields| {
        fields.text("a");
        fields.number("b");
        fields.flag("c");
        fields.whole::<u32>("d");
        fields.word("e", &[("x", 1)]);
        fields.instant("f");
        fields.ids("g", 9);
        fields.objects("h", 9, |part| part.text("i"));
    };
    let wrong = json!({
        "a": 1, "b": "NaN", "c": "true", "d": 1.5, "e": "y", "f": "soon", "g": [1],
        "h": [{"i": "x"}, {"i": 2}], "unknown": {},
    });
    let expected = ["a", "b", "c", "d", "e", "f", "g", "h[1].i"];
    assert_eq!(errors(wrong, reader), expected);
    let right = json!({
        "a": "x", "b": 1.5, "c": true, "d": 3.0, "e": "x", "f": "2026-11-20T08:15:00+01:00",
        "g": ["01890000-0000-7000-8000-000000000000"], "h": [{"i": "x"}],
    });
    assert!(errors(right, reader).is_empty());
    let null = json!({"a": null, "b": null, "c": null, "d": null, "e": null, "f": null});
    assert!(errors(null, reader).is_empty());
}

#[test]
fn whole_rejects_out_of_range() {
    for wrong in [
        json!(-1),
        json!(4_294_967_296_u64),
        json!(0.5),
        json!("1"),
        json!(1e300),
    ] {
        let errors = errors(json!({"n": wrong}), |fields| fields.whole::<u32>("n"));
        assert_eq!(errors, ["n"]);
    }
}

#[test]
fn read_parses_strings_of_queries() {
    let flag = |text: &str| {
        let Value::Object(values) = json!({"a": text}) else {
            panic!("not an object");
        };
        read(&values, true, |fields| fields.flag("a")).ok()
    };
    assert_eq!(flag("true"), Some(Some(true)));
    assert_eq!(flag("false"), Some(Some(false)));
    assert_eq!(flag(""), Some(None));
    for wrong in ["1", "yes", "TRUE", "true "] {
        assert_eq!(flag(wrong), None, "{wrong}");
    }
}

#[test]
fn missing_is_false_for_null() {
    let values = json!({"a": null, "b": 0});
    let Value::Object(values) = values else {
        panic!("not an object");
    };
    let read = read(&values, false, |fields| {
        ["a", "b", "c"].map(|name| fields.missing(name))
    });
    assert_eq!(read.ok(), Some([false, false, true]));
}

#[test]
fn clearable_returns_default_for_null() {
    let values = json!({"a": null, "b": null, "c": null});
    let Value::Object(values) = values else {
        panic!("not an object");
    };
    let read = read(&values, false, |fields| {
        (
            fields.clearable_text("a", 9),
            fields.clearable("b", Fields::number),
            fields.text("c"),
            fields.clearable_text("d", 9),
        )
    });
    let expected = (Some(String::new()), Some(0.0), None, None);
    assert_eq!(read.ok(), Some(expected));
}

#[test]
fn parse_rejects_invalid_or_deep_bodies() {
    assert!(parse(b"").is_ok());
    assert!(parse(b"{\"a\": 1, \"b\": {}}").is_ok());
    for bad in [
        "[]",
        "1",
        "{",
        "{\"a\": NaN}",
        "{\"a\": 1e999}",
        "null",
        "\u{0}",
    ] {
        assert!(parse(bad.as_bytes()).is_err(), "{bad}");
    }
    let nested = |levels: usize| format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(nested(31).as_bytes()).is_ok());
    assert!(parse(nested(32).as_bytes()).is_err());
    assert!(parse(nested(100_000).as_bytes()).is_err());
}

#[test]
fn describe_lists_fields() {
    let fields = describe(|fields| {
        fields.required_text("a");
        fields.clearable("b", Fields::number);
    });
    let names: Vec<_> = fields
        .iter()
        .map(|field| (field.name, field.required))
        .collect();
    assert_eq!(names, [("a", true), ("b", false)]);
}

#[test]
fn object_prefixes_errors_with_its_name() {
    let reader = |fields: &mut Fields| {
        fields.object("inner", |inner| {
            let word = inner.required_word("word", &[("one", 1), ("two", 2)]);
            (word, inner.number("number"))
        })
    };
    let from = |value: Value| {
        let Value::Object(values) = value else {
            panic!("not an object");
        };
        read(&values, false, reader)
    };
    for (value, expected) in [
        (json!({}), None),
        (json!({"inner": null}), None),
        (json!({"inner": {"word": "two"}}), Some((Some(2), None))),
        (
            json!({"inner": {"word": "one", "number": 1.5}}),
            Some((Some(1), Some(1.5))),
        ),
    ] {
        assert_eq!(from(value.clone()).expect("an object"), expected, "{value}");
    }
    for (value, wrong) in [
        (json!({"inner": 1}), vec!["inner"]),
        (json!({"inner": []}), vec!["inner"]),
        (json!({"inner": {}}), vec!["inner.word"]),
        (json!({"inner": {"word": null}}), vec!["inner.word"]),
        (
            json!({"inner": {"word": "x", "number": "y"}}),
            vec!["inner.word", "inner.number"],
        ),
    ] {
        let Err(ApiError::Service(failure)) = from(value.clone()) else {
            panic!("{value} was accepted");
        };
        let fields: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
        assert_eq!(fields, wrong, "{value}");
    }
    let [field] = describe(reader).try_into().expect("one field");
    let FieldKind::Object(inner) = field.kind else {
        panic!("{field:?}");
    };
    let required: Vec<bool> = inner.iter().map(|field| field.required).collect();
    assert_eq!(required, [true, false]);
}

#[test]
fn ids_rejects_malformed_ids() {
    const ID: &str = "01890000-0000-7000-8000-000000000000";
    let reader = |fields: &mut Fields| fields.ids("ids", 9);
    assert!(errors(json!({"ids": []}), reader).is_empty());
    assert!(errors(json!({"ids": [ID, ID.to_uppercase()]}), reader).is_empty());
    let (braced, plain) = (format!("{{{ID}}}"), ID.replace('-', ""));
    for wrong in ["", "x", &braced, &plain, &format!("{ID} ")] {
        assert_eq!(
            errors(json!({"ids": [ID, wrong]}), reader),
            ["ids"],
            "{wrong}"
        );
    }
}

#[test]
fn text_rejects_long_texts() {
    let reader = |fields: &mut Fields| fields.text("a");
    assert!(errors(json!({"a": "\u{f1}".repeat(LONGEST_TEXT)}), reader).is_empty());
    let longer = json!({"a": "\u{f1}".repeat(LONGEST_TEXT + 1)});
    assert_eq!(errors(longer, reader), ["a"]);
}
