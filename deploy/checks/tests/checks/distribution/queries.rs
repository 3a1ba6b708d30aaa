//! Finds SQL queries in the sources, and tables in them without a company.

use std::collections::BTreeSet;

use crate::sql::statements;

#[derive(Debug, PartialEq, Eq)]
pub struct Use {
    pub table: String,
    pub bound: Bound,
}

/// How a query names the company of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Yes,
    /// A subquery, by a column of the outer query. On Citus, a read without a transaction then finds
    /// nothing, without an error.
    ByOuter,
    No,
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
    for (query, is_subquery) in queries(&words) {
        found.extend(uses_of(&query, is_subquery, known));
    }
    found
}

/// The queries of a text, each without its subqueries, and whether it is one.
fn queries<'a>(words: &[&'a str]) -> Vec<(Vec<&'a str>, bool)> {
    let mut open = vec![(Vec::new(), 0_usize)];
    let mut done = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).unwrap_or(&"");
        if *word == "(" && QUERIES.contains(next) {
            open.push((Vec::new(), 0));
            continue;
        }
        let is_outermost = open.len() == 1;
        let Some((query, depth)) = open.last_mut() else {
            continue;
        };
        match *word {
            "(" => *depth += 1,
            // It begins in another literal.
            ")" if *depth == 0 && is_outermost => {
                done.push((std::mem::take(query), true));
                continue;
            }
            ")" if *depth == 0 => {
                done.extend(open.pop().map(|(query, _)| (query, true)));
                // A placeholder for the subquery's columns keeps names apart.
                if let Some((outer, _)) = open.last_mut() {
                    outer.push("()");
                }
                continue;
            }
            ")" => *depth -= 1,
            ";" | "union" | "except" | "intersect" if *depth == 0 => {
                done.push((std::mem::take(query), !is_outermost));
                continue;
            }
            _ => {}
        }
        query.push(word);
    }
    let rest = open.into_iter().enumerate();
    done.extend(rest.map(|(level, (query, _))| (query, level > 0)));
    done
}

/// A table of a query and its alias.
struct Named<'a> {
    table: &'a str,
    alias: Option<&'a str>,
    /// Its column list, as in an insert.
    columns: Option<Vec<&'a str>>,
}

fn uses_of(query: &[&str], is_subquery: bool, known: &BTreeSet<String>) -> Vec<Use> {
    let named = tables(query, known);
    let all = conditions(query);
    // A name of the outer query occurs here only before a dot.
    let is_outer = |name: &str| {
        let mut places = (0..query.len()).filter(|place| query[*place] == name);
        is_subquery && places.all(|place| query.get(place + 1) == Some(&"."))
    };
    let own = all.iter().copied().filter(|condition| {
        let mut sides = [condition.of, condition.other].into_iter().flatten();
        !sides.any(is_outer)
    });
    let own: Vec<_> = own.collect();
    let found = named.iter().map(|table| Use {
        table: table.table.to_owned(),
        bound: if is_bound(table, &named, &own) {
            Bound::Yes
        } else if is_bound(table, &named, &all) {
            Bound::ByOuter
        } else {
            Bound::No
        },
    });
    found.collect()
}

fn is_bound(table: &Named<'_>, named: &[Named<'_>], conditions: &[Condition<'_>]) -> bool {
    if let Some(columns) = &table.columns {
        return columns.contains(&"company_id");
    }
    let own_names: Vec<&str> = named
        .iter()
        .flat_map(|named| [Some(named.table), named.alias])
        .flatten()
        .collect();
    // At least one table is bound to something that is not one of them.
    let is_anchored = conditions.iter().any(|condition| {
        condition
            .other
            .is_none_or(|other| !own_names.contains(&other))
    });
    let alone = named.iter().filter(|named| named.columns.is_none()).count() == 1;
    is_anchored
        && conditions.iter().any(|condition| match condition.of {
            Some(name) => Some(name) == table.alias || name == table.table,
            None => alone || condition.other.is_none() && table.alias.is_none(),
        })
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
#[derive(Clone, Copy)]
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
        } else if after == "in" {
            found.push(Condition { of, other: None });
        } else if let Some(other) = equal_row(query, place) {
            found.push(Condition {
                of,
                other: other_company(other),
            });
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

/// If the place is in a row comparison `(company_id, ...) = ...` or `IN`: what follows it.
fn equal_row<'a, 'b>(query: &'b [&'a str], place: usize) -> Option<&'b [&'a str]> {
    let mut depth = 0;
    for at in place..query.len() {
        match query[at] {
            "(" => depth += 1,
            ")" if depth == 0 => {
                let rest = query.get(at + 1..)?;
                return ["=", "in"].contains(rest.first()?).then_some(rest);
            }
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The table or alias of a `company_id` in the row `= (...)`.
fn other_company<'a>(rest: &[&'a str]) -> Option<&'a str> {
    let end = rest.iter().position(|word| *word == ")")?;
    let found = rest[..end]
        .windows(3)
        .find(|words| words[1..] == [".", "company_id"]);
    found.map(|words| words[0])
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
            ": INSERT INTO tools (company_id, id) VALUES ($1, $2) ON CONFLICT (company_id, id) DO UPDATE SET a = 1",
            ": UPDATE tools t SET name = f.name FROM found f WHERE t.company_id = f.company_id",
            ": DELETE FROM tools WHERE (company_id, id) IN (SELECT $1, unnest($2))",
            ": SELECT 1 FROM others",
        ].map(|line| line.split_once(": ").expect("tables and a query")) {
            assert_eq!(tables_of(sql, Bound::No), unbound, "{sql}");
        }
    }

    #[test]
    fn uses_finds_companies_of_outer_queries() {
        for (outer, sql) in [
            "loans: SELECT 1 FROM tools t WHERE t.company_id = $1 AND EXISTS (
                SELECT FROM loans l WHERE l.company_id = t.company_id)",
            "loans: SELECT 1 FROM tools WHERE company_id = $1 AND EXISTS (
                SELECT FROM loans l WHERE tools.company_id = l.company_id AND l.tool = tools.id)",
            "loans: SELECT 1 FROM tools t WHERE t.company_id = $1 AND EXISTS (
                SELECT FROM loans l WHERE (l.company_id, l.tool) = (t.company_id, t.id))",
            "loans: SELECT 1 FROM tools t CROSS JOIN LATERAL (
                SELECT 1 FROM tools o, loans l WHERE o.company_id = $1 AND l.company_id = t.company_id) x
                WHERE t.company_id = $1",
            "tools: SELECT (SELECT 1 FROM tools t WHERE t.company_id = f.company_id) FROM found f",
            // Parts of composed queries.
            ": JOIN loans l ON l.company_id = t.company_id WHERE (",
            "loans: ) FROM loans l WHERE l.company_id = t.company_id AND l.tool = t.id) ELSE 0 END)",
            ": SELECT 1 FROM tools t WHERE t.company_id = $1 AND EXISTS (
                SELECT FROM loans l WHERE l.company_id = $1 AND l.company_id = t.company_id)",
            ": SELECT 1 FROM tools t WHERE t.company_id = $1 AND EXISTS (
                SELECT FROM loans l JOIN found f ON (l.company_id, l.id) = (f.company_id, f.id))",
        ].map(|line| line.split_once(": ").expect("tables and a query")) {
            assert_eq!(tables_of(sql, Bound::ByOuter), outer, "{sql}");
            assert_eq!(tables_of(sql, Bound::No), "", "{sql}");
        }
    }

    fn tables_of(sql: &str, bound: Bound) -> String {
        let known = ["tools", "loans"].map(str::to_owned).into();
        let found = uses(sql, &known)
            .into_iter()
            .filter(|used| used.bound == bound);
        let found: BTreeSet<_> = found.map(|used| used.table).collect();
        let found: Vec<_> = found.into_iter().rev().collect();
        found.join(" ")
    }

    #[test]
    fn literals_finds_strings() {
        let source = "fn f<'a>() { // \"no\"\n let c = '\"'; g(\"one\"); h(r#\"t\"wo\"#, '\\''); i(\"thr\\\"ee\") }";
        let found = literals(source);
        let expected = [(2, "one"), (2, "t\"wo"), (2, "thr ee")];
        assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    }
}
