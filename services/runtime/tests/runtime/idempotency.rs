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

struct Desk {
    test: TestDatabase,
    owner: Identity,
}

impl Desk {
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
        match self.begin(key, now).await.expect("an answer") {
            Outcome::New(work) => work,
            Outcome::Repeat(answer) => panic!("a repeat of {answer:?}"),
        }
    }

    async fn finish(&self, key: Option<Key>, now: DateTime<Utc>, answer: u32) {
        let work = self.begin_new(key, now).await;
        work.finish(&page(answer)).await.expect("done");
    }

    /// The answer of a repeat.
    async fn repeat(&self, key: Option<Key>, now: DateTime<Utc>) -> Result<u32, ServiceError> {
        match self.begin(key, now).await? {
            Outcome::New(_) => panic!("not a repeat"),
            Outcome::Repeat(answer) => Ok(answer.limit),
        }
    }

    async fn answered(
        &self,
        key: Option<Key>,
        now: DateTime<Utc>,
    ) -> Result<Option<u32>, ServiceError> {
        let mut tx = self.test.database.tenant(self.owner.tenant()).await?;
        let answer: Option<PageRequest> =
            stored_response(&mut tx, &self.owner, key.as_ref(), now).await?;
        Ok(answer.map(|answer| answer.limit))
    }

    async fn once(
        &self,
        key: Option<Key>,
        now: DateTime<Utc>,
        work: impl Future<Output = Result<PageRequest, ServiceError>>,
    ) -> Result<u32, ServiceError> {
        let who = (self.owner.tenant(), self.owner.user_id);
        let answer = run_once(&self.test.database, who, key, &Clock::fixed(now), work).await;
        answer.map(|answer| answer.limit)
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
async fn begin_repeats_the_answer_of_finished_work() {
    let desk = Desk::new().await;
    assert_eq!(desk.answered(key("k", 1), NOW).await.expect("none"), None);
    drop(desk.begin_new(key("k", 1), NOW).await);
    desk.finish(key("k", 1), NOW, 7).await;
    let repeat = desk.repeat(key("k", 1), NOW).await;
    assert_eq!(repeat.expect("an answer"), 7);
    let known = desk.answered(key("k", 1), NOW).await;
    assert_eq!(known.expect("an answer"), Some(7));
    for answer in [
        desk.repeat(key("k", 2), NOW).await.map(Some),
        desk.answered(key("k", 2), NOW).await,
    ] {
        assert_eq!(answer.expect_err("another request").kind, Kind::KeyReused);
    }
    assert_eq!(desk.answered(key("l", 1), NOW).await.expect("none"), None);
    desk.finish(key("l", 1), NOW, 8).await;
    for _ in 0..2 {
        desk.finish(None, NOW, 9).await;
    }
    assert_eq!(desk.answered(None, NOW).await.expect("none"), None);
    assert_eq!(desk.count().await, 2);
}

#[tokio::test]
async fn begin_beside_the_first_waits_and_is_refused() {
    let desk = Desk::new().await;
    let first = desk.begin_new(key("k", 1), NOW).await;
    let refused = desk.begin(key("k", 1), NOW).await.expect_err("in progress");
    assert_eq!(refused.reason, "IDEMPOTENCY_KEY_IN_PROGRESS");
    first.finish(&page(7)).await.expect("done");
}

#[tokio::test]
async fn keys_count_for_a_day() {
    let desk = Desk::new().await;
    desk.finish(key("k", 1), NOW, 7).await;
    let repeat = desk.repeat(key("k", 1), NOW + DAY).await;
    assert_eq!(repeat.expect("an answer"), 7);
    let late = NOW + DAY + BLINK;
    assert_eq!(desk.answered(key("k", 1), late).await.expect("none"), None);
    desk.finish(key("k", 2), late, 8).await;
    let repeat = desk.repeat(key("k", 2), late).await;
    assert_eq!(repeat.expect("an answer"), 8);
}

#[tokio::test]
async fn old_keys_are_deleted_by_one_claim_in_sixteen() {
    let desk = Desk::new().await;
    desk.finish(key("old", 1), NOW + BLINK, 1).await;
    let late = NOW + DAY + MINUTE;
    desk.finish(key("a", 1), late + BLINK, 1).await;
    assert_eq!(desk.count().await, 2);
    desk.finish(key("b", 1), late, 1).await;
    assert_eq!(desk.count().await, 2);
    assert_eq!(
        desk.answered(key("a", 1), late).await.expect("kept"),
        Some(1)
    );
}

#[tokio::test]
async fn once_without_an_answer_is_given_up_after_a_minute() {
    let desk = Desk::new().await;
    // Dropped while it works, as when its process is killed.
    let lost = desk.once(key("k", 1), NOW, std::future::pending());
    let waited = tokio::time::timeout(std::time::Duration::from_secs(1), lost).await;
    assert!(waited.is_err());
    for refused in [
        desk.repeat(key("k", 1), NOW + MINUTE).await,
        desk.once(key("k", 1), NOW + MINUTE, async { Ok(page(6)) })
            .await,
    ] {
        let refused = refused.expect_err("in progress");
        assert_eq!(refused.reason, "IDEMPOTENCY_KEY_IN_PROGRESS");
    }
    desk.finish(key("k", 1), NOW + MINUTE + BLINK, 7).await;
}

#[tokio::test]
async fn once_works_again_after_a_failure_only() {
    let desk = Desk::new().await;
    let tries = AtomicU32::new(0);
    let work = async || {
        let number = tries.fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            Err(ServiceError::not_found())
        } else {
            Ok(page(number))
        }
    };
    let failed = desk.once(key("k", 1), NOW, work()).await;
    assert_eq!(failed.expect_err("a failure").kind, Kind::NotFound);
    assert_eq!(desk.count().await, 0);
    for _ in 0..2 {
        let answer = desk.once(key("k", 1), NOW, work()).await;
        assert_eq!(answer.expect("an answer"), 1);
    }
    let other = desk.once(key("k", 2), NOW, work()).await;
    assert_eq!(other.expect_err("another request").kind, Kind::KeyReused);
    let answer = desk.once(None, NOW, work()).await;
    assert_eq!(answer.expect("an answer"), 2);
}
