//! Which facts notify whom.

use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_proto::notifications::v1::notification::What;
use hourmeter_proto::notifications::v1::{Fact, FlaggedUpdate, SettledUpdate, fact};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::support::{TestNotifications, flagged, now, numbers, returned};

pub fn manager_of(owner: &Identity) -> Identity {
    Identity {
        user_id: Uuid::now_v7(),
        role: Role::Manager,
        ..owner.clone()
    }
}

#[tokio::test]
async fn flagged_update_notifies_owner_and_managers_of_the_company() {
    let service = TestNotifications::new().await;
    let (owner, stranger) = (owner(), owner());
    let manager = manager_of(&owner);
    let sent = flagged("a");
    service
        .record(owner.company_id, vec![sent.clone()])
        .await
        .unwrap();
    for person in [&owner, &manager] {
        let shown = service.list(person).await;
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].happened_at, Some(timestamp(now())));
        assert!(!shown[0].read);
        let Some(fact::What::FlaggedUpdate(expected)) = sent.what.clone() else {
            panic!("{sent:?}");
        };
        assert_eq!(shown[0].what, Some(What::FlaggedUpdate(expected)));
    }
    assert!(service.list(&operator_of(&owner)).await.is_empty());
    assert!(service.list(&stranger).await.is_empty());
    // A manager's session on the operator page.
    let as_operator = Identity {
        scope: Scope::Operator,
        ..manager
    };
    assert!(service.list(&as_operator).await.is_empty());
}

#[tokio::test]
async fn returned_update_notifies_its_operator_only() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let (operator, other) = (operator_of(&owner), operator_of(&owner));
    service
        .record(owner.company_id, vec![returned("a", &operator)])
        .await
        .unwrap();
    let shown = service.list(&operator).await;
    let Some(What::ReturnedUpdate(what)) = &shown[0].what else {
        panic!("{shown:?}");
    };
    assert_eq!(what.reason, "Wrong machine");
    assert!(service.list(&other).await.is_empty());
    assert!(service.list(&owner).await.is_empty());
}

#[tokio::test]
async fn actor_is_not_notified() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let manager = manager_of(&owner);
    let fact = Fact {
        actor_id: manager.user_id.to_string(),
        ..flagged("a")
    };
    service.record(owner.company_id, vec![fact]).await.unwrap();
    assert_eq!(service.list(&owner).await.len(), 1);
    assert!(service.list(&manager).await.is_empty());
    assert_eq!(service.count(&manager).await.unread, 0);
}

#[tokio::test]
async fn fact_with_a_known_key_changes_nothing() {
    let service = TestNotifications::new().await;
    let (owner, stranger) = (owner(), owner());
    let once = flagged("a");
    for _ in 0..3 {
        service
            .record(owner.company_id, vec![once.clone(), once.clone()])
            .await
            .unwrap();
    }
    let mut renamed = once.clone();
    renamed.what = Some(fact::What::FlaggedUpdate(FlaggedUpdate {
        update_id: Uuid::now_v7().to_string(),
        equipment_id: Uuid::now_v7().to_string(),
        equipment_name: "Dozer".to_owned(),
        ..FlaggedUpdate::default()
    }));
    service
        .record(owner.company_id, vec![renamed, flagged("b")])
        .await
        .unwrap();
    assert_eq!(service.list(&owner).await.len(), 2);
    // Another company's keys are its own.
    service
        .record(stranger.company_id, vec![once])
        .await
        .unwrap();
    assert_eq!(service.list(&stranger).await.len(), 1);
}

#[tokio::test]
async fn concurrent_calls_record_each_fact_once_in_ascending_order() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let calls = (0..20).map(|call| {
        let facts = (0..5).map(|place| flagged(&format!("{}", call / 2 * 5 + place)));
        service.record(owner.company_id, facts.collect())
    });
    for result in futures::future::join_all(calls).await {
        result.unwrap();
    }
    let shown = numbers(&service.list(&owner).await);
    assert_eq!(shown.len(), 50);
    assert!(shown.is_sorted_by(|newer, older| newer > older));
}

#[tokio::test]
async fn invalid_facts_are_refused_as_a_whole() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let good = flagged("good");
    let invalid = [
        Fact {
            key: String::new(),
            ..good.clone()
        },
        Fact {
            key: "k".repeat(201),
            ..good.clone()
        },
        Fact {
            happened_at: None,
            ..good.clone()
        },
        Fact {
            actor_id: "somebody".to_owned(),
            ..good.clone()
        },
        // Of a later release.
        Fact {
            what: None,
            ..good.clone()
        },
        Fact {
            what: Some(fact::What::FlaggedUpdate(FlaggedUpdate::default())),
            ..good.clone()
        },
    ];
    for fact in invalid {
        let refused = service
            .record(owner.company_id, vec![good.clone(), fact.clone()])
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{fact:?}");
    }
    for count in [0, 101] {
        let facts = (0..count).map(|key| flagged(&key.to_string())).collect();
        let refused = service.record(owner.company_id, facts).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
    assert!(service.list(&owner).await.is_empty());
    let most = (0..100).map(|key| flagged(&key.to_string())).collect();
    service.record(owner.company_id, most).await.unwrap();
    assert_eq!(service.list(&owner).await.len(), 100);
}

#[tokio::test]
async fn events_name_whom_a_fact_notifies() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let mut events = service.events.subscribe();
    let facts = vec![flagged("a"), flagged("b"), returned("c", &operator)];
    service
        .record(owner.company_id, facts.clone())
        .await
        .unwrap();
    let mut people =
        [events.try_recv().unwrap(), events.try_recv().unwrap()].map(|event| event.person_id);
    people.sort();
    assert_eq!(people, [None, Some(operator.user_id)]);
    // A repeat changes nothing.
    service.record(owner.company_id, facts).await.unwrap();
    assert!(events.try_recv().is_err());
}

#[tokio::test]
async fn settled_update_counts_as_read_until_it_waits_again() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let company = owner.company_id;
    let first = flagged("x");
    let Some(fact::What::FlaggedUpdate(update)) = &first.what else {
        unreachable!();
    };
    let update_id = update.update_id.clone();
    let flagged_fact = Fact {
        key: format!("flagged:{update_id}"),
        ..first
    };
    service
        .record(company, vec![flagged_fact, flagged("y")])
        .await
        .unwrap();
    let settled = |settled: bool| Fact {
        key: format!("settled:{settled}"),
        what: Some(fact::What::SettledUpdate(SettledUpdate {
            update_id: update_id.clone(),
            settled,
        })),
        ..flagged("z")
    };
    let before = service.count(&owner).await;
    assert_eq!(before.unread, 2);
    // Of another company.
    service
        .record(Uuid::now_v7(), vec![settled(true)])
        .await
        .unwrap();
    assert_eq!(service.count(&owner).await, before);
    for _ in 0..2 {
        service.record(company, vec![settled(true)]).await.unwrap();
        assert_eq!(service.count(&owner).await.unread, 1);
    }
    assert_ne!(service.count(&owner).await.marker, before.marker);
    assert_eq!(
        service.page(&owner, true, "", 10).await.notifications.len(),
        1
    );
    assert_eq!(service.list(&owner).await.len(), 2);
    service.record(company, vec![settled(false)]).await.unwrap();
    assert_eq!(service.count(&owner).await.unread, 2);
}
