//! Splits SQL text into statements and words.

#[derive(Debug, Default)]
pub struct Statement {
    /// First line, from 1.
    pub line: usize,
    /// The comments before it, joined.
    pub comment: String,
    pub words: Vec<String>,
    pub text: String,
}

impl Statement {
    pub fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

pub fn statements(sql: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut current = Statement::default();
    let mut at = 0;
    while at < sql.len() {
        let rest = &sql[at..];
        let length = token(rest);
        let token = &rest[..length];
        if let Some(comment) = token.strip_prefix("--") {
            if current.words.is_empty() {
                current.comment += comment.trim();
                current.comment.push(' ');
            }
        } else if token == ";" {
            found.push(std::mem::take(&mut current));
        } else if !token.trim().is_empty() && !token.starts_with("/*") {
            if current.words.is_empty() {
                current.line = sql[..at].matches('\n').count() + 1;
            }
            let is_string = token.starts_with('\'');
            let word = token.trim_matches('"').to_owned();
            let word = if is_string { word } else { word.to_lowercase() };
            current.words.push(word);
        }
        if !current.words.is_empty() {
            current.text += token;
        }
        at += length;
    }
    if !current.words.is_empty() {
        found.push(current);
    }
    found
}

fn token(text: &str) -> usize {
    let first = text.chars().next().unwrap_or(' ');
    let until = |end: &str, from: usize| {
        let found = text[from..].find(end);
        found.map_or(text.len(), |at| from + at + end.len())
    };
    let run = |belongs: fn(char) -> bool| text.find(|c| !belongs(c)).unwrap_or(text.len());
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if text.starts_with("--") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until("*/", 2);
    }
    match first {
        '\'' => {
            let mut end = until("'", 1);
            while text[end..].starts_with('\'') {
                end = until("'", end + 1);
            }
            end
        }
        '"' => until("\"", 1),
        '$' => {
            let tag = 1 + text[1..].find(|c| !is_name(c)).unwrap_or(text.len() - 1);
            if text[tag..].starts_with('$') && !text[1..].starts_with(|c: char| c.is_numeric()) {
                until(&text[..=tag], tag + 1)
            } else {
                tag
            }
        }
        _ if first.is_whitespace() => run(char::is_whitespace),
        _ if is_name(first) => run(|c| c.is_alphanumeric() || c == '_'),
        _ if "<>=!:|+-*/%&~^?".contains(first) => run(|c| "<>=!:|+*/%&~^?".contains(c)).max(1),
        _ => first.len_utf8(),
    }
}

#[test]
fn statements_split_outside_strings_bodies_and_comments() {
    let sql = "-- one; \n SELECT 'a;''b', \"C\" /* ; */ FROM x -- ;\n;\nDO $x$ a; $$ b $x$; t.a<=$1::uuid";
    let found = statements(sql);
    let words: Vec<_> = found.iter().map(|found| found.words.join(" ")).collect();
    assert_eq!(words[0], "select 'a;''b' , c from x");
    assert_eq!(words[1], "do $x$ a; $$ b $x$");
    assert_eq!(words[2], "t . a <= $1 :: uuid");
    assert_eq!(found[0].comment, "one; ");
    assert_eq!((found[0].line, found[1].line), (2, 4));
}
