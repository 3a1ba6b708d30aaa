//! Requests with an idempotency key.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::as_person;
use uuid::Uuid;

use crate::support::{World, fold, increase, invalid_fields, keyed, named, refused, with_usage};

/// Another manager of the same company.
fn colleague(world: &World) -> Identity {
    Identity {
        user_id: Uuid::now_v7(),
        ..world.owner.clone()
    }
}

async fn meter(world: &World, id: &str) -> String {
    world.get(id).await.unwrap().current_usage.to_string()
}

async fn kept(world: &World) -> i64 {
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    sqlx::query_scalar("SELECT count(*) FROM idempotency_keys WHERE company_id = $1")
        .bind(world.owner.company_id)
        .fetch_one(&mut admin)
        .await
        .unwrap()
}

#[tokio::test]
async fn idempotency_repeat_returns_the_first_response() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let entry = increase(&made.id, 7.5);
    let first = world.record_once(&world.owner, "k", entry.clone()).await;
    let first = first.unwrap();
    // Later changes are not part of the response.
    world.record(increase(&made.id, 1.0)).await.unwrap();
    let again = world.record_once(&world.owner, "k", entry.clone()).await;
    assert_eq!(again.unwrap(), first);
    assert_eq!(meter(&world, &made.id).await, "108.5");
    // Without a key, or with another one, it is another entry.
    world.record(entry.clone()).await.unwrap();
    world.record_once(&world.owner, "l", entry).await.unwrap();
    assert_eq!(meter(&world, &made.id).await, "123.5");
    assert_eq!(world.history(&made.id).await.unwrap().len(), 4);
    assert_eq!(kept(&world).await, 2);
    world.check_projections().await;
}

#[tokio::test]
async fn idempotency_concurrent_repeats_have_one_effect() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    world.warm_up().await;
    // Retries while all connections are busy, as the gateway does.
    let with_retries = async || {
        loop {
            let entry = increase(&made.id, 0.1);
            match world.record_once(&world.owner, "k", entry).await {
                Err(failure) if failure.kind == Kind::Unavailable => {}
                other => return other.unwrap(),
            }
        }
    };
    let answers = futures::future::join_all((0..50).map(|_| with_retries())).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(meter(&world, &made.id).await, "100.1");
    assert_eq!(world.history(&made.id).await.unwrap().len(), 1);
    world.check_projections().await;
}

#[tokio::test]
async fn idempotency_key_reused_for_another_request_is_refused() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let other = world.create(with_usage("B", 100.0)).await.unwrap();
    world
        .record_once(&world.owner, "k", increase(&made.id, 1.0))
        .await
        .unwrap();
    for entry in [increase(&made.id, 2.0), increase(&other.id, 1.0)] {
        let answer = world.record_once(&world.owner, "k", entry).await;
        let failure = refused(answer, Kind::KeyReused, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(failure.http_status(), 422);
    }
    assert_eq!(meter(&world, &made.id).await, "101");
    assert_eq!(meter(&world, &other.id).await, "100");
    // The same key for another RPC is another request.
    let message = v1::AddNoteRequest {
        equipment_id: made.id.clone(),
        content: "text".to_owned(),
        r#type: 0,
    };
    let note = keyed("k", as_person(Service::Equipment, &world.owner, message));
    fold(world.client().add_note(note).await).unwrap();
}

#[tokio::test]
async fn idempotency_keys_are_per_person_and_company() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let entry = increase(&made.id, 1.0);
    for who in [&world.owner, &colleague(&world)] {
        for _ in 0..2 {
            let answer = world.record_once(who, "k", entry.clone()).await;
            answer.unwrap();
        }
    }
    assert_eq!(meter(&world, &made.id).await, "102");

    // The same person's id in another company, which can't exist, finds nothing.
    let stranger = Identity {
        company_id: Uuid::now_v7(),
        ..world.owner.clone()
    };
    let theirs = world.create_as(&stranger, with_usage("B", 1.0)).await;
    let theirs = increase(&theirs.unwrap().id, 5.0);
    let answer = world.record_once(&stranger, "k", theirs).await.unwrap();
    assert_eq!(answer.current_usage.to_string(), "6");
    let foreign = world.record_once(&stranger, "new", entry).await;
    refused(foreign, Kind::NotFound, "NOT_FOUND");
    assert_eq!(meter(&world, &made.id).await, "102");
}

#[tokio::test]
async fn idempotency_refused_requests_do_not_claim_the_key() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let none = increase(&made.id, 0.0);
    invalid_fields(
        world.record_once(&world.owner, "k", none).await,
        &["usageIncrease"],
    );
    assert_eq!(kept(&world).await, 0);
    let entry = increase(&made.id, 1.0);
    world.record_once(&world.owner, "k", entry).await.unwrap();
    assert_eq!(meter(&world, &made.id).await, "101");
}

#[tokio::test]
async fn idempotency_invalid_keys_are_refused() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    for key in ["", "a\tb", &"k".repeat(256)] {
        let entry = increase(&made.id, 1.0);
        let answer = world.record_once(&world.owner, key, entry).await;
        invalid_fields(answer, &["Idempotency-Key"]);
    }
    assert_eq!(meter(&world, &made.id).await, "100");
    let entry = increase(&made.id, 1.0);
    let longest = "k".repeat(255);
    let answer = world.record_once(&world.owner, &longest, entry).await;
    answer.unwrap();
}

#[tokio::test]
async fn idempotency_keys_expire_after_a_day() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let entry = increase(&made.id, 1.0);
    // A claim at a multiple of 16 microseconds deletes old keys.
    let since = world.clock.now().timestamp_micros() % 16;
    world.later(TimeDelta::microseconds(16 - since));
    for n in 0..60 {
        let key = format!("k{n}");
        let answer = world.record_once(&world.owner, &key, entry.clone()).await;
        answer.unwrap();
    }
    world.later(TimeDelta::hours(24));
    world
        .record_once(&world.owner, "k0", increase(&made.id, 1.0))
        .await
        .unwrap();
    assert_eq!(meter(&world, &made.id).await, "160", "still a repeat");
    world.later(TimeDelta::microseconds(1));
    // The expired key can be used for another request.
    let answer = world
        .record_once(&world.owner, "k0", increase(&made.id, 2.0))
        .await
        .unwrap();
    assert_eq!(answer.current_usage.to_string(), "162");
    assert_eq!(kept(&world).await, 60);
    // Each deletion removes at most 50 keys.
    world.later(TimeDelta::microseconds(15));
    for (key, left) in [("a", 11), ("b", 3)] {
        world
            .record_once(&world.owner, key, increase(&made.id, 1.0))
            .await
            .unwrap();
        assert_eq!(kept(&world).await, left);
    }
}

#[tokio::test]
async fn idempotency_covers_every_creating_rpc() {
    let world = World::new().await;
    let who = world.owner.clone();
    let input = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..named("A")
    };
    let create = || {
        let equipment = Some(input.clone());
        let message = v1::CreateEquipmentRequest { equipment };
        keyed("k", as_person(Service::Equipment, &who, message))
    };
    let made = fold(world.client().create_equipment(create()).await).unwrap();
    let again = fold(world.client().create_equipment(create()).await).unwrap();
    assert_eq!(made, again);
    assert_eq!(world.names().await, ["A"]);
    let id = made.equipment.unwrap().id;

    let note = || {
        let message = v1::AddNoteRequest {
            equipment_id: id.clone(),
            content: "text".to_owned(),
            r#type: 0,
        };
        keyed("k", as_person(Service::Equipment, &who, message))
    };
    let first = fold(world.client().add_note(note()).await).unwrap();
    let again = fold(world.client().add_note(note()).await).unwrap();
    assert_eq!(first, again);

    let serviced = || {
        let message = v1::MarkServicedRequest {
            id: id.clone(),
            cost: Some(120.0),
            ..Default::default()
        };
        keyed("k", as_person(Service::Equipment, &who, message))
    };
    let first = fold(world.client().mark_serviced(serviced()).await).unwrap();
    let again = fold(world.client().mark_serviced(serviced()).await).unwrap();
    assert_eq!(first, again);
    assert_eq!(world.history(&id).await.unwrap().len(), 2);

    let retire = || {
        let message = v1::RetireEquipmentRequest {
            id: id.clone(),
            retirement_notes: "Sold".to_owned(),
        };
        keyed("k", as_person(Service::Equipment, &who, message))
    };
    let first = fold(world.client().retire_equipment(retire()).await).unwrap();
    let again = fold(world.client().retire_equipment(retire()).await).unwrap();
    assert_eq!(first, again);
    let archive_id = first.retired.unwrap().id;

    let restore = || {
        let message = v1::RestoreEquipmentRequest {
            id: archive_id.clone(),
        };
        keyed("k", as_person(Service::Equipment, &who, message))
    };
    let first = fold(world.client().restore_equipment(restore()).await).unwrap();
    let again = fold(world.client().restore_equipment(restore()).await).unwrap();
    assert_eq!(first, again);
    assert_eq!(world.history(&id).await.unwrap().len(), 4);
    assert_eq!(kept(&world).await, 5);
}
