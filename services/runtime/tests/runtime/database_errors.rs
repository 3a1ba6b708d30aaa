//! Kinds of the database's errors, and what `Debug` of its pool shows.

use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::testing::server_url;
use sqlx::AssertSqlSafe;

#[tokio::test]
async fn error_of_a_busy_or_unreachable_database_is_unavailable() {
    let database = Database::connect(&server_url(), 1).expect("a pool");
    for (state, kind) in [
        // Citus: no connection to a worker.
        ("08006", Kind::Unavailable),
        ("40P01", Kind::Unavailable),
        ("55P03", Kind::Unavailable),
        ("23505", Kind::Internal),
    ] {
        let mut connection = database.lookup().await.expect("a connection");
        let raise =
            format!("DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{state}'; END $$");
        let raised = sqlx::query(AssertSqlSafe(raise))
            .execute(&mut *connection)
            .await;
        let error = ServiceError::from(raised.expect_err("raised"));
        assert_eq!(error.kind, kind, "{state}");
    }
}

#[tokio::test]
async fn debug_of_a_pool_has_no_password() {
    let url = "postgres://role:hunter2@127.0.0.1:1/nothing".to_owned();
    let database = Database::connect(&url.into(), 1).expect("a pool");
    let text = format!("{database:?}");
    assert!(
        text.contains("Opener") && !text.contains("hunter2"),
        "{text}"
    );
}
