use std::time::Duration;

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::Kind;
use sqlx::{AssertSqlSafe, Executor as _};

use crate::support::{World, named, not_found, parts, refused, unknown_ids};

#[tokio::test]
async fn delete_removes_ledger_and_all_other_rows() {
    let world = World::new().await;
    let mut premium = world.owner.clone();
    premium.entitlements.parts_entry = true;
    let input = v1::EquipmentInput {
        service_parts: Some(parts(&["Filter"])),
        ..named("A")
    };
    let made = world.create_as(&premium, input).await.unwrap();
    let stays = world.create(named("B")).await.unwrap();
    for id in [&made.id, &stays.id] {
        world.note(id, "text").await.unwrap();
    }
    world.delete(&made.id).await.unwrap();
    let failure = refused(
        world.get(&made.id).await,
        Kind::NotFound,
        "EQUIPMENT_DELETED",
    );
    assert_eq!(failure.message, "A was deleted.");
    let tasks = world.tasks(&made.id).await;
    refused(tasks, Kind::NotFound, "EQUIPMENT_DELETED");
    not_found(world.notes(&made.id).await);
    not_found(world.history(&made.id).await);
    assert_eq!(world.history("").await.unwrap().len(), 1);
    assert_eq!(world.notes(&stays.id).await.unwrap().len(), 1);

    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let (rows,): (i64,) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM ledger WHERE company_id = $1)
              + (SELECT count(*) FROM service_tasks WHERE company_id = $1)
              + (SELECT count(*) FROM service_parts WHERE company_id = $1)",
    )
    .bind(world.owner.company_id)
    .fetch_one(&mut admin)
    .await
    .unwrap();
    assert_eq!(rows, 2);
}

#[tokio::test]
async fn delete_of_retired_equipment_is_not_found() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    not_found(world.delete(&made.id).await);
    not_found(world.delete(&retired.id).await);
    for id in unknown_ids() {
        not_found(world.delete(&id).await);
    }
    assert_eq!(world.history(&made.id).await.unwrap().len(), 1);
    assert_eq!(world.archive(None).await.unwrap().retired.len(), 1);
}

#[tokio::test]
async fn add_note_during_deletion_is_not_found() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let (company, id) = (world.owner.company_id, &made.id);
    let delete =
        format!("BEGIN; DELETE FROM equipment WHERE company_id = '{company}' AND id = '{id}'");
    admin.execute(AssertSqlSafe(delete)).await.unwrap();
    let commit = async {
        // Meanwhile the note waits for the deletion.
        tokio::time::sleep(Duration::from_millis(200)).await;
        admin.execute("COMMIT").await.unwrap();
    };
    let (note, ()) = tokio::join!(world.note(id, "text"), commit);
    not_found(note);
}
