//! Metrics of the connection pool.

use hourmeter_runtime::db::Database;
use hourmeter_runtime::telemetry::metrics_text;
use hourmeter_runtime::testing::server_url;

fn assert_exported(expected: &str) {
    let text = metrics_text();
    assert!(
        text.lines().any(|line| line == expected),
        "{expected}\n{text}"
    );
}

#[tokio::test]
async fn pool_metrics_count_connections_and_timeouts() {
    let database = Database::connect(&server_url(), 1).expect("a pool");
    let assert_counts = |used, idle, timeouts| {
        assert_exported("hourmeter_db_connections_max{service=\"other\"} 1");
        assert_exported(&format!(
            "hourmeter_db_connections{{service=\"other\",state=\"used\"}} {used}"
        ));
        assert_exported(&format!(
            "hourmeter_db_connections{{service=\"other\",state=\"idle\"}} {idle}"
        ));
        assert_exported(&format!(
            "hourmeter_db_acquire_timeouts_total{{service=\"other\"}} {timeouts}"
        ));
    };
    assert_counts(0, 0, 0);
    let connection = database.lookup().await.expect("a connection");
    assert_counts(1, 0, 0);
    assert!(database.lookup().await.is_err());
    assert_counts(1, 0, 1);
    assert_exported("hourmeter_db_acquire_duration_seconds_count{service=\"other\"} 2");
    drop(connection);
    // The connection returns to the pool in a background task.
    while database.lookup().await.is_err() {}
    for _ in 0..100 {
        if metrics_text().contains("state=\"idle\"} 1") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_counts(0, 1, 1);
}
