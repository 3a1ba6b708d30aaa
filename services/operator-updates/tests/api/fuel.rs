//! Fuel that a manager corrects while applying an update.

use hourmeter_proto::equipment::v1::{FuelKind as EquipmentFuel, MeterUnit, SentValues};
use hourmeter_proto::operator_updates::v1::*;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::owner;
use uuid::Uuid;

use crate::support::{TestUpdates, reading, reason};

fn fill(equipment: Uuid, new_usage: Option<f64>, gallons: f64) -> SubmitUpdateRequest {
    SubmitUpdateRequest {
        new_usage,
        fuel_added: Some(gallons),
        fuel_kind: FuelKind::Gas.into(),
        full_fill: true,
        ..reading(equipment, 0.0)
    }
}

fn corrected(update: &OperatorUpdate, gallons: f64) -> ApplyUpdateRequest {
    ApplyUpdateRequest {
        id: update.id.clone(),
        fuel_added: Some(gallons),
        ..ApplyUpdateRequest::default()
    }
}

async fn sent(updates: &TestUpdates, by: &Identity, new: SubmitUpdateRequest) -> OperatorUpdate {
    updates.submit(by, new).await.unwrap().update.unwrap()
}

#[tokio::test]
async fn apply_corrected_fuel_keeps_what_was_sent() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let update = sent(&updates, &owner, fill(equipment, Some(110.0), 400.0)).await;
    let request = ApplyUpdateRequest {
        fuel_kind: FuelKind::Diesel.into(),
        ..corrected(&update, 40.0)
    };
    let applied = updates
        .apply_request(&owner, request.clone())
        .await
        .unwrap();
    assert_eq!(
        (applied.fuel_added, applied.applied_fuel),
        (400.0, Some(40.0))
    );
    assert_eq!(applied.applied_fuel_kind(), FuelKind::Diesel);
    assert_eq!(
        (applied.applied_usage, applied.applied_reading),
        (Some(110.0), None)
    );
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!(
        (effect.fuel_added, effect.fuel_kind(), effect.full_fill),
        (40.0, EquipmentFuel::Diesel, true)
    );
    assert!(!effect.replace_meter, "the reading is as reported");
    let expected = SentValues {
        reading: Some(110.0),
        usage_increase: None,
        unit: MeterUnit::Hours.into(),
        fuel_added: 400.0,
        fuel_kind: EquipmentFuel::Gas.into(),
    };
    assert_eq!(effect.sent, Some(expected));
    let again = updates.apply_request(&owner, request).await.unwrap();
    assert_eq!(again, applied);

    let undone = updates.undo(&owner, &update.id).await.unwrap();
    assert_eq!(undone.applied_fuel, None);
    let as_sent = updates.apply(&owner, &update.id, None).await.unwrap();
    assert_eq!(as_sent.applied_fuel, None);
    let effect = updates.equipment.state().effects[1].clone();
    assert_eq!((effect.fuel_added, effect.sent), (400.0, None));
}

#[tokio::test]
async fn apply_fuel_equal_to_the_reported_one_is_no_correction() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let update = sent(&updates, &owner, fill(equipment, None, 40.0)).await;
    let applied = updates
        .apply_request(&owner, corrected(&update, 40.0))
        .await;
    assert_eq!(applied.unwrap().applied_fuel, None);
    assert_eq!(updates.equipment.state().effects[0].sent, None);
    // A manager's reading that equals the reported one can set the meter back.
    let update = updates.submitted(&owner, equipment, 120.0).await;
    updates
        .apply(&owner, &update.id, Some(120.0))
        .await
        .unwrap();
    let effect = updates.equipment.state().effects[1].clone();
    assert_eq!(effect.sent.unwrap().reading, Some(120.0));
    let update = updates.submitted(&owner, equipment, 1300.0).await;
    updates
        .apply(&owner, &update.id, Some(130.0))
        .await
        .unwrap();
    let effect = updates.equipment.state().effects[2].clone();
    assert_eq!(effect.sent.unwrap().reading, Some(1300.0));
}

#[tokio::test]
async fn apply_without_fuel_needs_something_else() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 100.0);
    let only_fuel = sent(&updates, &owner, fill(equipment, None, 40.0)).await;
    let refused = updates
        .apply_request(&owner, corrected(&only_fuel, 0.0))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    assert_eq!(updates.count("decisions").await, 0);
    let negative = updates
        .apply_request(&owner, corrected(&only_fuel, -1.0))
        .await
        .unwrap_err();
    assert_eq!(reason(&negative), "FUEL_AMOUNT_INVALID");
    let with_reading = ApplyUpdateRequest {
        new_usage: Some(104.0),
        ..corrected(&only_fuel, 0.0)
    };
    let applied = updates.apply_request(&owner, with_reading).await.unwrap();
    assert_eq!(
        (applied.applied_fuel, applied.applied_usage),
        (Some(0.0), Some(104.0))
    );
    let effect = updates.equipment.state().effects[0].clone();
    assert_eq!((effect.fuel_added, effect.full_fill), (0.0, false));

    let with_notes = SubmitUpdateRequest {
        notes: "Tank leaks".to_owned(),
        ..fill(equipment, None, 40.0)
    };
    let update = sent(&updates, &owner, with_notes).await;
    let applied = updates.apply_request(&owner, corrected(&update, 0.0)).await;
    assert_eq!(applied.unwrap().applied_fuel, Some(0.0));
}
