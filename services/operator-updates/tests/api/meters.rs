//! `ApplyUpdate` with a meter replacement or rollover.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{MeterChange, MeterReplacement};
use hourmeter_proto::operator_updates::v1::{SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::testing::owner;
use tonic::Code;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, reason, timestamp};

fn replaced(final_reading: Option<f64>, start_reading: f64) -> MeterReplacement {
    MeterReplacement {
        change: MeterChange::Replaced.into(),
        final_reading,
        start_reading,
    }
}

fn rolled_over(at: f64) -> MeterReplacement {
    MeterReplacement {
        change: MeterChange::RolledOver.into(),
        final_reading: Some(at),
        start_reading: 0.0,
    }
}

#[expect(clippy::float_cmp, reason = "exact quantities")]
fn assert_meter(
    updates: &TestUpdates,
    company: uuid::Uuid,
    machine: uuid::Uuid,
    dial: f64,
    life: f64,
) {
    assert_eq!(updates.equipment.meter(company, machine), dial);
    assert_eq!(updates.equipment.usage(company, machine), life);
}

#[tokio::test]
async fn apply_replacement_uses_the_reported_reading() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 4990.0);
    let sent = updates.submitted(&owner, machine, 3.5).await;
    assert_eq!(sent.flags, ["below_meter"]);
    let applied = updates
        .decide(&owner, &sent.id, None, Some(replaced(Some(5000.0), 1.0)))
        .await
        .unwrap();
    assert_eq!(applied.status(), UpdateStatus::Applied);
    assert_eq!(applied.new_usage, Some(3.5));
    assert_eq!(applied.previous_usage, Some(4990.0));
    assert_eq!(applied.applied_usage, Some(3.5));
    let recorded = Some(replaced(Some(5000.0), 1.0));
    assert_eq!(applied.meter_replacement, recorded);
    assert!(!applied.set_back);
    assert_meter(&updates, owner.company_id, machine, 3.5, 5002.5);
    let effect = updates.equipment.state().effects[0].clone();
    assert!(
        !effect.replace_meter,
        "an older process would post a correction"
    );
    assert_eq!(effect.reading, Some(3.5));
    assert_eq!(effect.meter_replacement, Some(replaced(Some(5000.0), 1.0)));
    assert_eq!(effect.sent.unwrap().reading, Some(3.5));

    let next = updates.submitted(&owner, machine, 4.0).await;
    assert!(next.flags.is_empty(), "compared with the new meter");
    assert_eq!(next.previous_usage, Some(3.5));
    updates.apply(&owner, &next.id, None).await.unwrap();
    assert_meter(&updates, owner.company_id, machine, 4.0, 5003.0);
}

#[tokio::test]
async fn apply_replacement_uses_the_managers_reading() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 4990.0);
    // Only fuel was reported, and a typo.
    let fuel = SubmitUpdateRequest {
        new_usage: None,
        fuel_added: Some(5.0),
        captured_at: Some(timestamp(now() - TimeDelta::minutes(1))),
        ..reading(machine, 0.0)
    };
    let fuel = updates.submit(&owner, fuel).await.unwrap().update.unwrap();
    let typo = updates.submitted(&owner, machine, 25.0).await;
    let applied = updates
        .decide(&owner, &fuel.id, Some(2.0), Some(replaced(None, 0.0)))
        .await
        .unwrap();
    assert_eq!(applied.applied_usage, Some(2.0));
    assert_meter(&updates, owner.company_id, machine, 2.0, 4992.0);
    // Rollover at 10,000: 10,000 - 2, and 2.5 since.
    updates
        .decide(&owner, &typo.id, Some(2.5), Some(rolled_over(10_000.0)))
        .await
        .unwrap();
    assert_meter(&updates, owner.company_id, machine, 2.5, 14_992.5);
}

#[tokio::test]
async fn apply_replacement_of_a_late_update_is_inserted_at_its_time() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 50.0);
    updates.equipment.state().read_at.insert(machine, now());
    let request = SubmitUpdateRequest {
        captured_at: Some(timestamp(now() - TimeDelta::hours(1))),
        ..reading(machine, 1.0)
    };
    let late = updates.submit(&owner, request).await.unwrap().update;
    let late = late.unwrap();
    assert!(late.late);
    let decided = updates.decide(&owner, &late.id, None, Some(replaced(None, 0.0)));
    let applied = decided.await.unwrap();
    assert_eq!(applied.applied_usage, Some(1.0));
    assert_meter(&updates, owner.company_id, machine, 50.0, 50.0);
}

#[tokio::test]
async fn apply_replacement_refuses_invalid_values() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, machine, 3.0).await;
    let note = SubmitUpdateRequest {
        new_usage: None,
        notes: "new meter".to_owned(),
        ..reading(machine, 0.0)
    };
    let note = updates.submit(&owner, note).await.unwrap().update.unwrap();
    let with = |change: i32, final_reading, start_reading| {
        Some(MeterReplacement {
            change,
            final_reading,
            start_reading,
        })
    };
    let (kind, last, first) = (
        "meterReplacement.kind",
        "meterReplacement.finalReading",
        "meterReplacement.startReading",
    );
    for (id, usage, replacement, field) in [
        (&sent.id, None, with(0, None, 0.0), kind),
        (&sent.id, None, with(9, None, 0.0), kind),
        (&sent.id, None, with(1, Some(-1.0), 0.0), last),
        (&sent.id, None, with(1, Some(1.001), 0.0), last),
        (&sent.id, None, with(1, Some(f64::NAN), 0.0), last),
        (&sent.id, None, with(1, Some(2e9), 0.0), last),
        (&sent.id, None, with(1, None, -0.01), first),
        (&sent.id, None, with(1, None, f64::INFINITY), first),
        (&sent.id, None, with(1, None, 3.01), first),
        (&sent.id, Some(2.0), with(1, None, 2.01), first),
        (&sent.id, None, with(2, Some(100.0), 1.0), first),
        (&note.id, None, with(1, None, 0.0), "newUsage"),
        (&sent.id, Some(-1.0), with(1, None, 0.0), "newUsage"),
    ] {
        let shown = format!("{usage:?} {replacement:?}");
        let refused = updates.decide(&owner, id, usage, replacement).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{shown}");
        let failure = ServiceError::from_status(&refused);
        assert_eq!(failure.fields[0].0, field, "{shown}");
    }
    assert_eq!(updates.row(&owner, &sent.id).await, sent);
    assert_eq!(updates.row(&owner, &note.id).await, note);
    assert_eq!(updates.count("decisions").await, 0);
    assert_eq!(updates.equipment.state().calls, 0);

    // Only the equipment service knows the old meter's reading.
    let ends_below = Some(replaced(Some(99.99), 0.0));
    let refused = updates.decide(&owner, &sent.id, None, ends_below).await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(refused.message(), "The old meter showed more.");
    let mut waiting = sent.clone();
    waiting.flags.push("refused".to_owned());
    assert_eq!(
        updates.row(&owner, &sent.id).await,
        waiting,
        "it is pending again"
    );
    assert_eq!(updates.count("decisions").await, 0);
    let exact = Some(replaced(Some(100.0), 3.0));
    let applied = updates.decide(&owner, &sent.id, None, exact).await;
    assert_eq!(applied.unwrap().status(), UpdateStatus::Applied);
    assert_meter(&updates, owner.company_id, machine, 3.0, 100.0);
}

#[tokio::test]
async fn relay_delivers_replacements() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 4990.0);
    let sent = updates.submitted(&owner, machine, 3.0).await;
    updates.equipment.set(Mode::ResponseLost);
    let lost = updates.decide(&owner, &sent.id, None, Some(rolled_over(5000.0)));
    assert_eq!(lost.await.unwrap_err().code(), Code::Unavailable);
    // The first decision stays.
    let again = updates.decide(&owner, &sent.id, Some(9.0), None).await;
    assert_eq!(reason(&again.unwrap_err()), "BEING_APPLIED");
    let refused = updates.reject(&owner, &sent.id, "").await.unwrap_err();
    assert_eq!(reason(&refused), "BEING_APPLIED");
    updates.equipment.set(Mode::Normal);
    let row = updates
        .wait_for(&owner, &sent.id, UpdateStatus::Applied)
        .await;
    assert_eq!(row.applied_usage, Some(3.0));
    assert_meter(&updates, owner.company_id, machine, 3.0, 5003.0);
    assert_eq!(updates.equipment.effects(), 1);
}

#[tokio::test]
async fn replacement_decided_by_a_new_process_is_not_applied_by_an_old_one() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 4990.0);
    let other = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, machine, 3.0).await;
    let plain = updates.submitted(&owner, other, 3.0).await;
    updates.equipment.set(Mode::Unavailable);
    let away = updates.decide(&owner, &sent.id, None, Some(replaced(None, 0.0)));
    assert!(away.await.is_err());
    assert!(updates.apply(&owner, &plain.id, None).await.is_err());
    updates
        .execute("UPDATE decisions SET next_try_at = now()")
        .await;
    let claimed: Vec<(uuid::Uuid,)> =
        sqlx::query_as("SELECT update_id FROM claim_deliveries(8, 1)")
            .fetch_all(&mut *updates.database.database.lookup().await.unwrap())
            .await
            .unwrap();
    let claimed: Vec<_> = claimed.iter().map(|(id,)| id.to_string()).collect();
    assert_eq!(claimed, [plain.id]);
}
