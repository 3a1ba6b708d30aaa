//! The companies that share the load, made through the public API.

use std::collections::VecDeque;
use std::sync::Mutex;

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use futures::stream::{self, StreamExt as _};
use hourmeter_runtime::clock::Clock;
use serde_json::json;

use crate::visitor::Visitor;

/// Each company's machines whose usage the office enters; they come first.
pub const OFFICE: usize = 3;
/// Machines that operators report on as they work.
const FIELD: usize = 3;
/// Machines that operators report on from offline phones.
pub const OFFLINE: usize = 2;
/// What the meters of the others show at first.
const FIRST_READING: i64 = 100_000;

/// A company with its sessions.
pub struct Company {
    /// Its index.
    pub index: usize,
    pub owner: Visitor,
    pub operator: Visitor,
    /// The sign-in name of another operator, who only signs in.
    pub other_operator: String,
    /// The office's machines, the field's, and those of offline phones.
    pub machines: Vec<Machine>,
    /// Submissions to apply: index in the history, and id.
    pub pending: Mutex<VecDeque<(usize, String)>>,
}

/// A machine.
pub struct Machine {
    pub id: String,
    /// What its meter shows at first, in hundredths.
    pub first_reading: i64,
    /// The newest reading, in hundredths, and its time.
    newest: Mutex<(i64, DateTime<Utc>)>,
}

impl Machine {
    /// The next reading from the field: a little above the last, and later.
    pub fn next_reading(&self, clock: &Clock) -> (i64, DateTime<Utc>) {
        let mut newest = self.newest.lock().expect("no panic before");
        let after = newest.1 + TimeDelta::milliseconds(1);
        *newest = (newest.0 + 1, clock.now().trunc_subsecs(3).max(after));
        *newest
    }

    /// The next reading of an offline phone: up to 0.45 hours more, one or two hours later.
    pub fn next_offline_reading(&self, rng: &mut fastrand::Rng) -> (i64, DateTime<Utc>) {
        let mut newest = self.newest.lock().expect("no panic before");
        let later = TimeDelta::milliseconds(rng.i64(3_600_000..7_200_000));
        *newest = (newest.0 + rng.i64(1..=45), newest.1 + later);
        *newest
    }
}

impl Company {
    /// Signs one up, with machines and two operators. In every other one, what is plausible takes
    /// effect without a review.
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
            // A meter that was never read has no entry that is older than its reading.
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

/// Creates so many companies.
pub async fn companies(origin: &str, count: usize, clock: &Clock) -> Vec<Company> {
    let companies = (0..count).map(|index| Company::create(origin, index, clock));
    stream::iter(companies).buffered(4).collect().await
}
