//! Finds SQL queries in the sources, and tables in them without a company.

use std::collections::BTreeSet;

use crate::sql::statements;

#[derive(Debug, PartialEq, Eq)]
pub struct Use {
    pub table: String,
    /// Whether the query names the company of the rows.
    pub is_bound: bool,
}

/// Keywords after a table that are not an alias.
const NO_ALIAS: &str = " where set on join left right full inner cross natural order group having limit \
    for using values returning union select loop window offset default from ";
fn is_no_alias(word: &str) -> bool {
    NO_ALIAS.split_whitespace().any(|other| other == word)
}

/// First words of a subquery.
const QUERIES: &[&str] = &["select", "with", "insert", "update", "delete"];

/// The known tables that SQL text uses, ordered by nesting level.
pub fn uses(sql: &str, known: &BTreeSet<String>) -> Vec<Use> {
    let statements = statements(sql);
    let words = statements
        .iter()
        .flat_map(|statement| statement.words().into_iter().chain([";"]));
    let words: Vec<&str> = words.collect();
    let mut found = Vec::new();
    for query in queries(&words) {
        found.extend(uses_of(&query, known));
    }
    found
}

/// The queries of a text, each without its subqueries.
fn queries<'a>(words: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut open = vec![(Vec::new(), 0_usize)];
    let mut done = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).unwrap_or(&"");
        if *word == "(" && QUERIES.contains(next) {
            open.push((Vec::new(), 0));
            continue;
        }
        let Some((query, depth)) = open.last_mut() else {
            continue;
        };
        match *word {
            "(" => *depth += 1,
            ")" if *depth == 0 => {
                done.extend(open.pop().map(|(query, _)| query));
                // A placeholder for the subquery's columns keeps names apart.
                if let Some((outer, _)) = open.last_mut() {
                    outer.push("()");
                }
                continue;
            }
            ")" => *depth -= 1,
            ";" | "union" | "except" | "intersect" if *depth == 0 => {
                done.push(std::mem::take(query));
                continue;
            }
            _ => {}
        }
        query.push(word);
    }
    done.extend(open.into_iter().map(|(query, _)| query));
    done
}

/// A table of a query and its alias.
struct Named<'a> {
    table: &'a str,
    alias: Option<&'a str>,
    /// Its column list, as in an insert.
    columns: Option<Vec<&'a str>>,
}

fn uses_of(query: &[&str], known: &BTreeSet<String>) -> Vec<Use> {
    let named = tables(query, known);
    let conditions = conditions(query);
    let own_names: Vec<&str> = named
        .iter()
        .flat_map(|named| [Some(named.table), named.alias])
        .flatten()
        .collect();
    // At least one table is bound to something outside this query.
    let is_anchored = conditions.iter().any(|condition| {
        condition
            .other
            .is_none_or(|other| !own_names.contains(&other))
    });
    let alone = named.iter().filter(|named| named.columns.is_none()).count() == 1;
    let is_bound = |named: &Named<'_>| match &named.columns {
        Some(columns) => columns.contains(&"company_id"),
        None => {
            is_anchored
                && conditions.iter().any(|condition| match condition.of {
                    Some(name) => Some(name) == named.alias || name == named.table,
                    None => alone || condition.other.is_none() && named.alias.is_none(),
                })
        }
    };
    let found = named.iter().map(|named| Use {
        table: named.table.to_owned(),
        is_bound: is_bound(named),
    });
    found.collect()
}

fn tables<'a>(query: &[&'a str], known: &BTreeSet<String>) -> Vec<Named<'a>> {
    let mut found = Vec::new();
    let mut place = 0;
    // Whether a comma is followed by another table.
    let mut in_list = false;
    while place < query.len() {
        let word = query[place];
        let leads =
            ["from", "join", "update", "into", "using"].contains(&word) || in_list && word == ",";
        let is_into = word == "into";
        place += 1;
        if !leads {
            in_list = in_list && !is_no_alias(word) || word == "from";
            continue;
        }
        in_list = word == "from" || word == ",";
        while ["only", "public", "."].contains(query.get(place).unwrap_or(&"")) {
            place += 1;
        }
        let Some(table) = query.get(place).filter(|word| known.contains(**word)) else {
            continue;
        };
        place += 1;
        if query.get(place) == Some(&"as") {
            place += 1;
        }
        let alias = query.get(place).copied().filter(|word| {
            word.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_no_alias(word)
        });
        let columns = is_into.then(|| {
            let rest = query[place..].iter().copied();
            rest.take_while(|word| *word != ")").collect()
        });
        found.push(Named {
            table,
            alias,
            columns,
        });
    }
    found
}

/// A comparison of a `company_id`.
struct Condition<'a> {
    /// The table or alias before it.
    of: Option<&'a str>,
    /// The table or alias of the other side, if that is a `company_id` too.
    other: Option<&'a str>,
}

fn conditions<'a>(query: &[&'a str]) -> Vec<Condition<'a>> {
    let mut found = Vec::new();
    // Excludes `SET company_id = ...` and column lists.
    let word = |place: usize| query.get(place).copied().unwrap_or("");
    for place in 0..query.len() {
        if word(place) != "company_id" {
            continue;
        }
        let qualified = place >= 2 && word(place - 1) == ".";
        let of = qualified.then(|| word(place - 2));
        let begin = if qualified { place - 2 } else { place };
        let before = if begin == 0 { "" } else { word(begin - 1) };
        let after = word(place + 1);
        if after == "=" {
            let other = (word(place + 3) == "." && word(place + 4) == "company_id")
                .then(|| word(place + 2));
            found.push(Condition { of, other });
        } else if before == "=" {
            let other = (begin >= 4 && word(begin - 2) == "company_id" && word(begin - 3) == ".")
                .then(|| word(begin - 4));
            found.push(Condition { of, other });
        } else if after == "in" || in_equal_row(query, place) {
            found.push(Condition { of, other: None });
        } else if before == "(" && after == ")" && begin >= 2 && word(begin - 2) == "using" {
            // Either side may be the bound one.
            found.push(Condition {
                of: None,
                other: Some(""),
            });
        }
    }
    found
}

/// Whether it is in a row comparison `(company_id, ...) = ...` or `IN`.
fn in_equal_row(query: &[&str], place: usize) -> bool {
    let mut depth = 0;
    for at in place..query.len() {
        match query[at] {
            "(" => depth += 1,
            ")" if depth == 0 => {
                return ["=", "in"].contains(query.get(at + 1).unwrap_or(&""));
            }
            ")" => depth -= 1,
            _ => {}
        }
    }
    false
}

/// String literals of a Rust source with their first lines.
pub fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = source[at..].find(['"', '\'', '/']) {
        at += step;
        let rest = &source[at..];
        let after = |end: &str, from: usize| {
            let found = rest.get(from..).and_then(|text| text.find(end));
            found.map_or(rest.len(), |at| from + at + end.len())
        };
        let mut characters = rest.chars().skip(1);
        at += match (characters.next(), characters.next()) {
            _ if rest.starts_with("//") => after("\n", 0),
            // A character, not a lifetime.
            (Some('\\'), _) if rest.starts_with('\'') => after("'", 3),
            (_, Some('\'')) if rest.starts_with('\'') => after("'", 1),
            _ if rest.starts_with('"') => {
                let before = source[..at].trim_end_matches('#');
                let marks = at - before.len();
                let end = if before.ends_with('r') {
                    after(&format!("\"{}", "#".repeat(marks)), 1) - marks
                } else {
                    let mut is_escaped = false;
                    let end = rest[1..].find(|c| {
                        let is_end = c == '"' && !is_escaped;
                        is_escaped = c == '\\' && !is_escaped;
                        is_end
                    });
                    end.map_or(rest.len(), |end| end + 2)
                };
                let text = rest[1..end - 1].replace("\\\"", " ").replace('\\', " ");
                found.push((source[..at].matches('\n').count() + 1, text));
                end
            }
            _ => 1,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_finds_tables_without_company() {
        let known = ["tools", "loans"].map(str::to_owned).into();
        for (unbound, sql) in [
            "tools: SELECT 1 FROM tools",
            "tools: SELECT company_id FROM tools WHERE id = $1",
            "tools: SELECT 1 FROM tools ORDER BY company_id",
            "loans: SELECT 1 FROM tools t, public.loans l WHERE t.company_id = $1",
            "tools loans: SELECT 1 FROM tools t JOIN loans l ON l.company_id = t.company_id",
            "tools: UPDATE tools SET name = 'x' WHERE id = $1",
            "tools: DELETE FROM tools WHERE (created_at, company_id) < ($1, $2)",
            "tools: INSERT INTO tools (id) VALUES ($1)",
            "loans: SELECT 1 FROM tools WHERE company_id = $1 AND id IN (SELECT tool FROM loans)",
            "tools: WITH a AS (SELECT 1 FROM tools) SELECT 1 FROM loans WHERE company_id = $1",
            "loans: SELECT 1 FROM tools WHERE company_id = $1 UNION SELECT 1 FROM loans",
            ": SELECT 1 FROM tools WHERE company_id = $1",
            ": SELECT extract(day FROM at) FROM tools t WHERE t.company_id = $1 AND at IS DISTINCT FROM $2",
            ": SELECT 1 FROM tools t JOIN public.loans l ON l.company_id = t.company_id WHERE t.company_id = $1",
            ": SELECT 1 FROM tools t WHERE t.company_id = $1 AND EXISTS (
                SELECT FROM loans l WHERE l.company_id = t.company_id)",
            ": INSERT INTO tools (company_id, id) VALUES ($1, $2) ON CONFLICT (company_id, id) DO UPDATE SET a = 1",
            ": UPDATE tools t SET name = f.name FROM found f WHERE t.company_id = f.company_id",
            ": DELETE FROM tools WHERE (company_id, id) IN (SELECT $1, unnest($2))",
            ": SELECT 1 FROM others",
        ].map(|line| line.split_once(": ").expect("tables and a query")) {
            let found = uses(sql, &known).into_iter().filter(|used| !used.is_bound);
            let found: BTreeSet<_> = found.map(|used| used.table).collect();
            let unbound = unbound.split_whitespace().map(str::to_owned);
            assert_eq!(found, unbound.collect(), "{sql}");
        }
    }

    #[test]
    fn literals_finds_strings() {
        let source = "fn f<'a>() { // \"no\"\n let c = '\"'; g(\"one\"); h(r#\"t\"wo\"#, '\\''); i(\"thr\\\"ee\") }";
        let found = literals(source);
        let expected = [(2, "one"), (2, "t\"wo"), (2, "thr ee")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    }
}
