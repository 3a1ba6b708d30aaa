use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;

use crate::relay::captured;
use crate::support::{
    CallResult, World, fold, increase, invalid_fields, keyed, named, not_found, refused,
    unknown_ids,
};
use crate::task_calls::{done, oil};
use crate::void_services::maintained;

fn reading(id: &str, reading: f64) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(reading),
        ..Default::default()
    }
}

/// Records a service and returns its entry.
async fn service(world: &World, message: v1::MarkServicedRequest) -> v1::HistoryRecord {
    let id = message.id.clone();
    world.serviced(message).await.unwrap();
    world.latest(&id).await
}

fn serviced(id: &str) -> v1::MarkServicedRequest {
    v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    }
}

fn edit(record: &v1::HistoryRecord) -> v1::EditServiceRequest {
    v1::EditServiceRequest {
        equipment_id: record.equipment_id.clone(),
        entry_id: record.id.clone(),
        ..Default::default()
    }
}

async fn edited(
    world: &World,
    message: v1::EditServiceRequest,
) -> CallResult<v1::EditServiceResponse> {
    world.edit_service_as(&world.owner, message).await
}

#[tokio::test]
async fn edit_service_changes_cost_and_notes_and_keeps_the_values_before() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    let (task, _) = world.add_task(&made.id, oil()).await.unwrap();
    let completion = v1::CompleteServiceTaskRequest {
        notes: "Filter\nCost: $1.00".to_owned(),
        cost: Some(125.5),
        ..done(&made.id, &task.id)
    };
    world.complete(completion).await.unwrap();
    let before = world.latest(&made.id).await;
    assert_eq!(before.notes, "Filter\nCost: $1.00");
    let at = world.later(TimeDelta::days(3));
    let message = v1::EditServiceRequest {
        cost: Some(80.0),
        notes: Some("Both filters".to_owned()),
        ..edit(&before)
    };
    let manager = Identity {
        display_name: "Max Manager".to_owned(),
        ..world.owner.clone()
    };
    let answer = world.edit_service_as(&manager, message).await.unwrap();
    let record = answer.record.unwrap();
    let expected = v1::HistoryRecord {
        id: record.id.clone(),
        cost: Some(80.0),
        notes: "Both filters".to_owned(),
        content: "Both filters\nCost: $80.00".to_owned(),
        replaces: before.id.clone(),
        ..before.clone()
    };
    assert_eq!(record, expected);
    let reason = "Cost: $125.50 → $80.00; Notes: Filter\nCost: $1.00 → Both filters";
    let replaced = v1::HistoryRecord {
        voiding: Some(v1::Voiding {
            reason: reason.to_owned(),
            by: "Max Manager".to_owned(),
            at: Some(captured(at)),
            replaced_by: record.id.clone(),
            ..Default::default()
        }),
        ..before
    };
    let history = world.history(&made.id).await.unwrap();
    assert_eq!(history[..2], [record.clone(), replaced]);
    assert_eq!(
        world.get(&made.id).await.unwrap(),
        answer.equipment.unwrap()
    );

    // Without changes there is no further entry.
    let same = edited(&world, edit(&record)).await.unwrap();
    assert_eq!(same.record.unwrap(), record);
    let message = v1::EditServiceRequest {
        clear_cost: true,
        notes: Some(String::new()),
        ..edit(&record)
    };
    let again = edited(&world, message).await.unwrap().record.unwrap();
    assert_eq!((again.cost, again.content.as_str()), (None, ""));
    assert_eq!(again.replaces, record.id);
    assert_eq!(
        world.history(&made.id).await.unwrap().len(),
        history.len() + 1
    );
    world.check_projections().await;
}

#[tokio::test]
async fn edit_service_on_another_day_counts_from_the_meter_of_that_day() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    world.later(TimeDelta::days(2));
    world.record(reading(&made.id, 160.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    let before = service(&world, serviced(&made.id)).await;
    assert_eq!(before.usage, Some(160.0));
    let moved = |record, day: &str| v1::EditServiceRequest {
        performed_at: day.to_owned(),
        ..edit(record)
    };
    let answer = edited(&world, moved(&before, "2026-03-11")).await.unwrap();
    let (record, after) = (answer.record.unwrap(), answer.equipment.unwrap());
    assert_eq!(
        (
            record.usage,
            record.performed_on.as_str(),
            record.content.as_str()
        ),
        (Some(100.0), "2026-03-11", "Performed on 2026-03-11")
    );
    assert_eq!(
        (
            after.last_service_usage,
            after.maintenance_start_date.as_str(),
            after.next_maintenance_date.as_str()
        ),
        (Some(100.0), "2026-03-11", "2026-04-11")
    );
    let tasks = world.tasks(&made.id).await.unwrap();
    assert_eq!(tasks[0].last_done_on, "2026-03-11");
    world.check_projections().await;

    let answer = edited(&world, moved(&record, "2026-03-13")).await.unwrap();
    let again = v1::HistoryRecord {
        id: answer.record.clone().unwrap().id,
        replaces: record.id,
        ..before
    };
    assert_eq!(answer.record.unwrap(), again);
    let after = answer.equipment.unwrap();
    assert_eq!(after.last_service_usage, Some(160.0));
    world.check_projections().await;
}

#[tokio::test]
async fn edit_service_day_decides_which_service_is_the_last() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    let on = |day: &str, meter| v1::MarkServicedRequest {
        performed_at: day.to_owned(),
        meter: Some(meter),
        ..serviced(&made.id)
    };
    world.later(TimeDelta::days(10));
    let first = service(&world, on("2026-03-12", 110.0)).await;
    service(&world, on("2026-03-15", 120.0)).await;
    let last = |item: v1::Equipment| (item.last_service_usage, item.maintenance_start_date);
    let machine = world.get(&made.id).await.unwrap();
    assert_eq!(last(machine), (Some(120.0), "2026-03-15".to_owned()));
    let message = v1::EditServiceRequest {
        performed_at: "2026-03-14".to_owned(),
        ..edit(&first)
    };
    let answer = edited(&world, message).await.unwrap();
    let (record, after) = (answer.record.unwrap(), answer.equipment.unwrap());
    assert_eq!(last(after), (Some(120.0), "2026-03-15".to_owned()));
    // Its reading does not fit after a higher one, but it never lowers the meter.
    let message = v1::EditServiceRequest {
        performed_at: "2026-03-16".to_owned(),
        ..edit(&record)
    };
    let after = edited(&world, message).await.unwrap().equipment.unwrap();
    assert_eq!(after.current_usage.to_string(), "120");
    assert_eq!(last(after), (Some(110.0), "2026-03-16".to_owned()));
    world.check_projections().await;
}

#[tokio::test]
async fn edit_service_reading_must_fit_its_new_day() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    world.record(reading(&made.id, 120.0)).await.unwrap();
    world.later(TimeDelta::days(1));
    let message = v1::MarkServicedRequest {
        meter: Some(150.0),
        ..serviced(&made.id)
    };
    let before = service(&world, message).await;
    let before_them = world.state(&made.id).await;
    let moved = |day: &str| v1::EditServiceRequest {
        performed_at: day.to_owned(),
        ..edit(&before)
    };
    let failure = invalid_fields(edited(&world, moved("2026-03-10")).await, &["performedAt"]);
    assert_eq!(failure.message, "The meter was read at 120 after this.");
    assert_eq!(world.state(&made.id).await, before_them);
    let after = edited(&world, moved("2026-03-11")).await.unwrap();
    let after = after.equipment.unwrap();
    assert_eq!(
        (after.current_usage, after.last_service_usage),
        (150.0, Some(150.0))
    );
    world.record(increase(&made.id, 10.0)).await.unwrap();
    world.check_projections().await;
}

#[tokio::test]
async fn edit_service_refusals_change_nothing() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    let before = service(&world, serviced(&made.id)).await;
    let stale = v1::EditServiceRequest {
        cost: Some(5.0),
        ..edit(&before)
    };
    let before = edited(&world, stale.clone()).await.unwrap();
    let before = before.record.unwrap();
    let change = || v1::EditServiceRequest {
        cost: Some(6.0),
        ..edit(&before)
    };
    // At one instant, an increase would precede the service.
    world.later(TimeDelta::seconds(1));
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let usage = world.latest(&made.id).await;
    let before_them = world.state(&made.id).await;

    let voided = world.void(&made.id, &stale.entry_id).await;
    refused(voided, Kind::Stale, "STALE");
    refused(edited(&world, stale).await, Kind::Stale, "STALE");
    refused(
        edited(&world, edit(&usage)).await,
        Kind::Conflict,
        "NOT_EDITABLE",
    );
    for cost in [-0.01, f64::NAN, 0.001, 2e9] {
        let message = v1::EditServiceRequest {
            cost: Some(cost),
            ..edit(&before)
        };
        invalid_fields(edited(&world, message).await, &["cost"]);
    }
    for day in ["soon", "2026-03-11"] {
        let message = v1::EditServiceRequest {
            performed_at: day.to_owned(),
            ..edit(&before)
        };
        invalid_fields(edited(&world, message).await, &["performedAt"]);
    }
    let message = v1::EditServiceRequest {
        notes: Some("x".repeat(5001)),
        ..edit(&before)
    };
    invalid_fields(edited(&world, message).await, &["notes"]);
    for id in unknown_ids() {
        let (mut entry, mut machine) = (change(), change());
        entry.entry_id.clone_from(&id);
        machine.equipment_id = id;
        not_found(edited(&world, entry).await);
        not_found(edited(&world, machine).await);
    }
    let other = world.create(named("B")).await.unwrap();
    let message = v1::EditServiceRequest {
        equipment_id: other.id,
        ..change()
    };
    not_found(edited(&world, message).await);
    assert_eq!(world.state(&made.id).await, before_them);

    let retired = world.create(maintained("C", 100.0)).await.unwrap();
    let of_retired = service(&world, serviced(&retired.id)).await;
    world.retire(&retired.id, "").await.unwrap();
    let answer = edited(&world, edit(&of_retired)).await;
    refused(answer, Kind::Conflict, "EQUIPMENT_RETIRED");
    world.void(&made.id, &before.id).await.unwrap();
    refused(
        edited(&world, change()).await,
        Kind::Conflict,
        "ALREADY_VOIDED",
    );
}

#[tokio::test]
async fn edit_service_with_the_same_key_counts_once() {
    let world = World::new().await;
    let made = world.create(maintained("A", 100.0)).await.unwrap();
    let before = service(&world, serviced(&made.id)).await;
    let call = || {
        let message = v1::EditServiceRequest {
            cost: Some(5.0),
            ..edit(&before)
        };
        keyed("k", as_person(Service::Equipment, &world.owner, message))
    };
    let first = fold(world.client().edit_service(call()).await).unwrap();
    let again = fold(world.client().edit_service(call()).await).unwrap();
    assert_eq!(first, again);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 2);
}
