//! Search in names, numbers and groups, without case and accents.

use hourmeter_runtime::identity::Tenant;

use super::Sql;

/// The rest of `translate`: letters with accents, in the composed form of stored names, and without.
const ACCENTS: &str = ", 'áàâäãåāçéèêëēíìîïīñóòôöõōúùûüūýÿ', 'aaaaaaaceeeeeiiiiinoooooouuuuuyy')";

/// Further words of a search are ignored.
const MOST_WORDS: usize = 8;

impl Sql {
    /// Each word must be found, in any of the fields.
    pub(super) fn search(&mut self, tenant: Tenant, text: &str) {
        for word in text.split_whitespace().take(MOST_WORDS) {
            self.search_word(tenant, word);
        }
    }

    fn search_word(&mut self, tenant: Tenant, text: &str) {
        self.push(" AND (");
        self.folded("e.search_key");
        self.push(" LIKE (SELECT ");
        self.folded_pattern(text);
        self.push(")");
        // Separate lookups in the small indexes keep the index-only scan of the list.
        for (known, folded) in [
            ("n.unit_number IS NOT NULL", "lower(n.unit_number)"),
            ("n.equipment_group IS NOT NULL", "lower(n.equipment_group)"),
        ] {
            self.push(
                " OR e.id = ANY(ARRAY(
                    SELECT n.id FROM equipment n WHERE n.company_id = ",
            );
            self.bind(tenant.company_id());
            self.push(" AND n.retired_at IS NULL AND ");
            self.push(known);
            self.push(" AND ");
            self.folded(folded);
            self.push(" LIKE (SELECT ");
            self.folded_pattern(text);
            self.push(")))");
        }
        self.push(")");
    }

    /// A text in lower case, without accents.
    fn folded(&mut self, text: &'static str) {
        self.push("translate(");
        self.push(text);
        self.push(ACCENTS);
    }

    /// A LIKE pattern for folded texts that contain `text`.
    fn folded_pattern(&mut self, text: &str) {
        self.push("translate(lower(");
        self.bind(containing(text));
        self.push(")");
        self.push(ACCENTS);
    }
}

/// A LIKE pattern for texts that contain `text`, with special characters escaped.
fn containing(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{escaped}%")
}
