//! Failures: the relay finishes deliveries, exactly once.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_proto::operator_updates::v1::{SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::telemetry::metrics_text;
use hourmeter_runtime::testing::owner;
use tonic::Code;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, timestamp};

#[tokio::test]
async fn relay_finishes_decisions_made_during_an_outage() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Unavailable);
    let away = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(away.code(), Code::Unavailable);
    updates.equipment.set(Mode::Normal);
    let row = updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    assert_eq!(row.reviewed_by, "Olivia Owner");
    assert_eq!(row.reviewed_at, Some(timestamp(now())));
    assert_eq!(row.previous_usage, Some(100.0));
    assert_eq!(updates.equipment.effects(), 1);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn lost_response_has_one_effect() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::ResponseLost);
    let lost = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(lost.code(), Code::Unavailable);
    assert_eq!(updates.equipment.effects(), 1);
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    let refused = updates.reject(&owner, &sent.id, "").await.unwrap_err();
    assert_eq!(
        refused.code(),
        Code::FailedPrecondition,
        "it may have taken effect"
    );

    updates.equipment.set(Mode::Normal);
    updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    assert_eq!(updates.equipment.effects(), 1);
    assert!(updates.equipment.state().calls >= 2);
}

#[tokio::test]
async fn dead_deliverer_is_replaced_after_its_lease() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    // State after a process died between the call's effect and storing the result.
    updates
        .execute("UPDATE decisions SET leased_until = now() + interval '1 hour', attempts = 7")
        .await;
    updates.equipment.set(Mode::Normal);
    let waiting = updates.apply(&owner, &sent.id, None).await.unwrap_err();
    assert_eq!(waiting.code(), Code::Unavailable);
    assert_eq!(
        updates.equipment.effects(),
        0,
        "another deliverer has the lease"
    );
    updates
        .execute("UPDATE decisions SET leased_until = now() - interval '1 second'")
        .await;
    updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn relay_discards_refused_decisions() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    updates.equipment.remove(owner.company_id, equipment);
    updates.equipment.set(Mode::Normal);
    for _ in 0..100 {
        if updates.count("decisions").await == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(updates.count("decisions").await, 0);
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(row.flags, ["refused"]);
    assert!(updates.reject(&owner, &sent.id, "gone").await.is_ok());
}

/// Outbox metrics: waiting, whether the oldest has waited for some time, and parked. Read with the
/// service's own role.
async fn outbox(updates: &TestUpdates) -> (i64, bool, i64) {
    let mut lookup = updates.database.database.lookup().await.unwrap();
    let state = "SELECT waiting, oldest_seconds > 0, parked FROM outbox_state()";
    let state = sqlx::query_as(state).fetch_one(&mut *lookup);
    state.await.unwrap()
}

#[tokio::test]
async fn decision_is_parked_after_twenty_faults() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Broken);
    assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    assert_eq!(outbox(&updates).await, (1, true, 0));
    updates
        .execute("UPDATE decisions SET faults = 19, next_try_at = now()")
        .await;
    let before = updates.marker(&owner).await;
    let parked = "SELECT count(*) FROM decisions WHERE parked_at IS NOT NULL AND faults = 20";
    let mut found = 0_i64;
    for _ in 0..100 {
        found = sqlx::query_scalar(parked)
            .fetch_one(&mut updates.admin().await)
            .await
            .unwrap();
        if found == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(found, 1);
    assert_eq!(outbox(&updates).await, (0, false, 1));
    let text = metrics_text();
    for outcome in ["retry", "parked"] {
        let labels = format!("{{service=\"operator-updates\",outcome=\"{outcome}\"}}");
        let counted = format!("hourmeter_outbox_deliveries_total{labels} ");
        assert!(text.contains(&counted), "{counted}\n{text}");
    }
    let refused = updates.reject(&owner, &sent.id, "").await.unwrap_err();
    assert_eq!(refused.code(), Code::Internal, "it may have taken effect");
    // The row shows that it waits for a person.
    assert!(!updates.row(&owner, &sent.id).await.applying);
    assert_ne!(updates.marker(&owner).await, before);

    // It does not hold up a later one of the same equipment.
    updates.equipment.set(Mode::Normal);
    let later = updates.submitted(&owner, equipment, 120.0).await;
    let applied = updates.apply(&owner, &later.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(
        row.status(),
        UpdateStatus::Pending,
        "not retried automatically"
    );

    updates
        .equipment
        .set_meter(owner.company_id, equipment, 100.0);
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
}

#[tokio::test]
async fn decision_is_retried_through_any_outage() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let mut ids = Vec::new();
    for minutes_ago in [3_u8, 2, 1] {
        let captured_at = now() - TimeDelta::minutes(i64::from(minutes_ago));
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(captured_at)),
            ..reading(equipment, 110.0 - f64::from(minutes_ago))
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    updates.equipment.set(Mode::Unavailable);
    updates
        .execute(
            "CREATE FUNCTION at_once() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                NEW.next_try_at := now() - interval '1 minute';
                RETURN NEW;
            END
            $$",
        )
        .await;
    // Retry without the waits.
    updates
        .execute(
            "CREATE TRIGGER at_once BEFORE INSERT OR UPDATE ON decisions
            FOR EACH ROW EXECUTE FUNCTION at_once()",
        )
        .await;
    updates.apply_many(&owner, ids.clone()).await.unwrap();
    for _ in 0..400 {
        if updates.equipment.state().calls >= 25 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert!(updates.equipment.state().calls >= 25);
    for id in &ids {
        assert!(updates.row(&owner, id).await.applying);
    }
    updates.equipment.set(Mode::Normal);
    updates.drained().await;
    assert_eq!(updates.equipment.order(), ids);
    for id in &ids {
        let row = updates.row(&owner, id).await;
        assert_eq!(row.status(), UpdateStatus::Applied);
    }
}

#[tokio::test]
async fn handler_attempts_are_not_counted_as_faults() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, equipment, 110.0).await;
    updates.equipment.set(Mode::Broken);
    for _ in 0..25 {
        assert!(updates.apply(&owner, &sent.id, None).await.is_err());
    }
    assert!(updates.equipment.state().calls >= 25);
    assert!(updates.row(&owner, &sent.id).await.applying);
    updates.equipment.set(Mode::Normal);
    let relay = updates.start_relay();
    updates
        .execute("UPDATE decisions SET next_try_at = now()")
        .await;
    let row = updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    relay.cancel();
    assert_eq!(row.applied_usage, Some(110.0));
}

#[tokio::test]
async fn queue_is_delivered_in_capture_order() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let mut ids = Vec::new();
    for hours_ago in [1, 3, 2] {
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - TimeDelta::hours(hours_ago))),
            ..reading(
                equipment,
                200.0 - f64::from(u8::try_from(hours_ago).unwrap()),
            )
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    updates.equipment.set(Mode::Unavailable);
    for id in &ids[..2] {
        assert!(updates.apply(&owner, id, None).await.is_err());
    }
    updates.equipment.set(Mode::Normal);
    // The newest waits for the two before it, one of which is decided only now.
    let middle = updates.apply(&owner, &ids[2], None).await.unwrap();
    assert_eq!(middle.status(), UpdateStatus::Applied);
    let newest = updates.apply(&owner, &ids[0], None).await.unwrap();
    assert_eq!(newest.status(), UpdateStatus::Applied);
    let order: Vec<_> = updates
        .equipment
        .state()
        .effects
        .iter()
        .map(|effect| effect.update_id.clone())
        .collect();
    assert_eq!(order, [&ids[1], &ids[2], &ids[0]].map(String::as_str));
}

#[tokio::test]
async fn relay_serves_all_companies() {
    let updates = TestUpdates::new().await;
    updates.equipment.set(Mode::Normal);
    let mut sent = Vec::new();
    for _ in 0..5 {
        let owner = owner();
        let equipment = updates.equipment.add(owner.company_id, 100.0);
        let update = updates.submitted(&owner, equipment, 110.0).await;
        sent.push((owner, update.id));
    }
    updates.equipment.set(Mode::Unavailable);
    for (owner, id) in &sent {
        assert!(updates.apply(owner, id, None).await.is_err());
    }
    updates.equipment.set(Mode::Normal);
    for (owner, id) in &sent {
        updates.wait_for(owner, id, UpdateStatus::Applied).await;
    }
    assert_eq!(updates.equipment.effects(), 5);
}

#[tokio::test]
async fn relay_delivers_in_capture_order() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let mut ids = Vec::new();
    for hours_ago in [1_u8, 2, 3] {
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - TimeDelta::hours(i64::from(hours_ago)))),
            ..reading(equipment, 200.0 - f64::from(hours_ago))
        };
        let sent = updates.submit(&owner, request).await.unwrap().update;
        ids.push(sent.unwrap().id);
    }
    updates.equipment.set(Mode::Unavailable);
    for result in updates.apply_many(&owner, ids.clone()).await.unwrap() {
        assert!(!result.ok);
    }
    updates.equipment.set(Mode::Normal);
    updates
        .wait_for(&owner, &ids[0], UpdateStatus::Applied)
        .await;
    ids.reverse();
    let state = updates.equipment.state();
    let order: Vec<_> = state
        .effects
        .iter()
        .map(|effect| &effect.update_id)
        .collect();
    assert_eq!(order, ids.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn cancelled_calls_have_exactly_one_effect() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let mut ids = Vec::new();
    for _ in 0..40 {
        let equipment = updates.equipment.add(owner.company_id, 100.0);
        ids.push(updates.submitted(&owner, equipment, 110.0).await.id);
    }
    for (id, millis) in ids.iter().zip(0..) {
        let cut = Duration::from_micros(millis * 500);
        // Dropping the call has the effect of a lost connection or a deadline.
        let _ = tokio::time::timeout(cut, updates.apply(&owner, id, None)).await;
    }
    let end_leases = "UPDATE decisions SET leased_until = NULL WHERE leased_until IS NOT NULL";
    updates.execute(end_leases).await;
    for id in &ids {
        // Some were never decided; applying again must be safe for all.
        updates.apply(&owner, id, None).await.unwrap();
        updates.wait_for(&owner, id, UpdateStatus::Applied).await;
    }
    assert_eq!(updates.equipment.effects(), 40);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn relays_share_the_work() {
    let updates = TestUpdates::new().await;
    let others: Vec<_> = (0..3).map(|_| updates.start_another()).collect();
    let owner = owner();
    let mut ids = Vec::new();
    for _ in 0..30 {
        let equipment = updates.equipment.add(owner.company_id, 100.0);
        ids.push(updates.submitted(&owner, equipment, 110.0).await.id);
    }
    updates.equipment.set(Mode::ResponseLost);
    for result in updates.apply_many(&owner, ids.clone()).await.unwrap() {
        assert!(!result.ok);
    }
    updates.equipment.set(Mode::Normal);
    for id in &ids {
        updates.wait_for(&owner, id, UpdateStatus::Applied).await;
    }
    assert_eq!(updates.equipment.effects(), 30);
    drop(others);
}

#[tokio::test]
async fn relays_skip_leased_queues() {
    let updates = TestUpdates::without_relay().await;
    for _ in 0..4 {
        let owner = owner();
        for _ in 0..15 {
            let equipment = updates.equipment.add(owner.company_id, 100.0);
            updates.equipment.set(Mode::Normal);
            let id = updates.submitted(&owner, equipment, 110.0).await.id;
            updates.equipment.set(Mode::Unavailable);
            assert!(updates.apply(&owner, &id, None).await.is_err());
        }
    }
    updates
        .execute("UPDATE decisions SET next_try_at = now(), leased_until = NULL")
        .await;
    updates.equipment.set(Mode::Normal);
    updates.equipment.state().calls = 0;
    // All relays read the same due queues.
    let relays: Vec<_> = (0..4).map(|_| updates.start_relay()).collect();
    updates.drained().await;
    for relay in relays {
        relay.cancel();
    }
    assert_eq!(updates.equipment.state().calls, 60);
}

/// Expires leases and ends waits.
const EXPIRE: &str = "next_try_at = now(), leased_until = NULL";

#[tokio::test]
async fn unreadable_row_holds_up_its_queue_only() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 0.0);
    let other = updates.equipment.add(owner.company_id, 0.0);
    let mut ids = Vec::new();
    for n in 1..=5_u8 {
        let captured = now() - TimeDelta::minutes(i64::from(10 - n));
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(captured)),
            ..reading(machine, f64::from(n))
        };
        let sent = updates.submit(&owner, request).await.unwrap();
        ids.push(sent.update.unwrap().id);
    }
    ids.push(updates.submitted(&owner, other, 1.0).await.id);
    updates.equipment.set(Mode::Unavailable);
    for result in updates.apply_many(&owner, ids).await.unwrap() {
        assert!(!result.ok);
    }
    updates.equipment.set(Mode::Normal);
    // As written by a later release that was rolled back.
    updates
        .execute("ALTER TABLE updates DROP CONSTRAINT updates_fuel_kind_check")
        .await;
    updates
        .execute("UPDATE updates SET fuel_kind = 'steam' WHERE new_usage = 300")
        .await;
    let relay = updates.start_relay();
    for _ in 0..400 {
        updates.change_free_decisions(EXPIRE).await;
        if updates.equipment.effects() == 3 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(
        updates.equipment.effects(),
        3,
        "two before it, one beside it"
    );
    updates
        .execute("UPDATE updates SET fuel_kind = 'diesel'")
        .await;
    updates.change_free_decisions(EXPIRE).await;
    updates.drained().await;
    assert_eq!(updates.equipment.effects(), 6);
    relay.cancel();
}
