//! `RejectUpdate` and `AcknowledgeUpdate`.

use hourmeter_proto::operator_updates::v1::UpdateStatus;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;

use crate::support::{TestUpdates, now, reason, timestamp};

#[tokio::test]
async fn reject_shows_the_reason_to_the_operator() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&operator, equipment, 5.0).await;
    let why = " Wrong machine.\nPlease send again. ";
    let rejected = updates.reject(&owner, &sent.id, why).await.unwrap();
    assert_eq!(rejected.status(), UpdateStatus::Rejected);
    assert_eq!(rejected.reject_reason, why.trim());
    assert_eq!(rejected.reviewed_by, "Olivia Owner");
    assert_eq!(rejected.reviewed_at, Some(timestamp(now())));
    assert_eq!(updates.row(&operator, &sent.id).await, rejected);

    let again = updates.reject(&owner, &sent.id, "other").await.unwrap();
    assert_eq!(again, rejected, "the first reason stays");
    for status in [
        updates.apply(&owner, &sent.id, None).await.unwrap_err(),
        updates.acknowledge(&owner, &sent.id).await.unwrap_err(),
    ] {
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert_eq!(reason(&status), "ALREADY_REJECTED");
        assert_eq!(status.message(), "This update was already rejected.");
    }
    assert_eq!(updates.equipment.state().calls, 0);
}

#[tokio::test]
async fn reject_reason_is_optional_and_limited() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, equipment, 5.0).await;
    for bad in ["x".repeat(1001), "a\u{7f}b".to_owned()] {
        let status = updates.reject(&owner, &sent.id, &bad).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(ServiceError::from_status(&status).fields[0].0, "reason");
    }
    assert_eq!(updates.row(&owner, &sent.id).await, sent);
    let rejected = updates.reject(&owner, &sent.id, "").await.unwrap();
    assert_eq!(rejected.reject_reason, "");
    let sent = updates.submitted(&owner, equipment, 6.0).await;
    let longest = "ñ".repeat(1000);
    assert!(updates.reject(&owner, &sent.id, &longest).await.is_ok());
}

#[tokio::test]
async fn reject_of_an_applied_update_is_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, equipment, 5.0).await;
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    let status = updates.reject(&owner, &sent.id, "").await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert_eq!(reason(&status), "ALREADY_APPLIED");
    assert_eq!(updates.row(&owner, &sent.id).await, applied);
    let seen = updates.acknowledge(&owner, &sent.id).await.unwrap();
    assert_eq!(seen, applied);
}

#[tokio::test]
async fn acknowledge_of_a_pending_update_is_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, equipment, 5.0).await;
    let status = updates.acknowledge(&owner, &sent.id).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert_eq!(reason(&status), "NOT_APPLIED");
    assert_eq!(updates.row(&owner, &sent.id).await, sent);
}

#[tokio::test]
async fn acknowledge_updates_are_independent() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let auto = Identity {
        auto_apply_updates: true,
        ..operator_of(&owner)
    };
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let first = updates.submitted(&auto, equipment, 5.0).await.id;
    let second = updates.submitted(&auto, equipment, 6.0).await.id;
    let pending = updates.submitted(&owner, equipment, 7.0).await.id;
    let rejected = updates.submitted(&owner, equipment, 8.0).await.id;
    updates.reject(&owner, &rejected, "").await.unwrap();
    let applied = updates.submitted(&owner, equipment, 9.0).await.id;
    updates.apply(&owner, &applied, None).await.unwrap();
    let before = updates.row(&owner, &applied).await;
    let stranger = hourmeter_runtime::testing::owner();
    let theirs = updates.equipment.add(stranger.company_id, 1.0);
    let foreign = updates.submitted(&stranger, theirs, 5.0).await.id;

    let ids = vec![
        second.clone(),
        pending,
        rejected,
        applied.clone(),
        foreign,
        "nonsense".to_owned(),
        first.clone(),
        second.clone(),
    ];
    let results = updates.acknowledge_many(&owner, ids.clone()).await;
    let results = results.unwrap();
    let returned: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
    assert_eq!(returned, ids);
    let messages: Vec<_> = results
        .iter()
        .map(|result| result.message.as_str())
        .collect();
    let expected = [
        "",
        "This update was not applied yet.",
        "This update was already rejected.",
        "",
        "Not found.",
        "Not found.",
        "",
        "",
    ];
    assert_eq!(messages, expected);
    assert!(results.iter().all(|one| one.ok == one.message.is_empty()));
    assert!(results.iter().all(|one| one.ok == one.code.is_empty()));
    assert_eq!(results[1].code, "NOT_APPLIED");
    for id in [&first, &second] {
        let row = updates.row(&owner, id).await;
        assert_eq!(row.status(), UpdateStatus::Applied);
        assert_eq!(row.reviewed_by, "Olivia Owner");
        assert_eq!(row.reviewed_at, Some(timestamp(now())));
        assert_eq!(row.flags, [""; 0]);
    }
    assert_eq!(updates.row(&owner, &applied).await, before);
}
