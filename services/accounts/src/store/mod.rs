//! SQL. Functions take a transaction, or a connection for lookups, and never commit.

pub mod attempts;
pub mod audit;
pub mod browsers;
pub mod calendar_feeds;
pub mod card_codes;
pub mod companies;
pub mod credentials;
pub mod devices;
pub mod employees;
pub mod mail_links;
pub mod notices;
pub mod passkeys;
pub mod people;
pub mod reauthentication;
pub mod recovery;
pub mod reseal;
pub mod second_factor;
pub mod security_events;
pub mod sessions;
pub mod sign_in;
pub mod staff;
pub mod staff_sessions;
pub mod support;
pub mod usernames;

use hourmeter_proto::accounts::v1::{FuelUnit, Language, Role, Scope};
pub use hourmeter_runtime::audit::scope_name;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::passwords::Hashed;
use crate::secrets::Sealed;

/// The stored value of a role.
pub const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Owner => "owner",
        Role::Manager => "manager",
        Role::Operator => "operator",
        Role::Support => "support",
        Role::Unspecified => "",
    }
}

/// Parses a stored role; an unknown one has no rights.
pub fn role(name: &str) -> Role {
    match name {
        "owner" => Role::Owner,
        "manager" => Role::Manager,
        "operator" => Role::Operator,
        _ => Role::Unspecified,
    }
}

/// Parses a stored scope; an unknown one has no rights.
pub fn scope(name: &str) -> Scope {
    match name {
        "full" => Scope::Full,
        "operator" => Scope::Operator,
        _ => Scope::Unspecified,
    }
}

pub const fn language_name(language: Language) -> Option<&'static str> {
    match language {
        Language::English => Some("en"),
        Language::Spanish => Some("es"),
        Language::Unspecified => None,
    }
}

pub fn language(name: Option<&str>) -> Language {
    match name {
        Some("en") => Language::English,
        Some("es") => Language::Spanish,
        _ => Language::Unspecified,
    }
}

pub const fn fuel_unit_name(unit: FuelUnit) -> Option<&'static str> {
    match unit {
        FuelUnit::Gallons => Some("gallons"),
        FuelUnit::Litres => Some("litres"),
        FuelUnit::Unspecified => None,
    }
}

pub fn fuel_unit(name: &str) -> FuelUnit {
    match name {
        "litres" => FuelUnit::Litres,
        _ => FuelUnit::Gallons,
    }
}

/// The unique key that a statement violated.
pub fn violated_key(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error()?.constraint()
}

fn sealed(
    key_id: Option<String>,
    nonce: Option<Vec<u8>>,
    sealed_box: Option<Vec<u8>>,
) -> Option<Sealed> {
    Some(Sealed {
        key_id: key_id?,
        nonce: nonce?,
        sealed_box: sealed_box?,
    })
}

/// Reads the hash in the columns `…_hash` and `…_pepper_id` with this prefix.
fn hashed(row: &PgRow, prefix: &str) -> sqlx::Result<Option<Hashed>> {
    let hash: Option<String> = row.try_get(format!("{prefix}_hash").as_str())?;
    let pepper_id: Option<String> = row.try_get(format!("{prefix}_pepper_id").as_str())?;
    let stored = hash.zip(pepper_id);
    Ok(stored.map(|(hash, pepper_id)| Hashed { hash, pepper_id }))
}
