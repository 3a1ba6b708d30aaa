//! What a migration may do while processes of the last release go on working on the same database.

use std::fmt;

use super::File;
use super::schema::{Function, Schema};
use super::statements::{Statement, bracketed, parts, says};

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
    /// Changes the rows of a whole table at once.
    NoBatches,
    /// A new table whose rows are not kept apart by company, or a wall that is opened.
    Walls,
    /// More rights than the service needs, or for somebody else.
    Grants,
    /// A function that old code calls goes, or its calls get another meaning.
    Signature,
    /// Changes how long it waits for locks, which the runner decides.
    OwnTimeout,
    /// A `-- contract:` without reason and release, or of a release that is not yet the last one.
    Contract,
    /// A statement that no rule knows.
    Unknown,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::TakesAway,
        Self::Renames,
        Self::ChangesType,
        Self::NotNull,
        Self::Rewrites,
        Self::Scans,
        Self::BlockingIndex,
        Self::NotAlone,
        Self::HidesBrokenIndex,
        Self::NoBatches,
        Self::Walls,
        Self::Grants,
        Self::Signature,
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

    fn create_table(&mut self, name: &str, words: &[&str]) {
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

    fn policy(&mut self, name: &str, table: &str, rest: &[&str]) {
        let company = "( company_id = ( select nullif ( current_setting ( 'app.company_id' , true ) , '' ) :: uuid ) )";
        let own_rows = format!("using {company} with check {company}");
        let is_tenant = name == "tenant" && rest.join(" ") == own_rows;
        if !is_tenant && !says(rest, &["to", "tenant_lookup"]) {
            self.refuse(
                Rule::Walls,
                format!("a policy of {table} is either `tenant`, as on the other tables, or for tenant_lookup"),
            );
        }
    }

    fn create_index(&mut self, rest: &[&str], unique: bool) {
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

    fn drop_index(&mut self, rest: &[&str]) {
        if !rest.starts_with(&["concurrently"]) || !self.file.no_transaction {
            self.refuse(
                Rule::NotAlone,
                "DROP INDEX CONCURRENTLY, in a file of its own that begins with `-- no-transaction`",
            );
        }
        self.takes_away("an index goes");
    }

    fn alter_table(&mut self, table: &str, action: &[&str]) {
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
        if definition.contains(&"generated") {
            self.refuse(
                Rule::Rewrites,
                "a generated column is written into every row",
            );
        }
        // Anything that is called, but for the one that is the same for all rows.
        if let Some(at) = default {
            let value = &definition[at + 1..];
            if value.contains(&"(") && !value.starts_with(&["now", "(", ")"]) {
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

    fn create_function(&mut self, words: &[&str]) {
        let Some(function) = Function::read(words) else {
            return self.refuse(Rule::Unknown, "a function that can't be read");
        };
        if words.starts_with(&["create", "or"]) {
            return;
        }
        if !self.schema.functions(&function.name).is_empty() {
            self.refuse(
                Rule::Signature,
                "there is one of that name: calls of old code would be ambiguous or mean the new one",
            );
        }
    }

    fn drop_function(&mut self, signature: &[&str]) {
        let Some(old) = self.schema.dropped(signature).cloned() else {
            return self.refuse(Rule::Signature, "there is no such function");
        };
        let statements = self.file.statements.iter().map(Statement::words);
        let mut made = statements.filter_map(|words| Function::read(&words));
        if !self.may_take_away
            && !made.any(|new| new.name == old.name && new.serves_callers_of(&old))
        {
            self.refuse(
                Rule::Signature,
                format!("old code calls {}: make it again in this file with the same parameters and columns, new ones behind them, new parameters with defaults", old.name),
            );
        }
    }

    fn grant(&mut self, rest: &[&str]) {
        let role = format!("hourmeter_{}", self.file.service.replace('-', "_"));
        let to = rest.iter().rposition(|word| *word == "to").unwrap_or(0);
        let allowed = [role.as_str(), "tenant_lookup", "current_user", ","];
        let stranger = rest[to + 1..].iter().find(|word| !allowed.contains(word));
        if let Some(stranger) = stranger {
            self.refuse(
                Rule::Grants,
                format!("rights for {stranger}: only {role} and tenant_lookup"),
            );
        }
        let rights = ["select", "insert", "update", "delete", "execute"];
        let named = parts(&rest[..rest.iter().position(|word| *word == "on").unwrap_or(0)]);
        if named.is_empty() || named.iter().any(|right| !rights.contains(&right[0])) {
            self.refuse(
                Rule::Grants,
                "name the rights one by one, and only what is needed",
            );
        }
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
