//! What tables there are, as the database says, and what leaves the house.

use sqlx::{PgConnection, Row as _};

use crate::databases::RecordsError;

/// Tables of the platform itself: they have no company.
pub const PLATFORM: [(&str, &str); 6] = [
    ("_sqlx_migrations", "which migrations were applied"),
    (
        "operator_usernames",
        "names that are never given out twice; a keyed hash once nobody has them",
    ),
    ("staff", "the platform's own support staff"),
    ("staff_enrolments", "the platform's own support staff"),
    ("staff_sessions", "the platform's own support staff"),
    ("stripe_prices", "the platform's own prices"),
];

/// Tables of a company that no export holds, and why.
pub const LEFT_OUT: [(&str, &str); 3] = [
    (
        "idempotency_keys",
        "copies of answers to requests, for repeats within a day; what they say is in the other files",
    ),
    (
        "passkey_challenges",
        "random numbers that wait for a passkey for five minutes",
    ),
    (
        "retired_tokens",
        "digests of session tokens that others followed",
    ),
];

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as SQL writes it.
    pub kind: String,
    /// What it means; may be empty.
    pub comment: String,
}

/// A table in the schema `public`.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// What it is for; may be empty.
    pub comment: String,
    /// All columns, in their order.
    pub columns: Vec<Column>,
    /// The columns of its primary key.
    pub key: Vec<String>,
    /// Tables that must still be there when a row of this one is: not those of constraints that
    /// are looked at at the end of the transaction only.
    pub needs: Vec<String>,
}

impl Table {
    /// Whether its rows belong to companies.
    pub fn has_company(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.name == "company_id")
    }

    /// The columns that an export holds.
    pub fn exported(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !is_secret(column))
    }
}

/// What a whole number in a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Hundredths of an hour, a mile, a gallon.
    Hundredths,
    /// Just a number; or cents, as its name or comment says.
    Plain,
}

/// Whole numbers that are no quantities of hours, miles or gallons.
const PLAIN: [&str; 14] = [
    "quantity",
    "cost",
    "version",
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
];

/// What the whole numbers of a column count. None: nobody has said so yet.
pub fn quantity(column: &Column) -> Option<Quantity> {
    const QUANTITIES: [&str; 14] = [
        "usage", "reading", "fuel", "gas", "diesel", "lifespan", "interval", "meter", "final",
        "start", "offset", "fill", "use", "added",
    ];
    let name = column.name.as_str();
    if PLAIN.contains(&name) || column.kind != "bigint" {
        return Some(Quantity::Plain);
    }
    let is_quantity = name.split('_').any(|word| QUANTITIES.contains(&word));
    is_quantity.then_some(Quantity::Hundredths)
}

/// Whether a column opens something or would help to: it never leaves the house. By its name, so
/// that a new one is kept in before anybody has thought of it.
pub fn is_secret(column: &Column) -> bool {
    const WORDS: [&str; 13] = [
        "hash", "pepper", "key", "nonce", "box", "sid", "token", "secret", "password", "totp",
        "answer", "code", "url",
    ];
    /// Times, marks and folded names that the words above would catch.
    const HARMLESS: [&str; 8] = [
        "name_key",
        "sort_key",
        "search_key",
        "token_at",
        "next_at",
        "password_set_at",
        "operator_password_set_at",
        "operator_password_stale",
    ];
    if HARMLESS.contains(&column.name.as_str()) {
        return false;
    }
    let is_word = |word: &str| {
        let stem = word.trim_end_matches(|last: char| last.is_ascii_digit());
        WORDS.contains(&stem)
    };
    column.kind == "bytea" || column.name.split('_').any(is_word)
}

/// All tables, each after those whose rows need it: the order in which rows can be deleted.
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
                    SELECT a.attname::text FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    ORDER BY a.attnum
                ) AS columns,
                ARRAY(
                    SELECT format_type(a.atttypid, NULL) FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    ORDER BY a.attnum
                ) AS kinds,
                ARRAY(
                    SELECT coalesce(col_description(c.oid, a.attnum), '') FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    ORDER BY a.attnum
                ) AS comments
         FROM pg_class c
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
         ORDER BY c.relname",
    )
    .fetch_all(connection)
    .await?;
    let mut tables = Vec::new();
    for row in found {
        let names: Vec<String> = row.try_get("columns")?;
        let kinds: Vec<String> = row.try_get("kinds")?;
        let comments: Vec<String> = row.try_get("comments")?;
        let columns = names.into_iter().zip(kinds).zip(comments);
        tables.push(Table {
            name: row.try_get("name")?,
            comment: row.try_get("comment")?,
            columns: columns
                .map(|((name, kind), comment)| Column {
                    name,
                    kind,
                    comment,
                })
                .collect(),
            key: row.try_get("key")?,
            needs: row.try_get("needs")?,
        });
    }
    in_order(tables)
}

/// Those that others need come last.
fn in_order(mut left: Vec<Table>) -> Result<Vec<Table>, RecordsError> {
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let free = left
            .iter()
            .position(|table| !left.iter().any(|other| other.needs.contains(&table.name)));
        let Some(free) = free else {
            let names: Vec<_> = left.iter().map(|table| table.name.as_str()).collect();
            let text = format!("tables need each other in a circle: {}", names.join(", "));
            return Err(RecordsError::Refused(text));
        };
        ordered.push(left.remove(free));
    }
    Ok(ordered)
}
