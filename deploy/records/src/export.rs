//! Exports all data of a company as files for people.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use futures::TryStreamExt as _;
use hourmeter_runtime::audit::{AuditEventType, NO_COMPANY};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use uuid::Uuid;

use crate::catalogue::{Column, EXCLUDED_TABLES, Quantity, Table, quantity, tables};
use crate::csv;
use crate::databases::{Databases, RecordsError};
use crate::rows::{set_company, set_company_and_record};

const EVENT: AuditEventType = AuditEventType::Export;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub company: Uuid,
    /// A folder that does not exist yet.
    pub out: PathBuf,
    /// Stored in the company's and the platform's audit logs.
    pub reason: String,
}

/// Writes all data of a company to a new folder, one database after another, each as of one moment.
/// Rows are streamed, so memory does not grow with them. Returns the number of rows per file.
pub async fn export(
    databases: &Databases,
    export: &Export,
) -> Result<Vec<(String, u64)>, RecordsError> {
    // Without a trailing slash, which would put the draft inside.
    let out: PathBuf = export.out.components().collect();
    if out.exists() {
        let text = format!("{} exists; choose a new folder", out.display());
        return Err(RecordsError::Refused(text));
    }
    // Renamed when complete.
    let draft = &out.with_added_extension("part");
    folders()
        .create(draft)
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => RecordsError::Refused(format!(
                "{} exists: an export is running or was interrupted; in that case remove it",
                draft.display()
            )),
            _ => error.into(),
        })?;
    let done = async {
        let counts = fill(databases, export.company, draft).await?;
        // Audited before it appears under its name.
        record_entry(databases, export).await?;
        Ok(counts)
    }
    .await;
    match done {
        Ok(_) => fs::rename(draft, &out)?,
        Err(_) => fs::remove_dir_all(draft)?,
    }
    done
}

/// Folders with mode 700.
fn folders() -> DirBuilder {
    let mut folders = DirBuilder::new();
    folders.mode(0o700);
    folders
}

async fn fill(
    databases: &Databases,
    company: Uuid,
    draft: &Path,
) -> Result<Vec<(String, u64)>, RecordsError> {
    let (mut counts, mut about) = (Vec::new(), String::new());
    for service in Service::ALL {
        folders().create(draft.join(service.name()))?;
        let mut connection = databases.connect(service).await?;
        let mut tx = connection
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await?;
        set_company(&mut tx, company).await?;
        let mut all = tables(&mut tx).await?;
        all.sort_by(|one, other| one.name.cmp(&other.name));
        for table in all.iter().filter(|table| is_exported(table)) {
            let file = format!("{}/{}", service.name(), table.name);
            let rows = write_table(&mut tx, company, table, &draft.join(&file)).await?;
            describe(&mut about, &file, rows, table);
            counts.push((file, rows));
        }
        tx.rollback().await?;
    }
    if counts.iter().all(|(_, rows)| *rows == 0) {
        return Err(no_company(company));
    }
    let mut readme = create(&draft.join("README.txt"))?;
    write!(readme, "{}{about}", introduction(company))?;
    readme.flush()?;
    Ok(counts)
}

/// Writes the platform's audit entry, and the company's unless it is being deleted.
async fn record_entry(databases: &Databases, export: &Export) -> Result<(), RecordsError> {
    let (company, reason) = (&export.company, &export.reason);
    let mut connection = databases.connect(Service::Accounts).await?;
    let mut tx = connection.begin().await?;
    set_company(&mut tx, *company).await?;
    let is_there = sqlx::query("SELECT FROM companies WHERE company_id = $1 FOR KEY SHARE")
        .bind(company)
        .fetch_optional(&mut *tx)
        .await?;
    if is_there.is_some() {
        set_company_and_record(&mut tx, *company, EVENT, *company, reason).await?;
    }
    let platform = NO_COMPANY.company_id();
    set_company_and_record(&mut tx, platform, EVENT, *company, reason).await?;
    tx.commit().await?;
    Ok(())
}

pub(crate) fn no_company(company: Uuid) -> RecordsError {
    RecordsError::Refused(format!("no data of company {company}"))
}

fn is_exported(table: &Table) -> bool {
    table.has_company() && !EXCLUDED_TABLES.iter().any(|(name, _)| *name == table.name)
}

/// A file with mode 600.
fn create(path: &Path) -> Result<BufWriter<File>, RecordsError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    Ok(BufWriter::new(options.open(path)?))
}

async fn write_table(
    connection: &mut PgConnection,
    company: Uuid,
    table: &Table,
    path: &Path,
) -> Result<u64, RecordsError> {
    let columns: Vec<&Column> = table.exported().collect();
    let mut json = create(&path.with_extension("json"))?;
    let mut csv = create(&path.with_extension("csv"))?;
    let head: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    write!(csv, "{}\r\n", head.join(","))?;
    write!(json, "[")?;
    let mut rows = 0;
    let query = select(table, &columns);
    let mut found = sqlx::query(AssertSqlSafe(query))
        .bind(company)
        .fetch(connection);
    while let Some(row) = found.try_next().await? {
        let text: String = row.try_get(0)?;
        write!(json, "{}{text}", if rows == 0 { "\n" } else { ",\n" })?;
        let read: Value = serde_json::from_str(&text).map_err(ServiceError::internal)?;
        let cells = head.iter().map(|name| csv::cell(&read[*name]));
        write!(csv, "{}\r\n", cells.collect::<Vec<_>>().join(","))?;
        rows += 1;
    }
    writeln!(json, "\n]")?;
    json.flush()?;
    csv.flush()?;
    Ok(rows)
}

/// Selects one JSON object per row, columns in table order. Names come from the database catalogue.
fn select(table: &Table, columns: &[&Column]) -> String {
    let list: Vec<String> = columns.iter().map(|column| shown(column)).collect();
    let key: Vec<String> = table
        .key
        .iter()
        .map(|name| format!("t.\"{name}\""))
        .collect();
    let order = if key.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", key.join(", "))
    };
    format!(
        "SELECT row_to_json(x)::text FROM (SELECT {} FROM public.\"{}\" t WHERE t.company_id = $1{order}) x",
        list.join(", "),
        table.name
    )
}

fn shown(column: &Column) -> String {
    let Column { name, kind, .. } = column;
    if kind == "timestamp with time zone" {
        let format = r#"YYYY-MM-DD"T"HH24:MI:SS.US"Z""#;
        return format!("to_char(t.\"{name}\" AT TIME ZONE 'UTC', '{format}') AS \"{name}\"");
    }
    if quantity(column) == Some(Quantity::Hundredths) {
        return format!("round(t.\"{name}\" / 100.0, 2) AS \"{name}\"");
    }
    format!("t.\"{name}\"")
}

fn introduction(company: Uuid) -> String {
    let mut text = format!(
        "Everything Hourmeter keeps of company {company}\n\n\
        Each file is there twice: .csv for a spreadsheet, .json for programs.\n\
        Times are UTC (ISO 8601). Meter readings and fuel are in the unit of the machine and in\n\
        gallons; money is in US cents. In CSV a leading apostrophe keeps a spreadsheet from taking\n\
        text for a formula; it is not part of the text.\n\n\
        Not here, because they only serve to let people in: passwords and answers (kept as hashes\n\
        or sealed), session tokens and their digests, keys, links to open checkouts. Not here\n\
        either:\n"
    );
    for (table, reason) in EXCLUDED_TABLES {
        let _ = writeln!(text, "- {table}: {reason}");
    }
    text
}

fn describe(text: &mut String, file: &str, rows: u64, table: &Table) {
    let _ = writeln!(text, "\n{file}: {rows} rows. {}", table.comment);
    for column in table.exported() {
        let _ = writeln!(text, "  {}: {}", column.name, column.comment);
    }
}
