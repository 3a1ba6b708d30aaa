use bolero::check;
use serde_json::Map;

use super::*;

/// Parses the cells of one record as in RFC 4180.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(found) = rest.next() {
        match found {
            '"' if quoted && rest.peek() == Some(&'"') => cell.extend(rest.next()),
            '"' if quoted => {
                quoted = false;
                assert!(
                    matches!(rest.peek(), None | Some(',')),
                    "text after a quote: {line}"
                );
            }
            '"' if cell.is_empty() => quoted = true,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            '\r' | '\n' | '"' if !quoted => panic!("{found:?} outside quotes: {line}"),
            found => cell.push(found),
        }
    }
    assert!(!quoted, "unclosed quote: {line}");
    cells.push(cell);
    cells
}

#[test]
fn cells_read_back_and_are_never_formulas() {
    check!().for_each(|input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        let object: Map<String, Value> = [(text.clone().into_owned(), Value::Null)]
            .into_iter()
            .collect();
        let values = [
            Value::from(text.as_ref()),
            Value::from(vec![text.as_ref()]),
            object.into(),
        ];
        let line: String = values.iter().map(|value| cell(value) + ",").collect();
        let read = cells(&line);
        assert_eq!(read.len(), values.len() + 1, "{line}");
        let guard = if text.starts_with(FORMULA) { "'" } else { "" };
        assert_eq!(read[0], format!("{guard}{text}"));
        for (value, cell) in values.iter().zip(&read).skip(1) {
            assert_eq!(
                serde_json::from_str::<Value>(cell).ok().as_ref(),
                Some(value)
            );
        }
        for cell in &read {
            assert!(!cell.starts_with(FORMULA), "{cell:?}");
        }
    });
}
