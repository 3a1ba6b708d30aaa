//! A caller that is cancelled during BEGIN or COMMIT leaves neither its company nor a transaction on
//! the connection.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Tenant;
use hourmeter_runtime::testing::server_url;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};
use uuid::Uuid;

#[tokio::test]
async fn cancelled_begin_leaves_no_company_on_the_connection() {
    let database = Database::connect(&server_url(), 1).expect("a pool");
    for round in 0..200_u64 {
        let begin = database.tenant(Tenant::from_lookup(Uuid::now_v7()));
        // Cancelled at any moment, from before the first byte until after the response.
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

/// Records the notices of the database.
#[derive(Clone, Default)]
struct Notices(Arc<Mutex<Vec<String>>>);

impl Notices {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("a lock"))
    }
}

impl Visit for Notices {
    fn record_str(&mut self, _: &Field, value: &str) {
        self.0.lock().expect("a lock").push(value.to_owned());
    }

    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        self.0.lock().expect("a lock").push(format!("{value:?}"));
    }
}

impl Subscriber for Notices {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::postgres::notice"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[tokio::test]
async fn cancelled_commit_causes_no_extra_rollback() {
    let notices = Notices::default();
    // The test runs in one thread, so the subscriber receives everything.
    let _subscriber = tracing::subscriber::set_default(notices.clone());
    let database = Database::connect(&server_url(), 1).expect("a pool");
    for round in 0..200_u64 {
        let ends = Notify::new();
        let request = async {
            let tenant = Tenant::from_lookup(Uuid::now_v7());
            let mut tx = database.tenant(tenant).await.expect("a transaction");
            let query = sqlx::query("SELECT 1").execute(&mut *tx);
            query.await.expect("an answer");
            ends.notify_one();
            tx.commit().await.expect("a commit");
        };
        // From the start of the commit until after it.
        let cut_off = async {
            ends.notified().await;
            for _ in 0..round {
                yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = cut_off => {}
            () = request => {}
        }
        // Notices of the last user arrive before the response to the next one.
        let mut connection = database.lookup().await.expect("a connection");
        let query = sqlx::query("SELECT 1").execute(&mut *connection);
        query.await.expect("an answer");
        assert_eq!(notices.take(), [""; 0], "round {round}");
    }
    // The subscriber works.
    let mut connection = database.lookup().await.expect("a connection");
    let query = sqlx::raw_sql("ROLLBACK").execute(&mut *connection);
    query.await.expect("an answer");
    assert_eq!(notices.take(), ["there is no transaction in progress"]);
}
