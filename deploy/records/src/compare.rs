//! Compares figures before a backup with figures after a restore.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use uuid::Uuid;

use crate::databases::RecordsError;
use crate::figures::{Figure, Figures, Place};

/// Differences in the report.
const MAX_REPORTED: usize = 50;

#[derive(Default)]
struct Total {
    companies: usize,
    rows: [i64; 2],
    different: usize,
}

/// Writes a table of totals and all differences; fails if there are any.
pub fn compare(
    source: &Figures,
    restored: &Figures,
    out: &mut (dyn Write + Send),
) -> Result<(), RecordsError> {
    let mut differences = Vec::new();
    let mut totals: BTreeMap<(&str, &str), Total> = BTreeMap::new();
    let places: BTreeSet<&Place> = source.rows.keys().chain(restored.rows.keys()).collect();
    let mut companies: BTreeSet<Uuid> = BTreeSet::new();
    for place in places {
        let (database, table, company) = place;
        let (one, other) = (source.rows.get(place), restored.rows.get(place));
        let total = totals.entry((database, table)).or_default();
        total.companies += usize::from(company.is_some());
        total.rows[0] += one.map_or(0, |figure| figure.rows);
        total.rows[1] += other.map_or(0, |figure| figure.rows);
        companies.extend(company);
        if one != other {
            total.different += 1;
            differences.push(difference(place, one, other));
        }
    }
    writeln!(
        out,
        "{:40} {:>10} {:>12} {:>12}  equal",
        "table", "companies", "rows before", "restored"
    )?;
    for ((database, table), total) in &totals {
        let (name, companies) = (format!("{database}.{table}"), total.companies);
        let [before, after] = total.rows;
        let verdict = match total.different {
            0 => "yes".to_owned(),
            different => format!("NO, {different} differ"),
        };
        let line = format!("{name:40} {companies:>10} {before:>12} {after:>12}  {verdict}");
        writeln!(out, "{line}")?;
    }
    differences.extend(schema_differences(source, restored));
    for line in differences.iter().take(MAX_REPORTED) {
        writeln!(out, "DIFFERENT {line}")?;
    }
    if differences.len() > MAX_REPORTED {
        writeln!(out, "... and {} more", differences.len() - MAX_REPORTED)?;
    }
    writeln!(
        out,
        "Companies: {}. Tables: {}. Definitions, grants and roles: {}. Differences: {}.",
        companies.len(),
        totals.len(),
        source.schema.len(),
        differences.len()
    )?;
    if source.rows.is_empty() {
        let text = "the databases were empty; there is nothing to compare";
        return Err(RecordsError::Refused(text.to_owned()));
    }
    match differences.len() {
        0 => Ok(()),
        count => Err(RecordsError::Differs(count)),
    }
}

fn difference(place: &Place, one: Option<&Figure>, other: Option<&Figure>) -> String {
    let (database, table, company) = place;
    let company = company.map_or_else(|| "the platform".to_owned(), |id| format!("company {id}"));
    let none = Figure::default();
    let (before, after) = (one.unwrap_or(&none), other.unwrap_or(&none));
    let mut what = Vec::new();
    if before.rows != after.rows {
        what.push(format!("rows {} became {}", before.rows, after.rows));
    }
    let names: BTreeSet<&String> = before.sums.keys().chain(after.sums.keys()).collect();
    for name in names {
        let sum = |figure: &Figure| figure.sums.get(name).cloned().unwrap_or_default();
        let (was, is) = (sum(before), sum(after));
        if was != is {
            what.push(format!("sum of {name} {was:?} became {is:?}"));
        }
    }
    if what.is_empty() {
        what.push("same rows and sums, different content".to_owned());
    }
    format!("{company}, {database}.{table}: {}", what.join("; "))
}

fn schema_differences(source: &Figures, restored: &Figures) -> Vec<String> {
    let keys: BTreeSet<_> = source.schema.keys().chain(restored.schema.keys()).collect();
    let mut lines = Vec::new();
    for key in keys {
        let (database, what) = key;
        let verdict = match (source.schema.get(key), restored.schema.get(key)) {
            (one, other) if one == other => continue,
            (Some(_), None) => "is missing",
            (None, _) => "is new",
            (Some(_), Some(_)) => "has changed",
        };
        lines.push(format!("{database}, {what}: {verdict}"));
    }
    lines
}
