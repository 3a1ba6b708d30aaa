//! Two months of fuel card records against the real equipment service: missing, mistyped,
//! decreasing, repeated, late or misassigned values, and meter replacements. The file was written
//! for this test. The column `expect` has the expected flags, `repair` the manager's actions on
//! Sunday evening.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc, Weekday};
use hourmeter_equipment::maintenance::{Mode, rebuild};
use hourmeter_proto::equipment::v1::equipment_service_client::EquipmentServiceClient;
use hourmeter_proto::equipment::v1::{
    CreateEquipmentRequest, Equipment, EquipmentInput, EquipmentType, GetEquipmentRequest,
    MeterChange, MeterReplacement, MeterUnit,
};
use hourmeter_proto::operator_updates::v1::{FuelKind, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{self, TestDatabase, as_person, operator_of, owner};

use crate::support::{TestUpdates, timestamp};

const CARDS: &str = include_str!("../data/fuel-cards.csv");
const VEHICLES: &str = include_str!("../data/fuel-card-vehicles.csv");

/// Rows after the header; no field has a comma or a quote.
fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = file.lines().skip(1);
    lines.map(|line| line.split(',').collect::<Vec<_>>().try_into().unwrap())
}

/// One row of the file.
#[derive(Clone, Copy, Debug)]
struct Card {
    received: DateTime<Utc>,
    captured: DateTime<Utc>,
    transaction: &'static str,
    driver: &'static str,
    vehicle: &'static str,
    odometer: Option<f64>,
    gallons: f64,
    fuel: FuelKind,
    expect: &'static str,
    repair: &'static str,
}

impl Card {
    fn all() -> Vec<Self> {
        let time = |text: &str| DateTime::parse_from_str(&text.replace('Z', "+0000"), "%FT%R%z");
        rows(CARDS)
            .map(
                |[
                    received,
                    captured,
                    transaction,
                    driver,
                    vehicle,
                    odometer,
                    gallons,
                    fuel,
                    expect,
                    repair,
                    _comment,
                ]| Self {
                    received: time(received).unwrap().to_utc(),
                    captured: time(captured).unwrap().to_utc(),
                    transaction,
                    driver,
                    vehicle,
                    odometer: (!odometer.is_empty()).then(|| odometer.parse().unwrap()),
                    gallons: gallons.parse().unwrap(),
                    fuel: match fuel {
                        "gas" => FuelKind::Gas,
                        "diesel" => FuelKind::Diesel,
                        other => panic!("no fuel {other}"),
                    },
                    expect,
                    repair,
                },
            )
            .collect()
    }

    fn week(&self) -> NaiveDate {
        self.received.date_naive().week(Weekday::Mon).first_day()
    }

    /// Expected flags on arrival.
    fn flags(&self) -> Vec<&str> {
        match self.expect {
            "late" | "duplicate" => Vec::new(),
            later if later.starts_with("later ") => Vec::new(),
            flags => flags.split_whitespace().collect(),
        }
    }
}

/// Both services, the company, and the people and machines of the file.
struct Replay {
    updates: TestUpdates,
    equipment: EquipmentServiceClient<Backend>,
    database: TestDatabase,
    owner: Identity,
    drivers: BTreeMap<&'static str, Identity>,
    machines: BTreeMap<&'static str, String>,
}

impl Replay {
    async fn new() -> Self {
        let clock = Clock::fixed("2026-08-01T08:00:00Z".parse().unwrap());
        let database =
            testing::database(Service::Equipment, &hourmeter_equipment::MIGRATIONS).await;
        let routes =
            hourmeter_equipment::routes(database.database.clone(), clock.clone(), Events::local());
        let backend = testing::backend(Service::Equipment, routes, clock.clone());
        let mut replay = Self {
            updates: TestUpdates::with(backend.clone(), clock).await,
            equipment: EquipmentServiceClient::new(backend),
            database,
            owner: owner(),
            drivers: BTreeMap::new(),
            machines: BTreeMap::new(),
        };
        for [vehicle, unit, begins_at, ..] in rows::<6>(VEHICLES) {
            let id = replay.add(vehicle, unit, begins_at.parse().unwrap()).await;
            replay.machines.insert(vehicle, id);
        }
        for card in Card::all() {
            let driver = operator_of(&replay.owner);
            replay.drivers.entry(card.driver).or_insert(driver);
        }
        replay
    }

    async fn add(&mut self, name: &str, unit: &str, begins_at: f64) -> String {
        let unit = match unit {
            "miles" => MeterUnit::Miles,
            "kilometers" => MeterUnit::Kilometers,
            "hours" => MeterUnit::Hours,
            other => panic!("no unit {other}"),
        };
        let message = CreateEquipmentRequest {
            equipment: Some(EquipmentInput {
                name: Some(name.to_owned()),
                r#type: Some(EquipmentType::Vehicle.into()),
                unit: Some(unit.into()),
                current_usage: Some(begins_at),
                ..Default::default()
            }),
        };
        let request = as_person(Service::Equipment, &self.owner, message);
        let made = self.equipment.create_equipment(request).await.unwrap();
        made.into_inner().equipment.unwrap().id
    }

    async fn equipment(&mut self, vehicle: &str) -> Equipment {
        let id = self.machines[vehicle].clone();
        let request = as_person(Service::Equipment, &self.owner, GetEquipmentRequest { id });
        let found = self.equipment.get_equipment(request).await.unwrap();
        found.into_inner().equipment.unwrap()
    }

    /// Submits a row and returns its id; None for a repeat.
    async fn submit(&self, card: &Card) -> Option<String> {
        self.updates.clock.set(card.received);
        let request = SubmitUpdateRequest {
            equipment_id: self.machines[card.vehicle].clone(),
            new_usage: card.odometer,
            fuel_added: Some(card.gallons),
            fuel_kind: card.fuel.into(),
            client_id: card.transaction.to_owned(),
            captured_at: Some(timestamp(card.captured)),
            ..Default::default()
        };
        let driver = &self.drivers[card.driver];
        let answer = self.updates.submit(driver, request).await.unwrap();
        let row = answer.update.unwrap();
        assert_eq!(answer.created, card.expect != "duplicate", "{card:?}");
        if !answer.created {
            return None;
        }
        assert_eq!(row.flags, card.flags(), "{card:?}: {row:?}");
        assert_eq!(row.late, card.expect == "late", "{card:?}");
        assert_eq!(row.status(), UpdateStatus::Pending);
        Some(row.id)
    }

    /// Performs the manager's actions of the file.
    async fn repair(&self, id: &str, card: &Card) {
        let (updates, owner) = (&self.updates, &self.owner);
        let (what, how) = card.repair.split_once(' ').unwrap_or((card.repair, ""));
        let ended = |change: MeterChange, last: &str, first: &str| MeterReplacement {
            change: change.into(),
            final_reading: Some(last.parse().unwrap()),
            start_reading: first.parse().unwrap(),
        };
        let (usage, meter) = match what {
            "reject" => {
                updates.reject(owner, id, how).await.unwrap();
                return;
            }
            "move" => {
                let moved = updates
                    .move_to(owner, id, &self.machines[how])
                    .await
                    .unwrap();
                assert_eq!(moved.status(), UpdateStatus::Applied, "{card:?}: {moved:?}");
                assert_eq!(moved.reported_equipment_name, card.vehicle);
                return;
            }
            "correct" => (Some(how.parse().unwrap()), None),
            "accept" if card.expect.contains("below_meter") => (card.odometer, None),
            "accept" => (None, None),
            "replaced" => {
                let (last, first) = how.split_once(' ').unwrap();
                (None, Some(ended(MeterChange::Replaced, last, first)))
            }
            "rolled_over" => (None, Some(ended(MeterChange::RolledOver, how, "0"))),
            other => panic!("no repair {other}"),
        };
        let applied = updates.decide(owner, id, usage, meter).await;
        let applied = applied.unwrap_or_else(|refused| panic!("{card:?}: {refused}"));
        assert_eq!(applied.status(), UpdateStatus::Applied, "{card:?}");
    }

    /// Sunday evening: flagged ones are repaired, the rest is applied together, and those that were
    /// flagged by that are repaired too.
    async fn review(&self, sent: BTreeMap<String, Card>) {
        let sunday = sent.values().next().unwrap().week() + Days::new(6);
        let evening = NaiveTime::from_hms_opt(20, 0, 0).unwrap();
        self.updates.clock.set(sunday.and_time(evening).and_utc());
        let mut in_order: Vec<_> = sent.iter().collect();
        in_order.sort_by_key(|(_, card)| card.captured);
        let (clean, flagged): (Vec<_>, Vec<_>) = in_order
            .into_iter()
            .partition(|(_, card)| card.flags().is_empty());
        for (id, card) in flagged {
            self.repair(id, card).await;
        }
        let ids: Vec<_> = clean.iter().map(|(id, _)| (*id).clone()).collect();
        let results = self.updates.apply_many(&self.owner, ids).await.unwrap();
        for (result, (id, card)) in results.iter().zip(clean) {
            let odd = card.expect.strip_prefix("later ");
            assert_eq!(result.ok, odd.is_none(), "{card:?}: {result:?}");
            if let Some(flags) = odd {
                let row = self.updates.row(&self.owner, id).await;
                assert_eq!(row.flags.join(" "), flags, "{card:?}");
                self.repair(id, card).await;
            }
        }
        let left = self.updates.review(&self.owner, 0).await.unwrap();
        assert_eq!(left.pending_count, 0, "{:?}", left.updates);
    }
}

#[tokio::test]
#[expect(clippy::float_cmp, reason = "exact quantities")]
async fn replay_two_months_of_fuel_cards() {
    let cards = Card::all();
    assert!(cards.len() > 200);
    let mut replay = Replay::new().await;
    for week in cards.chunk_by(|one, next| one.week() == next.week()) {
        let mut sent = BTreeMap::new();
        for card in week {
            if let Some(id) = replay.submit(card).await {
                sent.insert(id, *card);
            }
        }
        replay.review(sent).await;
    }
    for [vehicle, _, _, ends_at, life_to_date, gallons] in rows::<6>(VEHICLES) {
        let now = replay.equipment(vehicle).await;
        assert_eq!(
            now.meter_reading.to_string(),
            ends_at.trim_end_matches(".0"),
            "{vehicle}"
        );
        let life: f64 = life_to_date.parse().unwrap();
        assert_eq!(now.current_usage, life, "{vehicle}");
        let gallons: f64 = gallons.parse().unwrap();
        assert_eq!(now.total_fuel_used, gallons, "{vehicle}");
        assert!(now.usual_daily_use.is_some() && now.usual_fill.is_some());
    }
    // Each was posted once, and the totals are the ledger's sums.
    let differences = rebuild(
        &replay.database.database,
        replay.owner.tenant(),
        Mode::Check,
    )
    .await;
    assert_eq!(differences.unwrap(), []);
    assert_eq!(replay.updates.count("decisions").await, 0);
}

#[tokio::test]
async fn replay_500_of_one_machine_in_one_request() {
    let mut replay = Replay::new().await;
    let machine = replay.machines["Loader 2"].clone();
    let driver = replay.drivers["Dario"].clone();
    let now = replay.updates.clock.now();
    let mut ids = Vec::new();
    for n in 1..=500_u16 {
        let request = SubmitUpdateRequest {
            equipment_id: machine.clone(),
            new_usage: Some(3120.5 + f64::from(n) * 0.01),
            fuel_added: Some(0.25),
            captured_at: Some(timestamp(now - TimeDelta::minutes(i64::from(500 - n)))),
            ..Default::default()
        };
        let sent = replay.updates.submit(&driver, request).await.unwrap();
        ids.push(sent.update.unwrap().id);
    }
    // On a busy machine, the handler's time ends before all are applied. A repeat continues.
    loop {
        let request = ids.clone();
        let results = replay.updates.apply_many(&replay.owner, request).await;
        let results = results.unwrap();
        if results.iter().all(|result| result.ok) {
            break;
        }
        for result in results.iter().filter(|result| !result.ok) {
            assert_eq!(result.code, "APPLIED_LATER");
        }
    }
    let loader = replay.equipment("Loader 2").await;
    assert_eq!(
        (loader.meter_reading, loader.total_fuel_used),
        (3125.5, 125.0)
    );
    let differences = rebuild(
        &replay.database.database,
        replay.owner.tenant(),
        Mode::Check,
    )
    .await;
    assert_eq!(differences.unwrap(), []);
}
