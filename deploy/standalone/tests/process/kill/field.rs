//! What operators report, drawn beforehand, and what has to come of it.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, SubsecRound as _, TimeDelta, Utc};
use hourmeter_runtime::quantity::Quantity;
use serde_json::{Value, json};

use super::chance::Chance;
use crate::product::Visitor;

/// Entries in all.
pub const ENTRIES: usize = MACHINES * ENTRIES_OF_ONE * COMPANIES.len();
/// Machines of each company.
const MACHINES: usize = 10;
/// Entries for each machine.
const ENTRIES_OF_ONE: usize = 50;
/// In the first, managers decide; in the second, what is clean takes effect by itself.
const COMPANIES: [&str; 2] = ["Field Works", "Prompt Works"];
/// Who reports, in each.
const OPERATORS: [&str; 4] = ["Ana", "Beto", "Carla", "Dario"];
/// How many places an entry may come before or after its turn.
const MIXED: usize = 24;

/// What one operator enters once.
#[derive(Debug)]
pub struct Entry {
    /// Number of the company.
    pub company: usize,
    /// Number of the machine in the company.
    pub machine: usize,
    /// Number of the operator in the company.
    pub operator: usize,
    /// Made on the phone; those that end in 9 wait until the end.
    pub client_id: String,
    captured_at: DateTime<Utc>,
    /// What the meter showed, hundredths.
    reading: Option<i64>,
    /// Hundredths of a gallon; 0: none.
    fuel: i64,
}

/// A company with everybody signed in.
pub struct Company {
    /// The owner, on two devices.
    pub managers: [Visitor; 2],
    /// Each on a phone.
    pub operators: Vec<Visitor>,
    /// Ids.
    pub machines: Vec<String>,
}

/// What the entries for one machine add up to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// What the meter has to show: the newest reading by captured time.
    pub meter: i64,
    /// Fuel of all entries.
    pub fuel: i64,
    /// Each entry's time, once.
    pub captured: Vec<DateTime<Utc>>,
}

impl Entry {
    /// As the phone sends it.
    pub fn body(&self, machine: &str) -> Value {
        let number = |hundredths| Quantity::from_hundredths(hundredths).to_f64();
        json!({
            "clientId": self.client_id,
            "equipmentId": machine,
            "newUsage": self.reading.map(number),
            "fuelAdded": number(self.fuel),
            "fuelType": "diesel",
            "capturedAt": self.captured_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        })
    }
}

/// Draws all entries, in the order in which they are to be sent: by captured time, mixed a little.
/// Meters go up by less than a day can add, and no filling is large, so none is flagged for that.
pub fn plan(chance: &mut Chance, now: DateTime<Utc>) -> Vec<Entry> {
    let mut plan = Vec::with_capacity(ENTRIES);
    for company in 0..COMPANIES.len() {
        for machine in 0..MACHINES {
            let mut at = now.trunc_subsecs(3) - TimeDelta::days(10);
            let mut meter = 0;
            for number in 0..ENTRIES_OF_ONE {
                at += TimeDelta::milliseconds(range(chance, 3_600_000, 14_400_000));
                meter += range(chance, 1, 45);
                let (reads, fills) = [(true, true), (true, false), (false, true)][chance.place(3)];
                plan.push(Entry {
                    company,
                    machine,
                    operator: chance.place(OPERATORS.len()),
                    client_id: format!("{company}-{machine}-{number}"),
                    captured_at: at,
                    reading: reads.then_some(meter),
                    fuel: if fills { range(chance, 1, 1999) } else { 0 },
                });
            }
        }
    }
    plan.sort_by_key(|entry| entry.captured_at);
    chance.mix(&mut plan, MIXED);
    plan
}

fn range(chance: &mut Chance, least: i64, most: i64) -> i64 {
    let above = u64::try_from(most - least).expect("a range");
    least + i64::try_from(chance.up_to(above)).expect("a number")
}

/// What has to come of a plan, by company and machine.
pub fn totals(plan: &[Entry]) -> BTreeMap<(usize, usize), Total> {
    let mut by_time: Vec<&Entry> = plan.iter().collect();
    by_time.sort_by_key(|entry| entry.captured_at);
    let mut totals: BTreeMap<_, Total> = BTreeMap::new();
    for entry in by_time {
        let total = totals.entry((entry.company, entry.machine)).or_default();
        total.meter = entry.reading.unwrap_or(total.meter);
        total.fuel += entry.fuel;
        total.captured.push(entry.captured_at);
    }
    totals
}

/// Signs companies up, with their machines and operators.
pub async fn companies(origin: &str) -> Vec<Company> {
    let mut companies = Vec::new();
    for (number, name) in COMPANIES.into_iter().enumerate() {
        let owner = Visitor::sign_up(origin, name).await;
        owner.set_operator_password().await;
        let settings = json!({"autoApplyUpdates": number == 1});
        owner.post("/api/company-settings", settings).await;
        let mut machines = Vec::new();
        for machine in 0..MACHINES {
            // Never read, so that no entry is older than its meter.
            let body = json!({
                "name": format!("Loader {machine}"), "type": "machinery", "unit": "hours",
                "fuelType": "diesel", "serviceInterval": 250,
            });
            let machine = owner.post("/api/equipment", body).await;
            machines.push(machine["id"].as_str().expect("an id").to_owned());
        }
        let mut operators = Vec::new();
        for operator in OPERATORS {
            operators.push(owner.another_operator(operator).await);
        }
        companies.push(Company {
            managers: [owner, Visitor::sign_in(origin, name).await],
            operators,
            machines,
        });
    }
    companies
}
