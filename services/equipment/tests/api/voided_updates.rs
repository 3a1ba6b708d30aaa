//! Voided operator updates: each is voided and applied again once.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_relay;

use crate::relay::reading;
use crate::support::{CallResult, World, fold, unknown_id, with_usage};

impl World {
    pub async fn voided_updates(&self, after: &str) -> CallResult<v1::ListVoidedUpdatesResponse> {
        let message = v1::ListVoidedUpdatesRequest {
            after: after.to_owned(),
            limit: 0,
        };
        let request = as_relay(Service::Equipment, self.owner.company_id, message);
        fold(self.client().list_voided_updates(request).await)
    }
}

#[tokio::test]
async fn voided_update_is_applied_again_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let id = made.id.as_str();
    assert_eq!(world.voided_updates("").await.unwrap().updates, []);
    let first = reading(id, 1200.0);
    world.apply(first.clone()).await.unwrap();
    let again = v1::ApplyOperatorUpdateRequest {
        reading: Some(120.0),
        attempt: 1,
        ..first.clone()
    };
    // Not before its entry was voided.
    assert!(world.apply(again.clone()).await.unwrap().repeated);
    let entry = world.newest(id).await;
    world.void(id, &entry).await.unwrap();
    let listed = world.voided_updates("").await.unwrap();
    let row = &listed.updates[0];
    assert_eq!((&row.update_id, row.attempt), (&first.update_id, 1));
    assert_eq!(
        (row.reason.as_str(), row.voided_by.is_empty()),
        ("Typing error", false)
    );
    // A delayed duplicate of the first application.
    assert!(world.apply(first.clone()).await.unwrap().repeated);
    assert_eq!(world.usage_of(id).await, "100");
    let applied = world.apply(again.clone()).await.unwrap();
    assert_eq!(
        (applied.usage_after, applied.repeated),
        (Some(120.0), false)
    );
    assert!(world.apply(again).await.unwrap().repeated);
    assert_eq!(world.usage_of(id).await, "120");
    assert_eq!(world.voided_updates("").await.unwrap().updates, []);
    // And once more.
    let entry = world.newest(id).await;
    world.void(id, &entry).await.unwrap();
    let listed = world.voided_updates(&listed.next).await.unwrap();
    assert_eq!(listed.updates[0].attempt, 2);
    world.later(TimeDelta::minutes(2));
    let listed = world.voided_updates(&listed.next).await.unwrap();
    assert_eq!(
        world.voided_updates(&listed.next).await.unwrap().updates,
        []
    );
    world.check_projections().await;
}

#[tokio::test]
async fn voided_by_the_caller_of_its_update_once() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 100.0)).await.unwrap();
    let update = reading(&made.id, 120.0);
    let attempt = |attempt| v1::UpdateAttempt {
        update_id: update.update_id.clone(),
        attempt,
    };
    let void = async |updates: Vec<v1::UpdateAttempt>| {
        let message = v1::VoidOperatorUpdatesRequest {
            updates,
            reason: "UNDONE".to_owned(),
            undone: true,
            actor_id: unknown_id(),
            actor_name: "Mara Manager".to_owned(),
        };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        fold(world.client().void_operator_updates(request).await)
    };
    let is_applied = async |number| {
        let updates = vec![attempt(number)];
        let message = v1::FindAppliedUpdatesRequest { updates };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        let found = fold(world.client().find_applied_updates(request).await);
        found.unwrap().applied.len() == 1
    };
    let unknown = void(vec![attempt(0)]).await.unwrap();
    assert_eq!(
        unknown.results[0].refused.as_ref().unwrap().reason,
        "NOT_FOUND"
    );
    assert!(!is_applied(0).await);
    world.apply(update.clone()).await.unwrap();
    assert!(is_applied(0).await && !is_applied(1).await);
    for _ in 0..2 {
        let voided = void(vec![attempt(0)]).await.unwrap();
        assert_eq!(voided.results, [v1::VoidOperatorUpdateResult::default()]);
        assert_eq!(world.usage_of(&made.id).await, "100");
    }
    assert!(is_applied(0).await && !is_applied(1).await);
    let listed = world.voided_updates("").await.unwrap().updates;
    assert_eq!((listed[0].undone, listed[0].attempt), (true, 1));
    let history = world.history(&made.id).await.unwrap();
    assert!(history[0].voiding.as_ref().unwrap().undone);
    let again = v1::ApplyOperatorUpdateRequest {
        attempt: 1,
        ..update.clone()
    };
    world.apply(again).await.unwrap();
    // A late repeat of the first undo.
    void(vec![attempt(0)]).await.unwrap();
    assert_eq!(world.usage_of(&made.id).await, "120");
    void(vec![attempt(1)]).await.unwrap();
    assert_eq!(world.usage_of(&made.id).await, "100");
    assert_eq!(void(Vec::new()).await.unwrap_err().kind, Kind::Invalid);
    world.check_projections().await;
}

#[tokio::test]
async fn voided_together_for_each_machine() {
    let world = World::new().await;
    let (loader, truck) = (
        world.create(with_usage("Loader", 100.0)).await.unwrap(),
        world.create(with_usage("Truck", 50.0)).await.unwrap(),
    );
    let mut updates = Vec::new();
    for (machine, value) in [
        (&loader, 110.0),
        (&truck, 60.0),
        (&loader, 120.0),
        (&loader, 130.0),
    ] {
        let update = reading(&machine.id, value);
        world.apply(update.clone()).await.unwrap();
        updates.push(v1::UpdateAttempt {
            update_id: update.update_id,
            attempt: 0,
        });
    }
    // The last one stays.
    let kept = updates.pop().unwrap();
    let unknown = v1::UpdateAttempt {
        update_id: unknown_id(),
        attempt: 0,
    };
    let repeated = updates[0].clone();
    updates.extend([unknown, repeated]);
    let void = async |updates: Vec<v1::UpdateAttempt>| {
        let message = v1::VoidOperatorUpdatesRequest {
            updates,
            reason: "Wrong machine".to_owned(),
            actor_id: unknown_id(),
            actor_name: "Mara Manager".to_owned(),
            ..Default::default()
        };
        let request = as_relay(Service::Equipment, world.owner.company_id, message);
        fold(world.client().void_operator_updates(request).await)
    };
    let results = void(updates).await.unwrap().results;
    let refused: Vec<_> = results.iter().map(|one| one.refused.is_some()).collect();
    assert_eq!(refused, [false, false, false, true, false]);
    assert_eq!(world.usage_of(&loader.id).await, "130");
    assert_eq!(world.usage_of(&truck.id).await, "50");
    let results = void(vec![kept]).await.unwrap().results;
    assert_eq!(results[0].refused, None);
    assert_eq!(world.usage_of(&loader.id).await, "100");
    let history = world.history(&loader.id).await.unwrap();
    assert!(history.iter().all(|record| record.voiding.is_some()));
    world.check_projections().await;
}
