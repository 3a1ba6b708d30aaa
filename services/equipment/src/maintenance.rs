//! The maintenance commands: they compare stored projections with the ledger and repair them.

use futures::future::BoxFuture;
use std::fmt;
use std::io::Write;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::domain::entry_text::shown;
use crate::domain::fold::Projection;
use crate::domain::ledger::{Fact, MeterMove};
use crate::store::last_release::{self, Unmarked};
use crate::store::projection_rows::MachineLedger;
use crate::store::projections;

/// Equipment checked in one transaction.
const BATCH: i64 = 20;
/// Companies read in one batch.
const COMPANIES: i64 = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Check,
    Repair,
}

/// A stored projection that differs from the ledger. `Display` prints one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub equipment_id: Uuid,
    pub equipment_name: String,
    /// Name of the projection.
    pub what: String,
    pub stored: String,
    /// The value computed from the ledger.
    pub ledger: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "equipment {} {:?}: {} is {}, the ledger gives {}",
            self.equipment_id, self.equipment_name, self.what, self.stored, self.ledger
        )
    }
}

impl From<Unmarked> for Difference {
    fn from(unmarked: Unmarked) -> Self {
        let what = match unmarked.update_id {
            Some(update) => format!("void of the update {update}"),
            None => "change of the unit".to_owned(),
        };
        Self {
            equipment_id: unmarked.equipment_id,
            equipment_name: unmarked.equipment_name,
            what,
            stored: "not marked".to_owned(),
            ledger: "a mark".to_owned(),
        }
    }
}

/// Compares the projections of a company's active and retired equipment with its ledger, repairs
/// them in `Mode::Repair`, and returns the differences.
pub async fn rebuild(
    database: &Database,
    tenant: Tenant,
    mode: Mode,
) -> Result<Vec<Difference>, ServiceError> {
    let (mut found, mut after) = (Vec::new(), Uuid::nil());
    loop {
        let mut tx = database.tenant(tenant).await?;
        let ids = projections::ids(&mut tx, after, BATCH).await?;
        let mut unmarked = last_release::unmarked_units(&mut tx, &ids).await?;
        unmarked.extend(last_release::unmarked_voids(&mut tx, &ids).await?);
        if mode == Mode::Repair && !unmarked.is_empty() {
            projections::lock(&mut tx, &ids).await?;
            last_release::mark_units(&mut tx, &ids).await?;
            last_release::mark_voids(&mut tx, &ids).await?;
        }
        found.extend(unmarked.into_iter().map(Difference::from));
        let checks = projections::load(&mut tx, &ids).await?;
        tx.commit().await?;
        for item in checks.into_iter().map(with_stored_zone) {
            if !differences(&item).is_empty() {
                found.extend(compare_locked(database, tenant, item.id, mode).await?);
            }
        }
        match ids.last() {
            Some(last) => after = *last,
            None => return Ok(found),
        }
    }
}

/// Compares again under the row lock, because an entry may have been added between the reads, and
/// repairs.
async fn compare_locked(
    database: &Database,
    tenant: Tenant,
    id: Uuid,
    mode: Mode,
) -> Result<Vec<Difference>, ServiceError> {
    let mut tx = database.tenant(tenant).await?;
    if !projections::lock(&mut tx, &[id]).await? {
        return Ok(Vec::new());
    }
    let item = with_stored_zone(projections::load_one(&mut tx, id).await?);
    let found = differences(&item);
    if mode == Mode::Repair
        && !found.is_empty()
        && let Ok(computed) = item.fold()
    {
        projections::store(&mut tx, &item, &computed, None).await?;
        tx.commit().await?;
    }
    Ok(found)
}

/// Days of use stay in their time zone until the next entry about the meter.
fn with_stored_zone(mut item: MachineLedger) -> MachineLedger {
    item.initial.zone = item.stored.daily_use.zone.unwrap_or(item.initial.zone);
    item
}

fn differences(item: &MachineLedger) -> Vec<Difference> {
    let difference = |what: String, stored: String, ledger: String| Difference {
        equipment_id: item.id,
        equipment_name: item.name.clone(),
        what,
        stored,
        ledger,
    };
    let Ok(folded) = item.fold() else {
        let ledger = "a value out of range".to_owned();
        let stored = item.stored.meter.usage.to_string();
        return vec![difference("meter".to_owned(), stored, ledger)];
    };
    let values = named_values(&item.stored)
        .into_iter()
        .zip(named_values(&folded.projection))
        .filter(|(stored, computed)| stored != computed)
        .map(|((what, stored), (_, computed))| difference(what, stored, computed));
    let moved: Vec<&Fact> = folded.moved(&item.facts).collect();
    let entries = moved.first().map(|first| {
        let computed = folded.placed.get(&first.id).map(|placed| placed.moved);
        let what = format!("usage of {} entries, first of {}", moved.len(), first.id);
        difference(what, moved_text(first.stored), moved_text(computed))
    });
    values.chain(entries).collect()
}

fn moved_text(moved: Option<MeterMove>) -> String {
    shown(moved.map(|MeterMove { before, after }| format!("{before} to {after}")))
}

/// All projections as name and text. Both sides of a comparison have the same tasks.
fn named_values(projection: &Projection) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let mut add = |name: &str, value: String| values.push((name.to_owned(), value));
    add("meter", projection.meter.usage.to_string());
    add("meter offset", projection.meter.offset.to_string());
    let read_at = projection.read_at.map(|at| at.to_rfc3339());
    add("last reading", shown(read_at));
    add("last fact", projection.last_fact_at.to_rfc3339());
    add("gasoline", projection.gas.to_string());
    add("diesel", projection.diesel.to_string());
    for (task, marks) in &projection.tasks {
        let last_usage = shown(marks.last_usage);
        add(&format!("last usage of task {task}"), last_usage);
        add(&format!("start of task {task}"), shown(marks.start));
        add(&format!("next date of task {task}"), shown(marks.next));
    }
    let due = &projection.due;
    let steps = ["approaches", "is due", "is overdue"];
    for (step, name) in steps.into_iter().enumerate() {
        let point = due.usage.map(|usage| usage[step]);
        add(&format!("usage when service {name}"), shown(point));
    }
    add("next service date", shown(due.next_date));
    add("special points", format!("{:?}", due.special));
    let used = &projection.daily_use;
    let rates = used.rates.map(|rates| list(&rates));
    add("typical daily usage", shown(rates));
    add("days of use", list(&used.days));
    add("usage of these days", list(&used.sums));
    add("typical fill", shown(projection.usual_fill));
    values
}

fn list(values: &[impl fmt::Display]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join(", ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    pub mode: Mode,
    /// None: all companies that have equipment.
    pub company: Option<Uuid>,
}

#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("usage: {0} [--company UUID]")]
    Usage(String),
    /// Differences that were not repaired.
    #[error("projections differ from the ledger: {0}")]
    Differences(usize),
    #[error(transparent)]
    Failed(#[from] ServiceError),
    #[error("failed to write the report")]
    Report(#[from] std::io::Error),
}

impl Task {
    pub const COMMANDS: [&str; 2] = ["check-projections", "rebuild-projections"];

    pub fn read(name: &str, arguments: &[String]) -> Result<Self, TaskError> {
        let usage = || TaskError::Usage(name.to_owned());
        let mode = match name {
            "check-projections" => Mode::Check,
            "rebuild-projections" => Mode::Repair,
            _ => return Err(usage()),
        };
        let company = match arguments {
            [] => None,
            [flag, id] if flag == "--company" => Some(Uuid::try_parse(id).map_err(|_| usage())?),
            _ => return Err(usage()),
        };
        Ok(Self { mode, company })
    }

    /// Writes a line for each difference, then the totals. Fails if differences remain.
    pub fn run<'a>(
        self,
        database: &'a Database,
        out: &'a mut (dyn Write + Send),
    ) -> BoxFuture<'a, Result<(), TaskError>> {
        Box::pin(async move {
            let (mut companies, mut count, mut remaining) = (0, 0, 0);
            let mut after = Uuid::nil();
            loop {
                let batch = match self.company {
                    Some(company) => vec![company],
                    None => companies_after(database, after).await?,
                };
                for id in &batch {
                    let tenant = Tenant::from_lookup(*id);
                    let found = rebuild(database, tenant, self.mode).await?;
                    for difference in &found {
                        writeln!(out, "company {id}, {difference}")?;
                    }
                    companies += 1;
                    count += found.len();
                    remaining += match self.mode {
                        // A ledger that puts the meter out of range can't be repaired.
                        Mode::Repair if !found.is_empty() => {
                            rebuild(database, tenant, Mode::Check).await?.len()
                        }
                        Mode::Check | Mode::Repair => found.len(),
                    };
                }
                match batch.last() {
                    Some(last) if self.company.is_none() => after = *last,
                    _ => break,
                }
            }
            write!(out, "Companies: {companies}. Differences: {count}.")?;
            if self.mode == Mode::Repair {
                write!(out, " Repaired: {}.", count - remaining)?;
            }
            writeln!(out)?;
            match remaining {
                0 => Ok(()),
                remaining => Err(TaskError::Differences(remaining)),
            }
        })
    }
}

async fn companies_after(database: &Database, after: Uuid) -> Result<Vec<Uuid>, ServiceError> {
    let mut connection = database.lookup().await?;
    projections::companies(&mut connection, after, COMPANIES).await
}
