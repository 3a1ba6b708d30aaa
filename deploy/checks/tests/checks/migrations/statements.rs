//! SQL taken apart as far as the rules need it: statements, their words, and the comments before.

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// One statement of a file.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// Where it begins, from 1.
    pub line: u64,
    /// What the comments right before it say, one line.
    pub comment: String,
    /// Its words in lower case, its signs, its strings with their quotes. `words[i]` of a body
    /// between dollars begins with `$$`.
    words: Vec<String>,
}

impl Statement {
    /// Its words, to match against.
    pub fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

/// The statements of a file.
///
/// # Panics
/// When it is no SQL.
pub fn split(sql: &str) -> Vec<Statement> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location();
    let mut statements = Vec::new();
    let mut current = Statement::default();
    for token in tokens.expect("SQL") {
        let begins = current.words.is_empty();
        match token.token {
            Token::Whitespace(Whitespace::SingleLineComment { comment, .. }) if begins => {
                current.comment.push_str(comment.trim());
                current.comment.push(' ');
            }
            Token::Whitespace(_) | Token::EOF => {}
            Token::SemiColon => statements.push(std::mem::take(&mut current)),
            other => {
                if begins {
                    current.line = token.span.start.line;
                }
                current.words.push(word(other));
            }
        }
    }
    if !current.words.is_empty() {
        statements.push(current);
    }
    statements
}

fn word(token: Token) -> String {
    match token {
        Token::Word(word) => word.value.to_lowercase(),
        Token::SingleQuotedString(text) => format!("'{text}'"),
        Token::DollarQuotedString(body) => format!("$${}", body.value.to_lowercase()),
        other => other.to_string(),
    }
}

/// The parts between commas that stand in no brackets.
pub fn parts<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0;
    for word in words {
        match *word {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        if *word == "," && depth == 0 {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(*word);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// What stands in the first brackets, and what follows them.
pub fn bracketed<'a, 'b>(words: &'b [&'a str]) -> Option<(&'b [&'a str], &'b [&'a str])> {
    let open = words.iter().position(|word| *word == "(")?;
    let mut depth = 0;
    for (place, word) in words.iter().enumerate().skip(open) {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((&words[open + 1..place], &words[place + 1..]));
        }
    }
    None
}

/// Whether these words stand somewhere, one after the other.
pub fn says(words: &[&str], phrase: &[&str]) -> bool {
    words.windows(phrase.len()).any(|window| window == phrase)
}
