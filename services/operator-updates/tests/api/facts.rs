//! Facts for the notifications service.

use std::time::Duration;

use hourmeter_proto::notifications::v1::Fact;
use hourmeter_proto::notifications::v1::fact::What;
use hourmeter_proto::operator_updates::v1::UpdateStatus;
use hourmeter_runtime::testing::{operator_of, owner};
use uuid::Uuid;

use crate::judge::equipment_changed;
use crate::support::TestUpdates;

/// Waits for facts of a company.
async fn facts(updates: &TestUpdates, company_id: Uuid, count: usize) -> Vec<Fact> {
    for _ in 0..200 {
        let facts = updates.notifications.facts(company_id);
        if facts.len() >= count {
            return facts;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("no {count} facts");
}

/// The outbox is empty and nothing more was sent.
async fn settled(updates: &TestUpdates, company_id: Uuid, count: usize) {
    for _ in 0..200 {
        if updates.count("facts").await == 0 {
            assert_eq!(updates.notifications.facts(company_id).len(), count);
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("facts are left");
}

/// Makes all facts due.
async fn later(updates: &TestUpdates) {
    updates
        .execute("UPDATE facts SET next_try_at = now()")
        .await;
}

#[tokio::test]
async fn flagged_update_is_sent_with_its_names() {
    let updates = TestUpdates::new().await;
    let (owner, other) = (owner(), owner());
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let plain = updates.submitted(&operator, machine, 505.0).await;
    assert!(plain.flags.is_empty());
    let flagged = updates.submitted(&operator, machine, 100.0).await;
    assert!(!flagged.flags.is_empty());

    let sent = facts(&updates, owner.company_id, 1).await;
    assert_eq!(sent[0].key, format!("flagged:{}", flagged.id));
    assert_eq!(sent[0].actor_id, operator.user_id.to_string());
    let Some(What::FlaggedUpdate(what)) = &sent[0].what else {
        panic!("{:?}", sent[0]);
    };
    assert_eq!(what.update_id, flagged.id);
    assert_eq!(what.equipment_id, machine.to_string());
    assert_eq!(what.equipment_name, "Excavator 7");
    assert_eq!(what.operator_name, "Oscar Operator");
    assert_eq!(what.flags, flagged.flags);
    settled(&updates, owner.company_id, 1).await;
    assert!(updates.notifications.facts(other.company_id).is_empty());
}

#[tokio::test]
async fn fact_is_sent_again_after_a_lost_response() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 500.0);
    updates.notifications.state().response_lost = true;
    updates
        .submitted(&operator_of(&owner), machine, 100.0)
        .await;
    let first = facts(&updates, owner.company_id, 1).await;
    assert_eq!(updates.count("facts").await, 1);
    updates.notifications.state().response_lost = false;
    later(&updates).await;
    let all = facts(&updates, owner.company_id, 2).await;
    assert_eq!(all[1], first[0]);
    settled(&updates, owner.company_id, 2).await;
}

#[tokio::test]
async fn rejection_is_sent_after_the_time_for_undo() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let update = updates.submitted(&operator, machine, 505.0).await;
    updates
        .reject(&owner, &update.id, "Wrong machine")
        .await
        .unwrap();
    let waits: bool = sqlx::query_scalar("SELECT next_try_at > now() + '50 s' FROM facts")
        .fetch_one(&mut updates.admin().await)
        .await
        .unwrap();
    assert!(waits);

    later(&updates).await;
    let sent = facts(&updates, owner.company_id, 1).await;
    assert_eq!(sent[0].actor_id, owner.user_id.to_string());
    let Some(What::ReturnedUpdate(what)) = &sent[0].what else {
        panic!("{:?}", sent[0]);
    };
    assert_eq!(what.operator_id, operator.user_id.to_string());
    assert_eq!(what.reason, "Wrong machine");
    assert_eq!(what.returned_by, "Olivia Owner");
    assert!(!what.voided);
    settled(&updates, owner.company_id, 1).await;

    // A second rejection is another fact.
    updates.undo(&owner, &update.id).await.unwrap();
    updates
        .reject(&owner, &update.id, "Still wrong")
        .await
        .unwrap();
    later(&updates).await;
    let sent = facts(&updates, owner.company_id, 2).await;
    assert_ne!(sent[0].key, sent[1].key);
}

#[tokio::test]
async fn voided_entry_is_sent_with_the_reason_of_the_void() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let update = updates.submitted(&operator, machine, 505.0).await;
    updates.apply(&owner, &update.id, None).await.unwrap();
    updates
        .equipment
        .void(&update.id, 0, Some("One digit too many"));
    equipment_changed(&updates, owner.company_id);
    updates
        .wait_for(&operator, &update.id, UpdateStatus::TakenBack)
        .await;
    later(&updates).await;
    let sent = facts(&updates, owner.company_id, 1).await;
    let Some(What::ReturnedUpdate(what)) = &sent[0].what else {
        panic!("{:?}", sent[0]);
    };
    assert!(what.voided);
    assert_eq!(what.reason, "One digit too many");
    assert_eq!(what.returned_by, "Mara Manager");
}

#[tokio::test]
async fn undone_and_withdrawn_updates_are_not_sent() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let undone = updates.submitted(&operator, machine, 505.0).await;
    updates.reject(&owner, &undone.id, "Wrong").await.unwrap();
    updates.undo(&owner, &undone.id).await.unwrap();
    let withdrawn = updates.submitted(&operator, machine, 506.0).await;
    updates.withdraw(&operator, &withdrawn.id).await.unwrap();
    later(&updates).await;
    settled(&updates, owner.company_id, 0).await;
}

#[tokio::test]
async fn flagged_update_is_sent_once() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let update = updates.submitted(&operator, machine, 100.0).await;
    facts(&updates, owner.company_id, 1).await;
    updates.reject(&owner, &update.id, "No").await.unwrap();
    updates.undo(&owner, &update.id).await.unwrap();
    later(&updates).await;
    settled(&updates, owner.company_id, 1).await;
}

#[tokio::test]
async fn flag_that_a_manager_caused_is_not_sent() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let operator = operator_of(&owner);
    let waiting = updates.submitted(&operator, machine, 505.0).await;
    assert!(waiting.flags.is_empty());
    // As after the machine was retired.
    updates
        .execute("UPDATE updates SET flags = '{refused}'")
        .await;
    settled(&updates, owner.company_id, 0).await;
}

#[tokio::test]
async fn decision_on_a_flagged_update_is_sent_and_its_undo() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 500.0);
    let update = updates.submitted(&operator, machine, 100.0).await;
    let plain = updates.submitted(&operator, machine, 505.0).await;
    facts(&updates, owner.company_id, 1).await;
    updates.reject(&owner, &update.id, "").await.unwrap();
    updates.reject(&owner, &plain.id, "").await.unwrap();
    let sent = async |expected: &[bool]| {
        for _ in 0..200 {
            if updates.notifications.settled(&update.id) == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{:?}", updates.notifications.settled(&update.id));
    };
    sent(&[true]).await;
    updates.undo(&owner, &update.id).await.unwrap();
    sent(&[true, false]).await;
    assert!(updates.notifications.settled(&plain.id).is_empty());
}
