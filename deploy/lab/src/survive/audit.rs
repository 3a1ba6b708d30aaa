//! Compares acknowledged writes with stored ones, in the databases and through the API: each is
//! stored exactly once, and every figure is their sum.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use chrono::{DateTime, Utc};
use futures::TryStreamExt as _;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::quantity::Quantity;
use reqwest::Method;
use serde_json::Value;
use uuid::Uuid;

use super::companies::{Company, OFFICE};
use super::history::{Kind, Write, WriteOutcome};
use super::world::World;
use crate::fleet::Fleet;

/// Time for deliveries once everything runs again.
const TIMEOUT: Duration = Duration::from_mins(2);

#[derive(Debug, Default)]
pub struct Findings {
    pub acknowledged: usize,
    /// Acknowledged writes that are missing.
    pub lost: usize,
    /// Writes that are stored more than once.
    pub duplicates: usize,
    pub violations: Vec<String>,
}

struct Stored {
    /// Ledger entries by text.
    entries: HashMap<String, i64>,
    /// Submissions by client id: id, status, and count in the ledger.
    submissions: HashMap<String, Vec<(Uuid, String, i64)>>,
}

/// Audits all writes since the first request. Only writes from index `before` on count as
/// acknowledged in this case.
pub async fn check(world: &World, fleet: &Fleet, before: usize) -> Result<Findings> {
    wait_until_delivered(fleet).await?;
    let stored = Stored::read(fleet).await?;
    let writes = world.history.all();
    let (mut findings, effective) = stored.compare(&writes, before);
    for company in &world.companies {
        let wrong = check_company(world, company, &effective).await?;
        findings.violations.extend(wrong);
    }
    let projections = fleet.check_projections().await?;
    if !projections.ends_with("Differences: 0.\n") {
        findings.violations.push(projections);
    }
    findings.violations.extend(world.contradictions());
    findings.violations.extend(fleet.panics()?);
    Ok(findings)
}

async fn wait_until_delivered(fleet: &Fleet) -> Result<()> {
    let mut updates = fleet.database(Service::OperatorUpdates).await?;
    let begun = Instant::now();
    loop {
        let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM decisions");
        match count.fetch_one(&mut updates).await? {
            0 => return Ok(()),
            left if begun.elapsed() > TIMEOUT => bail!("{left} decisions are not delivered"),
            _ => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

#[derive(Default)]
struct WriteCheck {
    takes_effect: bool,
    lost: bool,
    duplicates: bool,
    wrong: Option<String>,
}

impl Stored {
    async fn read(fleet: &Fleet) -> Result<Self> {
        let mut equipment = fleet.database(Service::Equipment).await?;
        let entries = sqlx::query_as::<_, (String, i64)>(
            "SELECT content, count(*) FROM ledger WHERE update_id IS NULL GROUP BY content",
        );
        let entries = entries.fetch(&mut equipment).try_collect().await?;
        let booked = sqlx::query_as::<_, (Uuid, i64)>(
            "SELECT update_id, count(*) FROM ledger WHERE update_id IS NOT NULL GROUP BY update_id",
        );
        let booked = booked.fetch(&mut equipment).try_collect();
        let booked: HashMap<Uuid, i64> = booked.await?;
        let mut updates = fleet.database(Service::OperatorUpdates).await?;
        let rows = sqlx::query_as::<_, (String, Uuid, String)>(
            "SELECT client_id, id, status FROM updates",
        );
        let mut submissions: HashMap<_, Vec<_>> = HashMap::new();
        for (client_id, id, status) in rows.fetch_all(&mut updates).await? {
            let times = booked.get(&id).copied().unwrap_or(0);
            let of_one = submissions.entry(client_id).or_default();
            of_one.push((id, status, times));
        }
        Ok(Self {
            entries,
            submissions,
        })
    }

    /// Checks all writes, including those of earlier cases. Returns the effective ones.
    fn compare<'a>(&self, writes: &'a [Write], before: usize) -> (Findings, Vec<&'a Write>) {
        let mut findings = Findings::default();
        let (mut effective, mut submissions) = (Vec::new(), 0);
        for (index, write) in writes.iter().enumerate() {
            let found = match write.kind {
                Kind::Entry => self.check_entry(write),
                Kind::Submission => self.check_submission(write),
            };
            if found.takes_effect {
                effective.push(write);
            }
            if index >= before {
                let acknowledged = write.outcome == WriteOutcome::Acknowledged;
                findings.acknowledged += usize::from(acknowledged) + usize::from(write.applied);
            }
            submissions += usize::from(self.submissions.contains_key(&write.mark));
            findings.lost += usize::from(found.lost);
            findings.duplicates += usize::from(found.duplicates);
            if let Some(wrong) = found.wrong {
                findings.violations.push(format!("{wrong}: {write:?}"));
            }
        }
        let unknown = self.submissions.len() - submissions;
        if unknown > 0 {
            let wrong = format!("{unknown} unknown submissions");
            findings.violations.push(wrong);
        }
        (findings, effective)
    }

    fn check_entry(&self, write: &Write) -> WriteCheck {
        let times = self.entries.get(&write.mark).copied().unwrap_or(0);
        let mut found = WriteCheck {
            takes_effect: times > 0,
            lost: write.outcome == WriteOutcome::Acknowledged && times == 0,
            duplicates: times > 1,
            wrong: None,
        };
        let rejected = write.outcome == WriteOutcome::Rejected && times > 0;
        if found.lost || found.duplicates || rejected {
            found.wrong = Some(format!("{times} times in the ledger"));
        }
        found
    }

    fn check_submission(&self, write: &Write) -> WriteCheck {
        let stored = self.submissions.get(&write.mark);
        let rows = stored.map_or(&[][..], Vec::as_slice);
        let mut found = WriteCheck {
            lost: write.outcome == WriteOutcome::Acknowledged && rows.is_empty(),
            duplicates: rows.len() > 1,
            ..WriteCheck::default()
        };
        if let [(id, status, times)] = rows {
            found.takes_effect = *times > 0;
            found.duplicates = *times > 1;
            let effective = matches!(status.as_str(), "applied" | "recent");
            // After the phones' cases everything is applied.
            let must_be = write.applied || write.captured_at.is_some();
            found.lost |= must_be && !found.takes_effect;
            if write.id.is_some_and(|known| known != *id) {
                found.wrong = Some(format!("stored as {id}"));
            } else if effective != found.takes_effect {
                found.wrong = Some(format!("{status}, but {times} times in the ledger"));
            }
        }
        let rejected = write.outcome == WriteOutcome::Rejected && !rows.is_empty();
        if found.lost || found.duplicates || rejected {
            let wrong = || format!("stored as {rows:?}");
            found.wrong.get_or_insert_with(wrong);
        }
        found
    }
}

/// Checks that every machine of a company shows the sum of its effective writes, and that the
/// history of machines with offline phones has each entry once.
async fn check_company(
    world: &World,
    company: &Company,
    effective: &[&Write],
) -> Result<Vec<String>> {
    let mut violations = Vec::new();
    let rows = read(world, company, "/api/equipment").await?;
    for (index, machine) in company.machines.iter().enumerate() {
        let of_machine = |write: &&&Write| (write.company, write.machine) == (company.index, index);
        let (mut meter, mut fuel, mut offline) = (machine.first_reading, 0, BTreeMap::new());
        for write in effective.iter().filter(of_machine) {
            fuel += write.fuel;
            let usage = write.usage.unwrap_or(0);
            // The office adds; the newest reading counts, since readings only rise.
            meter = if index < OFFICE {
                meter + usage
            } else {
                meter.max(usage)
            };
            if let Some(at) = write.captured_at {
                offline.insert(write.mark.clone(), (at, write.fuel));
            }
        }
        let row = rows.iter().find(|row| row["id"] == machine.id.as_str());
        let figure = |name: &str| row.map_or(-1, |row| hundredths(&row[name]));
        let shown = (figure("currentUsage"), figure("totalDieselUsed"));
        let mut compare = |what: &str, shown: String, expected: String| {
            if shown != expected {
                let of = format!("machine {index} of company {}", company.index);
                violations.push(format!("{of}: {what}: {shown}, not {expected}"));
            }
        };
        let expected = (meter, fuel);
        compare("shown", format!("{shown:?}"), format!("{expected:?}"));
        if !offline.is_empty() {
            let path = format!("/api/equipment/{}/history", machine.id);
            let records = read(world, company, &path).await?;
            let operators = records.iter().filter(|row| row["fromOperator"] == true);
            let (count, expected) = (operators.clone().count(), offline.len());
            compare("entries", count.to_string(), expected.to_string());
            let found: BTreeMap<String, _> = operators.filter_map(entry).collect();
            compare("history", format!("{found:?}"), format!("{offline:?}"));
        }
    }
    Ok(violations)
}

/// Mark, captured time and fuel of a history record.
fn entry(record: &Value) -> Option<(String, (DateTime<Utc>, i64))> {
    let mark = record["content"].as_str()?.to_owned();
    let at = record["capturedAt"].as_str()?.parse().ok()?;
    Some((mark, (at, hundredths(&record["fuelAdded"]))))
}

fn hundredths(value: &Value) -> i64 {
    let number = value.as_f64().unwrap_or(-1.0);
    Quantity::from_input(number).map_or(-1, Quantity::hundredths)
}

async fn read(world: &World, company: &Company, path: &str) -> Result<Vec<Value>> {
    let request = company.owner.call(Method::GET, path).build()?;
    let begun = Instant::now();
    loop {
        match world.gateways.send(&request).await {
            Ok(answer) if answer.status == 200 => return Ok(serde_json::from_slice(&answer.body)?),
            other if begun.elapsed() > TIMEOUT => bail!("{path}: {other:?}"),
            _ => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WriteOutcome::{Acknowledged, Rejected, Unknown};

    fn write(kind: Kind, outcome: WriteOutcome) -> Write {
        let mark = "write 1".to_owned();
        Write {
            kind,
            mark,
            outcome,
            ..Write::default()
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

    fn flags(found: &WriteCheck) -> (bool, bool, bool) {
        (found.lost, found.duplicates, found.wrong.is_some())
    }

    #[test]
    fn check_entry_finds_lost_and_duplicate() {
        for (outcome, times, expected) in [
            (Acknowledged, 1, (false, false, false)),
            (Acknowledged, 0, (true, false, true)),
            (Acknowledged, 2, (false, true, true)),
            (Unknown, 0, (false, false, false)),
            (Unknown, 1, (false, false, false)),
            (Unknown, 2, (false, true, true)),
            (Rejected, 0, (false, false, false)),
            (Rejected, 1, (false, false, true)),
        ] {
            let found = stored(times, &[]).check_entry(&write(Kind::Entry, outcome));
            assert_eq!(flags(&found), expected, "{outcome:?} {times}");
        }
    }

    #[test]
    fn compare_checks_writes_of_earlier_cases() {
        let writes = [
            write(Kind::Entry, Acknowledged),
            write(Kind::Entry, Acknowledged),
        ];
        for (times, lost, duplicates) in [(0, 2, 0), (1, 0, 0), (2, 0, 2)] {
            let mut stored = stored(times, &[]);
            stored.submissions.clear();
            let (findings, effective) = stored.compare(&writes, 1);
            let counts = (findings.acknowledged, findings.lost, findings.duplicates);
            assert_eq!(counts, (1, lost, duplicates));
            assert_eq!(findings.violations.len(), lost + duplicates);
            assert_eq!(effective.len(), 2 - lost);
        }
    }

    #[test]
    fn compare_finds_unknown_submissions() {
        let (findings, _) = stored(0, &[(Uuid::from_u128(1), "pending", 0)]).compare(&[], 0);
        assert_eq!(findings.violations, ["1 unknown submissions"]);
    }

    #[test]
    fn check_submission_finds_lost_and_duplicate() {
        let (id, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let mut sent = write(Kind::Submission, Acknowledged);
        sent.id = Some(id);
        let fine = (false, false, false);
        let of = |sent: &Write, rows: &[_]| flags(&stored(0, rows).check_submission(sent));
        assert_eq!(of(&sent, &[(id, "pending", 0)]), fine);
        assert_eq!(of(&sent, &[(id, "applied", 1)]), fine);
        assert_eq!(of(&sent, &[]), (true, false, true));
        assert_eq!(of(&sent, &[(other, "pending", 0)]), (false, false, true));
        assert_eq!(of(&sent, &[(id, "applied", 2)]), (false, true, true));
        assert_eq!(of(&sent, &[(id, "applied", 0)]), (false, false, true));
        assert_eq!(of(&sent, &[(id, "pending", 1)]), (false, false, true));
        let twice = [(id, "pending", 0), (other, "pending", 0)];
        assert_eq!(of(&sent, &twice), (false, true, true));
        sent.captured_at = Some(DateTime::default());
        assert_eq!(of(&sent, &[(id, "pending", 0)]), (true, false, true));
        (sent.captured_at, sent.applied) = (None, true);
        assert_eq!(of(&sent, &[(id, "applied", 1)]), fine);
        assert_eq!(of(&sent, &[(id, "pending", 0)]), (true, false, true));
    }
}
