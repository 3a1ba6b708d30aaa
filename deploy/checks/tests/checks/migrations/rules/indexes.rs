//! Indexes.

use super::{Check, Rule};

impl Check<'_> {
    pub(super) fn create_index(&mut self, rest: &[&str], unique: bool) {
        let (concurrently, rest) = match rest {
            ["concurrently", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let table = rest.iter().position(|word| *word == "on");
        let table = table.and_then(|at| rest.get(at + 1)).copied().unwrap_or("");
        if concurrently != self.file.no_transaction {
            self.refuse(
                Rule::NotAlone,
                "CONCURRENTLY needs a file of its own that begins with `-- no-transaction`",
            );
        }
        if rest.starts_with(&["if"]) {
            self.refuse(
                Rule::HidesBrokenIndex,
                "IF NOT EXISTS leaves a broken-off index as it is",
            );
        }
        if self.is_new(table) {
            return;
        }
        if !concurrently {
            self.refuse(
                Rule::BlockingIndex,
                format!(
                    "{table} has rows, and nobody could write meanwhile: CREATE INDEX CONCURRENTLY"
                ),
            );
        }
        if unique {
            self.takes_away("the freedom to write such rows twice");
        }
    }

    pub(super) fn drop_index(&mut self, rest: &[&str]) {
        if !rest.starts_with(&["concurrently"]) || !self.file.no_transaction {
            self.refuse(
                Rule::NotAlone,
                "DROP INDEX CONCURRENTLY, in a file of its own that begins with `-- no-transaction`",
            );
        } else if !rest.starts_with(&["concurrently", "if", "exists"]) {
            self.refuse(
                Rule::NotAgain,
                "IF EXISTS: a migration that is killed beside it runs the step again",
            );
        }
        self.takes_away("an index goes");
    }
}
