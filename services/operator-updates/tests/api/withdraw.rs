//! `WithdrawUpdate`.

use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::operator_updates::v1::{ListUpdatesRequest, UpdateStatus};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::support::{TestUpdates, now, reading, reason, timestamp};

#[tokio::test]
async fn withdraw_rejects_an_own_pending_update() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&operator, machine, 5.0).await;
    let withdrawn = updates.withdraw(&operator, &sent.id).await.unwrap();
    assert_eq!(withdrawn.status(), UpdateStatus::Rejected);
    assert!(withdrawn.withdrawn);
    assert_eq!(
        (
            &*withdrawn.reject_reason,
            &*withdrawn.reviewed_by,
            withdrawn.reviewed_at
        ),
        ("WITHDRAWN", "Oscar Operator", Some(timestamp(now())))
    );
    assert_eq!(updates.row(&operator, &sent.id).await, withdrawn);
    assert_eq!(updates.row(&owner, &sent.id).await, withdrawn);
    let again = updates.withdraw(&operator, &sent.id).await.unwrap();
    assert_eq!(again, withdrawn);

    // A manager has nothing to decide and nothing to undo.
    let pending = ListUpdatesRequest::default();
    assert_eq!(
        updates.list(&owner, pending).await.unwrap().pending_count,
        0
    );
    for refused in [
        updates.apply(&owner, &sent.id, None).await.unwrap_err(),
        updates.reject(&owner, &sent.id, "no").await.unwrap_err(),
    ] {
        assert_eq!(reason(&refused), "ALREADY_WITHDRAWN");
    }
    let refused = updates.undo(&owner, &sent.id).await.unwrap_err();
    assert_eq!(reason(&refused), "UNDO_OVERTAKEN");
    assert_eq!(updates.row(&owner, &sent.id).await, withdrawn);
    // The same values are not a repetition.
    let resent = updates.submit(&operator, reading(machine, 5.0)).await;
    assert_eq!(resent.unwrap().update.unwrap().flags, [""; 0]);
}

#[tokio::test]
async fn withdraw_of_another_persons_update_is_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let (operator, colleague) = (operator_of(&owner), operator_of(&owner));
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&operator, machine, 5.0).await;
    let stranger = hourmeter_runtime::testing::owner();
    for other in [&colleague, &owner, &stranger] {
        let refused = updates.withdraw(other, &sent.id).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
    }
    for unknown in [&*Uuid::now_v7().to_string(), "nonsense"] {
        let refused = updates.withdraw(&operator, unknown).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotFound);
    }
    // Several people use a session with the shared password, which has the owner's id.
    let shared = Identity {
        scope: Scope::Operator,
        display_name: "Acme".to_owned(),
        ..owner.clone()
    };
    let theirs = updates.submitted(&shared, machine, 6.0).await;
    for caller in [&shared, &owner] {
        let refused = updates.withdraw(caller, &theirs.id).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
        assert_eq!(reason(&refused), "OWN_SIGN_IN_REQUIRED");
    }
    assert_eq!(updates.row(&owner, &sent.id).await, sent);
    assert_eq!(updates.row(&owner, &theirs.id).await, theirs);
    // The owner rejects it; no text of a manager is a withdrawal.
    let rejected = updates.reject(&owner, &theirs.id, "WITHDRAWN").await;
    let rejected = rejected.unwrap();
    assert_eq!(
        (rejected.withdrawn, &*rejected.reject_reason),
        (false, "withdrawn")
    );
}

#[tokio::test]
async fn withdraw_of_a_decided_update_is_refused() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let auto = Identity {
        auto_apply_updates: true,
        ..operator.clone()
    };
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let applied = updates.submitted(&operator, machine, 5.0).await;
    updates.apply(&owner, &applied.id, None).await.unwrap();
    let rejected = updates.submitted(&operator, machine, 6.0).await;
    // The text of a manager is not a withdrawal.
    updates
        .reject(&owner, &rejected.id, "WITHDRAWN")
        .await
        .unwrap();
    let recent = updates.submitted(&auto, machine, 7.0).await;
    for (sent, code) in [
        (applied, "ALREADY_APPLIED"),
        (rejected, "ALREADY_REJECTED"),
        (recent, "ALREADY_APPLIED"),
    ] {
        let before = updates.row(&operator, &sent.id).await;
        assert!(!before.withdrawn);
        let refused = updates.withdraw(&operator, &sent.id).await.unwrap_err();
        assert_eq!(refused.code(), Code::FailedPrecondition);
        assert_eq!(reason(&refused), code);
        assert_eq!(updates.row(&operator, &sent.id).await, before);
    }
}
