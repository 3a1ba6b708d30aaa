//! Random order and repeats: the meters and sums are always the same.

use std::collections::{BTreeMap, BTreeSet};

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

/// A deterministic pseudo-random generator.
struct Rng(u64);

impl Rng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.roll(last + 1));
        }
    }
}

/// Reports with client ids.
fn reports(machines: &[Uuid]) -> Vec<SubmitUpdateRequest> {
    let mut reports = Vec::new();
    for (place, machine) in machines.iter().enumerate() {
        for n in 1..=12_u8 {
            let minutes_ago = i64::from(20 - n) * 30;
            let fuel = f64::from(n % 3) * 2.25;
            reports.push(SubmitUpdateRequest {
                client_id: format!("phone {place}/{n}"),
                captured_at: Some(timestamp(now() - TimeDelta::minutes(minutes_ago))),
                // Some without a reading, none empty.
                new_usage: (n % 5 != 0).then_some(100.0 + f64::from(n) * 0.25),
                fuel_added: Some(fuel),
                notes: format!("report {n}"),
                ..reading(*machine, 0.0)
            });
        }
    }
    reports
}

/// Performs one random request on the sent updates.
async fn happen(updates: &TestUpdates, owner: &Identity, rng: &mut Rng, ids: &[String]) {
    updates.equipment.set(match rng.roll(6) {
        0 => Mode::Unavailable,
        1 => Mode::ResponseLost,
        2 => Mode::Broken,
        _ => Mode::Normal,
    });
    if ids.is_empty() {
        return;
    }
    let one = &ids[rng.roll(ids.len())];
    // The response depends on the mode, the result does not.
    match rng.roll(3) {
        0 => drop(updates.apply(owner, one, None).await),
        1 => {
            let some = (0..4).map(|_| ids[rng.roll(ids.len())].clone()).collect();
            updates.apply_many(owner, some).await.unwrap();
        }
        _ => drop(updates.acknowledge(owner, one).await),
    }
}

async fn run(seed: u64) {
    let mut rng = Rng(seed);
    let updates = TestUpdates::new().await;
    let other_process = updates.start_another();
    let owner = owner();
    let machines = [
        updates.equipment.add(owner.company_id, 100.0),
        updates.equipment.add(owner.company_id, 100.0),
    ];
    let operators = [
        operator_of(&owner),
        Identity {
            auto_apply_updates: true,
            ..operator_of(&owner)
        },
    ];
    // Each is sent one or more times, in any order, by anyone.
    let mut sent = reports(&machines);
    let again: Vec<_> = (0..12).map(|_| sent[rng.roll(24)].clone()).collect();
    sent.extend(again);
    rng.shuffle(&mut sent);
    let mut ids = BTreeSet::new();
    // Repeats come from the same person.
    let mut senders = BTreeMap::new();
    for request in sent {
        updates.equipment.set(Mode::Normal);
        let sender = rng.roll(2);
        let sender = *senders.entry(request.client_id.clone()).or_insert(sender);
        let by = &operators[sender];
        let answer = updates.submit(by, request).await.unwrap();
        ids.insert(answer.update.unwrap().id);
        let known: Vec<_> = ids.iter().cloned().collect();
        happen(&updates, &owner, &mut rng, &known).await;
    }
    updates.equipment.set(Mode::Normal);
    let mut all: Vec<_> = ids.into_iter().collect();
    assert_eq!(all.len(), 24, "seed {seed}");
    rng.shuffle(&mut all);
    updates
        .execute("UPDATE decisions SET leased_until = NULL, next_try_at = now()")
        .await;
    updates.apply_many(&owner, all.clone()).await.unwrap();
    updates.drained().await;
    let results = updates.apply_many(&owner, all.clone()).await.unwrap();
    assert!(results.iter().all(|result| result.ok), "seed {seed}");

    assert_eq!(updates.equipment.effects(), 24, "seed {seed}");
    for id in &all {
        let row = updates.row(&owner, id).await;
        let applied = [UpdateStatus::Applied, UpdateStatus::Recent];
        assert!(applied.contains(&row.status()), "seed {seed}: {row:?}");
    }
    let state = updates.equipment.state();
    for machine in machines {
        let machine = &state.machines[&(owner.company_id, machine)];
        // The last reading, 100 + 12 * 0.25, and four times 2.25 and 4.5 gallons.
        assert_eq!(machine.reading, 10_300, "seed {seed}");
        assert_eq!(machine.usage, 10_300, "seed {seed}");
        assert_eq!(machine.fuel, 2700, "seed {seed}");
    }
    drop(other_process);
}

#[tokio::test]
async fn random_order_and_repeats_give_the_same_result() {
    for seed in [1, 7, 42, 98_765, 20_261_121] {
        run(seed).await;
    }
}
