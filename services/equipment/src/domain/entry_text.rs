//! Parts of the texts of ledger entries.

/// One line per value that differs: label, old and new.
pub fn changes<const VALUES: usize>(
    before: [(&'static str, String); VALUES],
    after: [(&'static str, String); VALUES],
) -> Vec<String> {
    let values = before.into_iter().zip(after);
    values
        .filter(|((_, old), (_, new))| old != new)
        .map(|((label, old), (_, new))| format!("{label}: {old} → {new}"))
        .collect()
}

pub fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// A number with its unit. Units are stored in the plural.
pub fn with_unit(number: impl Copy + ToString, units: &str) -> String {
    let number = number.to_string();
    let unit = if number == "1" {
        units.trim_end_matches('s')
    } else {
        units
    };
    format!("{number} {unit}")
}
