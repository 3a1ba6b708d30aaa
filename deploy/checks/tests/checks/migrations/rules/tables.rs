//! Tables and their columns and constraints.

use super::{Check, Rule};
use crate::migrations::statements::{Statement, bracketed, parts, says};

impl Check<'_> {
    pub(super) fn create_table(&mut self, name: &str, words: &[&str]) {
        let columns = bracketed(words).map(|(inside, _)| parts(inside));
        let columns = columns.unwrap_or_default();
        let has_company = columns.iter().any(|column| column[0] == "company_id");
        if !has_company {
            return;
        }
        let key_leads = columns.iter().any(|column| {
            says(column, &["primary", "key", "(", "company_id"])
                || column.starts_with(&["company_id", "uuid", "not", "null", "primary", "key"])
        });
        if !key_leads {
            self.refuse(Rule::Walls, "the primary key begins with company_id");
        }
        let alter = ["alter", "table", name];
        for action in ["enable", "force"] {
            let action = [&alter[..], &[action, "row", "level", "security"]].concat();
            if !self.comes(&action) {
                self.refuse(
                    Rule::Walls,
                    format!("{name} needs, in the same file: {}", action.join(" ")),
                );
            }
        }
        if !self.comes(&["create", "policy", "tenant", "on", name]) {
            self.refuse(
                Rule::Walls,
                format!("{name} needs its policy `tenant` in the same file"),
            );
        }
    }

    pub(super) fn alter_table(&mut self, table: &str, action: &[&str]) {
        let is_new = self.is_new(table);
        match action {
            ["disable", ..] | ["no", "force", ..] => {
                self.refuse(Rule::Walls, "row-level security stays on");
            }
            ["rename", ..] => self.refuse(
                Rule::Renames,
                "old code looks for the old name: add the new one, and contract later",
            ),
            ["add", "constraint", name, rest @ ..] => self.add_constraint(table, name, rest),
            [
                "add",
                "check" | "foreign" | "unique" | "primary" | "constraint",
                ..,
            ] if !is_new => {
                self.refuse(Rule::Scans, "name the constraint, and add it NOT VALID");
            }
            ["add", "check" | "foreign" | "unique" | "primary", ..]
            | ["enable" | "force", "row", "level", "security"] => {}
            ["add", "column", "if", ..] => {
                self.refuse(Rule::Unknown, "add the column exactly once");
            }
            ["add", "column", definition @ ..] | ["add", definition @ ..] => {
                if !is_new {
                    self.add_column(definition);
                }
            }
            ["validate", "constraint", name] => self.validate(table, name),
            ["drop", "constraint", name, ..] => {
                if !self.is_widened(table, name) {
                    self.takes_away("a constraint goes");
                }
            }
            ["drop", ..] => self.takes_away("a column goes"),
            ["alter", "column", column, rest @ ..] | ["alter", column, rest @ ..] => {
                self.alter_column(table, column, rest);
            }
            _ => self.refuse(
                Rule::Unknown,
                "no rule knows this change of a table; write one first",
            ),
        }
    }

    fn add_column(&mut self, definition: &[&str]) {
        let default = definition.iter().position(|word| *word == "default");
        if says(definition, &["not", "null"]) && default.is_none() {
            self.refuse(
                Rule::NotNull,
                "old code can't fill it in: give it a default",
            );
        }
        let constrains = ["check", "references", "unique", "primary"];
        if definition.iter().any(|word| constrains.contains(word)) {
            self.refuse(
                Rule::Scans,
                "a constraint in the definition is checked on every row while nobody can read: \
                add it by name, NOT VALID",
            );
        }
        let serials = [
            "smallserial",
            "serial",
            "bigserial",
            "serial2",
            "serial4",
            "serial8",
        ];
        if definition.get(1).is_some_and(|kind| serials.contains(kind)) {
            self.refuse(
                Rule::Rewrites,
                "a serial column is written into every row: add an integer and a sequence",
            );
        }
        if definition.contains(&"generated") {
            self.refuse(
                Rule::Rewrites,
                "a generated column is written into every row",
            );
        }
        // Anything that is called, but for what is the same for all rows.
        if let Some(at) = default {
            let value = &definition[at + 1..];
            let calls = (0..value.len()).filter(|at| value[*at] == "(");
            let is_now = |at: usize| at > 0 && value[at - 1..].starts_with(&["now", "(", ")"]);
            if calls.into_iter().any(|at| !is_now(at)) {
                self.refuse(
                    Rule::Rewrites,
                    "a default that differs between rows is written into every row",
                );
            }
        }
    }

    fn add_constraint(&mut self, table: &str, name: &str, rest: &[&str]) {
        if self.is_new(table) {
            return;
        }
        if says(rest, &["using", "index"]) {
            return self.takes_away("the freedom to write such rows twice");
        }
        if matches!(rest, ["unique" | "primary", ..]) {
            return self.refuse(
                Rule::BlockingIndex,
                "build a unique index CONCURRENTLY first, then ADD CONSTRAINT ... USING INDEX",
            );
        }
        if !rest.ends_with(&["not", "valid"]) {
            self.refuse(
                Rule::Scans,
                "add it NOT VALID, and VALIDATE it in a later file",
            );
        }
        let known = self.schema.table(table).map(|table| table.released.clone());
        let binds = rest
            .iter()
            .any(|word| known.as_ref().is_some_and(|known| known.contains(*word)));
        if binds && !self.is_widened(table, name) {
            self.takes_away("the freedom to write what it forbids");
        }
    }

    /// Whether this file drops the constraint and adds it again with everything that it allowed.
    fn is_widened(&self, table: &str, name: &str) -> bool {
        let mut before = self.file.base.table(table).into_iter();
        let before = before.find_map(|table| table.constraints.get(name));
        let statements = self.file.statements.iter();
        let words = statements.map(Statement::words).filter(|words| {
            words.starts_with(&["alter", "table", table])
                && says(words, &["drop", "constraint", name])
        });
        let again = words.flat_map(|words| {
            let actions = parts(&words[3..]).into_iter();
            let added = actions.filter(|action| action.starts_with(&["add", "constraint", name]));
            added.map(|action| action.join(" ")).collect::<Vec<_>>()
        });
        let allowed = |word: &&String| word.starts_with('\'') || word.parse::<f64>().is_ok();
        before.is_some_and(|before| {
            let mut again = again;
            again.any(|again| {
                before
                    .words
                    .iter()
                    .filter(allowed)
                    .all(|word| again.contains(word.as_str()))
            })
        })
    }

    fn validate(&mut self, table: &str, name: &str) {
        let added = self
            .schema
            .table(table)
            .and_then(|table| table.constraints.get(name));
        if added.is_none_or(|added| added.file == self.file.name) {
            self.refuse(
                Rule::Scans,
                "VALIDATE in a later file than ADD, whose lock would keep everybody out meanwhile",
            );
        }
    }

    fn alter_column(&mut self, table: &str, column: &str, rest: &[&str]) {
        match rest {
            ["set", "not", "null"] if !self.is_new(table) => {
                let constraints = self.schema.table(table).map(|table| &table.constraints);
                let proof = ["check", "(", column, "is", "not", "null", ")"];
                let mut all = constraints.into_iter().flat_map(|all| all.values());
                let proven = all
                    .any(|known| known.valid && known.words.starts_with(&proof.map(str::to_owned)));
                if !proven {
                    self.refuse(
                        Rule::NotNull,
                        format!("first a constraint CHECK ({column} IS NOT NULL) NOT VALID, then VALIDATE it, then this: it needs no look at the rows then"),
                    );
                }
            }
            ["set", "not", "null"] | ["set", "default", ..] => {}
            ["type", ..] | ["set", "data", ..] => self.refuse(
                Rule::ChangesType,
                "add a column of the other type, fill it in batches, and contract later",
            ),
            ["drop", "not", "null"] => self.takes_away("a value that old code counts on"),
            ["drop", "default"] => self.takes_away("a default that old code counts on"),
            _ => self.refuse(
                Rule::Unknown,
                "no rule knows this change of a column; write one first",
            ),
        }
    }
}
