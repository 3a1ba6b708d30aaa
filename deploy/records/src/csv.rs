//! CSV cells that spreadsheets do not interpret as formulas.

use serde_json::Value;

/// Characters that start a formula, or that a spreadsheet skips before one.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\0'];

/// A cell as in RFC 4180. Numbers are unchanged; text that looks like a formula gets an apostrophe
/// in front.
pub fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::Bool(_) | Value::Number(_) => return value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    let guard = if text.starts_with(FORMULA) { "'" } else { "" };
    if text.contains(['"', ',', '\r', '\n']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cell_quotes_and_escapes_formulas() {
        for (value, expected) in [
            (json!(null), ""),
            (json!(-12.5), "-12.5"),
            (json!(true), "true"),
            (json!("plain"), "plain"),
            (json!("a,b"), "\"a,b\""),
            (json!("say \"so\""), "\"say \"\"so\"\"\""),
            (json!("two\nlines"), "\"two\nlines\""),
            (json!("=1+1"), "'=1+1"),
            (json!("+1"), "'+1"),
            (json!("-1"), "'-1"),
            (json!("@x"), "'@x"),
            (json!("\tx"), "'\tx"),
            (json!("\r=x"), "\"'\r=x\""),
            (json!("=a,b"), "\"'=a,b\""),
            (json!(["a", 1]), "\"[\"\"a\"\",1]\""),
            (json!(""), ""),
        ] {
            assert_eq!(cell(&value), expected, "{value}");
        }
    }
}

#[cfg(test)]
#[path = "csv_fuzz.rs"]
mod fuzz;
