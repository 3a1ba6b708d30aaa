//! Large batches: in order and exactly once, also with failures.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::owner;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

/// Stores `count` readings of a machine, newest first, which increase with capture time. Returns
/// their ids in capture order.
async fn backlog(
    updates: &TestUpdates,
    owner: &Identity,
    machine: Uuid,
    count: u16,
) -> Vec<String> {
    let mut ids = Vec::new();
    for n in (1..=count).rev() {
        let minutes_ago = i64::from(count - n);
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - TimeDelta::minutes(minutes_ago))),
            fuel_added: Some(0.5),
            ..reading(machine, f64::from(n))
        };
        let sent = updates.submit(owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    ids.reverse();
    ids
}

/// Makes waiting decisions due.
async fn retry_now(updates: &TestUpdates) {
    updates
        .change_free_decisions("next_try_at = now(), parked_at = NULL")
        .await;
}

/// All were applied once and in order.
fn all_in_order(updates: &TestUpdates, owner: &Identity, machine: Uuid, ids: &[String]) {
    let effects = updates.equipment.state().effects.clone();
    let machine_id = machine.to_string();
    let order: Vec<_> = effects
        .iter()
        .filter(|effect| effect.equipment_id == machine_id)
        .map(|effect| effect.update_id.clone())
        .collect();
    assert_eq!(order, ids);
    let state = updates.equipment.state();
    let machine = &state.machines[&(owner.company_id, machine)];
    let count = i64::try_from(ids.len()).unwrap();
    assert_eq!((machine.reading, machine.fuel), (count * 100, count * 50));
}

#[tokio::test]
async fn apply_updates_takes_500_of_one_machine() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let ids = backlog(&updates, &owner, machine, 500).await;
    let begun = Instant::now();
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    let took = begun.elapsed();
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    assert!(took < Duration::from_secs(5), "{took:?}");
    all_in_order(&updates, &owner, machine, &ids);
    assert_eq!(updates.equipment.state().batches, [200, 200, 100]);
    assert_eq!(updates.count("decisions").await, 0);
    let row = updates.row(&owner, &ids[499]).await;
    assert_eq!(row.status(), UpdateStatus::Applied);
    assert_eq!(row.reviewed_by, "Olivia Owner");
    assert_eq!(row.previous_usage, Some(499.0));
    assert_eq!(row.applied_usage, Some(500.0));
}

#[tokio::test]
async fn apply_updates_takes_500_of_many_machines() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let mut machines = Vec::new();
    let mut ids = Vec::new();
    for _ in 0..50 {
        let machine = updates.equipment.add(owner.company_id, 0.0);
        let own = backlog(&updates, &owner, machine, 10).await;
        ids.extend(own.clone());
        machines.push((machine, own));
    }
    let results = updates.apply_many(&owner, ids).await.unwrap();
    assert!(results.iter().all(|result| result.ok));
    for (machine, ids) in machines {
        all_in_order(&updates, &owner, machine, &ids);
    }
    assert_eq!(updates.equipment.state().calls, 3);
}

#[tokio::test]
async fn batch_with_long_notes_is_split() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let mut ids = Vec::new();
    for n in 1..=60_u8 {
        // 20,000 bytes each: together more than a service accepts.
        let request = SubmitUpdateRequest {
            notes: "𝄞".repeat(5000),
            ..reading(machine, f64::from(n))
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    assert!(results.iter().all(|result| result.ok));
    assert_eq!(updates.equipment.state().batches, [24, 24, 12]);
    assert_eq!(updates.equipment.order(), ids);
}

#[tokio::test]
async fn batch_refusal_does_not_affect_the_others() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let gone = updates.equipment.add(owner.company_id, 0.0);
    let mut ids = backlog(&updates, &owner, machine, 5).await;
    let orphan = updates.submitted(&owner, gone, 7.0).await.id;
    // Not below the meter, but below those captured before.
    let request = SubmitUpdateRequest {
        captured_at: Some(timestamp(now() - TimeDelta::seconds(90))),
        ..reading(machine, 2.5)
    };
    let slip = updates.submit(&owner, request).await.unwrap().update;
    let slip = slip.unwrap();
    assert_eq!(slip.flags, ["below_meter"]);
    updates.equipment.remove(owner.company_id, gone);
    ids.extend([orphan.clone(), slip.id.clone()]);
    let results = updates.apply_many(&owner, ids).await.unwrap();
    let messages: Vec<_> = results
        .iter()
        .map(|result| result.message.as_str())
        .collect();
    let gone = "The equipment of this update is retired or was deleted.";
    let below = "The reading is below the current usage. Enter the reading to apply.";
    assert_eq!(messages, ["", "", "", "", "", gone, below]);
    let row = updates.row(&owner, &slip.id).await;
    assert_eq!(row.flags, ["below_meter"]);
    assert!(row.below_current && !row.applying);
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(updates.count("decisions").await, 0);
    assert!(updates.reject(&owner, &orphan, "sold").await.is_ok());
    assert!(updates.apply(&owner, &slip.id, Some(6.0)).await.is_ok());
}

#[tokio::test]
async fn batch_with_a_lost_response_is_retried() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let ids = backlog(&updates, &owner, machine, 60).await;
    updates.equipment.set(Mode::ResponseLost);
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    assert!(results.iter().all(|result| !result.ok));
    assert_eq!(updates.equipment.effects(), 60, "it has happened");
    let queue = updates.review(&owner, 0).await.unwrap();
    assert!(queue.updates.iter().all(|row| row.applying));
    updates.equipment.set(Mode::Normal);
    updates.drained().await;
    all_in_order(&updates, &owner, machine, &ids);
    for id in &ids {
        let row = updates.row(&owner, id).await;
        assert_eq!(row.status(), UpdateStatus::Applied);
        assert!(row.applied_usage.is_some());
    }
}

#[tokio::test]
async fn batch_of_a_dead_deliverer_is_finished() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let ids = backlog(&updates, &owner, machine, 30).await;
    // The first ten were applied and the process died before storing that; it died before calling
    // for the next ten; the rest was not leased yet.
    updates.equipment.set(Mode::ResponseLost);
    let first = ids[..10].to_vec();
    updates.apply_many(&owner, first).await.unwrap();
    updates.equipment.set(Mode::Unavailable);
    updates.apply_many(&owner, ids.clone()).await.unwrap();
    updates.equipment.set(Mode::Normal);
    updates
        .execute(
            "UPDATE decisions SET leased_until = now() + interval '3 seconds'
            WHERE update_id IN (
                SELECT update_id FROM decisions ORDER BY captured_at, update_id LIMIT 20
            )",
        )
        .await;
    assert_eq!(updates.equipment.effects(), 10);
    // A manager finds the queue leased and waits; no delivery overtakes the leased one.
    let held = updates.apply_many(&owner, ids.clone()).await.unwrap();
    assert!(held.iter().all(|result| !result.ok));
    assert_eq!(updates.equipment.effects(), 10);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    all_in_order(&updates, &owner, machine, &ids);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn batch_with_expired_leases_has_one_effect() {
    let updates = TestUpdates::new().await;
    let others: Vec<_> = (0..3).map(|_| updates.start_another()).collect();
    let owner = owner();
    let mut machines = Vec::new();
    let mut ids = Vec::new();
    for _ in 0..4 {
        let machine = updates.equipment.add(owner.company_id, 0.0);
        let own = backlog(&updates, &owner, machine, 40).await;
        ids.extend(own.clone());
        machines.push((machine, own));
    }
    // Expire leases all the time, as if each call took too long.
    let end = async {
        for _ in 0..60 {
            updates
                .change_free_decisions("leased_until = now(), next_try_at = now()")
                .await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let ((), one, other) = tokio::join!(
        end,
        updates.apply_many(&owner, ids.clone()),
        updates.apply_many(&owner, ids.clone()),
    );
    assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    updates.drained().await;
    for (machine, own) in machines {
        let effects = updates.equipment.state().effects.clone();
        let machine_id = machine.to_string();
        let applied: BTreeSet<_> = effects
            .iter()
            .filter(|effect| effect.equipment_id == machine_id)
            .map(|effect| effect.update_id.clone())
            .collect();
        assert_eq!(applied, own.iter().cloned().collect());
        let state = updates.equipment.state();
        let machine = &state.machines[&(owner.company_id, machine)];
        assert_eq!((machine.reading, machine.fuel), (4000, 2000));
    }
    assert_eq!(updates.equipment.effects(), 160);
    drop(others);
}

#[tokio::test]
async fn apply_updates_with_overlapping_selections() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let first = updates.equipment.add(owner.company_id, 0.0);
    let second = updates.equipment.add(owner.company_id, 0.0);
    let one = backlog(&updates, &owner, first, 120).await;
    let two = backlog(&updates, &owner, second, 120).await;
    let selection = |from: usize, to: usize| {
        let mut ids: Vec<_> = one[from..to]
            .iter()
            .chain(&two[from..to])
            .cloned()
            .collect();
        ids.reverse();
        ids
    };
    // The second request includes more machines than the first and starts in the middle of it.
    let (a, b, c) = tokio::join!(
        updates.apply_many(&owner, selection(0, 80)),
        updates.apply_many(&owner, selection(40, 120)),
        updates.apply_many(&owner, selection(0, 120)),
    );
    for result in a.unwrap().iter().chain(&b.unwrap()).chain(&c.unwrap()) {
        assert!(result.ok, "{result:?}");
    }
    assert_eq!(updates.count("decisions").await, 0);
    assert_eq!(updates.equipment.effects(), 240, "none twice");
    let state = updates.equipment.state();
    for machine in [first, second] {
        let machine = &state.machines[&(owner.company_id, machine)];
        assert_eq!((machine.reading, machine.fuel), (12_000, 6000));
    }
}

#[tokio::test]
async fn relay_drains_thousands_in_order() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let ids = backlog(&updates, &owner, machine, 1).await;
    updates
        .execute(
            "WITH more AS (
                INSERT INTO updates (
                    company_id, id, equipment_id, equipment_name, operator_id, operator_name,
                    new_usage, fuel_added, fuel_kind, notes, status, client_id, captured_at,
                    below_current, flags, created_at
                )
                SELECT
                    company_id, gen_random_uuid(), equipment_id, equipment_name, operator_id,
                    operator_name, new_usage + n * 100, fuel_added, fuel_kind, notes, status,
                    n::text, captured_at + make_interval(secs => n), below_current, flags,
                    created_at
                FROM updates, generate_series(1, 2999) n
                RETURNING *
            )
            INSERT INTO decisions (
                company_id, update_id, equipment_id, captured_at, automatic, decided_by,
                decided_at, reading, overridden, replace_meter
            )
            SELECT company_id, id, equipment_id, captured_at, true, '', now(), new_usage, false,
                false
            FROM more",
        )
        .await;
    assert!(updates.apply(&owner, &ids[0], None).await.is_ok());
    let begun = Instant::now();
    let relay = updates.start_relay();
    updates.drained().await;
    let took = begun.elapsed();
    relay.cancel();
    assert!(took < Duration::from_secs(15), "{took:?}");
    let state = updates.equipment.state();
    assert_eq!(state.effects.len(), 3000);
    let readings: Vec<_> = state.effects.iter().map(|effect| effect.reading).collect();
    assert!(readings.is_sorted());
    let machine = &state.machines[&(owner.company_id, machine)];
    assert_eq!((machine.reading, machine.fuel), (300_000, 150_000));
}

#[tokio::test]
async fn failing_update_holds_up_its_machine_only() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let other = updates.equipment.add(owner.company_id, 0.0);
    let ids = backlog(&updates, &owner, machine, 20).await;
    let others = backlog(&updates, &owner, other, 20).await;
    updates.equipment.state().poison = Some(ids[10].parse().unwrap());
    let both = ids.iter().chain(&others).cloned().collect();
    updates.apply_many(&owner, both).await.unwrap();
    // Retry without the waits.
    for _ in 0..400 {
        retry_now(&updates).await;
        let before = updates.equipment.state().applied.len();
        if before == 30 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    all_in_order(&updates, &owner, other, &others);
    let applied = updates.equipment.state().applied.len();
    assert_eq!(applied, 30, "all before it, and all of the other machine");
    updates.equipment.state().poison = None;
    while updates.count("decisions").await > 0 {
        retry_now(&updates).await;
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    all_in_order(&updates, &owner, machine, &ids);
}

#[tokio::test]
async fn handler_at_its_deadline_leaves_the_rest_to_the_relay() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let mut ids = Vec::new();
    for n in 1..=80_u8 {
        // 20,000 bytes each, so one lease takes four calls.
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - TimeDelta::minutes(90 - i64::from(n)))),
            notes: "𝄞".repeat(5000),
            ..reading(machine, f64::from(n))
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    updates.equipment.state().slow = Duration::from_millis(1500);
    let results = updates.apply_many(&owner, ids.clone()).await.unwrap();
    let done = results.iter().filter(|result| result.ok).count();
    let batches = updates.equipment.state().batches.clone();
    assert_eq!(batches.len(), 2, "none begins after 2.5 seconds");
    assert_eq!(done, batches.iter().sum::<usize>());
    let held: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM decisions WHERE leased_until IS NOT NULL OR next_try_at > now()",
    )
    .fetch_one(&mut updates.admin().await)
    .await
    .unwrap();
    assert_eq!(held, 0);
    updates.equipment.state().slow = Duration::ZERO;
    let relay = updates.start_relay();
    updates.drained().await;
    relay.cancel();
    assert_eq!(updates.equipment.order(), ids);
}
