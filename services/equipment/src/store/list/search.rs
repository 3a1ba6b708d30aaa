//! Search in names, numbers and groups, without case and accents.

use sqlx::{Postgres, QueryBuilder};

/// Of `translate`: letters with accents, in the composed form of stored names, and without.
const ACCENTS: &str = "'áàâäãåāçéèêëēíìîïīñóòôöõōúùûüūýÿ', 'aaaaaaaceeeeeiiiiinoooooouuuuuyy'";

/// Further words of a search are ignored.
const MOST_WORDS: usize = 8;

/// Each word must be found, in any of the fields.
pub fn push_search(sql: &mut QueryBuilder<Postgres>, text: &str) {
    for word in text.split_whitespace().take(MOST_WORDS) {
        sql.push(" AND (");
        push_contains(sql, "e.search_key", word);
        // Separate lookups in the small indexes keep the index-only scan of the list.
        for column in ["n.unit_number", "n.equipment_group"] {
            sql.push(format_args!(
                " OR e.id = ANY(ARRAY(
                    SELECT n.id
                    FROM equipment n
                    WHERE n.company_id = $1
                      AND n.retired_at IS NULL
                      AND {column} IS NOT NULL
                      AND "
            ));
            push_contains(sql, &format!("lower({column})"), word);
            sql.push("))");
        }
        sql.push(")");
    }
}

/// Whether a text in lower case contains a word, both without accents.
fn push_contains(sql: &mut QueryBuilder<Postgres>, text: &str, word: &str) {
    sql.push(format_args!(
        "translate({text}, {ACCENTS}) LIKE (SELECT translate(lower("
    ))
    .push_bind(containing(word))
    .push(format_args!("), {ACCENTS}))"));
}

/// A LIKE pattern for texts that contain `text`, with special characters escaped.
fn containing(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{escaped}%")
}
