//! `ListUpdates`.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::Scope;
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::operator_updates::v1::{ListUpdatesRequest, UpdateStatus};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::testing::{self, operator_of, owner};
use tonic::Code;
use uuid::Uuid;

use crate::support::{TestUpdates, now};

fn page(limit: u32, cursor: &str) -> ListUpdatesRequest {
    ListUpdatesRequest {
        page: Some(PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }),
        ..ListUpdatesRequest::default()
    }
}

#[tokio::test]
async fn list_shows_all_to_managers_and_their_own_to_operators() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let scoped = Identity {
        scope: Scope::Operator,
        ..owner.clone()
    };
    let (first, second) = (operator_of(&owner), operator_of(&owner));
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    for (by, usage) in [(&first, 2.0), (&second, 3.0), (&first, 4.0), (&scoped, 5.0)] {
        updates.submitted(by, equipment, usage).await;
    }
    let other = testing::owner();
    let theirs = updates.equipment.add(other.company_id, 1.0);
    updates.submitted(&other, theirs, 9.0).await;

    for (by, expected) in [
        (&owner, 4),
        (&first, 2),
        (&second, 1),
        (&scoped, 1),
        (&other, 1),
    ] {
        let list = updates
            .list(by, ListUpdatesRequest::default())
            .await
            .unwrap();
        assert_eq!(list.updates.len(), expected);
        assert_eq!(list.pending_count, u32::try_from(expected).unwrap());
        if !by.is_manager() {
            let own = by.user_id.to_string();
            assert!(list.updates.iter().all(|row| row.operator_id == own));
        }
    }
}

#[tokio::test]
async fn list_is_newest_first_in_pages() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = Vec::new();
    for n in 0..5_u8 {
        // Two have the same time.
        let minutes = i64::from(n / 2);
        updates.clock.set(now() + TimeDelta::minutes(minutes));
        let usage = 2.0 + f64::from(n);
        ids.push(updates.submitted(&owner, equipment, usage).await.id);
    }
    ids.reverse();
    let mut read = Vec::new();
    let mut cursor = String::new();
    loop {
        let list = updates.list(&owner, page(2, &cursor)).await.unwrap();
        assert!(list.updates.len() <= 2);
        assert_eq!(list.pending_count, 5);
        read.extend(list.updates.into_iter().map(|row| row.id));
        cursor = list.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(read, ids);
    for bad in [page(501, ""), page(2, "nonsense")] {
        let status = updates.list(&owner, bad).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn list_refuses_crafted_cursors() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let key = |micros: i64| {
        let json = format!("[{micros},\"{}\"]", Uuid::now_v7());
        BASE64_URL_SAFE_NO_PAD.encode(json)
    };
    for micros in [
        i64::MAX,
        i64::MIN,
        253_402_300_800_000_000,
        -62_135_596_800_000_001,
    ] {
        let refused = updates.list(&owner, page(2, &key(micros))).await;
        let failure = ServiceError::from_status(&refused.unwrap_err());
        assert_eq!(failure.kind, Kind::Invalid, "{micros}");
        assert_eq!(failure.fields[0].0, "cursor");
    }
    for micros in [0, -1, 253_402_300_799_999_999, -62_135_596_800_000_000] {
        let list = updates.list(&owner, page(2, &key(micros))).await;
        assert!(list.is_ok(), "{micros}");
    }
}

#[tokio::test]
async fn list_pending_of_an_operator_in_pages() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let (operator, other) = (operator_of(&owner), operator_of(&owner));
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let mut ids = Vec::new();
    for n in 0..3_u8 {
        let usage = 2.0 + f64::from(n);
        ids.push(updates.submitted(&operator, equipment, usage).await.id);
        updates.submitted(&other, equipment, usage).await;
    }
    let gone = ids.pop().unwrap();
    updates.reject(&owner, &gone, "").await.unwrap();
    ids.reverse();
    let mut cursor = String::new();
    let mut read = Vec::new();
    for _ in 0..2 {
        let request = ListUpdatesRequest {
            statuses: vec![UpdateStatus::Pending.into()],
            ..page(1, &cursor)
        };
        let list = updates.list(&operator, request).await.unwrap();
        assert_eq!(list.pending_count, 2);
        read.extend(list.updates.into_iter().map(|row| row.id));
        cursor = list.page.unwrap().next_cursor;
    }
    assert_eq!(read, ids);
    assert_eq!(cursor, "");
}

#[tokio::test]
async fn list_by_decision_has_the_last_decision_first_in_pages() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let mut sent = Vec::new();
    for usage in [2.0, 3.0, 4.0, 5.0] {
        sent.push(updates.submitted(&owner, equipment, usage).await.id);
    }
    for (minute, id) in [(1, &sent[1]), (2, &sent[2])] {
        updates.clock.set(now() + TimeDelta::minutes(minute));
        updates.apply(&owner, id, None).await.unwrap();
    }
    updates.clock.set(now() + TimeDelta::minutes(3));
    updates.reject(&owner, &sent[0], "").await.unwrap();
    let decided = |statuses: &[UpdateStatus], cursor: &str| ListUpdatesRequest {
        statuses: statuses.iter().copied().map(Into::into).collect(),
        by_decision: true,
        ..page(2, cursor)
    };
    let first = updates.list(&owner, decided(&[], "")).await.unwrap();
    assert_eq!(first.pending_count, 1);
    let cursor = first.page.unwrap().next_cursor;
    let second = updates.list(&owner, decided(&[], &cursor)).await.unwrap();
    assert_eq!(second.page.unwrap().next_cursor, "");
    let rows = first.updates.iter().chain(&second.updates);
    let ids: Vec<_> = rows.map(|row| &row.id).collect();
    assert_eq!(
        ids,
        [&sent[0], &sent[2], &sent[1]],
        "the pending one is not decided"
    );
    let only = decided(&[UpdateStatus::Applied], "");
    let applied = updates.list(&owner, only).await.unwrap().updates;
    assert_eq!(applied.len(), 2);
}

#[tokio::test]
async fn list_filters_statuses() {
    let updates = TestUpdates::new().await;
    let mut owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let pending = updates.submitted(&owner, equipment, 2.0).await.id;
    let rejected = updates.submitted(&owner, equipment, 3.0).await.id;
    updates.reject(&owner, &rejected, "").await.unwrap();
    let applied = updates.submitted(&owner, equipment, 4.0).await.id;
    updates.apply(&owner, &applied, None).await.unwrap();
    owner.auto_apply_updates = true;
    let recent = updates.submitted(&owner, equipment, 5.0).await.id;

    let all = [&recent, &applied, &rejected, &pending];
    for (statuses, expected) in [
        (vec![], all.to_vec()),
        (vec![UpdateStatus::Pending], vec![&pending]),
        (vec![UpdateStatus::Rejected], vec![&rejected]),
        (
            vec![UpdateStatus::Applied, UpdateStatus::Recent],
            vec![&recent, &applied],
        ),
    ] {
        let request = ListUpdatesRequest {
            statuses: statuses.into_iter().map(Into::into).collect(),
            ..ListUpdatesRequest::default()
        };
        let list = updates.list(&owner, request).await.unwrap();
        let ids: Vec<_> = list.updates.iter().map(|row| &row.id).collect();
        assert_eq!(ids, expected);
        assert_eq!(list.pending_count, 1);
    }
    for bad in [0, -1, 6] {
        let request = ListUpdatesRequest {
            statuses: vec![bad],
            ..ListUpdatesRequest::default()
        };
        let status = updates.list(&owner, request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn list_last_reports_has_the_newest_of_each_person_in_pages() {
    let updates = TestUpdates::new().await;
    let owner = owner();
    let equipment = updates.equipment.add(owner.company_id, 1.0);
    let mut people = [operator_of(&owner), operator_of(&owner), owner.clone()];
    people.sort_by_key(|person| person.user_id);
    for (minute, by) in [(0, 0), (1, 2), (2, 1), (3, 0)] {
        updates.clock.set(now() + TimeDelta::minutes(minute));
        updates.submitted(&people[by], equipment, 2.0).await;
    }
    let other = testing::owner();
    let theirs = updates.equipment.add(other.company_id, 1.0);
    updates.submitted(&other, theirs, 9.0).await;
    let mut read = Vec::new();
    let mut cursor = String::new();
    loop {
        let list = updates.last_reports(&owner, 2, &cursor).await;
        read.extend(list.reports.into_iter().map(|row| {
            let received = row.received_at.unwrap();
            (row.operator_id, received.seconds - now().timestamp())
        }));
        cursor = list.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let expected = [180, 120, 60];
    let expected = people.iter().zip(expected);
    let expected: Vec<_> = expected
        .map(|(person, age)| (person.user_id.to_string(), age))
        .collect();
    assert_eq!(read, expected);
}
