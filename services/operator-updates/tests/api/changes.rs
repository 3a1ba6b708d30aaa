//! `GetUpdatesMarker` and events.

use hourmeter_proto::operator_updates::v1::UpdateStatus;
use hourmeter_runtime::events::{Event, Topic};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tokio::sync::broadcast::Receiver;

use crate::fake_equipment::Mode;
use crate::support::{TestUpdates, reading};

/// Events received since the last call.
fn received(watcher: &mut Receiver<Event>) -> Vec<Event> {
    let mut events = Vec::new();
    while let Ok(event) = watcher.try_recv() {
        events.push(event);
    }
    events
}

fn about(operator: &Identity) -> Event {
    Event {
        company_id: operator.company_id,
        topic: Topic::OperatorUpdates,
        person_id: Some(operator.user_id),
        equipment_id: None,
    }
}

#[tokio::test]
async fn changes_publish_an_event_and_change_the_marker() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let auto = Identity {
        auto_apply_updates: true,
        ..owner.clone()
    };
    let (operator, other) = (operator_of(&owner), operator_of(&owner));
    let mut watcher = updates.events.subscribe();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let there = updates.equipment.add(owner.company_id, 900.0);
    let mut markers = vec![updates.marker(&owner).await];
    let others = updates.marker(&other).await;
    // No event for the other operator, and another marker for everyone else.
    let mut changed = async |what: &str, watcher: &mut Receiver<Event>| {
        let events = received(watcher);
        assert!(!events.is_empty(), "{what}: no event was published");
        assert!(
            events.iter().all(|event| *event == about(&operator)),
            "{what}"
        );
        let marker = updates.marker(&owner).await;
        assert_eq!(updates.marker(&owner).await, marker, "{what}: it is stable");
        assert!(!markers.contains(&marker), "{what}: the same marker");
        markers.push(marker);
        assert_eq!(updates.marker(&other).await, others, "{what}");
    };

    let first = updates.submitted(&operator, machine, 5.0).await;
    changed("submitted", &mut watcher).await;
    updates.reject(&owner, &first.id, "no").await.unwrap();
    changed("rejected", &mut watcher).await;
    let wrong = updates.submitted(&operator, machine, 6.0).await;
    received(&mut watcher);
    updates.withdraw(&operator, &wrong.id).await.unwrap();
    changed("withdrawn by its author", &mut watcher).await;
    let second = updates.submitted(&operator, machine, 6.0).await;
    changed("submitted again", &mut watcher).await;
    let moved = updates.move_to(&owner, &second.id, there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Pending);
    changed("moved", &mut watcher).await;
    updates
        .apply(&owner, &second.id, Some(950.0))
        .await
        .unwrap();
    changed("applied", &mut watcher).await;
    let operator_auto = Identity {
        auto_apply_updates: auto.auto_apply_updates,
        ..operator.clone()
    };
    let recent = updates.submitted(&operator_auto, machine, 7.0).await;
    assert_eq!(recent.status(), UpdateStatus::Recent);
    changed("applied automatically", &mut watcher).await;
    updates.acknowledge(&owner, &recent.id).await.unwrap();
    changed("acknowledged", &mut watcher).await;
    let recent = updates.submitted(&operator_auto, machine, 8.0).await;
    received(&mut watcher);
    let seen = updates.acknowledge_many(&owner, vec![recent.id]).await;
    assert!(seen.unwrap()[0].ok);
    changed("acknowledged in bulk", &mut watcher).await;
    let third = updates.submitted(&operator, machine, 9.0).await;
    changed("submitted once more", &mut watcher).await;
    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &third.id, None).await.is_err());
    changed("decided", &mut watcher).await;
    updates.equipment.remove(owner.company_id, machine);
    updates.equipment.set(Mode::Normal);
    updates.drained().await;
    changed("discarded", &mut watcher).await;
}

#[tokio::test]
async fn unchanged_updates_publish_no_event() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 10.0);
    let mut request = reading(machine, 11.0);
    request.client_id = "once".to_owned();
    updates.submit(&operator, request.clone()).await.unwrap();
    let rejected = updates.submitted(&operator, machine, 12.0).await;
    updates.reject(&owner, &rejected.id, "").await.unwrap();
    let below = updates.submitted(&operator, machine, 1.0).await;
    let mut watcher = updates.events.subscribe();
    let (all, own) = (
        updates.marker(&owner).await,
        updates.marker(&operator).await,
    );
    updates.submit(&operator, request).await.unwrap();
    updates.reject(&owner, &rejected.id, "").await.unwrap();
    assert!(updates.apply(&owner, &below.id, None).await.is_err());
    assert!(updates.apply(&owner, &rejected.id, None).await.is_err());
    assert!(updates.move_to(&owner, &below.id, machine).await.is_err());
    assert!(updates.acknowledge(&owner, &below.id).await.is_err());
    updates.review(&owner, 0).await.unwrap();
    let ids = vec![below.id.clone(), rejected.id.clone()];
    updates.apply_many(&owner, ids.clone()).await.unwrap();
    updates.acknowledge_many(&owner, ids).await.unwrap();
    assert_eq!(received(&mut watcher), []);
    assert_eq!(updates.marker(&owner).await, all);
    assert_eq!(updates.marker(&operator).await, own);
}

#[tokio::test]
async fn marker_is_per_company_and_operator() {
    let updates = TestUpdates::new().await;
    let (ours, theirs) = (owner(), owner());
    let (first, second) = (operator_of(&ours), operator_of(&ours));
    let machine = updates.equipment.add(ours.company_id, 1.0);
    let before = [
        updates.marker(&ours).await,
        updates.marker(&first).await,
        updates.marker(&second).await,
        updates.marker(&theirs).await,
    ];
    assert!(before.iter().all(|marker| !marker.is_empty()));
    updates.submitted(&first, machine, 5.0).await;
    assert_ne!(updates.marker(&ours).await, before[0]);
    assert_ne!(updates.marker(&first).await, before[1]);
    assert_eq!(updates.marker(&second).await, before[2]);
    assert_eq!(updates.marker(&theirs).await, before[3]);
}

#[tokio::test]
async fn marker_changes_with_late_commits() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let first = updates.submitted(&owner, machine, 5.0).await;
    let id: uuid::Uuid = first.id.parse().unwrap();
    let database = &updates.database.database;
    let mut slow = database.tenant(owner.tenant()).await.unwrap();
    sqlx::query("UPDATE updates SET notes = 'slow' WHERE id = $1")
        .bind(id)
        .execute(&mut *slow)
        .await
        .unwrap();
    updates.submitted(&owner, machine, 6.0).await;
    let before = updates.marker(&owner).await;
    slow.commit().await.unwrap();
    assert_ne!(updates.marker(&owner).await, before);
}

#[tokio::test]
async fn marker_changes_with_rows_of_old_processes() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    updates.submitted(&owner, machine, 5.0).await;
    let before = updates.marker(&owner).await;
    // Without the later columns.
    updates
        .execute("UPDATE updates SET status = 'rejected', reject_reason = 'x'")
        .await;
    let between = updates.marker(&owner).await;
    assert_ne!(between, before);
    updates
        .execute(
            "INSERT INTO updates (
                company_id, id, equipment_id, equipment_name, operator_id, operator_name,
                new_usage, fuel_added, fuel_kind, notes, status, client_id, captured_at,
                below_current, flags, created_at
            )
            SELECT
                company_id, gen_random_uuid(), equipment_id, equipment_name, operator_id,
                operator_name, new_usage, fuel_added, fuel_kind, notes, 'pending', 'old',
                captured_at, below_current, flags, created_at
            FROM updates",
        )
        .await;
    assert_ne!(updates.marker(&owner).await, between);
    let row = updates.review(&owner, 0).await.unwrap().updates.remove(0);
    assert!(!row.late && row.reported_equipment_name.is_empty());
}

#[tokio::test]
async fn marker_reads_a_limited_number_of_rows() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    updates.submitted(&owner, machine, 5.0).await;
    // Rows as the migration leaves them.
    updates
        .execute("ALTER TABLE updates DISABLE TRIGGER mark_change")
        .await;
    let same = "INSERT INTO updates (
            company_id, id, equipment_id, equipment_name, operator_id, operator_name,
            new_usage, fuel_added, fuel_kind, notes, status, client_id, captured_at,
            below_current, flags, created_at, changed_at
        )
        SELECT
            company_id, gen_random_uuid(), equipment_id, equipment_name, operator_id,
            operator_name, new_usage, fuel_added, fuel_kind, notes, 'applied',
            gen_random_uuid()::text, captured_at, below_current, flags, created_at, changed_at
        FROM updates, generate_series(1, 1100) n
        WHERE status = 'pending'";
    updates.execute(same).await;
    let before = updates.marker(&owner).await;
    updates.execute(same).await;
    assert_eq!(updates.marker(&owner).await, before, "not all are read");
    updates
        .execute("ALTER TABLE updates ENABLE TRIGGER mark_change")
        .await;
    updates.submitted(&owner, machine, 6.0).await;
    assert_ne!(updates.marker(&owner).await, before);
}
