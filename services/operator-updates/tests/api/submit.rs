//! `SubmitUpdate`: stored values.

use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1::{FuelKind, SubmitUpdateRequest, UpdateStatus};
use hourmeter_runtime::idempotency::IDEMPOTENCY_HEADER;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, now, reading, reason, timestamp};

#[tokio::test]
async fn submit_stores_every_field() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 4800.5);
    let captured_at = now() - TimeDelta::hours(3);
    let request = SubmitUpdateRequest {
        equipment_id: equipment.to_string(),
        new_usage: Some(4812.55),
        fuel_added: Some(20.25),
        fuel_kind: FuelKind::Diesel.into(),
        notes: "  Left track\r\nis loose ".to_owned(),
        client_id: "phone-1".to_owned(),
        captured_at: Some(timestamp(captured_at)),
        usage_increase: None,
        unit: MeterUnit::Hours.into(),
        full_fill: true,
    };
    let answer = updates.submit(&operator, request).await.unwrap();
    assert!(answer.created);
    let row = answer.update.unwrap();
    assert_eq!(row.equipment_id, equipment.to_string());
    assert_eq!(row.equipment_name, "Excavator 7");
    assert_eq!(row.operator_id, operator.user_id.to_string());
    assert_eq!(row.operator_name, "Oscar Operator");
    assert_eq!(row.new_usage, Some(4812.55));
    assert!((row.fuel_added - 20.25).abs() < f64::EPSILON);
    assert_eq!(row.fuel_kind(), FuelKind::Diesel);
    assert!(row.full_fill);
    assert_eq!(row.notes, "Left track\nis loose");
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(row.client_id, "phone-1");
    assert_eq!(row.captured_at, Some(timestamp(captured_at)));
    assert_eq!(row.created_at, Some(timestamp(now())));
    assert_eq!(row.previous_usage, Some(4800.5));
    assert!(!row.below_current && row.flags.is_empty());
    assert!(row.reviewed_by.is_empty() && row.reviewed_at.is_none());
    assert_eq!(updates.row(&operator, &row.id).await, row);
    assert_eq!(updates.equipment.effects(), 0);
}

#[tokio::test]
async fn submit_minimal_gets_defaults() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 10.0);
    let empty = SubmitUpdateRequest {
        equipment_id: equipment.to_string(),
        ..SubmitUpdateRequest::default()
    };
    for request in [
        reading(equipment, 0.0),
        SubmitUpdateRequest {
            fuel_added: Some(0.01),
            ..empty.clone()
        },
        SubmitUpdateRequest {
            notes: "ok".to_owned(),
            fuel_added: Some(0.0),
            ..empty
        },
    ] {
        let row = updates.submit(&operator, request).await.unwrap().update;
        let row = row.unwrap();
        assert_eq!(row.fuel_kind(), FuelKind::Gas);
        assert_eq!(row.captured_at, Some(timestamp(now())));
        assert!(Uuid::parse_str(&row.client_id).is_ok());
    }
}

#[tokio::test]
async fn submit_flags_readings_below_the_meter() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 100.0);
    let below = updates.submitted(&operator, equipment, 99.99).await;
    assert!(below.below_current);
    assert_eq!(below.flags, ["below_meter"]);
    let same = updates.submitted(&operator, equipment, 100.0).await;
    assert!(!same.below_current && same.flags.is_empty());
}

#[tokio::test]
async fn submit_compares_with_the_meter_at_the_capture_time() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 100.0);
    updates
        .equipment
        .change(operator.company_id, equipment, |machine| {
            machine.initial = 0;
        });
    updates.equipment.state().read_at.insert(equipment, now());
    for (before, below) in [
        (TimeDelta::zero(), true),
        (TimeDelta::microseconds(1), false),
        (TimeDelta::hours(9), false),
    ] {
        let request = SubmitUpdateRequest {
            captured_at: Some(timestamp(now() - before)),
            ..reading(equipment, 99.0 - f64::from(i32::from(below)))
        };
        let row = updates.submit(&operator, request).await.unwrap().update;
        assert_eq!(row.unwrap().below_current, below, "{before}");
    }
}

#[tokio::test]
async fn submit_accepts_implausible_capture_times() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    // 1900, 1970, the end of 1999, and the first second of the year 1.
    for (seconds, usage) in [
        (-2_208_988_800, 2.0),
        (0, 3.0),
        (946_684_799, 4.0),
        (-62_135_596_800, 5.0),
    ] {
        let at = prost_types::Timestamp {
            seconds,
            nanos: 5000,
        };
        let request = SubmitUpdateRequest {
            captured_at: Some(at),
            ..reading(equipment, usage)
        };
        let row = updates.submit(&operator, request).await.unwrap().update;
        assert_eq!(row.unwrap().captured_at, Some(timestamp(now())));
    }
}

#[tokio::test]
async fn submit_future_capture_time_counts_as_now() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let request = SubmitUpdateRequest {
        captured_at: Some(timestamp(now() + TimeDelta::days(3))),
        ..reading(equipment, 2.0)
    };
    let row = updates.submit(&operator, request).await.unwrap().update;
    assert_eq!(row.unwrap().captured_at, Some(timestamp(now())));
}

#[tokio::test]
async fn submit_flags_repeats_within_ten_minutes() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let other = operator_of(&owner());
    let other = Identity {
        company_id: operator.company_id,
        ..other
    };
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let flags =
        async |by: &Identity, usage: f64| updates.submitted(by, equipment, usage).await.flags;
    assert!(flags(&operator, 5.0).await.is_empty());
    assert_eq!(flags(&operator, 5.0).await, ["repeated"]);
    assert!(flags(&operator, 5.01).await.is_empty(), "other figures");
    assert!(flags(&other, 5.01).await.is_empty(), "another person");
    updates
        .clock
        .set(now() + TimeDelta::minutes(10) - TimeDelta::microseconds(1));
    assert_eq!(flags(&operator, 5.01).await, ["repeated"]);
    updates
        .clock
        .set(now() + TimeDelta::minutes(20) + TimeDelta::seconds(1));
    assert!(flags(&operator, 5.01).await.is_empty(), "long ago");
}

#[tokio::test]
async fn submit_compares_notes_only_without_values() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    for (notes, expected) in [("oil low", 0), ("tire flat", 0), ("oil low", 1)] {
        let request = SubmitUpdateRequest {
            equipment_id: equipment.to_string(),
            notes: notes.to_owned(),
            ..SubmitUpdateRequest::default()
        };
        let row = updates.submit(&operator, request).await.unwrap().update;
        assert_eq!(row.unwrap().flags.len(), expected, "{notes}");
    }
}

#[tokio::test]
async fn submit_same_client_id_returns_the_first() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let request = |usage| SubmitUpdateRequest {
        client_id: "abc".to_owned(),
        ..reading(equipment, usage)
    };
    let first = updates.submit(&operator, request(5.0)).await.unwrap();
    let second = updates.submit(&operator, request(6.0)).await.unwrap();
    assert!(first.created && !second.created);
    assert_eq!(first.update, second.update);
    assert_eq!(updates.count("updates").await, 1);

    updates.equipment.set(Mode::Unavailable);
    let offline = updates.submit(&operator, request(7.0)).await.unwrap();
    assert_eq!(offline.update, first.update, "needs no equipment");

    updates.equipment.set(Mode::Normal);
    let stranger = operator_of(&owner());
    let theirs = updates.equipment.add(stranger.company_id, 1.0);
    let request = SubmitUpdateRequest {
        client_id: "abc".to_owned(),
        ..reading(theirs, 9.0)
    };
    let theirs = updates.submit(&stranger, request).await.unwrap();
    assert!(theirs.created, "each company has its own client ids");
}

#[tokio::test]
async fn submit_concurrently_is_stored_once() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let answers = futures::future::join_all((0..30_u8).map(|n| {
        let request = SubmitUpdateRequest {
            client_id: "abc".to_owned(),
            ..reading(equipment, 5.0 + f64::from(n))
        };
        updates.submit(&operator, request)
    }));
    let answers: Vec<_> = answers.await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|answer| answer.created).count(), 1);
    for answer in &answers {
        assert_eq!(answer.update, answers[0].update);
    }
    assert_eq!(updates.count("updates").await, 1);
}

#[tokio::test]
async fn submit_for_unknown_equipment_is_not_found() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let foreign = updates.equipment.add(Uuid::now_v7(), 1.0);
    for id in [
        foreign.to_string(),
        Uuid::now_v7().to_string(),
        "nonsense".to_owned(),
    ] {
        let request = SubmitUpdateRequest {
            equipment_id: id,
            ..reading(foreign, 5.0)
        };
        let status = updates.submit(&operator, request).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound);
        assert_eq!(status.message(), "Not found.");
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_stores_nothing_while_equipment_is_unavailable() {
    let updates = TestUpdates::new().await;
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    updates.equipment.set(Mode::Unavailable);
    let status = updates.submit(&operator, reading(equipment, 5.0)).await;
    assert_eq!(status.unwrap_err().code(), Code::Unavailable);
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_needs_no_subscription_or_scope() {
    let updates = TestUpdates::new().await;
    let mut owner = owner();
    owner.entitlements.active = false;
    owner.auto_apply_updates = true;
    let scoped = Identity {
        scope: Scope::Operator,
        ..owner.clone()
    };
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    for (person, usage) in [(&owner, 5.0), (&scoped, 6.0), (&operator_of(&owner), 7.0)] {
        let row = updates.submitted(person, equipment, usage).await;
        assert_eq!(row.status(), UpdateStatus::Pending);
        assert_eq!(row.operator_id, person.user_id.to_string());
    }
    assert_eq!(updates.count("decisions").await, 0);
    assert_eq!(updates.equipment.effects(), 0);
}

#[tokio::test]
async fn submit_client_id_of_another_person_is_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let (one, other) = (operator_of(&owner), operator_of(&owner));
    let equipment = updates.equipment.add(owner.company_id, 10.0);
    let request = SubmitUpdateRequest {
        client_id: "guessed".to_owned(),
        ..reading(equipment, 11.0)
    };
    let first = updates.submit(&one, request.clone()).await.unwrap();
    for by in [&other, &owner] {
        let taken = updates.submit(by, request.clone()).await.unwrap_err();
        assert_eq!(taken.code(), Code::FailedPrecondition);
        assert_eq!(reason(&taken), "CLIENT_ID_TAKEN");
        assert_eq!(taken.message(), "This update's id is already taken.");
    }
    assert_eq!(updates.count("updates").await, 1);
    let again = updates.submit(&one, request).await.unwrap();
    assert_eq!((again.update, again.created), (first.update, false));
    // Also concurrently, and with the same id in another company.
    let request = SubmitUpdateRequest {
        client_id: "raced".to_owned(),
        ..reading(equipment, 12.0)
    };
    let (one, other) = tokio::join!(
        updates.submit(&one, request.clone()),
        updates.submit(&other, request.clone()),
    );
    let (stored, taken): (Vec<_>, Vec<_>) = [one, other].into_iter().partition(Result::is_ok);
    assert_eq!((stored.len(), taken.len()), (1, 1));
    assert_eq!(reason(taken[0].as_ref().unwrap_err()), "CLIENT_ID_TAKEN");
    let stranger = hourmeter_runtime::testing::owner();
    let theirs = updates.equipment.add(stranger.company_id, 1.0);
    let request = SubmitUpdateRequest {
        equipment_id: theirs.to_string(),
        ..request
    };
    assert!(updates.submit(&stranger, request).await.unwrap().created);
}

#[tokio::test]
async fn submit_repeat_with_an_idempotency_key_is_stored_once() {
    let updates = TestUpdates::new().await;
    let manager = owner();
    let (operator, colleague) = (operator_of(&manager), operator_of(&manager));
    let equipment = updates.equipment.add(operator.company_id, 10.0);
    let submit = async |by: &Identity, client_id: &str, usage: f64| {
        let message = SubmitUpdateRequest {
            client_id: client_id.to_owned(),
            ..reading(equipment, usage)
        };
        let mut request = as_person(Service::OperatorUpdates, by, message);
        let key = "k".parse().unwrap();
        request.metadata_mut().insert(IDEMPOTENCY_HEADER, key);
        let answer = updates.client().submit_update(request).await;
        answer.map(tonic::Response::into_inner)
    };
    let first = submit(&operator, "", 12.0).await.unwrap();
    assert_eq!(submit(&operator, "", 12.0).await.unwrap(), first);
    let reused = submit(&operator, "", 13.0).await.unwrap_err();
    assert_eq!(reason(&reused), "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(updates.count("updates").await, 1);
    // Keys are per person, and a client id needs no key.
    assert!(submit(&colleague, "", 12.0).await.unwrap().created);
    assert!(submit(&operator, "phone-1", 14.0).await.unwrap().created);
    assert!(!submit(&operator, "phone-1", 14.0).await.unwrap().created);
    assert_eq!(updates.count("updates").await, 3);
    // A repeat gets the current state while equipment is unavailable.
    let id = first.update.unwrap().id;
    let rejected = updates.reject(&manager, &id, "Wrong machine").await;
    rejected.unwrap();
    updates.equipment.set(Mode::Unavailable);
    let late = submit(&operator, "", 12.0).await.unwrap();
    let row = late.update.unwrap();
    assert!(late.created && row.id == id);
    assert_eq!(row.status(), UpdateStatus::Rejected);
}
