//! Counts for support staff.

use hourmeter_proto::equipment::v1::staff_service_client::StaffServiceClient;
use hourmeter_proto::equipment::v1::{CountEquipmentRequest, EquipmentCount};
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{as_staff, owner, staff};
use uuid::Uuid;

use crate::support::{CallResult, World, fold, invalid_fields, named};

async fn counts(world: &World, ids: &[Uuid]) -> CallResult<Vec<EquipmentCount>> {
    let company_ids = ids.iter().map(Uuid::to_string).collect();
    let request = CountEquipmentRequest { company_ids };
    let request = as_staff(Service::Equipment, &staff(), request);
    let mut client = StaffServiceClient::new(world.backend.clone());
    let answer = fold(client.count_equipment(request).await)?;
    Ok(answer.counts)
}

#[tokio::test]
async fn count_equipment_counts_active_equipment_of_each_company() {
    let world = World::new().await;
    let other = owner();
    for name in ["Loader", "Truck", "Saw"] {
        world.create(named(name)).await.unwrap();
    }
    let retired = world.create(named("Old loader")).await.unwrap();
    world.retire(&retired.id, "").await.unwrap();
    world.create_as(&other, named("Crane")).await.unwrap();
    let (ours, theirs) = (world.owner.company_id, other.company_id);
    let count = |company: Uuid, active| EquipmentCount {
        company_id: company.to_string(),
        active,
    };
    assert_eq!(counts(&world, &[ours]).await.unwrap(), [count(ours, 3)]);
    let mut found = counts(&world, &[theirs, ours, Uuid::now_v7()])
        .await
        .unwrap();
    found.sort_by_key(|count| count.active);
    assert_eq!(found, [count(theirs, 1), count(ours, 3)]);
    assert!(counts(&world, &[]).await.unwrap().is_empty());
    let many = vec![Uuid::now_v7(); 501];
    invalid_fields(counts(&world, &many).await, &["companyIds"]);
}
