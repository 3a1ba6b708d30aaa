//! Retention and access of audit entries.

use hourmeter_proto::billing::v1::ListAuditEventsRequest;
use hourmeter_runtime::audit::delete_expired;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, owner};
use uuid::Uuid;

use crate::support::TestBilling;

async fn line(billing: &TestBilling, company_id: Uuid, days: i32, event: &str) {
    sqlx::query(
        "INSERT INTO audit_events (company_id, id, at, event, outcome, request_id)
        VALUES ($1, $2, now() - make_interval(days => $3), $4, 'success', $2)",
    )
    .bind(company_id)
    .bind(Uuid::now_v7())
    .bind(days)
    .bind(event)
    .execute(&mut billing.admin().await)
    .await
    .unwrap();
}

async fn events(billing: &TestBilling, owner: &Identity) -> Vec<String> {
    let request = as_person(Service::Billing, owner, ListAuditEventsRequest::default());
    let answer = billing.client.clone().list_audit_events(request).await;
    let events = answer.unwrap().into_inner().events;
    events.into_iter().map(|line| line.event).collect()
}

#[tokio::test]
async fn audit_entry_is_deleted_after_400_days() {
    let billing = TestBilling::new().await;
    let (ours, theirs) = (owner(), owner());
    line(&billing, ours.company_id, 401, "webhook_refused").await;
    line(&billing, ours.company_id, 399, "plan_changed").await;
    line(&billing, ours.company_id, 0, "equipment_limit_set").await;
    line(&billing, theirs.company_id, 500, "plan_changed").await;
    let database = &billing.database.database;
    assert_eq!(delete_expired(database).await.unwrap(), 2);
    assert_eq!(delete_expired(database).await.unwrap(), 0);
    assert_eq!(
        events(&billing, &ours).await,
        ["equipment_limit_set", "plan_changed"]
    );
    assert!(events(&billing, &theirs).await.is_empty());
}

#[tokio::test]
async fn audit_entry_younger_than_400_days_cannot_be_deleted() {
    let billing = TestBilling::new().await;
    let ours = owner();
    line(&billing, ours.company_id, 399, "plan_changed").await;
    let mut lookup = billing.database.database.lookup().await.unwrap();
    for most in [1, i64::MAX] {
        let forgotten: i64 = sqlx::query_scalar("SELECT forget_audit_events($1)")
            .bind(most)
            .fetch_one(&mut *lookup)
            .await
            .unwrap();
        assert_eq!(forgotten, 0);
    }
    assert_eq!(events(&billing, &ours).await, ["plan_changed"]);
}
