//! Content and retention of the audit log.

use hourmeter_proto::common::v1::{AuditEvent, AuditQuery};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::audit::delete_expired;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;
use uuid::Uuid;

use crate::support::{CallResult, World, fold, invalid_fields, keyed, named, page, refused};

async fn log(
    world: &World,
    who: &Identity,
    query: AuditQuery,
) -> CallResult<v1::ListAuditEventsResponse> {
    let message = v1::ListAuditEventsRequest { query: Some(query) };
    let request = as_person(Service::Equipment, who, message);
    fold(world.client().list_audit_events(request).await)
}

async fn whole(world: &World) -> Vec<AuditEvent> {
    let answer = log(world, &world.owner, AuditQuery::default()).await;
    answer.unwrap().events
}

fn words(events: &[AuditEvent]) -> Vec<(&str, &str)> {
    let pairs = events.iter();
    pairs
        .map(|event| (event.event.as_str(), event.target_name.as_str()))
        .collect()
}

#[tokio::test]
async fn audit_log_records_retire_restore_delete_and_reset() {
    let world = World::new().await;
    let made = world.create(named("Loader")).await.unwrap();
    let retired = world.retire(&made.id, "").await.unwrap();
    world.restore(&retired.id).await.unwrap();
    world.reset_fuel().await.unwrap();
    world.delete(&made.id).await.unwrap();
    let events = whole(&world).await;
    assert_eq!(
        words(&events),
        [
            ("equipment_deleted", "Loader"),
            ("fuel_reset", ""),
            ("equipment_restored", "Loader"),
            ("equipment_retired", "Loader"),
        ]
    );
    let deleted = &events[0];
    let expected = AuditEvent {
        id: deleted.id.clone(),
        at: deleted.at,
        event: "equipment_deleted".to_owned(),
        outcome: "success".to_owned(),
        actor_id: Some(world.owner.user_id.to_string()),
        actor_name: "Olivia Owner".to_owned(),
        scope: "full".to_owned(),
        address_prefix: "192.0.2.0/24".to_owned(),
        request_id: world.owner.request_id.to_string(),
        target_id: Some(made.id.clone()),
        target_name: "Loader".to_owned(),
        detail: String::new(),
    };
    assert_eq!(*deleted, expected);
}

#[tokio::test]
async fn audit_log_has_no_failed_requests() {
    let world = World::new().await;
    let made = world.create(named("Loader")).await.unwrap();
    assert!(world.delete(&Uuid::now_v7().to_string()).await.is_err());
    assert!(world.retire(&Uuid::now_v7().to_string(), "").await.is_err());
    assert!(world.restore(&made.id).await.is_err());
    assert_eq!(whole(&world).await, []);
    // A repeated retirement adds one entry.
    for _ in 0..2 {
        let message = v1::RetireEquipmentRequest {
            id: made.id.clone(),
            retirement_notes: String::new(),
        };
        let request = keyed("key", as_person(Service::Equipment, &world.owner, message));
        world.client().retire_equipment(request).await.unwrap();
    }
    assert_eq!(whole(&world).await.len(), 1);
}

#[tokio::test]
async fn audit_log_is_visible_to_the_owner_only() {
    let world = World::new().await;
    world.reset_fuel().await.unwrap();
    let manager = Identity {
        role: hourmeter_proto::accounts::v1::Role::Manager,
        user_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    let answer = log(&world, &manager, AuditQuery::default()).await;
    refused(answer, Kind::Forbidden, "FORBIDDEN");
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    let answer = log(&world, &stranger, AuditQuery::default()).await;
    assert_eq!(answer.unwrap().events, []);
}

#[tokio::test]
async fn audit_log_has_pages_and_filters() {
    let world = World::new().await;
    let mut names = Vec::new();
    for n in 0..5 {
        let made = world.create(named(&format!("M{n}"))).await.unwrap();
        world.delete(&made.id).await.unwrap();
        names.insert(0, format!("M{n}"));
    }
    world.reset_fuel().await.unwrap();
    let mut query = AuditQuery {
        events: vec!["equipment_deleted".to_owned()],
        page: Some(page(2, "")),
        ..AuditQuery::default()
    };
    let mut read = Vec::new();
    loop {
        let answer = log(&world, &world.owner, query.clone()).await.unwrap();
        assert!(answer.events.len() <= 2);
        read.extend(answer.events.into_iter().map(|event| event.target_name));
        let next = answer.page.unwrap().next_cursor;
        if next.is_empty() {
            break;
        }
        query.page = Some(page(2, &next));
    }
    assert_eq!(read, names);

    let all = whole(&world).await;
    let count = async |query| {
        let answer = log(&world, &world.owner, query).await;
        answer.unwrap().events.len()
    };
    let third = all[2].at;
    let from = AuditQuery {
        from: third,
        ..AuditQuery::default()
    };
    assert_eq!(count(from).await, 3);
    let to = AuditQuery {
        to: third,
        ..AuditQuery::default()
    };
    assert_eq!(count(to).await, 3);
    for (actor, expected) in [(world.owner.user_id, 6), (Uuid::now_v7(), 0)] {
        let by = AuditQuery {
            actor_id: actor.to_string(),
            ..AuditQuery::default()
        };
        assert_eq!(count(by).await, expected);
    }
    let nonsense = AuditQuery {
        events: vec!["nonsense".to_owned()],
        ..AuditQuery::default()
    };
    invalid_fields(log(&world, &world.owner, nonsense).await, &["event"]);
}

#[tokio::test]
async fn audit_log_is_kept_for_400_days() {
    let world = World::with_own_database().await;
    for days in [399, 401] {
        world.reset_fuel().await.unwrap();
        let sql = format!(
            "UPDATE audit_events SET at = now() - interval '{days} days', detail = '{days}'
            WHERE detail = ''"
        );
        world.tamper(&sql).await;
    }
    world.reset_fuel().await.unwrap();
    assert_eq!(delete_expired(&world.database.database).await.unwrap(), 1);
    let left: Vec<String> = whole(&world)
        .await
        .into_iter()
        .map(|event| event.detail)
        .collect();
    assert_eq!(left, ["", "399"]);
    assert_eq!(delete_expired(&world.database.database).await.unwrap(), 0);
}
