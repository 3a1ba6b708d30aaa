//! Idempotency keys in a real database.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{
    IDEMPOTENCY_HEADER, IdempotentTx, Key, Outcome, begin, run_once, stored_response,
};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{TestDatabase, database, owner};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use tonic::Request;

const TABLE: &str = include_str!("../../../billing/migrations/20261125120000_idempotency_keys.sql");
const BLINK: TimeDelta = TimeDelta::microseconds(1);
const DAY: TimeDelta = TimeDelta::hours(24);
const MINUTE: TimeDelta = TimeDelta::seconds(60);

fn page(limit: u32) -> PageRequest {
    PageRequest {
        limit,
        cursor: String::new(),
    }
}

fn key(text: &'static str, limit: u32) -> Option<Key> {
    let mut request = Request::new(page(limit));
    let entry = text.parse().expect("a header value");
    request.metadata_mut().insert(IDEMPOTENCY_HEADER, entry);
    Key::read(&request, "R").expect("a good key")
}

struct Fixture {
    test: TestDatabase,
    owner: Identity,
}

impl Fixture {
    async fn new() -> Self {
        let step = Migration::new(
            1,
            Cow::Borrowed("keys"),
            MigrationType::Simple,
            TABLE.into_sql_str(),
            false,
        );
        let steps = Migrator::with_migrations(vec![step]);
        Self {
            test: database(Service::Billing, &steps).await,
            owner: owner(),
        }
    }

    async fn begin(
        &self,
        key: Option<Key>,
        now: DateTime<Utc>,
    ) -> Result<Outcome<PageRequest>, ServiceError> {
        let tx = self.test.database.tenant(self.owner.tenant()).await?;
        begin(tx, &self.owner, key, now).await
    }

    async fn begin_new(&self, key: Option<Key>, now: DateTime<Utc>) -> IdempotentTx {
        match self.begin(key, now).await.expect("a response") {
            Outcome::New(tx) => tx,
            Outcome::Repeat(response) => panic!("a repeat of {response:?}"),
        }
    }

    async fn finish(&self, key: Option<Key>, now: DateTime<Utc>, response: u32) {
        let tx = self.begin_new(key, now).await;
        tx.finish(&page(response)).await.expect("done");
    }

    /// The stored response of a repeat.
    async fn repeat(&self, key: Option<Key>, now: DateTime<Utc>) -> Result<u32, ServiceError> {
        match self.begin(key, now).await? {
            Outcome::New(_) => panic!("not a repeat"),
            Outcome::Repeat(response) => Ok(response.limit),
        }
    }

    async fn stored(
        &self,
        key: Option<Key>,
        now: DateTime<Utc>,
    ) -> Result<Option<u32>, ServiceError> {
        let mut tx = self.test.database.tenant(self.owner.tenant()).await?;
        let response: Option<PageRequest> =
            stored_response(&mut tx, &self.owner, key.as_ref(), now).await?;
        Ok(response.map(|response| response.limit))
    }

    async fn run_once(
        &self,
        key: Option<Key>,
        now: DateTime<Utc>,
        work: impl Future<Output = Result<PageRequest, ServiceError>>,
    ) -> Result<u32, ServiceError> {
        let user = (self.owner.tenant(), self.owner.user_id);
        let response = run_once(&self.test.database, user, key, &Clock::fixed(now), work).await;
        response.map(|response| response.limit)
    }

    async fn count(&self) -> i64 {
        let mut admin = connect_admin(&self.test.admin_url)
            .await
            .expect("a connection");
        sqlx::query_scalar("SELECT count(*) FROM idempotency_keys")
            .fetch_one(&mut admin)
            .await
            .expect("a count")
    }
}

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

#[tokio::test]
async fn begin_returns_the_stored_response() {
    let fixture = Fixture::new().await;
    assert_eq!(fixture.stored(key("k", 1), NOW).await.expect("none"), None);
    drop(fixture.begin_new(key("k", 1), NOW).await);
    fixture.finish(key("k", 1), NOW, 7).await;
    let repeat = fixture.repeat(key("k", 1), NOW).await;
    assert_eq!(repeat.expect("a response"), 7);
    let known = fixture.stored(key("k", 1), NOW).await;
    assert_eq!(known.expect("a response"), Some(7));
    for response in [
        fixture.repeat(key("k", 2), NOW).await.map(Some),
        fixture.stored(key("k", 2), NOW).await,
    ] {
        assert_eq!(response.expect_err("another request").kind, Kind::KeyReused);
    }
    assert_eq!(fixture.stored(key("l", 1), NOW).await.expect("none"), None);
    fixture.finish(key("l", 1), NOW, 8).await;
    for _ in 0..2 {
        fixture.finish(None, NOW, 9).await;
    }
    assert_eq!(fixture.stored(None, NOW).await.expect("none"), None);
    assert_eq!(fixture.count().await, 2);
}

#[tokio::test]
async fn begin_fails_while_the_first_request_runs() {
    let fixture = Fixture::new().await;
    let first = fixture.begin_new(key("k", 1), NOW).await;
    let refused = fixture
        .begin(key("k", 1), NOW)
        .await
        .expect_err("in progress");
    assert_eq!(refused.reason, "IDEMPOTENCY_KEY_IN_PROGRESS");
    first.finish(&page(7)).await.expect("done");
}

#[tokio::test]
async fn begin_remembers_keys_for_a_day() {
    let fixture = Fixture::new().await;
    fixture.finish(key("k", 1), NOW, 7).await;
    let repeat = fixture.repeat(key("k", 1), NOW + DAY).await;
    assert_eq!(repeat.expect("a response"), 7);
    let late = NOW + DAY + BLINK;
    assert_eq!(fixture.stored(key("k", 1), late).await.expect("none"), None);
    fixture.finish(key("k", 2), late, 8).await;
    let repeat = fixture.repeat(key("k", 2), late).await;
    assert_eq!(repeat.expect("a response"), 8);
}

#[tokio::test]
async fn begin_deletes_old_keys_in_one_of_sixteen_claims() {
    let fixture = Fixture::new().await;
    fixture.finish(key("old", 1), NOW + BLINK, 1).await;
    let late = NOW + DAY + MINUTE;
    fixture.finish(key("a", 1), late + BLINK, 1).await;
    assert_eq!(fixture.count().await, 2);
    fixture.finish(key("b", 1), late, 1).await;
    assert_eq!(fixture.count().await, 2);
    assert_eq!(
        fixture.stored(key("a", 1), late).await.expect("kept"),
        Some(1)
    );
}

#[tokio::test]
async fn run_once_abandons_claims_after_a_minute() {
    let fixture = Fixture::new().await;
    // Dropped before it ends, like a killed process.
    let lost = fixture.run_once(key("k", 1), NOW, std::future::pending());
    let waited = tokio::time::timeout(std::time::Duration::from_secs(1), lost).await;
    assert!(waited.is_err());
    for refused in [
        fixture.repeat(key("k", 1), NOW + MINUTE).await,
        fixture
            .run_once(key("k", 1), NOW + MINUTE, async { Ok(page(6)) })
            .await,
    ] {
        let refused = refused.expect_err("in progress");
        assert_eq!(refused.reason, "IDEMPOTENCY_KEY_IN_PROGRESS");
    }
    fixture.finish(key("k", 1), NOW + MINUTE + BLINK, 7).await;
}

#[tokio::test]
async fn run_once_releases_the_key_after_a_failure_only() {
    let fixture = Fixture::new().await;
    let attempts = AtomicU32::new(0);
    let work = async || {
        let number = attempts.fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            Err(ServiceError::not_found())
        } else {
            Ok(page(number))
        }
    };
    let failed = fixture.run_once(key("k", 1), NOW, work()).await;
    assert_eq!(failed.expect_err("a failure").kind, Kind::NotFound);
    assert_eq!(fixture.count().await, 0);
    for _ in 0..2 {
        let response = fixture.run_once(key("k", 1), NOW, work()).await;
        assert_eq!(response.expect("a response"), 1);
    }
    let other = fixture.run_once(key("k", 2), NOW, work()).await;
    assert_eq!(other.expect_err("another request").kind, Kind::KeyReused);
    let response = fixture.run_once(None, NOW, work()).await;
    assert_eq!(response.expect("a response"), 2);
}
