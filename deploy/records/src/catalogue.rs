//! Tables and columns from the database catalogue, and which of them an export contains.

use sqlx::types::Json;
use sqlx::{PgConnection, Row as _};

use crate::databases::RecordsError;

/// Company tables that no export contains, with the reason.
pub const EXCLUDED_TABLES: [(&str, &str); 4] = [
    (
        "idempotency_keys",
        "copies of responses for repeated requests, kept for a day; their content is in the other files",
    ),
    (
        "outbox",
        "facts on their way to the notifications, usually for a second",
    ),
    (
        "passkey_challenges",
        "passkey challenges, valid for five minutes",
    ),
    ("retired_tokens", "digests of replaced session tokens"),
];

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// SQL type.
    pub kind: String,
    /// May be empty.
    pub comment: String,
}

/// A table in the schema `public`.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    /// May be empty.
    pub comment: String,
    /// In table order.
    pub columns: Vec<Column>,
    /// Primary key columns.
    pub key: Vec<String>,
    /// Tables that rows of this one reference with constraints that are not deferred.
    pub needs: Vec<String>,
}

impl Table {
    pub fn has_company(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.name == "company_id")
    }

    pub fn exported(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !is_secret(column))
    }
}

/// Unit of a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Hundredths of an hour, a mile or a gallon.
    Hundredths,
    /// A number, or cents, as its name or comment says.
    Plain,
}

/// Whole numbers that are not quantities of hours, miles or gallons.
const PLAIN: [&str; 19] = [
    "quantity",
    "cost",
    "version",
    "revision",
    "sequence",
    "fuel_period",
    "period",
    "position",
    "attempts",
    "faults",
    "read_ticket",
    "followed_ticket",
    "totp_last_step",
    "sign_count",
    "cents",
    "number",
    "last_number",
    "notification_number",
    "read_until",
];

/// The unit of a whole-number column; `None` if it is not classified yet.
pub fn quantity(column: &Column) -> Option<Quantity> {
    const QUANTITIES: [&str; 15] = [
        "usage", "reading", "fuel", "gas", "diesel", "lifespan", "interval", "meter", "final",
        "start", "offset", "fill", "use", "added", "increase",
    ];
    let name = column.name.as_str();
    if PLAIN.contains(&name) || column.kind != "bigint" {
        return Some(Quantity::Plain);
    }
    let is_quantity = name.split('_').any(|word| QUANTITIES.contains(&word));
    is_quantity.then_some(Quantity::Hundredths)
}

/// Whether a column holds a credential. Decided by name, so that new columns are excluded until
/// someone decides otherwise.
pub fn is_secret(column: &Column) -> bool {
    const WORDS: [&str; 14] = [
        "hash", "pepper", "key", "nonce", "box", "sid", "token", "secret", "password", "totp",
        "answer", "code", "url", "endpoint",
    ];
    /// Times, flags and folded names that the rule above would match.
    const NOT_SECRET: [&str; 8] = [
        "name_key",
        "sort_key",
        "search_key",
        "token_at",
        "next_at",
        "password_set_at",
        "operator_password_set_at",
        "operator_password_stale",
    ];
    if NOT_SECRET.contains(&column.name.as_str()) {
        return false;
    }
    let is_word = |word: &str| {
        let stem = word.trim_end_matches(|last: char| last.is_ascii_digit());
        WORDS.contains(&stem)
    };
    column.kind == "bytea" || column.name.split('_').any(is_word)
}

/// All tables in an order in which rows can be deleted.
pub async fn tables(connection: &mut PgConnection) -> Result<Vec<Table>, RecordsError> {
    let found = sqlx::query(
        "SELECT c.relname::text AS name,
                coalesce(obj_description(c.oid, 'pg_class'), '') AS comment,
                ARRAY(
                    SELECT a.attname::text FROM pg_index i
                    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k (attnum, place)
                    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
                    WHERE i.indrelid = c.oid AND i.indisprimary
                    ORDER BY k.place
                ) AS key,
                ARRAY(
                    SELECT f.confrelid::regclass::text FROM pg_constraint f
                    WHERE f.conrelid = c.oid AND f.contype = 'f' AND NOT f.condeferrable
                      AND f.confrelid <> c.oid
                ) AS needs,
                ARRAY(
                    SELECT jsonb_build_array(
                        a.attname,
                        format_type(a.atttypid, NULL),
                        coalesce(col_description(c.oid, a.attnum), '')
                    ) FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    ORDER BY a.attnum
                ) AS columns
         FROM pg_class c
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
         ORDER BY c.relname",
    )
    .fetch_all(connection)
    .await?;
    let mut tables = Vec::new();
    for row in found {
        let columns: Vec<Json<[String; 3]>> = row.try_get("columns")?;
        let columns = columns
            .into_iter()
            .map(|Json([name, kind, comment])| Column {
                name,
                kind,
                comment,
            });
        tables.push(Table {
            name: row.try_get("name")?,
            comment: row.try_get("comment")?,
            columns: columns.collect(),
            key: row.try_get("key")?,
            needs: row.try_get("needs")?,
        });
    }
    sorted_by_references(tables)
}

/// Referenced tables come last.
fn sorted_by_references(mut remaining: Vec<Table>) -> Result<Vec<Table>, RecordsError> {
    let mut ordered = Vec::new();
    while !remaining.is_empty() {
        let is_needed = |table: &Table| remaining.iter().any(|one| one.needs.contains(&table.name));
        let free = remaining.iter().position(|table| !is_needed(table));
        let Some(free) = free else {
            let names: Vec<_> = remaining.iter().map(|table| table.name.as_str()).collect();
            let text = format!("circular foreign keys: {}", names.join(", "));
            return Err(RecordsError::Refused(text));
        };
        ordered.push(remaining.remove(free));
    }
    Ok(ordered)
}
