//! How many connections are in use, and who waited for one in vain, shows in the metrics.

use hourmeter_runtime::db::Database;
use hourmeter_runtime::telemetry::metrics_text;
use hourmeter_runtime::testing::server_url;

fn is_told(line: &str) {
    let text = metrics_text();
    assert!(text.lines().any(|told| told == line), "{line}\n{text}");
}

#[tokio::test]
async fn a_pool_tells_who_uses_it_and_who_gave_up() {
    let database = Database::connect(&server_url(), 1).expect("a pool");
    let told = |used, idle, timeouts| {
        is_told("hourmeter_db_connections_max{service=\"other\"} 1");
        is_told(&format!(
            "hourmeter_db_connections{{service=\"other\",state=\"used\"}} {used}"
        ));
        is_told(&format!(
            "hourmeter_db_connections{{service=\"other\",state=\"idle\"}} {idle}"
        ));
        is_told(&format!(
            "hourmeter_db_acquire_timeouts_total{{service=\"other\"}} {timeouts}"
        ));
    };
    told(0, 0, 0);
    let connection = database.lookup().await.expect("a connection");
    told(1, 0, 0);
    assert!(database.lookup().await.is_err());
    told(1, 0, 1);
    is_told("hourmeter_db_acquire_duration_seconds_count{service=\"other\"} 2");
    drop(connection);
    // It goes back in a task of its own.
    while database.lookup().await.is_err() {}
    for _ in 0..100 {
        if metrics_text().contains("state=\"idle\"} 1") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    told(0, 1, 1);
}
