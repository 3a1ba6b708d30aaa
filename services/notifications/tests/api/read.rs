//! What people have read.

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::testing::{operator_of, owner};
use tonic::Code;

use crate::support::{TestNotifications, flagged, numbers, returned};

#[tokio::test]
async fn mark_read_is_per_person() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let manager = hourmeter_runtime::identity::Identity {
        user_id: uuid::Uuid::now_v7(),
        ..owner.clone()
    };
    let facts = ["a", "b", "c"].map(flagged).to_vec();
    service.record(owner.company_id, facts).await.unwrap();
    let all = numbers(&service.list(&owner).await);
    assert_eq!(service.mark(&owner, vec![all[1]]).await.unwrap(), 2);
    assert_eq!(service.mark(&owner, vec![all[1]]).await.unwrap(), 2);
    let read: Vec<bool> = service
        .list(&owner)
        .await
        .iter()
        .map(|it| it.read)
        .collect();
    assert_eq!(read, [false, true, false]);
    assert_eq!(service.count(&manager).await.unread, 3);
    let unread = service.page(&owner, true, "", 0).await.notifications;
    assert_eq!(numbers(&unread), [all[0], all[2]]);
}

#[tokio::test]
async fn mark_read_ignores_unknown_ones_and_those_of_others() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let operator = operator_of(&owner);
    let facts = vec![flagged("a"), returned("b", &operator)];
    service.record(owner.company_id, facts).await.unwrap();
    assert_eq!(
        service.mark(&operator, vec![1, 2, 99, -5]).await.unwrap(),
        0
    );
    assert_eq!(service.count(&owner).await.unread, 1);
    for numbers in [vec![], vec![1; 501]] {
        let refused = service.mark(&owner, numbers).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

#[tokio::test]
async fn mark_all_read_keeps_newer_ones_unread() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let facts = ["a", "b", "c"].map(flagged).to_vec();
    service.record(owner.company_id, facts).await.unwrap();
    let all = numbers(&service.list(&owner).await);
    assert_eq!(service.mark_all(&owner, all[1]).await, 1);
    // An older mark changes nothing.
    assert_eq!(service.mark_all(&owner, all[2]).await, 1);
    // A number beyond the last does not mark later ones.
    assert_eq!(service.mark_all(&owner, i64::MAX).await, 0);
    service
        .record(owner.company_id, vec![flagged("d")])
        .await
        .unwrap();
    assert_eq!(service.count(&owner).await.unread, 1);
    // Nobody has been notified.
    assert_eq!(
        service
            .mark_all(&hourmeter_runtime::testing::owner(), 7)
            .await,
        0
    );
}

#[tokio::test]
async fn list_leaves_out_kinds_of_a_later_release() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let facts = ["a", "b"].map(flagged).to_vec();
    service.record(owner.company_id, facts).await.unwrap();
    let mut admin = connect_admin(&service.database.admin_url).await.unwrap();
    let later = r#"UPDATE notifications SET fact = '{"kind": "later"}' WHERE company_id = $1 AND number = 1"#;
    let changed = sqlx::query(later)
        .bind(owner.company_id)
        .execute(&mut admin);
    assert_eq!(changed.await.unwrap().rows_affected(), 1);
    assert_eq!(service.list(&owner).await.len(), 1);
    assert_eq!(service.count(&owner).await.unread, 1);
}

#[tokio::test]
async fn count_unread_ends_at_100() {
    let service = TestNotifications::new().await;
    let owner = owner();
    for part in 0..2 {
        let facts = (0..60).map(|place| flagged(&format!("{part} {place}")));
        service
            .record(owner.company_id, facts.collect())
            .await
            .unwrap();
    }
    assert_eq!(service.count(&owner).await.unread, 100);
}

#[tokio::test]
async fn marker_changes_with_facts_and_with_reading() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let mut markers = vec![service.count(&owner).await.marker];
    service
        .record(owner.company_id, vec![flagged("a"), flagged("b")])
        .await
        .unwrap();
    markers.push(service.count(&owner).await.marker);
    service.mark(&owner, vec![1]).await.unwrap();
    markers.push(service.count(&owner).await.marker);
    service.mark_all(&owner, 2).await;
    markers.push(service.count(&owner).await.marker);
    assert_eq!(service.count(&owner).await.marker, markers[3]);
    markers.sort();
    markers.dedup();
    assert_eq!(markers.len(), 4);
}

#[tokio::test]
async fn list_returns_pages_newest_first() {
    let service = TestNotifications::new().await;
    let owner = owner();
    let facts = (0..7).map(|key| flagged(&key.to_string())).collect();
    service.record(owner.company_id, facts).await.unwrap();
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = service.page(&owner, false, &cursor, 3).await;
        all.extend(numbers(&page.notifications));
        cursor = page.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(all, [7, 6, 5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn old_notifications_are_deleted_and_numbers_are_not_used_again() {
    let service = TestNotifications::new().await;
    let owner = owner();
    service
        .record(owner.company_id, vec![flagged("a"), flagged("b")])
        .await
        .unwrap();
    service.mark(&owner, vec![1]).await.unwrap();
    service
        .execute("UPDATE notifications SET created_at = now() - interval '91 days'")
        .await;
    service.execute("SELECT forget_notifications(1000)").await;
    assert!(service.list(&owner).await.is_empty());
    service
        .record(owner.company_id, vec![flagged("c")])
        .await
        .unwrap();
    assert_eq!(numbers(&service.list(&owner).await), [3]);
    assert_eq!(service.count(&owner).await.unread, 1);
}
