//! Unit numbers of machines.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;

use crate::support::{CallResult, World, invalid_fields, named, refused};

fn numbered(name: &str, unit_number: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        unit_number: Some(unit_number.to_owned()),
        ..named(name)
    }
}

fn renumbered(unit_number: &str) -> v1::EquipmentInput {
    v1::EquipmentInput {
        unit_number: Some(unit_number.to_owned()),
        ..Default::default()
    }
}

fn taken<T: std::fmt::Debug>(answer: CallResult<T>) {
    let failure = refused(answer, Kind::AlreadyExists, "UNIT_NUMBER_TAKEN");
    assert_eq!(failure.fields[0].0, "unitNumber");
}

#[tokio::test]
async fn unit_number_is_stored_changed_and_cleared() {
    let world = World::new().await;
    let made = world.create(numbered("Loader", "  EX-7 ")).await.unwrap();
    assert_eq!(made.unit_number.as_deref(), Some("EX-7"));
    let meters = world.meters(None).await.unwrap().meters;
    assert_eq!(meters[0].unit_number.as_deref(), Some("EX-7"));

    let changed = world.update(&made.id, renumbered("ex-8"), None).await;
    assert_eq!(changed.unwrap().unit_number.as_deref(), Some("ex-8"));
    let record = &world.history(&made.id).await.unwrap()[0];
    assert_eq!(record.content, "Unit number: EX-7 → ex-8");

    let cleared = world.update(&made.id, renumbered(" "), None).await;
    assert_eq!(cleared.unwrap().unit_number, None);
}

#[tokio::test]
async fn unit_number_has_at_most_50_characters() {
    let world = World::new().await;
    world.create(numbered("A", &"ñ".repeat(50))).await.unwrap();
    invalid_fields(
        world.create(numbered("B", &"ñ".repeat(51))).await,
        &["unitNumber"],
    );
}

#[tokio::test]
async fn unit_number_is_unique_among_active_equipment_in_any_case() {
    let world = World::new().await;
    let first = world.create(numbered("First", "ex-7")).await.unwrap();
    let second = world.create(named("Second")).await.unwrap();
    taken(world.create(numbered("Third", "EX-7")).await);
    taken(world.update(&second.id, renumbered("Ex-7"), None).await);

    let retired = world.retire(&first.id, "").await.unwrap();
    assert_eq!(retired.unit_number.as_deref(), Some("ex-7"));
    world
        .update(&second.id, renumbered("EX-7"), None)
        .await
        .unwrap();
    taken(world.restore(&retired.id).await);
    world
        .update(&second.id, renumbered(""), None)
        .await
        .unwrap();
    let back = world.restore(&retired.id).await.unwrap();
    assert_eq!(back.unit_number.as_deref(), Some("ex-7"));
}

#[tokio::test]
async fn unit_number_is_unique_within_one_company_only() {
    let world = World::new().await;
    let other = World::new().await;
    world.create(numbered("Ours", "1")).await.unwrap();
    other.create(numbered("Theirs", "1")).await.unwrap();
}

#[tokio::test]
async fn unit_number_of_concurrent_creations_is_given_once() {
    let world = World::new().await;
    let answers = futures::future::join_all(
        ["A", "B", "C", "D"].map(|name| world.create(numbered(name, "7"))),
    )
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(world.names().await.len(), 1);
}

#[tokio::test]
async fn list_finds_equipment_by_part_of_its_unit_number() {
    let world = World::new().await;
    world.create(numbered("Loader", "EX_7%")).await.unwrap();
    world.create(numbered("Truck", "T-12")).await.unwrap();
    for (text, expected) in [
        ("ex_", vec!["Loader"]),
        ("7%", vec!["Loader"]),
        ("-12", vec!["Truck"]),
        ("e", vec!["Loader"]),
        ("x_7%t", vec![]),
    ] {
        let request = v1::ListEquipmentRequest {
            search: text.to_owned(),
            ..Default::default()
        };
        assert_eq!(world.list(request).await.unwrap().0, expected, "{text}");
    }
}

#[tokio::test]
async fn create_gives_ids_whose_first_characters_differ() {
    let world = World::new().await;
    let first = world.create(named("A")).await.unwrap();
    let second = world.create(named("B")).await.unwrap();
    assert_ne!(first.id[..8], second.id[..8]);
}
