//! Retention of audit entries.

use hourmeter_runtime::audit::delete_expired;
use hourmeter_runtime::identity::Tenant;
use uuid::Uuid;

use crate::support::App;

async fn line(app: &App, company: Uuid, days: u32, event: &str) {
    app.execute(&format!(
        "INSERT INTO audit_events (company_id, id, at, event, outcome, request_id)
        VALUES ('{company}', gen_random_uuid(), now() - interval '{days} days', '{event}',
            'success', gen_random_uuid())"
    ))
    .await;
}

#[tokio::test]
async fn delete_expired_keeps_entries_for_400_days() {
    let app = App::new().await;
    let company = Uuid::now_v7();
    line(&app, company, 401, "old").await;
    line(&app, Uuid::nil(), 4000, "old").await;
    line(&app, company, 399, "young").await;
    line(&app, company, 0, "young").await;
    assert_eq!(delete_expired(&app.test.database).await.unwrap(), 2);
    assert_eq!(delete_expired(&app.test.database).await.unwrap(), 0);
    assert_eq!(app.count("audit_events WHERE event = 'young'").await, 2);
    assert_eq!(app.count("audit_events").await, 2);
}

#[tokio::test]
async fn delete_expired_deletes_several_batches() {
    let app = App::new().await;
    app.execute(
        "INSERT INTO audit_events (company_id, id, at, event, outcome, request_id)
        SELECT gen_random_uuid(), gen_random_uuid(), now() - interval '401 days', 'old', 'success',
            gen_random_uuid() FROM generate_series(1, 2000)",
    )
    .await;
    assert_eq!(delete_expired(&app.test.database).await.unwrap(), 2000);
    assert_eq!(app.count("audit_events").await, 0);
}

#[tokio::test]
async fn service_role_can_not_delete_younger_entries() {
    let app = App::new().await;
    let company = Uuid::now_v7();
    line(&app, company, 399, "young").await;
    let mut lookup = app.test.database.lookup().await.unwrap();
    let forgotten: i64 = sqlx::query_scalar("SELECT forget_audit_events(1000000)")
        .fetch_one(&mut *lookup)
        .await
        .unwrap();
    assert_eq!(forgotten, 0);
    drop(lookup);
    for sql in [
        "DELETE FROM audit_events",
        "UPDATE audit_events SET at = now() - interval '401 days'",
        "UPDATE audit_events SET detail = 'x'",
    ] {
        let tenant = Tenant::from_lookup(company);
        let mut tx = app.test.database.tenant(tenant).await.unwrap();
        let refused = sqlx::query(sql).execute(&mut *tx).await.unwrap_err();
        let code = refused
            .as_database_error()
            .and_then(|error| error.code().map(String::from));
        assert_eq!(code.as_deref(), Some("42501"), "{sql}: {refused}");
    }
    assert_eq!(
        app.count("audit_events WHERE event = 'young' AND detail = ''")
            .await,
        1
    );
}
