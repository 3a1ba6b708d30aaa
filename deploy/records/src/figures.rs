//! Figures of all databases for comparison: rows, sums and a digest of the content per company and
//! table. Contains no personal data.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use hourmeter_runtime::identity::Service;
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::catalogue::{Table, tables};
use crate::databases::RecordsError;
use crate::mark::Snapshot;
use crate::schema;

/// First line of the file.
const HEAD: &str = "hourmeter figures 1";

/// Database, table and company; no company for the platform's rows.
pub type Place = (String, String, Option<Uuid>);

/// Figures of one company's rows in one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    pub rows: i64,
    /// Sums of the numeric columns.
    pub sums: BTreeMap<String, String>,
    /// Digest of the content, independent of row order.
    pub digest: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Name of the WAL file at that moment; empty if unknown.
    pub wal_file: String,
    pub rows: BTreeMap<Place, Figure>,
    /// Digests of tables, grants, policies, functions and roles.
    pub schema: BTreeMap<(String, String), String>,
}

/// Reads all figures. The connections must be those of a superuser, or of a role with BYPASSRLS and
/// `pg_read_all_data`; other roles see no rows.
pub async fn figures(snapshot: &mut Snapshot) -> Result<Figures, RecordsError> {
    let mut figures = Figures {
        wal_file: snapshot.wal_file.clone(),
        ..Figures::default()
    };
    for (service, connection) in &mut snapshot.connections {
        check_sees_all(connection).await?;
        for table in tables(connection).await? {
            add_table(&mut figures, *service, &table, connection).await?;
        }
        let lines = schema::lines(connection).await?;
        let of = |(what, digest)| ((service.name().to_owned(), what), digest);
        figures.schema.extend(lines.into_iter().map(of));
    }
    Ok(figures)
}

async fn check_sees_all(connection: &mut PgConnection) -> Result<(), RecordsError> {
    let sees_all: bool = sqlx::query_scalar(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user",
    )
    .fetch_one(connection)
    .await?;
    if sees_all {
        return Ok(());
    }
    let text = "row-level security hides all rows from this role; use a superuser, or a role with \
                BYPASSRLS and pg_read_all_data";
    Err(RecordsError::Refused(text.to_owned()))
}

async fn add_table(
    figures: &mut Figures,
    service: Service,
    table: &Table,
    connection: &mut PgConnection,
) -> Result<(), RecordsError> {
    let numbers = table.columns.iter();
    let numbers = numbers
        .filter(|column| matches!(&*column.kind, "bigint" | "integer" | "smallint" | "numeric"));
    let numbers: Vec<&str> = numbers.map(|column| column.name.as_str()).collect();
    let sum = |name: &&str| format!("coalesce(sum(t.\"{name}\"), 0)::text");
    let sums: Vec<String> = numbers.iter().map(sum).collect();
    let (company, group) = if table.has_company() {
        ("t.company_id", "GROUP BY t.company_id")
    } else {
        ("NULL::uuid", "HAVING count(*) > 0")
    };
    let query = format!(
        "SELECT {company} AS company_id, count(*) AS rows, ARRAY[{}]::text[] AS sums,
                sum(hashtextextended(t::text, 0)::numeric)::text AS digest
         FROM public.\"{}\" t {group}",
        sums.join(", "),
        table.name
    );
    let found = sqlx::query_as::<_, (Option<Uuid>, i64, Vec<String>, String)>(AssertSqlSafe(query));
    for (company, rows, sums, digest) in found.fetch_all(connection).await? {
        let names = numbers.iter().map(|name| (*name).to_owned());
        let sums = names.zip(sums).collect();
        let place = (service.name().to_owned(), table.name.clone(), company);
        let figure = Figure { rows, sums, digest };
        figures.rows.insert(place, figure);
    }
    Ok(())
}

/// Tab-separated lines.
impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}")?;
        writeln!(f, "wal\t{}", self.wal_file)?;
        for ((database, table, company), figure) in &self.rows {
            let company = company.map_or_else(|| "-".to_owned(), |company| company.to_string());
            let Figure { rows, sums, digest } = figure;
            let sums = sums.iter().map(|(name, sum)| format!("{name}={sum}"));
            let sums = sums.collect::<Vec<_>>().join(",");
            writeln!(
                f,
                "rows\t{database}\t{table}\t{company}\t{rows}\t{digest}\t{sums}"
            )?;
        }
        for ((database, what), digest) in &self.schema {
            writeln!(f, "schema\t{database}\t{what}\t{digest}")?;
        }
        writeln!(f, "end")
    }
}

impl FromStr for Figures {
    type Err = RecordsError;

    fn from_str(text: &str) -> Result<Self, RecordsError> {
        let broken = || RecordsError::Refused("the file of figures is incomplete".to_owned());
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) || !text.ends_with("\nend\n") {
            return Err(broken());
        }
        let mut figures = Self::default();
        for line in lines {
            match line.split('\t').collect::<Vec<_>>()[..] {
                ["wal", file] => file.clone_into(&mut figures.wal_file),
                ["rows", database, table, company, rows, digest, sums] => {
                    let company = match company {
                        "-" => None,
                        id => Some(Uuid::try_parse(id).map_err(|_| broken())?),
                    };
                    let sums = sums.split(',').filter_map(|sum| sum.split_once('='));
                    let figure = Figure {
                        rows: rows.parse().map_err(|_| broken())?,
                        sums: sums.map(|(name, sum)| (name.into(), sum.into())).collect(),
                        digest: digest.to_owned(),
                    };
                    let place = (database.to_owned(), table.to_owned(), company);
                    figures.rows.insert(place, figure);
                }
                ["schema", database, what, digest] => {
                    let key = (database.to_owned(), what.to_owned());
                    figures.schema.insert(key, digest.to_owned());
                }
                ["end"] => {}
                _ => return Err(broken()),
            }
        }
        Ok(figures)
    }
}
