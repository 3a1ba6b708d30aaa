//! Every line of the audit log has a word that the client knows, whichever process writes it.

use std::path::{Path, PathBuf};

use hourmeter_runtime::audit::WORDS;

/// Where a word of the log stands in the sources, right before its quotes.
const PLACES: [&str; 7] = [
    "Line::done(",
    "Line::refused(",
    "const EVENT: &str = ",
    "const BY_SUPPORT: &str = ",
    "refuse(api, ",
    "end(tx, &previous, ",
    "end(&mut lookup, &token, ",
];

/// Sources of all programs, without tests, in one line each.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = [
        "services",
        "gateway/src",
        "deploy/records/src",
        "deploy/standalone/src",
    ]
    .map(|folder| root.join(folder))
    .to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                if name != "tests" && name != "bin" {
                    folders.push(path);
                }
            } else if name.ends_with(".sql")
                || name.ends_with(".rs") && !name.ends_with("_tests.rs")
            {
                let text = std::fs::read_to_string(&path).expect("a source");
                let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                let words: Vec<&str> = text.split_whitespace().collect();
                found.push((path, words.join(" ")));
            }
        }
    }
    found
}

/// What could be a word of the log: between quotes, in letters and `_`.
fn quoted(text: &str, quote: char) -> Option<&str> {
    let (word, _) = text.trim_start().strip_prefix(quote)?.split_once(quote)?;
    let mut bytes = word.bytes();
    bytes
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        .then_some(word)
}

/// What stands in quotes that end with a mark.
fn before<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    let quote = &mark[..1];
    let marks = text.match_indices(mark);
    let words = marks.filter_map(|(at, _)| text[..at].rsplit_once(quote));
    words.map(|(_, word)| word).collect()
}

/// The words that a source names where it writes lines.
fn named(path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if path.extension().is_some_and(|end| end == "sql") {
        for insert in text.split("INTO public.audit_events").skip(1) {
            let insert = insert.split(';').next().unwrap_or_default();
            found.extend(before(insert, "', 'success'"));
            found.extend(before(insert, "', 'failed'"));
        }
    } else {
        found.extend(before(text, "\", Outcome::"));
        for place in PLACES {
            let behind = text.split(place).skip(1);
            found.extend(behind.filter_map(|rest| quoted(rest, '"')));
        }
    }
    found.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_word_that_is_written_is_known_and_every_known_one_is_written() {
    let (mut all, mut unknown, mut checked) = (String::new(), Vec::new(), 0);
    for (path, text) in sources() {
        if path.ends_with("runtime/src/audit.rs") {
            continue;
        }
        let words = named(&path, &text);
        checked += words.len();
        let strange = words.iter().filter(|word| !WORDS.contains(&word.as_str()));
        unknown.extend(strange.map(|word| format!("{}: {word}", path.display())));
        all += &text;
    }
    assert!(unknown.is_empty(), "not in audit::WORDS: {unknown:#?}");
    assert!(checked > 50, "only {checked} were found");
    let is_written =
        |word: &str| all.contains(&format!("\"{word}\"")) || all.contains(&format!("'{word}'"));
    let unwritten: Vec<_> = WORDS.iter().filter(|word| !is_written(word)).collect();
    assert!(unwritten.is_empty(), "nobody writes {unwritten:?}");
}

/// So that nobody gets past the look at the words there, but for functions of the database.
#[test]
fn lines_are_written_in_one_place() {
    let places = sources().into_iter();
    let places = places.filter(|(_, text)| text.contains("INTO audit_events"));
    let places: Vec<PathBuf> = places.map(|(path, _)| path).collect();
    assert_eq!(places.len(), 1, "{places:?}");
    assert!(places[0].ends_with("runtime/src/audit.rs"), "{places:?}");
}
