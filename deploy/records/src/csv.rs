//! CSV cells that spreadsheets do not interpret as formulas.

use serde_json::Value;

/// Characters that start a formula, or that a spreadsheet skips before one.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\0'];

/// Appends a cell as in RFC 4180. Numbers are unchanged; text that looks like a formula gets an
/// apostrophe in front.
pub fn cell(line: &mut String, value: &Value) {
    match value {
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => line.push_str(&value.to_string()),
        Value::String(text) => quoted(line, text),
        Value::Array(_) | Value::Object(_) => quoted(line, &value.to_string()),
    }
}

fn quoted(line: &mut String, text: &str) {
    let guard = if text.starts_with(FORMULA) { "'" } else { "" };
    let must = |found: char| matches!(found, '"' | ',' | '\r' | '\n');
    if text.contains(must) {
        line.push('"');
        line.push_str(guard);
        line.push_str(&text.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(guard);
        line.push_str(text);
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
            let mut line = String::new();
            cell(&mut line, &value);
            assert_eq!(line, expected, "{value}");
        }
    }
}

#[cfg(test)]
#[path = "csv_fuzz.rs"]
mod fuzz;
