//! What a migration may do while processes of the last release go on working on the same database.

mod functions;
mod indexes;
mod rights;
mod tables;

use std::fmt;

use super::File;
use super::schema::Schema;
use super::statements::{parts, says};

/// A rule that a statement breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Takes away or narrows what the last release uses, without saying since when nobody does.
    TakesAway,
    /// A name changes: old code looks for the old one.
    Renames,
    /// The type of a column changes.
    ChangesType,
    /// A column that old code can't fill in.
    NotNull,
    /// Writes every row anew under a lock that keeps everybody out.
    Rewrites,
    /// Reads every row under a lock that keeps everybody out.
    Scans,
    /// Builds an index while nobody can write.
    BlockingIndex,
    /// `CONCURRENTLY` inside of a transaction, or together with something else.
    NotAlone,
    /// Would take a broken-off index for a whole one.
    HidesBrokenIndex,
    /// Fails if it was done, and the migration was killed before that was noted.
    NotAgain,
    /// Changes the rows of a whole table at once.
    NoBatches,
    /// A new table whose rows are not kept apart by company, or a wall that is opened.
    Walls,
    /// More rights than the service needs, or for somebody else.
    Grants,
    /// A function that old code calls goes, or its calls get another meaning.
    Signature,
    /// A function with its owner's rights that anybody may call, or whose names anybody may redirect.
    Definer,
    /// Changes how long it waits for locks, which the runner decides.
    OwnTimeout,
    /// A `-- contract:` without reason and release, or of a release that is not yet the last one.
    Contract,
    /// A statement that no rule knows.
    Unknown,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 18] = [
        Self::TakesAway,
        Self::Renames,
        Self::ChangesType,
        Self::NotNull,
        Self::Rewrites,
        Self::Scans,
        Self::BlockingIndex,
        Self::NotAlone,
        Self::HidesBrokenIndex,
        Self::NotAgain,
        Self::NoBatches,
        Self::Walls,
        Self::Grants,
        Self::Signature,
        Self::Definer,
        Self::OwnTimeout,
        Self::Contract,
        Self::Unknown,
    ];
}

/// A broken rule, and where.
pub struct Problem {
    /// Which.
    pub rule: Rule,
    /// The line of the statement in its file.
    pub line: u64,
    /// What is wrong, and what to do instead.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, line, text } = self;
        write!(formatter, "line {line}: {text} ({rule:?})")
    }
}

/// A version such as 0.1.0.
pub type Version = (u64, u64, u64);

/// Reads a version.
pub fn version(text: &str) -> Option<Version> {
    let mut numbers = text.trim_end_matches('.').split('.').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?))
}

/// What a new file does wrong. `schema` is what the files before it made, `last_release` whose
/// processes may still be running.
pub fn check(file: &File, schema: &Schema, last_release: Version) -> Vec<Problem> {
    let mut check = Check {
        file,
        schema: schema.clone(),
        last_release,
        may_take_away: false,
        line: 1,
        problems: Vec::new(),
    };
    if file.no_transaction && file.statements.len() != 1 {
        check.refuse(
            Rule::NotAlone,
            "a file without transaction has exactly one statement: they are sent as one, and would \
            be in a transaction after all",
        );
    }
    for statement in &file.statements {
        check.line = statement.line;
        check.read_contract(&statement.comment);
        check.statement(&statement.words());
        check.schema.follow(&file.name, false, statement);
    }
    check.problems
}

struct Check<'a> {
    file: &'a File,
    /// Follows the file.
    schema: Schema,
    last_release: Version,
    may_take_away: bool,
    line: u64,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn refuse(&mut self, rule: Rule, text: impl Into<String>) {
        let (line, text) = (self.line, text.into());
        self.problems.push(Problem { rule, line, text });
    }

    /// `-- contract: <reason>; since <version>`: the release named, and so each later one, does
    /// without what the next statement takes away.
    fn read_contract(&mut self, comment: &str) {
        self.may_take_away = false;
        let Some((_, contract)) = comment.split_once("contract:") else {
            return;
        };
        let since = contract.split_once("; since ");
        let since = since.filter(|(reason, _)| !reason.trim().is_empty());
        let since = since.and_then(|(_, release)| version(release.split(' ').next()?));
        match since {
            None => self.refuse(
                Rule::Contract,
                "write `-- contract: <reason>; since <the first release that does without it>`",
            ),
            Some(since) if since > self.last_release => self.refuse(
                Rule::Contract,
                "the last release may still be running and needs it: contract one release later",
            ),
            Some(_) => self.may_take_away = true,
        }
    }

    /// Something that goes away, or that old code must keep to from now on.
    fn takes_away(&mut self, what: &str) {
        if !self.may_take_away {
            self.refuse(
                Rule::TakesAway,
                format!("{what}: code of the last release may need it. Say since when none does: `-- contract: <reason>; since <release>`"),
            );
        }
    }

    fn is_new(&self, table: &str) -> bool {
        self.schema
            .table(table)
            .is_none_or(|table| table.file == self.file.name)
    }

    fn statement(&mut self, words: &[&str]) {
        match words {
            [
                "create",
                "table",
                "if" | "temporary" | "temp" | "unlogged",
                ..,
            ] => {
                self.refuse(Rule::Unknown, "make a plain table, and exactly once");
            }
            ["create", "table", name, ..] => self.create_table(name, words),
            ["create", "unique", "index", rest @ ..] => self.create_index(rest, true),
            ["create", "index", rest @ ..] => self.create_index(rest, false),
            ["drop", "index", rest @ ..] => self.drop_index(rest),
            ["alter", "table", "if" | "only", ..] => {
                self.refuse(Rule::Unknown, "name the table right after ALTER TABLE");
            }
            ["alter", "table", name, actions @ ..] => {
                for action in parts(actions) {
                    self.alter_table(name, &action);
                }
            }
            ["create", "policy", name, "on", table, rest @ ..] => self.policy(name, table, rest),
            ["drop", "policy", name, "on", table] => {
                if !self.comes(&["create", "policy", name, "on", table]) {
                    self.takes_away("a policy goes");
                }
            }
            ["create", "function", ..] | ["create", "or", "replace", "function", ..] => {
                self.create_function(words);
            }
            ["drop", "function", signature @ ..] => self.drop_function(signature),
            ["alter", "function", .., "owner", "to", "tenant_lookup"]
            | ["comment", "on", ..]
            | ["create", "trigger", ..]
            | ["insert", "into", _, .., ")"]
                if !says(words, &["select"]) => {}
            ["grant", rest @ ..] => self.grant(rest),
            ["revoke", "all", "on", "function", .., "from", "public"] => {}
            ["revoke", ..] => self.takes_away("a right goes"),
            [
                "drop",
                "table" | "view" | "trigger" | "type" | "sequence",
                ..,
            ] => {
                self.takes_away("what is dropped");
            }
            ["update" | "delete" | "truncate" | "insert", ..] => self.refuse(
                Rule::NoBatches,
                "rows are changed in batches: in a `-- no-transaction` file by one DO block that \
                loops with LIMIT and COMMIT, or by the service itself",
            ),
            ["do", body] => self.batches(body),
            ["set" | "reset", ..] => self.refuse(
                Rule::OwnTimeout,
                "the runner sets how long a migration waits for locks",
            ),
            _ => self.refuse(
                Rule::Unknown,
                "no rule knows this statement; write one first",
            ),
        }
    }

    /// Whether a statement of this file begins so.
    fn comes(&self, beginning: &[&str]) -> bool {
        let mut all = self.file.statements.iter();
        all.any(|statement| statement.words().starts_with(beginning))
    }

    fn batches(&mut self, body: &str) {
        let in_batches = ["loop", "limit", "commit"]
            .iter()
            .all(|word| body.contains(word));
        if !self.file.no_transaction || !in_batches {
            self.refuse(
                Rule::NoBatches,
                "a DO block stands in a `-- no-transaction` file and loops with LIMIT and COMMIT",
            );
        }
    }
}
