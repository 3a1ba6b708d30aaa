//! Functions, and who may call them.

use super::{Check, Rule};
use crate::migrations::schema::Function;
use crate::migrations::statements::{Statement, bracketed, parts};

impl Check<'_> {
    pub(super) fn create_function(&mut self, words: &[&str]) {
        let Some(function) = Function::read(words) else {
            return self.refuse(Rule::Unknown, "a function that can't be read");
        };
        let known = self.schema.functions(&function.name);
        let known: Vec<Function> = known.into_iter().cloned().collect();
        let same = known.iter().find(|old| old.kinds() == function.kinds());
        match same.filter(|_| words.starts_with(&["create", "or"])) {
            Some(old) => self.replace_function(&function, old),
            None if known.is_empty() => {}
            None => self.refuse(
                Rule::Signature,
                "there is one of that name: calls of old code would be ambiguous or mean the new one",
            ),
        }
        if !function.definer {
            return;
        }
        if !function.empty_path {
            self.refuse(
                Rule::Definer,
                "it runs with its owner's rights: SET search_path = '', and name schemas in its body",
            );
        }
        // Who may call it stays as it was when it is replaced.
        if !same.is_some_and(|old| old.definer) && !self.is_revoked(&function) {
            self.refuse(
                Rule::Definer,
                "it runs with its owner's rights: REVOKE ALL ON FUNCTION ... FROM PUBLIC, behind it",
            );
        }
    }

    fn replace_function(&mut self, new: &Function, old: &Function) {
        if !new.replaces(old) {
            self.refuse(
                Rule::Signature,
                format!("old code calls {}: keep the names and defaults of its parameters and what it returns", old.name),
            );
        }
        if old.definer && !new.definer {
            self.refuse(
                Rule::Definer,
                "it lost SECURITY DEFINER: rows that old code finds through it would be hidden",
            );
        }
        if old.empty_path && !new.empty_path {
            self.refuse(Rule::Definer, "it lost SET search_path = ''");
        }
    }

    /// Whether the right that everybody has on a new function is taken away later in the file.
    fn is_revoked(&self, function: &Function) -> bool {
        let mut later = self.file.statements.iter();
        later.any(|statement| {
            let words = statement.words();
            let ["revoke", "all", "on", "function", name, signature @ ..] = words.as_slice() else {
                return false;
            };
            let Some((inside, ["from", "public"])) = bracketed(signature) else {
                return false;
            };
            let kinds: Vec<String> = parts(inside).iter().map(|part| part.join(" ")).collect();
            statement.line >= self.line && *name == function.name && kinds == function.kinds()
        })
    }

    pub(super) fn drop_function(&mut self, signature: &[&str]) {
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
}
