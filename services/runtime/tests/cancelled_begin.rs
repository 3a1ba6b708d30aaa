//! A caller that goes away while a transaction begins must not leave its company behind.

use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::testing::server_url;
use uuid::Uuid;

#[tokio::test]
async fn the_next_user_of_a_connection_sees_no_company() {
    let database = Database::connect(&server_url(), 1).expect("a pool");
    for round in 0..200_u64 {
        let begin = database.tenant(Tenant::found_by_lookup(Uuid::now_v7()));
        // Cut off at every possible moment, from before the first byte to after the answer.
        let _ = tokio::time::timeout(Duration::from_micros(round * 10), begin).await;
        let mut connection = database.lookup().await.expect("a connection");
        let company: Option<String> =
            sqlx::query_scalar("SELECT nullif(current_setting('app.company_id', true), '')")
                .fetch_one(&mut *connection)
                .await
                .expect("an answer");
        assert_eq!(company, None, "round {round}");
        // Two statements outside a transaction are two transactions.
        let mut ids = Vec::new();
        for _ in 0..2 {
            let id = sqlx::query_scalar::<_, i64>("SELECT txid_current()");
            ids.push(id.fetch_one(&mut *connection).await.expect("an answer"));
        }
        assert_ne!(ids[0], ids[1], "round {round}: still inside a transaction");
    }
}
