//! Who sees and does what.

use super::{Check, Rule};
use crate::migrations::statements::{parts, says};

impl Check<'_> {
    pub(super) fn policy(&mut self, name: &str, table: &str, rest: &[&str]) {
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

    pub(super) fn grant(&mut self, rest: &[&str]) {
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
}
