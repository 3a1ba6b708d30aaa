use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;
use uuid::Uuid;

use crate::relay::{captured, reading as field_reading, submission};
use crate::support::{
    World, fold, increase, invalid_fields, keyed, named, new_meter, not_found, refused, unknown_id,
    unknown_ids, void, with_usage,
};

pub fn reading(id: &str, reading: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(reading),
        ..Default::default()
    }
}

fn fuel(id: &str, amount: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        fuel_added: Some(amount),
        ..Default::default()
    }
}

/// Records usage and returns the entry's id.
pub async fn entry(world: &World, message: v1::RecordUsageRequest) -> String {
    let id = message.id.clone();
    world.record(message).await.unwrap();
    world.newest(&id).await
}

pub async fn meter(world: &World, id: &str) -> String {
    world.get(id).await.unwrap().current_usage.to_string()
}

#[tokio::test]
async fn void_removes_an_increase() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let wrong = entry(&world, increase(&made.id, 7.5)).await;
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let before = world.get(&made.id).await.unwrap();
    let at = world.later(TimeDelta::hours(1));
    let message = v1::VoidEntryRequest {
        reason: " Wrong\r\nmachine ".to_owned(),
        ..void(&made.id, &wrong)
    };
    let answer = world.void_as(&world.owner, message).await.unwrap();
    let after = answer.equipment.unwrap();
    assert_eq!(after.current_usage.to_string(), "101");
    assert_eq!(after.version, before.version + 1);
    assert_eq!(after.last_updated, Some(captured(at)));
    assert_eq!(world.get(&made.id).await.unwrap(), after);

    let record = answer.record.unwrap();
    let voiding = v1::Voiding {
        reason: "Wrong\nmachine".to_owned(),
        by: "Olivia Owner".to_owned(),
        at: Some(captured(at)),
        usage_before: Some(108.5),
        usage_after: Some(101.0),
        ..Default::default()
    };
    assert_eq!(record.voiding, Some(voiding));
    assert_eq!(
        (record.usage_before, record.usage),
        (Some(100.0), Some(107.5))
    );
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history.len(), 2);
    assert_eq!(history[1], record);
    assert_eq!(history[0].voiding, None);
    // Later entries count from the meter's current state.
    world.record(increase(&made.id, 2.0)).await.unwrap();
    assert_eq!(meter(&world, &made.id).await, "103");
}

#[tokio::test]
async fn void_of_a_reading_keeps_earlier_and_later_entries() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let first = entry(&world, increase(id, 5.0)).await;
    let second = entry(&world, reading(id, 500.0)).await;
    world.record(increase(id, 10.0)).await.unwrap();
    assert_eq!(meter(&world, id).await, "510");
    // An entry before a reading has no effect.
    let answer = world.void(id, &first).await.unwrap();
    let voiding = answer.record.unwrap().voiding.unwrap();
    assert_eq!((voiding.usage_before, voiding.usage_after), (None, None));
    assert_eq!(meter(&world, id).await, "510");
    world.void(id, &second).await.unwrap();
    assert_eq!(meter(&world, id).await, "110");
    // A later reading stays.
    let third = entry(&world, reading(id, 200.0)).await;
    let last = entry(&world, reading(id, 220.0)).await;
    world.void(id, &third).await.unwrap();
    assert_eq!(meter(&world, id).await, "220");
    world.void(id, &last).await.unwrap();
    assert_eq!(meter(&world, id).await, "110");
}

#[tokio::test]
async fn void_of_a_typing_error_leaves_late_readings() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let field_time = world.later(TimeDelta::hours(1));
    world.later(TimeDelta::hours(1));
    let wrong = entry(&world, reading(id, 900.0)).await;
    let late = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(field_time)),
        fuel_added: 2.0,
        ..field_reading(id, 105.0)
    };
    world.apply(late).await.unwrap();
    let true_one = world.newest(id).await;
    assert_eq!(meter(&world, id).await, "900");
    world.void(id, &wrong).await.unwrap();
    let found = world.meter(id).await.unwrap();
    assert_eq!(found.current_usage.to_string(), "105");
    assert_eq!(found.meter_read_at, Some(captured(field_time)));
    let answer = world.void(id, &true_one).await.unwrap();
    let after = answer.equipment.unwrap();
    assert_eq!(after.current_usage.to_string(), "100");
    assert_eq!(after.total_fuel_used.to_string(), "0");
}

#[tokio::test]
async fn void_submission_is_not_applied_again() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 100.0)).await.unwrap();
    let update = field_reading(&made.id, 120.0);
    world.apply(update.clone()).await.unwrap();
    let newest = world.newest(&made.id).await;
    world.void(&made.id, &newest).await.unwrap();
    let again = world.apply(update).await.unwrap();
    assert!(again.repeated);
    assert_eq!(again.usage_after, Some(120.0));
    assert_eq!(meter(&world, &made.id).await, "100");
}

#[tokio::test]
async fn void_removes_fuel_from_its_period() {
    let world = World::new().await;
    let made = world.create(named("Loader")).await.unwrap();
    let id = made.id.as_str();
    let old = entry(&world, fuel(id, 10.5)).await;
    world.reset_fuel().await.unwrap();
    let new = entry(&world, fuel(id, 3.25)).await;
    world.record(fuel(id, 1.0)).await.unwrap();
    world.void(id, &old).await.unwrap();
    let total = async || world.get(id).await.unwrap().total_gas_used.to_string();
    assert_eq!(total().await, "4.25");
    let answer = world.void(id, &new).await.unwrap();
    assert_eq!(total().await, "1");
    let record = answer.record.unwrap();
    assert_eq!(record.fuel_added.to_string(), "3.25");
    let only_fuel = v1::ListHistoryRequest {
        equipment_id: id.to_owned(),
        fuel_only: true,
        ..Default::default()
    };
    let rows = world.history_page(only_fuel).await.unwrap().records;
    assert_eq!(rows.len(), 3, "voided entries stay readable");
    assert_eq!(rows.iter().filter(|row| row.voiding.is_none()).count(), 1);
}

#[tokio::test]
async fn void_notes_are_marked_in_notes_and_history() {
    let world = World::new().await;
    let made = world.create(with_usage("Loader", 5.0)).await.unwrap();
    let note = world.note(&made.id, "Wrong machine").await.unwrap();
    world.note(&made.id, "Right").await.unwrap();
    let answer = world.void(&made.id, &note.id).await.unwrap();
    let record = answer.record.unwrap();
    assert_eq!(record.kind(), v1::HistoryKind::Note);
    assert_eq!(answer.equipment.unwrap().current_usage.to_string(), "5");
    let notes = world.notes(&made.id).await.unwrap();
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[0].voiding, None);
    assert_eq!(
        (&notes[1].id, &notes[1].voiding),
        (&note.id, &record.voiding)
    );
    assert_eq!(notes[1].voiding.as_ref().unwrap().reason, "Typing error");
}

#[tokio::test]
async fn void_works_after_renaming_and_restoring() {
    let world = World::new().await;
    let made = world.create(with_usage("Old name", 100.0)).await.unwrap();
    let id = made.id.as_str();
    let wrong = entry(&world, increase(id, 50.0)).await;
    let service = v1::RecordUsageRequest {
        fuel_added: Some(4.0),
        ..increase(id, 1.0)
    };
    let other = entry(&world, service).await;
    world.update(id, named("New name"), None).await.unwrap();
    let retired = world.retire(id, "").await.unwrap();
    let before = world.retired(id).await.unwrap();
    let answer = world.void(id, &wrong).await;
    let failure = refused(answer, Kind::Conflict, "EQUIPMENT_RETIRED");
    assert_eq!(failure.message, "This equipment is retired.");
    assert_eq!(world.retired(id).await.unwrap(), before);
    world.reset_fuel().await.unwrap();
    world.restore(&retired.id).await.unwrap();
    let answer = world.void(id, &wrong).await.unwrap();
    assert_eq!(answer.record.unwrap().equipment_name, "Old name");
    let after = answer.equipment.unwrap();
    assert_eq!(
        (after.name.as_str(), after.current_usage),
        ("New name", 101.0)
    );
    let after = world.void(id, &other).await.unwrap().equipment.unwrap();
    assert_eq!(after.current_usage.to_string(), "100");
    assert_eq!(after.total_fuel_used.to_string(), "0");
}

#[tokio::test]
async fn void_is_limited_to_some_kinds_and_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let id = made.id.as_str();
    let usage = entry(&world, increase(id, 1.0)).await;
    world.void(id, &usage).await.unwrap();
    world.update(id, with_usage("B", 20.0), None).await.unwrap();
    let retired = world.retire(id, "").await.unwrap();
    world.restore(&retired.id).await.unwrap();
    let before = world.state(id).await;
    for record in &before.1 {
        let reason = if record.kind() == v1::HistoryKind::Usage {
            "ALREADY_VOIDED"
        } else {
            "NOT_VOIDABLE"
        };
        let failure = refused(world.void(id, &record.id).await, Kind::Conflict, reason);
        assert_eq!(failure.http_status(), 409);
    }
    assert_eq!(before.1.len(), 4);
    assert_eq!(world.state(id).await, before);
}

#[tokio::test]
async fn void_needs_a_reason() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let usage = entry(&world, increase(&made.id, 1.0)).await;
    let before = world.state(&made.id).await;
    let with = |reason: &str| v1::VoidEntryRequest {
        reason: reason.to_owned(),
        ..void(&made.id, &usage)
    };
    for reason in ["", " \n\t ", "a\0b", "a\u{202e}b", &"ñ".repeat(501)] {
        let answer = world.void_as(&world.owner, with(reason)).await;
        invalid_fields(answer, &["reason"]);
    }
    assert_eq!(world.state(&made.id).await, before);
    let longest = format!(" {} ", "ñ".repeat(500));
    let answer = world.void_as(&world.owner, with(&longest)).await.unwrap();
    let reason = answer.record.unwrap().voiding.unwrap().reason;
    assert_eq!(reason, "ñ".repeat(500));
}

#[tokio::test]
async fn void_of_unknown_and_foreign_entries_is_not_found() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let other = world.create(with_usage("B", 10.0)).await.unwrap();
    let usage = entry(&world, increase(&made.id, 1.0)).await;
    let before = (world.state(&made.id).await, world.state(&other.id).await);
    for id in unknown_ids() {
        not_found(world.void(&id, &usage).await);
        not_found(world.void(&made.id, &id).await);
    }
    not_found(world.void(&other.id, &usage).await);
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    not_found(world.void_as(&stranger, void(&made.id, &usage)).await);
    let theirs = world.create_as(&stranger, named("C")).await.unwrap();
    not_found(world.void_as(&stranger, void(&theirs.id, &usage)).await);
    assert_eq!(
        (world.state(&made.id).await, world.state(&other.id).await),
        before
    );
    world.delete(&made.id).await.unwrap();
    not_found(world.void(&made.id, &usage).await);
}

#[tokio::test]
async fn void_out_of_range_is_refused() {
    let world = World::new().await;
    let made = world.create(new_meter("A")).await.unwrap();
    let id = made.id.as_str();
    world.record(increase(id, 999_999_990.0)).await.unwrap();
    let replaced = v1::ApplyOperatorUpdateRequest {
        replace_meter: true,
        ..field_reading(id, 0.0)
    };
    world.apply(replaced).await.unwrap();
    let new_meter = world.newest(id).await;
    world.record(increase(id, 10.01)).await.unwrap();
    let before = world.state(id).await;
    let answer = world.void(id, &new_meter).await;
    let failure = refused(answer, Kind::Conflict, "METER_OUT_OF_RANGE");
    assert!(failure.message.contains("1,000,000,000"));
    assert_eq!(world.state(id).await, before);
    // The limit of the meter's range is allowed.
    let last = world.newest(id).await;
    world.void(id, &last).await.unwrap();
    world.record(increase(id, 10.0)).await.unwrap();
    world.void(id, &new_meter).await.unwrap();
    assert_eq!(meter(&world, id).await, "1000000000");
}

#[tokio::test]
async fn void_concurrently_succeeds_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let usage = entry(&world, increase(&made.id, 1.0)).await;
    world.warm_up().await;
    let racing = (0..5).map(|_| world.void(&made.id, &usage));
    let answers = futures::future::join_all(racing).await;
    let (done, others): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(done.len(), 1);
    for answer in others {
        refused(answer, Kind::Conflict, "ALREADY_VOIDED");
    }
    let after = world.get(&made.id).await.unwrap();
    assert_eq!(
        (after.current_usage.to_string(), after.version),
        ("10".into(), 3)
    );
}

#[tokio::test]
async fn void_repeat_returns_the_first_response() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 10.0)).await.unwrap();
    let usage = entry(&world, increase(&made.id, 1.0)).await;
    let ask = async |message: v1::VoidEntryRequest| {
        let request = keyed("k", as_person(Service::Equipment, &world.owner, message));
        fold(world.client().void_entry(request).await)
    };
    let first = ask(void(&made.id, &usage)).await.unwrap();
    world.record(increase(&made.id, 5.0)).await.unwrap();
    assert_eq!(ask(void(&made.id, &usage)).await.unwrap(), first);
    let other = ask(void(&made.id, &unknown_id())).await;
    refused(other, Kind::KeyReused, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(meter(&world, &made.id).await, "15");
}

#[tokio::test]
async fn void_field_note_keeps_other_entries() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let note = v1::ApplyOperatorUpdateRequest {
        notes: "Belt squeals".to_owned(),
        ..submission(&made.id)
    };
    world.apply(note).await.unwrap();
    let newest = world.newest(&made.id).await;
    let answer = world.void(&made.id, &newest).await.unwrap();
    assert_eq!(answer.record.unwrap().content, "Belt squeals");
    assert_eq!(world.meter(&made.id).await.unwrap().meter_read_at, None);
}
