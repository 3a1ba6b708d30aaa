//! `SubmitUpdate`: refusals.

use hourmeter_proto::operator_updates::v1::SubmitUpdateRequest;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::testing::{operator_of, owner};
use prost_types::Timestamp;
use tonic::Code;

use crate::support::{TestUpdates, reading};

/// Asserts that a change to a valid update is refused with this message and these fields.
async fn refused(
    change: impl Fn(&mut SubmitUpdateRequest),
    message: &str,
    fields: &[&str],
    updates: &TestUpdates,
) {
    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let mut request = reading(equipment, 5.0);
    change(&mut request);
    let shown = format!("{request:?}");
    let status = updates.submit(&operator, request).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{shown}");
    assert_eq!(status.message(), message, "{shown}");
    let failure = ServiceError::from_status(&status);
    let names: Vec<_> = failure
        .fields
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, fields, "{shown}");
}

#[tokio::test]
async fn submit_needs_equipment() {
    let updates = TestUpdates::new().await;
    for missing in ["", "   "] {
        refused(
            |request| request.equipment_id = missing.to_owned(),
            "No Equipment Selected",
            &["equipmentId"],
            &updates,
        )
        .await;
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_needs_some_content() {
    let updates = TestUpdates::new().await;
    for (fuel, notes) in [(None, ""), (Some(0.0), ""), (Some(-0.0), "  \n ")] {
        refused(
            |request| {
                request.new_usage = None;
                request.fuel_added = fuel;
                request.notes = notes.to_owned();
            },
            "No Information Provided",
            &["newUsage"],
            &updates,
        )
        .await;
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_refuses_invalid_numbers() {
    let updates = TestUpdates::new().await;
    for bad in [
        -1.0,
        -0.01,
        1.001,
        f64::NAN,
        f64::INFINITY,
        1_000_000_000.01,
    ] {
        refused(
            |request| request.new_usage = Some(bad),
            "Invalid Usage",
            &["newUsage"],
            &updates,
        )
        .await;
        refused(
            |request| request.fuel_added = Some(bad),
            "Invalid Fuel Amount",
            &["fuelAdded"],
            &updates,
        )
        .await;
        refused(
            |request| {
                request.new_usage = None;
                request.fuel_added = Some(bad);
            },
            "Invalid Fuel Amount",
            &["fuelAdded"],
            &updates,
        )
        .await;
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_limits_texts() {
    let updates = TestUpdates::new().await;
    let forbidden = "Contains characters that are not allowed.";
    for (notes, message) in [
        ("n".repeat(5001), "Must be at most 5000 characters."),
        ("a\0b".to_owned(), forbidden),
        ("a\u{202E}b".to_owned(), forbidden),
    ] {
        let set = |request: &mut SubmitUpdateRequest| request.notes.clone_from(&notes);
        refused(set, message, &["notes"], &updates).await;
    }
    for (id, message) in [
        ("c".repeat(101), "Must be at most 100 characters."),
        ("a\nb".to_owned(), forbidden),
        ("a\u{200B}b".to_owned(), forbidden),
    ] {
        let set = |request: &mut SubmitUpdateRequest| request.client_id.clone_from(&id);
        refused(set, message, &["clientId"], &updates).await;
    }
    assert_eq!(updates.count("updates").await, 0);

    let operator = operator_of(&owner());
    let equipment = updates.equipment.add(operator.company_id, 1.0);
    let longest = SubmitUpdateRequest {
        notes: "ñ".repeat(5000),
        client_id: "c".repeat(100),
        ..reading(equipment, 1e9)
    };
    assert!(updates.submit(&operator, longest).await.unwrap().created);
}

#[tokio::test]
async fn submit_refuses_unknown_times_and_fuels() {
    let updates = TestUpdates::new().await;
    for (seconds, nanos) in [
        (i64::MAX, 0),
        (i64::MIN, 0),
        (-62_135_596_801, 0),
        (253_402_300_800, 0),
        (0, -1),
        (0, i32::MAX),
    ] {
        refused(
            |request| request.captured_at = Some(Timestamp { seconds, nanos }),
            "Is not a time.",
            &["capturedAt"],
            &updates,
        )
        .await;
    }
    for kind in [-1, 3, 99] {
        refused(
            |request| request.fuel_kind = kind,
            "Must be gas or diesel.",
            &["fuelType"],
            &updates,
        )
        .await;
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn submit_reports_all_errors() {
    let updates = TestUpdates::new().await;
    refused(
        |request| {
            request.equipment_id.clear();
            request.new_usage = Some(-1.0);
            request.fuel_added = Some(f64::NAN);
            request.notes = "\u{1b}".to_owned();
        },
        "No Equipment Selected",
        &["equipmentId", "newUsage", "fuelAdded", "notes"],
        &updates,
    )
    .await;
}
