//! The companies that share the load, created through the public API.

use std::collections::VecDeque;
use std::sync::Mutex;

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use futures::stream::{self, StreamExt as _};
use hourmeter_runtime::clock::Clock;
use serde_json::json;

use crate::lock;
use crate::visitor::Visitor;

/// Machines per company with usage entered by the office; they come first.
pub const OFFICE: usize = 3;
/// Machines that operators report on while working.
const FIELD: usize = 3;
/// Machines that operators report on from offline phones.
pub const OFFLINE: usize = 2;
/// First reading of the other machines.
const FIRST_READING: i64 = 100_000;

pub struct Company {
    pub index: usize,
    pub owner: Visitor,
    pub operator: Visitor,
    /// Another operator, who only signs in.
    pub other_operator: String,
    /// In the order office, field, offline phones.
    pub machines: Vec<Machine>,
    /// Submissions to apply: index in the history, and id.
    pub pending: Mutex<VecDeque<(usize, String)>>,
}

pub struct Machine {
    pub id: String,
    /// First reading in hundredths.
    pub first_reading: i64,
    /// Newest reading in hundredths, and its time.
    newest: Mutex<(i64, DateTime<Utc>)>,
}

impl Machine {
    /// The next reading from the field: slightly higher and later.
    pub fn next_reading(&self, clock: &Clock) -> (i64, DateTime<Utc>) {
        let mut newest = lock(&self.newest);
        let after = newest.1 + TimeDelta::milliseconds(1);
        *newest = (newest.0 + 1, clock.now().trunc_subsecs(3).max(after));
        *newest
    }

    /// The next reading of an offline phone: up to 0.45 hours more, one or two hours later.
    pub fn next_offline_reading(&self, rng: &mut fastrand::Rng) -> (i64, DateTime<Utc>) {
        let mut newest = lock(&self.newest);
        let later = TimeDelta::milliseconds(rng.i64(3_600_000..7_200_000));
        *newest = (newest.0 + rng.i64(1..=45), newest.1 + later);
        *newest
    }
}

impl Company {
    /// Signs up a company with machines and two operators. Every second one applies plausible
    /// submissions without review.
    async fn create(origin: &str, index: usize, clock: &Clock) -> Self {
        let [.., a, b, c] = index.to_be_bytes();
        let owner = Visitor::new(origin).at_address(&format!("10.{a}.{b}.{c}"));
        let owner = owner.create_company(&format!("Survivor {index}")).await;
        let mut machines = Vec::new();
        for machine in 0..OFFICE + FIELD + OFFLINE {
            let mut body = json!({
                "name": format!("Loader {machine}"), "type": "machinery", "unit": "hours",
                "fuelType": "diesel", "serviceInterval": 250,
            });
            // A meter without readings has no entries before its reading.
            let (mut first_reading, mut read_at) = (0, clock.now() - TimeDelta::days(10));
            if machine < OFFICE + FIELD {
                body["currentUsage"] = (FIRST_READING / 100).into();
                (first_reading, read_at) = (FIRST_READING, clock.now());
            }
            let newest = Mutex::new((first_reading, read_at.trunc_subsecs(3)));
            let id = owner.create_machine(body).await;
            machines.push(Machine {
                id,
                first_reading,
                newest,
            });
        }
        let settings = json!({"autoApplyUpdates": index % 2 == 1});
        owner.post("/api/company-settings", settings).await;
        Self {
            index,
            operator: owner.operator().await,
            other_operator: owner.add_operator("Nora").await,
            owner,
            machines,
            pending: Mutex::default(),
        }
    }
}

pub async fn companies(origin: &str, count: usize, clock: &Clock) -> Vec<Company> {
    let companies = (0..count).map(|index| Company::create(origin, index, clock));
    stream::iter(companies).buffered(4).collect().await
}
