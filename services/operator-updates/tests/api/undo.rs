//! `UndoDecision`, `RejectUpdates`, voided entries and parked decisions.

use std::time::Duration;

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1::MeterUnit;
use hourmeter_proto::operator_updates::v1::{
    ListUpdatesRequest, OperatorUpdate, SubmitUpdateRequest, UndoableDecision, UpdateStatus,
};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::fake_equipment::Mode;
use crate::judge::equipment_changed;
use crate::support::{TestUpdates, now, reading, reason};

#[tokio::test]
async fn reject_updates_are_independent() {
    let updates = TestUpdates::new().await;
    let (owner, stranger) = (owner(), owner());
    let operator = operator_of(&owner);
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let first = updates.submitted(&operator, machine, 5.0).await.id;
    let second = updates.submitted(&operator, machine, 6.0).await.id;
    let applied = updates.submitted(&operator, machine, 7.0).await.id;
    updates.apply(&owner, &applied, None).await.unwrap();
    let theirs = updates.equipment.add(stranger.company_id, 1.0);
    let foreign = updates.submitted(&stranger, theirs, 5.0).await.id;
    let ids = vec![
        first.clone(),
        applied,
        foreign.clone(),
        "nonsense".to_owned(),
        second.clone(),
    ];
    let results = updates
        .reject_many(&owner, ids.clone(), " Duplicates. ")
        .await
        .unwrap();
    let returned: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
    assert_eq!(returned, ids);
    let codes: Vec<_> = results.iter().map(|result| result.code.as_str()).collect();
    assert_eq!(codes, ["", "ALREADY_APPLIED", "NOT_FOUND", "NOT_FOUND", ""]);
    assert!(
        results
            .iter()
            .all(|result| result.ok == result.code.is_empty())
    );
    for id in [&first, &second] {
        let row = updates.row(&operator, id).await;
        assert_eq!(row.status(), UpdateStatus::Rejected);
        assert_eq!(row.reject_reason, "Duplicates.");
        assert_eq!(row.reviewed_by, "Olivia Owner");
    }
    let row = updates.row(&stranger, &foreign).await;
    assert_eq!(row.status(), UpdateStatus::Pending);

    for (ids, why) in [
        (Vec::new(), String::new()),
        (vec![String::new()], String::new()),
        (vec![first.clone(), " ".to_owned()], String::new()),
        (vec![first; 501], String::new()),
        (vec![second], "x".repeat(1001)),
    ] {
        let refused = updates.reject_many(&owner, ids, &why).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn bulk_requests_refuse_empty_ids() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, machine, 5.0).await.id;
    let empty = || vec![String::new()];
    for refused in [
        updates.apply_many(&owner, empty()).await.unwrap_err(),
        updates.acknowledge_many(&owner, empty()).await.unwrap_err(),
        updates.undo_many(&owner, empty()).await.unwrap_err(),
        updates.move_to(&owner, &sent, "").await.unwrap_err(),
    ] {
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn undo_of_a_rejection_is_pending_again() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, machine, 5.0).await;
    updates.reject(&owner, &sent.id, "no").await.unwrap();
    let undone = updates.undo(&owner, &sent.id).await.unwrap();
    assert_eq!(undone, sent);
    assert_eq!(updates.undo(&owner, &sent.id).await.unwrap(), sent);
    updates.reject(&owner, &sent.id, "no").await.unwrap();
    updates.clock.set(now() + TimeDelta::seconds(60));
    assert!(updates.undo(&owner, &sent.id).await.is_ok());
    updates.reject(&owner, &sent.id, "no").await.unwrap();
    updates.clock.set(now() + TimeDelta::seconds(121));
    let late = updates.undo(&owner, &sent.id).await.unwrap_err();
    assert_eq!(late.code(), Code::FailedPrecondition);
    assert_eq!(reason(&late), "UNDO_EXPIRED");
}

#[tokio::test]
async fn undo_of_an_application_voids_it_and_it_can_be_applied_again() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, machine, 110.0).await;
    updates.apply(&owner, &sent.id, None).await.unwrap();
    let undone = updates.undo(&owner, &sent.id).await.unwrap();
    assert_eq!(undone.status(), UpdateStatus::Pending);
    assert_eq!((undone.applied_usage, undone.reviewed_at), (None, None));
    assert_eq!(undone.reviewed_by, "");
    let meter = updates.equipment.meter(owner.company_id, machine);
    assert!((meter - 100.0).abs() < f64::EPSILON);
    let voided = updates.equipment.state().voided[0].clone();
    assert_eq!(
        (voided.undone, voided.voided_by.as_str()),
        (true, "Olivia Owner")
    );
    // The list of voided updates has it too.
    equipment_changed(&updates, owner.company_id);
    tokio::time::sleep(Duration::from_millis(900)).await;
    let row = updates.row(&owner, &sent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    let again = updates.apply(&owner, &sent.id, Some(105.0)).await.unwrap();
    assert_eq!(again.applied_usage, Some(105.0));
    let attempts: Vec<_> = {
        let state = updates.equipment.state();
        state.effects.iter().map(|effect| effect.attempt).collect()
    };
    assert_eq!(attempts, [0, 1]);
}

#[tokio::test]
async fn undo_of_an_acknowledgement_and_of_an_automatic_application() {
    let updates = TestUpdates::new().await;
    let owner = Identity {
        auto_apply_updates: true,
        ..owner()
    };
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let recent = updates.submitted(&owner, machine, 110.0).await;
    updates.acknowledge(&owner, &recent.id).await.unwrap();
    let undone = updates.undo(&owner, &recent.id).await.unwrap();
    assert_eq!(undone, recent);
    assert_eq!(updates.equipment.effects(), 1);
    // A recent one can be taken back later too.
    updates.clock.set(now() + TimeDelta::days(1));
    let undone = updates.undo(&owner, &recent.id).await.unwrap();
    assert_eq!(undone.status(), UpdateStatus::Pending);
    tokio::time::sleep(Duration::from_millis(900)).await;
    let row = updates.row(&owner, &recent.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending, "a person decides now");
}

#[tokio::test]
async fn undo_of_several_decisions() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let mut ids = Vec::new();
    for n in 0..3 {
        let machine = updates.equipment.add(owner.company_id, 1.0);
        let sent = updates.submitted(&owner, machine, 5.0).await;
        if n == 2 {
            updates.reject(&owner, &sent.id, "").await.unwrap();
        }
        ids.push(sent.id);
    }
    updates.apply_many(&owner, ids[..2].to_vec()).await.unwrap();
    let unknown = Uuid::now_v7().to_string();
    ids.push(unknown);
    let results = updates.undo_many(&owner, ids.clone()).await.unwrap();
    let ok: Vec<_> = results.iter().map(|result| result.ok).collect();
    assert_eq!(ok, [true, true, true, false]);
    for id in &ids[..3] {
        let row = updates.row(&owner, id).await;
        assert_eq!(row.status(), UpdateStatus::Pending);
    }
    let single = updates.undo(&owner, &ids[3]).await.unwrap_err();
    assert_eq!(single.code(), Code::NotFound);
}

#[tokio::test]
async fn undo_of_a_named_decision_is_repeatable_and_never_of_another_one() {
    let updates = TestUpdates::new().await;
    let owner = Identity {
        auto_apply_updates: true,
        ..owner()
    };
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let recent = updates.submitted(&owner, machine, 110.0).await;
    updates.acknowledge(&owner, &recent.id).await.unwrap();
    let acknowledgement = UndoableDecision::Acknowledgement;
    for _ in 0..2 {
        let undone = updates.undo_named(&owner, &recent.id, acknowledgement, "");
        assert_eq!(undone.await.unwrap(), recent, "its entry still counts");
    }
    // Someone else takes it back.
    updates.undo(&owner, &recent.id).await.unwrap();
    let refused = updates
        .undo_named(&owner, &recent.id, acknowledgement, "")
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(reason(&refused), "UNDO_OVERTAKEN");
    updates.reject(&owner, &recent.id, "no").await.unwrap();
    let applied = updates
        .undo_named(&owner, &recent.id, UndoableDecision::Application, "")
        .await
        .unwrap_err();
    assert_eq!(reason(&applied), "UNDO_OVERTAKEN");
    let row = updates.row(&owner, &recent.id).await;
    assert_eq!(row.status(), UpdateStatus::Rejected);
}

#[tokio::test]
async fn take_back_with_a_reason_shows_it() {
    let updates = TestUpdates::new().await;
    let owner = Identity {
        auto_apply_updates: true,
        ..owner()
    };
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let recent = updates
        .submitted(&operator_of(&owner), machine, 110.0)
        .await;
    let automatic = UndoableDecision::AutomaticApplication;
    for _ in 0..2 {
        let taken = updates
            .undo_named(&owner, &recent.id, automatic, " Wrong machine ")
            .await
            .unwrap();
        assert_eq!(taken.status(), UpdateStatus::TakenBack);
        assert_eq!(
            (
                taken.taken_back_reason.as_str(),
                taken.taken_back_by.as_str()
            ),
            ("Wrong machine", "Olivia Owner")
        );
    }
    assert_eq!(updates.equipment.state().voided.len(), 1);
    // A rejection that is undone leaves it taken back.
    let taken = updates.row(&owner, &recent.id).await;
    updates.reject(&owner, &recent.id, "no").await.unwrap();
    let undone = updates
        .undo_named(&owner, &recent.id, UndoableDecision::Rejection, "")
        .await
        .unwrap();
    let expected = OperatorUpdate {
        reviewed_by: String::new(),
        reviewed_at: None,
        ..taken
    };
    assert_eq!(undone, expected);
    let long = updates
        .undo_named(&owner, &recent.id, automatic, &"x".repeat(501))
        .await
        .unwrap_err();
    assert_eq!(long.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn interrupted_undo_is_pending_again() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, machine, 110.0).await;
    updates.apply(&owner, &sent.id, None).await.unwrap();
    // The process has died after the void.
    updates.equipment.void(&sent.id, 0, None);
    equipment_changed(&updates, owner.company_id);
    let row = updates
        .wait_for(&owner, &sent.id, UpdateStatus::Pending)
        .await;
    assert_eq!(
        (row.reviewed_by.as_str(), row.reject_reason.as_str()),
        ("", "")
    );
}

#[tokio::test]
async fn undo_of_many_stops_in_time_and_a_repeat_completes_it() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = Vec::new();
    for n in 0..151 {
        let sent = updates.submitted(&owner, machine, 5.0 + f64::from(n)).await;
        ids.push(sent.id);
    }
    let applied = updates.apply_many(&owner, ids.clone()).await.unwrap();
    assert!(applied.iter().all(|result| result.ok));
    updates.equipment.state().slow = Duration::from_millis(1300);
    let mut watcher = updates.events.subscribe();
    let results = updates.undo_many(&owner, ids.clone()).await.unwrap();
    let done = results.iter().filter(|result| result.ok).count();
    assert_eq!(done, 100, "two calls");
    let rest = results.iter().filter(|result| !result.ok);
    assert!(rest.clone().all(|result| result.code == "UNDO_LATER"));
    assert!(watcher.try_recv().is_ok(), "an event of what was done");
    for result in &results {
        let row = updates.row(&owner, &result.id).await;
        assert_eq!(row.status() == UpdateStatus::Pending, result.ok);
    }
    let results = updates.undo_many(&owner, ids.clone()).await.unwrap();
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    let waiting = updates.review(&owner, 0).await.unwrap();
    assert_eq!(waiting.pending_count, 151);
}

#[tokio::test]
async fn undo_while_equipment_is_unavailable_changes_nothing() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 1.0);
    let sent = updates.submitted(&owner, machine, 5.0).await;
    let applied = updates.apply(&owner, &sent.id, None).await.unwrap();
    updates.equipment.set(Mode::Unavailable);
    let away = updates.undo(&owner, &sent.id).await.unwrap_err();
    assert_eq!(away.code(), Code::Unavailable);
    assert_eq!(updates.row(&owner, &sent.id).await, applied);
    updates.equipment.set(Mode::Normal);
    assert!(updates.undo(&owner, &sent.id).await.is_ok());
}

#[tokio::test]
async fn voided_entry_takes_its_update_back() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let there = updates.equipment.add(owner.company_id, 1.0);
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let mut sent = Vec::new();
    for value in [110.0, 120.0, 130.0] {
        let update = updates.submitted(&operator, machine, value).await;
        updates.apply(&owner, &update.id, None).await.unwrap();
        sent.push(update.id);
    }
    for id in &sent {
        // Not the code of an undo.
        updates.equipment.void(id, 0, Some("UNDONE"));
    }
    equipment_changed(&updates, owner.company_id);
    for id in &sent {
        let row = updates
            .wait_for(&operator, id, UpdateStatus::TakenBack)
            .await;
        assert_eq!(row.taken_back_reason, "UNDONE");
        assert_eq!(row.taken_back_by, "Mara Manager");
        assert!(row.taken_back_at.is_some() && row.reject_reason.is_empty());
        assert_eq!(row.applied_usage, None);
    }
    let only = |status: UpdateStatus| ListUpdatesRequest {
        statuses: vec![status.into()],
        ..ListUpdatesRequest::default()
    };
    let listed = updates.list(&owner, only(UpdateStatus::TakenBack)).await;
    assert_eq!(listed.unwrap().updates.len(), 3);
    let rejected = updates.list(&owner, only(UpdateStatus::Rejected)).await;
    assert!(rejected.unwrap().updates.is_empty());

    let again = updates.apply(&owner, &sent[0], Some(105.0)).await.unwrap();
    assert_eq!(again.status(), UpdateStatus::Applied);
    assert_eq!(
        (again.taken_back_reason.as_str(), again.applied_usage),
        ("", Some(105.0))
    );
    let rejected = updates.reject(&owner, &sent[1], "no").await.unwrap();
    assert_eq!(rejected.status(), UpdateStatus::Rejected);
    assert_eq!(
        (rejected.reject_reason.as_str(), rejected.taken_back_at),
        ("no", None)
    );
    let moved = updates.move_to(&owner, &sent[2], there).await.unwrap();
    assert_eq!(moved.status(), UpdateStatus::Applied);
    assert_eq!(moved.equipment_id, there.to_string());

    // Voided once more.
    updates.equipment.void(&sent[0], 1, Some("Twice"));
    equipment_changed(&updates, owner.company_id);
    let row = updates
        .wait_for(&owner, &sent[0], UpdateStatus::TakenBack)
        .await;
    assert_eq!(row.taken_back_reason, "Twice");
}

#[tokio::test]
async fn full_fill_stays_after_its_entry_was_voided() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let filled = SubmitUpdateRequest {
        fuel_added: Some(40.0),
        full_fill: true,
        ..reading(machine, 110.0)
    };
    let sent = updates
        .submit(&owner, filled)
        .await
        .unwrap()
        .update
        .unwrap();
    updates.apply(&owner, &sent.id, None).await.unwrap();
    updates.equipment.void(&sent.id, 0, Some("Wrong reading"));
    equipment_changed(&updates, owner.company_id);
    let taken_back = updates
        .wait_for(&owner, &sent.id, UpdateStatus::TakenBack)
        .await;
    assert!(taken_back.full_fill);
    let again = updates.apply(&owner, &sent.id, Some(105.0)).await.unwrap();
    assert!(again.full_fill);
    let fills: Vec<_> = {
        let state = updates.equipment.state();
        let effects = state.effects.iter();
        effects
            .map(|effect| (effect.attempt, effect.full_fill))
            .collect()
    };
    assert_eq!(fills, [(0, true), (1, true)]);
}

#[tokio::test]
async fn correction_of_a_queued_decision_is_refused() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let typo = updates.submitted(&owner, machine, 1100.0).await;
    updates.equipment.set(Mode::Unavailable);
    let away = updates.apply(&owner, &typo.id, None).await.unwrap_err();
    assert_eq!(away.code(), Code::Unavailable);
    let refused = updates
        .apply(&owner, &typo.id, Some(110.0))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert_eq!(reason(&refused), "BEING_APPLIED");
    let undo = updates.undo(&owner, &typo.id).await.unwrap_err();
    assert_eq!(reason(&undo), "BEING_APPLIED");
    updates.equipment.set(Mode::Normal);
    let applied = updates.apply(&owner, &typo.id, None).await.unwrap();
    assert_eq!(applied.applied_usage, Some(1100.0));

    let other = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, other, 1100.0).await;
    updates.equipment.set(Mode::Unavailable);
    assert!(updates.apply(&owner, &sent.id, Some(110.0)).await.is_err());
    // The same value again waits for the effect.
    let same = updates
        .apply(&owner, &sent.id, Some(110.0))
        .await
        .unwrap_err();
    assert_eq!(same.code(), Code::Unavailable);
    updates.equipment.set(Mode::Normal);
    let applied = updates.apply(&owner, &sent.id, Some(110.0)).await.unwrap();
    assert_eq!(applied.applied_usage, Some(110.0));
}

/// An update whose decision is parked; with or without its effect.
async fn parked(updates: &TestUpdates, owner: &Identity, mode: Mode) -> String {
    parked_of(updates, owner, owner, mode).await
}

async fn parked_of(
    updates: &TestUpdates,
    author: &Identity,
    owner: &Identity,
    mode: Mode,
) -> String {
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(author, machine, 110.0).await;
    updates.equipment.set(mode);
    assert!(updates.apply(owner, &sent.id, None).await.is_err());
    updates.equipment.set(Mode::Normal);
    updates
        .execute("UPDATE decisions SET parked_at = now(), leased_until = NULL")
        .await;
    sent.id
}

#[tokio::test]
async fn parked_decisions_without_effect_can_be_replaced() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let there = updates.equipment.add(owner.company_id, 1.0);
    let id = parked(&updates, &owner, Mode::Unavailable).await;
    let rejected = updates.reject(&owner, &id, "no").await.unwrap();
    assert_eq!(rejected.status(), UpdateStatus::Rejected);
    let id = parked(&updates, &owner, Mode::Unavailable).await;
    let results = updates.reject_many(&owner, vec![id], "no").await.unwrap();
    assert!(results[0].ok);
    let id = parked(&updates, &owner, Mode::Unavailable).await;
    let moved = updates.move_to(&owner, &id, there).await.unwrap();
    assert_eq!(moved.equipment_id, there.to_string());
    let id = parked(&updates, &owner, Mode::Unavailable).await;
    let corrected = updates.apply(&owner, &id, Some(105.0)).await.unwrap();
    assert_eq!(corrected.applied_usage, Some(105.0));
    let author = operator_of(&owner);
    let id = parked_of(&updates, &author, &owner, Mode::Unavailable).await;
    assert!(updates.withdraw(&author, &id).await.unwrap().withdrawn);
    assert_eq!(updates.equipment.effects(), 2);
    assert_eq!(updates.count("decisions").await, 0);
}

#[tokio::test]
async fn parked_decisions_with_effect_are_applied() {
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let there = updates.equipment.add(owner.company_id, 1.0);
    let id = parked(&updates, &owner, Mode::ResponseLost).await;
    let refused = updates.reject(&owner, &id, "no").await.unwrap_err();
    assert_eq!(reason(&refused), "ALREADY_APPLIED");
    assert_eq!(
        updates.row(&owner, &id).await.status(),
        UpdateStatus::Applied
    );
    let id = parked(&updates, &owner, Mode::ResponseLost).await;
    let refused = updates.move_to(&owner, &id, there).await.unwrap_err();
    assert_eq!(reason(&refused), "ALREADY_APPLIED");
    let id = parked(&updates, &owner, Mode::ResponseLost).await;
    let stored = updates.apply(&owner, &id, Some(105.0)).await.unwrap();
    assert_eq!(stored.applied_usage, Some(110.0));
    let author = operator_of(&owner);
    let id = parked_of(&updates, &author, &owner, Mode::ResponseLost).await;
    let refused = updates.withdraw(&author, &id).await.unwrap_err();
    assert_eq!(reason(&refused), "ALREADY_APPLIED");
    assert_eq!(updates.equipment.effects(), 4);
}

#[tokio::test]
async fn undone_update_has_its_flags_at_once() {
    // Without the judge, which checks later.
    let updates = TestUpdates::without_relay().await;
    let owner = owner();
    let miles = updates.equipment.add(owner.company_id, 100.0);
    updates
        .equipment
        .change(owner.company_id, miles, |machine| {
            machine.unit = MeterUnit::Miles;
        });
    let in_hours = SubmitUpdateRequest {
        unit: MeterUnit::Hours.into(),
        ..reading(miles, 110.0)
    };
    let other_unit = updates.submit(&owner, in_hours).await.unwrap();
    let other_unit = other_unit.update.unwrap();
    assert_eq!(other_unit.flags, ["wrong_unit"]);
    let machine = updates.equipment.add(owner.company_id, 100.0);
    let sent = updates.submitted(&owner, machine, 105.0).await;
    assert!(sent.flags.is_empty());
    updates
        .apply(&owner, &other_unit.id, Some(180.0))
        .await
        .unwrap();
    updates.apply(&owner, &sent.id, None).await.unwrap();

    let ids = vec![other_unit.id.clone(), sent.id.clone()];
    updates
        .equipment
        .change(owner.company_id, machine, |machine| {
            machine.initial = 50_000;
        });
    updates.undo_many(&owner, ids).await.unwrap();
    let row = updates.row(&owner, &other_unit.id).await;
    assert_eq!(row.status(), UpdateStatus::Pending);
    assert_eq!(row.flags, ["wrong_unit"]);
    let refused = updates
        .apply(&owner, &other_unit.id, None)
        .await
        .unwrap_err();
    assert_eq!(reason(&refused), "WRONG_UNIT");
    // What the meter shows now counts.
    assert_eq!(updates.row(&owner, &sent.id).await.flags, ["contradicts"]);
}
