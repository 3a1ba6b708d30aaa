//! Groups of equipment.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{World, fold, invalid_fields, named};

fn grouped(name: &str, group: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        group: Some(group.to_owned()),
        ..named(name)
    }
}

fn regrouped(group: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        group: Some(group.to_owned()),
        ..Default::default()
    }
}

async fn groups(world: &World) -> Vec<String> {
    let message = v1::GetSummaryRequest {};
    let request = as_person(Service::Equipment, &world.owner, message);
    let summary = fold(world.client().get_summary(request).await).unwrap();
    summary.groups
}

#[tokio::test]
async fn group_is_stored_changed_and_cleared() {
    let world = World::new().await;
    let made = world.create(grouped("Loader", "  Crew North "));
    let made = made.await.unwrap();
    assert_eq!(made.group.as_deref(), Some("Crew North"));

    let changed = world.update(&made.id, regrouped("Site 12"), None).await;
    assert_eq!(changed.unwrap().group.as_deref(), Some("Site 12"));
    let record = &world.history(&made.id).await.unwrap()[0];
    assert_eq!(record.content, "Group: Crew North → Site 12");
    let kept = world.update(&made.id, named("Loader 2"), None).await;
    assert_eq!(kept.unwrap().group.as_deref(), Some("Site 12"));

    let cleared = world.update(&made.id, regrouped(" "), None).await;
    assert_eq!(cleared.unwrap().group, None);
}

#[tokio::test]
async fn group_has_at_most_60_characters_in_one_line() {
    let world = World::new().await;
    world.create(grouped("A", &"ñ".repeat(60))).await.unwrap();
    for wrong in [&"ñ".repeat(61), "two\nlines"] {
        invalid_fields(world.create(grouped("B", wrong)).await, &["group"]);
    }
}

#[tokio::test]
async fn group_is_kept_in_the_archive() {
    let world = World::new().await;
    let made = world.create(grouped("Loader", "North")).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    assert_eq!(retired.group.as_deref(), Some("North"));
    assert_eq!(groups(&world).await, [""; 0]);
    let back = world.restore(&retired.id).await.unwrap();
    assert_eq!(back.group.as_deref(), Some("North"));
}

#[tokio::test]
async fn summary_has_the_groups_in_natural_order() {
    let world = World::new().await;
    let other = World::new().await;
    for (name, group) in [
        ("A", "Site 12"),
        ("B", "Site 2"),
        ("C", ""),
        ("D", "Site 2"),
    ] {
        world.create(grouped(name, group)).await.unwrap();
    }
    other.create(grouped("A", "Theirs")).await.unwrap();
    assert_eq!(groups(&world).await, ["Site 2", "Site 12"]);
}

#[tokio::test]
async fn list_filters_by_group() {
    let world = World::new().await;
    for (name, group) in [("A", "North"), ("B", "North 2"), ("C", ""), ("D", "North")] {
        world.create(grouped(name, group)).await.unwrap();
    }
    for (group, expected) in [
        (None, vec!["A", "B", "C", "D"]),
        (Some("North"), vec!["A", "D"]),
        (Some(" North 2 "), vec!["B"]),
        (Some("Nort"), vec![]),
        (Some(""), vec!["C"]),
    ] {
        let request = v1::ListEquipmentRequest {
            group: group.map(str::to_owned),
            ..Default::default()
        };
        assert_eq!(world.list(request).await.unwrap().0, expected, "{group:?}");
    }
    let long = v1::ListEquipmentRequest {
        group: Some("n".repeat(61)),
        ..Default::default()
    };
    invalid_fields(world.list(long).await, &["group"]);
}

#[tokio::test]
async fn list_finds_equipment_by_part_of_its_group() {
    let world = World::new().await;
    let loader = v1::EquipmentInput {
        unit_number: Some("N-1".to_owned()),
        ..grouped("Loader", "Equipo Ñandú")
    };
    world.create(loader).await.unwrap();
    world.create(grouped("Truck", "Site 12")).await.unwrap();
    for (text, expected) in [
        ("nandu", vec!["Loader"]),
        ("SITE", vec!["Truck"]),
        ("n-1", vec!["Loader"]),
        ("truck", vec!["Truck"]),
        ("equipo site", vec![]),
    ] {
        let request = v1::ListEquipmentRequest {
            search: text.to_owned(),
            ..Default::default()
        };
        assert_eq!(world.list(request).await.unwrap().0, expected, "{text}");
    }
}

#[tokio::test]
async fn fuel_entries_have_the_group_of_their_equipment() {
    let world = World::new().await;
    for (name, group) in [("A", "North"), ("B", "")] {
        let made = world.create(grouped(name, group)).await.unwrap();
        let entry = v1::RecordUsageRequest {
            id: made.id,
            fuel_added: Some(5.0),
            ..Default::default()
        };
        world.record(entry).await.unwrap();
    }
    let message = v1::ListHistoryRequest {
        fuel_only: true,
        ..Default::default()
    };
    let request = as_person(Service::Equipment, &world.owner, message);
    let listed = fold(world.client().list_history(request).await).unwrap();
    let mut groups: Vec<(String, Option<String>)> = listed
        .records
        .into_iter()
        .map(|record| (record.equipment_name, record.group))
        .collect();
    groups.sort();
    let expected = [
        ("A".to_owned(), Some("North".to_owned())),
        ("B".to_owned(), None),
    ];
    assert_eq!(groups, expected);
}
