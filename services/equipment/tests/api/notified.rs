//! Facts that the notifications service receives.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::{EquipmentInput, OperationalStatus};
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::notifications::v1::{Fact, LimitReached, StatusChange};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::facts::{StoredFacts, start_facts};
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::testing::{EQUIPMENT_SECRET, FakeNotifications};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::create::with_plan;
use crate::support::{World, named};

/// A world whose facts are sent.
struct Notified {
    world: World,
    notifications: FakeNotifications,
    _stop: DropGuard,
}

impl Notified {
    async fn new() -> Self {
        let world = World::with_own_database().await;
        let notifications = FakeNotifications::default();
        let stop = CancellationToken::new();
        start_facts::<StoredFacts>(
            Service::Equipment,
            world.database.database.clone(),
            notifications.backend(),
            Signer::new("equipment", &EQUIPMENT_SECRET).unwrap(),
            &stop.clone().into(),
        );
        Self {
            world,
            notifications,
            _stop: stop.drop_guard(),
        }
    }

    /// The facts of the company, once all are sent.
    async fn facts(&self) -> Vec<Fact> {
        let company = self.world.owner.company_id;
        let mut admin = connect_admin(&self.world.database.admin_url).await.unwrap();
        let mut left = 1_i64;
        while left > 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            left = sqlx::query_scalar("SELECT count(*) FROM outbox WHERE company_id = $1")
                .bind(company)
                .fetch_one(&mut admin)
                .await
                .unwrap();
        }
        let mut facts = self.notifications.facts(company);
        // One round may send some of them, the next one the others.
        facts.sort_by_key(|fact| fact.happened_at.map(|at| (at.seconds, at.nanos)));
        facts
    }

    /// Sets the status a minute later.
    async fn set(&self, id: &str, status: OperationalStatus) {
        self.world.later(TimeDelta::minutes(1));
        let change = EquipmentInput {
            operational_status: Some(status.into()),
            ..EquipmentInput::default()
        };
        self.world.update(id, change, None).await.unwrap();
    }
}

#[tokio::test]
async fn limit_is_a_fact_when_the_last_machine_is_added() {
    let notified = Notified::new().await;
    let world = &notified.world;
    let two = with_plan(&world.owner, 2, false);
    let unlimited = with_plan(&world.owner, -1, false);
    world.create_as(&two, named("A")).await.unwrap();
    assert!(notified.facts().await.is_empty());
    let last = world.create_as(&two, named("B")).await.unwrap();
    // The last machine of the same day again.
    world.delete(&last.id).await.unwrap();
    world.create_as(&two, named("B")).await.unwrap();
    world.create_as(&two, named("C")).await.unwrap_err();
    world.create_as(&unlimited, named("C")).await.unwrap();
    let facts = notified.facts().await;
    assert!((1..=2).contains(&facts.len()), "{facts:?}");
    for fact in &facts {
        assert_eq!(
            fact.what,
            Some(What::LimitReached(LimitReached { limit: 2 }))
        );
        assert_eq!(fact.actor_id, world.owner.user_id.to_string());
        assert_eq!(fact.key, facts[0].key, "one of a day");
    }
}

#[tokio::test]
async fn status_is_a_fact_when_equipment_stops_or_starts_to_work() {
    use OperationalStatus::{InShop, InUse, OutOfService, Standing};

    let notified = Notified::new().await;
    let world = &notified.world;
    let made = world.create(named("Loader")).await.unwrap();
    for status in [
        InUse,
        Standing,
        InUse,
        OutOfService,
        OutOfService,
        InShop,
        Standing,
        InShop,
        InUse,
    ] {
        notified.set(&made.id, status).await;
    }
    // Other edits of equipment that does not work.
    notified.set(&made.id, OutOfService).await;
    world
        .update(&made.id, named("Wheel loader"), None)
        .await
        .unwrap();
    let facts = notified.facts().await;
    let statuses: Vec<_> = facts.iter().map(status_of).collect();
    let expected = [
        "out_of_service",
        "in_shop",
        "standing",
        "in_shop",
        "in_use",
        "out_of_service",
    ];
    assert_eq!(
        statuses,
        expected.map(|status| StatusChange {
            equipment_id: made.id.clone(),
            equipment_name: "Loader".to_owned(),
            status: status.to_owned(),
            changed_by: world.owner.display_name.clone(),
        })
    );
    assert_eq!(facts[0].actor_id, world.owner.user_id.to_string());
}

fn status_of(fact: &Fact) -> StatusChange {
    match &fact.what {
        Some(What::StatusChange(change)) => change.clone(),
        other => panic!("{other:?}"),
    }
}
