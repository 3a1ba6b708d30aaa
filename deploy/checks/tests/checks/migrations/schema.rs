//! What the files before one have made: tables with columns and constraints, and functions.

use std::collections::{BTreeMap, BTreeSet};

use super::statements::{Statement, bracketed, parts, says};

/// Everything there is at some point of the history.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    tables: BTreeMap<String, Table>,
    functions: Vec<Function>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The file that made it.
    pub file: String,
    /// Columns that a released migration made: code of the last release reads and writes them.
    pub released: BTreeSet<String>,
    /// Words of the constraints, by name.
    pub constraints: BTreeMap<String, Constraint>,
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The file that made it.
    pub file: String,
    /// What it says.
    pub words: Vec<String>,
    /// Whether all rows are known to keep to it.
    pub valid: bool,
}

/// A function that code may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    parameters: Vec<Parameter>,
    returns: Vec<String>,
    /// Columns of the rows it returns.
    columns: Vec<Vec<String>>,
    /// Whether it runs with its owner's rights.
    pub definer: bool,
    /// Whether it finds only what it names with its schema: `SET search_path = ''`.
    pub empty_path: bool,
}

/// What may follow the type that a function returns.
const ATTRIBUTES: [&str; 15] = [
    "language",
    "as",
    "set",
    "security",
    "immutable",
    "stable",
    "volatile",
    "strict",
    "called",
    "returns",
    "parallel",
    "cost",
    "rows",
    "leakproof",
    "not",
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    kind: String,
    optional: bool,
}

impl Function {
    /// Reads `CREATE [OR REPLACE] FUNCTION`.
    pub fn read(words: &[&str]) -> Option<Self> {
        let at = words.iter().position(|word| *word == "function")?;
        if !words.starts_with(&["create"]) {
            return None;
        }
        let (inside, after) = bracketed(words)?;
        let (returns, attributes) = after.split_at(length_of_type(after));
        let columns = match returns {
            ["returns", "table", ..] => bracketed(returns).map(|(inside, _)| parts(inside)),
            _ => None,
        };
        let parameters = parts(inside).into_iter();
        Some(Self {
            name: (*words.get(at + 1)?).to_owned(),
            parameters: parameters.map(|part| Parameter::read(&part)).collect(),
            returns: own(returns),
            columns: columns
                .unwrap_or_default()
                .iter()
                .map(|part| own(part))
                .collect(),
            definer: says(attributes, &["security", "definer"]),
            empty_path: has_empty_path(attributes),
        })
    }

    /// Whether this is called as `old` is and answers alike.
    pub fn replaces(&self, old: &Self) -> bool {
        let kept = self.parameters.iter().zip(&old.parameters);
        self.parameters.len() == old.parameters.len()
            && kept.into_iter().all(|(new, old)| {
                (&new.name, &new.kind) == (&old.name, &old.kind) && (new.optional || !old.optional)
            })
            && self.returns == old.returns
    }

    /// Whether whoever calls `old` may call this instead and does not notice.
    pub fn serves_callers_of(&self, old: &Self) -> bool {
        let Some((kept, added)) = self.parameters.split_at_checked(old.parameters.len()) else {
            return false;
        };
        let same =
            |(new, old): (&Parameter, &Parameter)| new.name == old.name && new.kind == old.kind;
        let answers = if old.columns.is_empty() {
            self.returns == old.returns
        } else {
            self.columns.starts_with(&old.columns)
        };
        answers
            && kept.iter().zip(&old.parameters).all(same)
            && added.iter().all(|parameter| parameter.optional)
    }

    /// The types of its parameters, which tell it from others of its name.
    pub fn kinds(&self) -> Vec<&str> {
        let kinds = self.parameters.iter();
        kinds.map(|parameter| parameter.kind.as_str()).collect()
    }
}

impl Parameter {
    fn read(words: &[&str]) -> Self {
        let default = words
            .iter()
            .position(|word| ["default", "="].contains(word));
        let kind = &words[1..default.unwrap_or(words.len())];
        Self {
            name: words[0].to_owned(),
            kind: kind.join(" "),
            optional: default.is_some(),
        }
    }
}

impl Schema {
    /// A table, if there is one of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.get(name)
    }

    /// The functions of that name.
    pub fn functions(&self, name: &str) -> Vec<&Function> {
        let all = self.functions.iter();
        all.filter(|function| function.name == name).collect()
    }

    /// The function that `DROP FUNCTION` takes away, from its name on.
    pub fn dropped(&self, words: &[&str]) -> Option<&Function> {
        let (inside, _) = bracketed(words)?;
        let kinds: Vec<String> = parts(inside).iter().map(|part| part.join(" ")).collect();
        let mut all = self.functions.iter();
        all.find(|function| function.name == words[0] && function.kinds() == kinds)
    }

    /// Follows a statement of a file.
    pub fn follow(&mut self, file: &str, released: bool, statement: &Statement) {
        let words = statement.words();
        match words.as_slice() {
            ["create", "table", name, ..] => {
                let table = Table {
                    file: file.to_owned(),
                    ..Table::default()
                };
                self.tables.insert((*name).to_owned(), table);
                let inside = bracketed(&words).map(|(inside, _)| parts(inside));
                for part in inside.unwrap_or_default() {
                    self.add(name, file, released, &part);
                }
            }
            ["alter", "table", name, actions @ ..] => {
                for action in parts(actions) {
                    self.alter(name, file, released, &action);
                }
            }
            ["drop", "function", signature @ ..] => {
                let gone = self.dropped(signature).cloned();
                self.functions
                    .retain(|function| Some(function) != gone.as_ref());
            }
            ["create", ..] => {
                if let Some(function) = Function::read(&words) {
                    let replaced = |known: &Function| {
                        known.name == function.name && known.kinds() == function.kinds()
                    };
                    self.functions.retain(|known| !replaced(known));
                    self.functions.push(function);
                }
            }
            _ => {}
        }
    }

    fn alter(&mut self, table: &str, file: &str, released: bool, action: &[&str]) {
        match action {
            ["add", "column", definition @ ..] | ["add", definition @ ..] => {
                self.add(table, file, released, definition);
            }
            ["validate", "constraint", name, ..] => {
                let table = self.tables.get_mut(table);
                if let Some(known) = table.and_then(|table| table.constraints.get_mut(*name)) {
                    known.valid = true;
                }
            }
            ["drop", "constraint", name, ..] => {
                if let Some(table) = self.tables.get_mut(table) {
                    table.constraints.remove(*name);
                }
            }
            _ => {}
        }
    }

    /// Adds a column, or a constraint with or without a name.
    fn add(&mut self, table_name: &str, file: &str, released: bool, definition: &[&str]) {
        let Some(table) = self.tables.get_mut(table_name) else {
            return;
        };
        let mut constrain = |name: String, words: &[&str]| {
            let constraint = Constraint {
                file: file.to_owned(),
                words: own(words),
                valid: !words.ends_with(&["not", "valid"]),
            };
            table.constraints.insert(name, constraint);
        };
        match definition {
            ["constraint", name, words @ ..] => constrain((*name).to_owned(), words),
            ["primary" | "unique" | "foreign" | "check", ..] | [] => {}
            [column, words @ ..] => {
                if let Some(at) = words.iter().position(|word| *word == "check") {
                    // The name PostgreSQL gives it.
                    constrain(format!("{table_name}_{column}_check"), &words[at..]);
                }
                if released {
                    table.released.insert((*column).to_owned());
                }
            }
        }
    }
}

/// How many words of `RETURNS <type> <attributes>` are before the attributes.
fn length_of_type(words: &[&str]) -> usize {
    let (mut depth, mut length) = (0, 0);
    for (place, word) in words.iter().enumerate() {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        let is_returns = place == 0 && *word == "returns";
        if depth == 0 && !is_returns && ATTRIBUTES.contains(word) {
            break;
        }
        length = place + 1;
    }
    length
}

fn has_empty_path(attributes: &[&str]) -> bool {
    let at = attributes.iter().position(|word| *word == "search_path");
    let value = at.map_or(&[][..], |at| &attributes[at + 1..]);
    match value {
        ["=" | "to", "''", rest @ ..] => !rest.starts_with(&[","]),
        _ => false,
    }
}

fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
