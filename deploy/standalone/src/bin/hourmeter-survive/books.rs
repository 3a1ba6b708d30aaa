//! Compares what was acknowledged with what is stored, in the databases and through the API.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hourmeter_runtime::identity::Service;
use hyper::Method;
use serde_json::Value;
use uuid::Uuid;

use crate::fleet::Fleet;
use crate::history::{Fate, Kind, Write};
use crate::people::{Company, FIRST_READING, OFFICE};
use crate::world::World;

/// How long what was decided may be on its way once everything runs again.
const PATIENCE: Duration = Duration::from_mins(2);

/// What the comparison found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Writes that were acknowledged.
    pub acknowledged: usize,
    /// Of them, those that are not there.
    pub lost: usize,
    /// Writes that are there more than once.
    pub doubled: usize,
    /// What is wrong, in words.
    pub wrongs: Vec<String>,
}

/// What the databases hold.
struct Stored {
    /// Lines of the ledger by their text.
    entries: HashMap<String, i64>,
    /// Submissions by their client's id: id, status, and how often they are in the ledger.
    submissions: HashMap<String, Vec<(Uuid, String, i64)>>,
}

/// Compares everything that was written since the first request. `before`: how many writes had
/// been acknowledged or not before this case; only later ones count as its own.
pub async fn check(world: &World, fleet: &Fleet, before: usize) -> Result<Findings> {
    until_delivered(fleet).await?;
    let stored = Stored::read(fleet).await?;
    let writes = world.history.all();
    let (mut findings, there) = stored.compare(&writes, before);
    for company in &world.companies {
        let wrongs = shown(world, company, &writes, &there).await?;
        findings.wrongs.extend(wrongs);
    }
    let projections = fleet.check_projections().await?;
    if !projections.ends_with("Differences: 0.\n") {
        findings.wrongs.push(projections);
    }
    findings.wrongs.extend(world.broken_promises());
    findings.wrongs.extend(fleet.panics()?);
    Ok(findings)
}

/// Nothing that was decided is on its way any more.
async fn until_delivered(fleet: &Fleet) -> Result<()> {
    let mut updates = fleet.database(Service::OperatorUpdates).await?;
    let begun = Instant::now();
    loop {
        let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM decisions");
        let left = count.fetch_one(&mut updates).await?;
        if left == 0 {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            bail!("{left} decisions are still on their way");
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// What one write turns out to be.
#[derive(Default)]
struct Found {
    takes_effect: bool,
    lost: bool,
    doubled: bool,
    wrong: Option<String>,
}

impl Stored {
    async fn read(fleet: &Fleet) -> Result<Self> {
        let mut equipment = fleet.database(Service::Equipment).await?;
        let entries: Vec<(String, i64)> = sqlx::query_as(
            "SELECT content, count(*) FROM ledger WHERE update_id IS NULL GROUP BY content",
        )
        .fetch_all(&mut equipment)
        .await?;
        let booked: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT update_id, count(*) FROM ledger WHERE update_id IS NOT NULL GROUP BY update_id",
        )
        .fetch_all(&mut equipment)
        .await?;
        let booked: HashMap<Uuid, i64> = booked.into_iter().collect();
        let mut updates = fleet.database(Service::OperatorUpdates).await?;
        let rows: Vec<(String, Uuid, String)> =
            sqlx::query_as("SELECT client_id, id, status FROM updates")
                .fetch_all(&mut updates)
                .await?;
        let mut submissions: HashMap<_, Vec<_>> = HashMap::with_capacity(rows.len());
        for (client_id, id, status) in rows {
            let times = booked.get(&id).copied().unwrap_or(0);
            let of_one = submissions.entry(client_id).or_default();
            of_one.push((id, status, times));
        }
        Ok(Self {
            entries: entries.into_iter().collect(),
            submissions,
        })
    }

    /// What all these writes turn out to be, and of each whether it takes effect. What `before`
    /// others acknowledged is looked for too: a case can lose what an earlier one wrote.
    fn compare(&self, writes: &[Write], before: usize) -> (Findings, Vec<bool>) {
        let mut findings = Findings::default();
        let mut there = Vec::with_capacity(writes.len());
        for (number, write) in writes.iter().enumerate() {
            let found = self.check(write);
            there.push(found.takes_effect);
            if number >= before {
                findings.acknowledged += usize::from(write.fate == Fate::Acknowledged);
                findings.acknowledged += usize::from(write.applied);
            }
            findings.lost += usize::from(found.lost);
            findings.doubled += usize::from(found.doubled);
            if let Some(wrong) = found.wrong {
                let wrong = format!("{}: {wrong}: {write:?}", write.mark);
                findings.wrongs.push(wrong);
            }
        }
        (findings, there)
    }

    fn check(&self, write: &Write) -> Found {
        match write.kind {
            Kind::Entry => self.check_entry(write),
            Kind::Submission => self.check_submission(write),
        }
    }

    fn check_entry(&self, write: &Write) -> Found {
        let times = self.entries.get(&write.mark).copied().unwrap_or(0);
        let mut found = Found {
            takes_effect: times > 0,
            lost: write.fate == Fate::Acknowledged && times == 0,
            doubled: times > 1,
            wrong: None,
        };
        if found.lost || found.doubled || write.fate == Fate::Refused && times > 0 {
            found.wrong = Some(format!("{times} times in the ledger"));
        }
        found
    }

    fn check_submission(&self, write: &Write) -> Found {
        let rows = self.submissions.get(&write.mark);
        let rows = rows.map_or(&[][..], Vec::as_slice);
        let mut found = Found {
            lost: write.fate == Fate::Acknowledged && rows.is_empty(),
            doubled: rows.len() > 1,
            ..Found::default()
        };
        if let [(id, status, times)] = rows {
            found.takes_effect = *times > 0;
            found.doubled = *times > 1;
            let effective = matches!(status.as_str(), "applied" | "recent");
            found.lost |= write.applied && !found.takes_effect;
            if write.id.is_some_and(|known| known != *id) {
                found.wrong = Some(format!("stored as {id}"));
            } else if effective != found.takes_effect {
                found.wrong = Some(format!("{status}, but {times} times in the ledger"));
            }
        }
        if found.lost || found.doubled || write.fate == Fate::Refused && !rows.is_empty() {
            found
                .wrong
                .get_or_insert_with(|| format!("stored as {rows:?}"));
        }
        found
    }
}

/// Every machine of a company shows the sum of what took effect.
async fn shown(
    world: &World,
    company: &Company,
    writes: &[Write],
    there: &[bool],
) -> Result<Vec<String>> {
    let machines = company.machines.len();
    let (mut meters, mut fuel) = (vec![FIRST_READING; machines], vec![0; machines]);
    let effective = writes.iter().zip(there).filter(|(_, there)| **there);
    for (write, _) in effective.filter(|(write, _)| write.company == company.number) {
        fuel[write.machine] += write.fuel;
        let meter = &mut meters[write.machine];
        if write.machine < OFFICE {
            *meter += write.usage.unwrap_or(0);
        } else {
            *meter = write.usage.unwrap_or(0).max(*meter);
        }
    }
    let rows = read(world, company, "/api/equipment").await?;
    let rows = rows.as_array().cloned().unwrap_or_default();
    let mut wrongs = Vec::new();
    for (number, machine) in company.machines.iter().enumerate() {
        let row = rows.iter().find(|row| row["id"] == machine.id.as_str());
        let figure = |name: &str| row.map_or(-1, |row| hundredths(&row[name]));
        let shown = (figure("currentUsage"), figure("totalDieselUsed"));
        if shown != (meters[number], fuel[number]) {
            let expected = (meters[number], fuel[number]);
            let of = company.number;
            wrongs.push(format!(
                "machine {number} of company {of} shows {shown:?}, not {expected:?}"
            ));
        }
    }
    Ok(wrongs)
}

fn hundredths(value: &Value) -> i64 {
    let number = value.as_f64().unwrap_or(-1.0);
    let quantity = hourmeter_runtime::quantity::Quantity::from_input(number);
    quantity.map_or(-1, hourmeter_runtime::quantity::Quantity::hundredths)
}

async fn read(world: &World, company: &Company, path: &str) -> Result<Value> {
    let ask = company.rest(&company.owner, Method::GET, path.to_owned(), None);
    let begun = Instant::now();
    loop {
        match world.gateways.ask(&ask).await {
            Ok(answer) if answer.status == 200 => return Ok(serde_json::from_slice(&answer.body)?),
            other if begun.elapsed() > PATIENCE => bail!("{path}: {other:?}"),
            _ => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(kind: Kind, fate: Fate) -> Write {
        Write {
            company: 0,
            machine: 0,
            kind,
            mark: "write 1".to_owned(),
            usage: None,
            fuel: 0,
            fate,
            id: None,
            applied: false,
        }
    }

    fn stored(entries: i64, submissions: &[(Uuid, &str, i64)]) -> Stored {
        let rows = submissions.iter();
        let rows = rows.map(|(id, status, times)| (*id, (*status).to_owned(), *times));
        let mark = "write 1".to_owned();
        Stored {
            entries: HashMap::from([(mark.clone(), entries)]),
            submissions: HashMap::from([(mark, rows.collect())]),
        }
    }

    fn told(found: &Found) -> (bool, bool, bool) {
        (found.lost, found.doubled, found.wrong.is_some())
    }

    #[test]
    fn entries_that_are_missing_or_twice_there_are_found() {
        for (fate, times, expected) in [
            (Fate::Acknowledged, 1, (false, false, false)),
            (Fate::Acknowledged, 0, (true, false, true)),
            (Fate::Acknowledged, 2, (false, true, true)),
            (Fate::Unknown, 0, (false, false, false)),
            (Fate::Unknown, 1, (false, false, false)),
            (Fate::Unknown, 2, (false, true, true)),
            (Fate::Refused, 0, (false, false, false)),
            (Fate::Refused, 1, (false, false, true)),
        ] {
            let found = stored(times, &[]).check(&write(Kind::Entry, fate));
            assert_eq!(told(&found), expected, "{fate:?} {times}");
        }
    }

    #[test]
    fn what_an_earlier_case_wrote_is_looked_for_too() {
        let writes = [
            write(Kind::Entry, Fate::Acknowledged),
            write(Kind::Entry, Fate::Acknowledged),
        ];
        for (times, lost, doubled) in [(0, 2, 0), (1, 0, 0), (2, 0, 2)] {
            let (findings, there) = stored(times, &[]).compare(&writes, 1);
            let told = (findings.acknowledged, findings.lost, findings.doubled);
            assert_eq!(told, (1, lost, doubled));
            assert_eq!(findings.wrongs.len(), lost + doubled);
            assert_eq!(there, [times > 0; 2]);
        }
    }

    #[test]
    fn submissions_that_are_missing_or_twice_there_are_found() {
        let (id, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut sent = write(Kind::Submission, Fate::Acknowledged);
        sent.id = Some(id);
        let fine = (false, false, false);
        let of = |sent: &Write, rows: &[_]| told(&stored(0, rows).check(sent));
        assert_eq!(of(&sent, &[(id, "pending", 0)]), fine);
        assert_eq!(of(&sent, &[(id, "applied", 1)]), fine);
        assert_eq!(of(&sent, &[]), (true, false, true));
        assert_eq!(of(&sent, &[(other, "pending", 0)]), (false, false, true));
        assert_eq!(of(&sent, &[(id, "applied", 2)]), (false, true, true));
        assert_eq!(of(&sent, &[(id, "applied", 0)]), (false, false, true));
        assert_eq!(of(&sent, &[(id, "pending", 1)]), (false, false, true));
        let twice = [(id, "pending", 0), (other, "pending", 0)];
        assert_eq!(of(&sent, &twice), (false, true, true));
        sent.applied = true;
        assert_eq!(of(&sent, &[(id, "applied", 1)]), fine);
        assert_eq!(of(&sent, &[(id, "pending", 0)]), (true, false, true));
    }
}
