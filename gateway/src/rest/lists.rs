//! Lists of any length. A service answers pages. A list without a limit is read page by page and
//! streamed, so that no message, no statement and no body in memory grows with the company.

use std::time::Duration;

use axum::body::Body;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use hourmeter_runtime::client;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::page::MAX_LIMIT;
use opentelemetry::Context;
use opentelemetry::trace::FutureExt as _;
use serde::Serialize;
use tokio::time::Instant;
use tonic::Status;
use tracing::{Instrument as _, Span};

use super::answer::{Answer, JSON};
use super::call::CallSession;
use crate::rescue::Refusal;

/// How long a list without a limit may take, with the time in which the client reads it.
const DEADLINE: Duration = Duration::from_mins(5);

/// A page as answered, and how to go on.
pub type PageRead<T> = Result<(Vec<T>, Option<PageResponse>), Status>;

/// Answers the page with this limit; without a limit, all rows from the cursor on, as long as the
/// session lives.
pub async fn answer<T, F>(
    session: CallSession,
    page: PageRequest,
    read: impl Fn(PageRequest) -> F + Send + Sync + 'static,
) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
{
    list(move || session.check(), page, read).await
}

/// `check` runs before each page after the first.
async fn list<T, F, G>(
    check: impl Fn() -> G + Send + Sync + 'static,
    page: PageRequest,
    read: impl Fn(PageRequest) -> F + Send + Sync + 'static,
) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
    G: Future<Output = Result<(), Status>> + Send + 'static,
{
    if page.limit > 0 {
        let (rows, next) = read(page).await?;
        return Answer::list(&rows, next);
    }
    let until = Instant::now() + DEADLINE;
    all(page.cursor, Pages { check, read, until }).await
}

/// Answers a list of one page whole. Streams a longer one from its first rows on.
async fn all<T, F, G, C, R>(mut cursor: String, pages: Pages<C, R>) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
    G: Future<Output = Result<(), Status>> + Send + 'static,
    C: Fn() -> G + Send + Sync + 'static,
    R: Fn(PageRequest) -> F + Send + Sync + 'static,
{
    loop {
        let rows;
        (rows, cursor) = pages.read(cursor).await?;
        if cursor.is_empty() {
            return Answer::list(&rows, None);
        }
        // A page of rows that a handler filters out may be empty.
        if !rows.is_empty() {
            let first = part(&rows, b'[', false)?;
            return Ok(Answer::other(JSON, streamed(first, cursor, pages)));
        }
    }
}

/// Reads the next page when the client has taken the one before. An error ends the body without
/// the end of the array, and the connection or HTTP/2 stream is reset.
fn streamed<T, F, G, C, R>(first: Vec<u8>, cursor: String, pages: Pages<C, R>) -> Body
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
    G: Future<Output = Result<(), Status>> + Send + 'static,
    C: Fn() -> G + Send + Sync + 'static,
    R: Fn(PageRequest) -> F + Send + Sync + 'static,
{
    // The body is polled outside of the request's span and context.
    let (span, context) = (Span::current(), Context::current());
    let in_span = span.clone();
    let remaining = stream::try_unfold((cursor, pages), move |(cursor, pages)| {
        let next = async move {
            if cursor.is_empty() {
                return Ok(None);
            }
            (pages.check)().await?;
            let (rows, next) = pages.read(cursor).await?;
            let part = part(&rows, b',', next.is_empty())?;
            Ok::<_, Status>(Some((part, (next, pages))))
        };
        next.instrument(in_span.clone())
            .with_context(context.clone())
    });
    let remaining = remaining.inspect_err(move |error| {
        span.in_scope(|| tracing::error!(%error, "failed to read page, response aborted"));
    });
    Body::from_stream(stream::once(async { Ok(first) }).chain(remaining))
}

/// Rows as a part of a JSON array: after its bracket or after other rows, and at its end or not.
fn part(rows: &[impl Serialize], before: u8, is_last: bool) -> Result<Vec<u8>, Failure> {
    let mut part = serde_json::to_vec(rows).map_err(Failure::internal)?;
    part[0] = before;
    if rows.is_empty() {
        part.clear();
    } else {
        part.pop();
    }
    if is_last {
        part.push(b']');
    }
    Ok(part)
}

/// Reads pages until a deadline.
struct Pages<C, R> {
    check: C,
    read: R,
    until: Instant,
}

impl<C, R> Pages<C, R> {
    /// The page at a cursor, and the cursor of the next one; empty if there is none.
    async fn read<T, F>(&self, cursor: String) -> Result<(Vec<T>, String), Status>
    where
        F: Future<Output = PageRead<T>>,
        R: Fn(PageRequest) -> F,
    {
        let limit = MAX_LIMIT;
        let page = (self.read)(PageRequest { limit, cursor });
        let left = self.until.saturating_duration_since(Instant::now());
        let (rows, next) = client::within(left, page).await??;
        Ok((rows, next.unwrap_or_default().next_cursor))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn page(limit: u32) -> PageRequest {
        PageRequest {
            limit,
            ..PageRequest::default()
        }
    }

    async fn alive() -> Result<(), Status> {
        Ok(())
    }

    /// A page of a list; a page without rows for each even number.
    #[expect(clippy::unnecessary_wraps, reason = "the result of a call")]
    fn pages(count: u32, asked: &PageRequest) -> PageRead<u32> {
        let number: u32 = asked.cursor.parse().unwrap_or(0);
        let next = (number + 1 < count).then(|| (number + 1).to_string());
        let next_cursor = next.unwrap_or_default();
        let rows = (0..number % 2 * 2).map(|row| 10 * number + row).collect();
        Ok((rows, Some(PageResponse { next_cursor })))
    }

    async fn body(answer: Answer) -> Result<String, axum::Error> {
        let body = answer.into_response().into_body();
        let bytes = axum::body::to_bytes(body, usize::MAX).await?;
        Ok(String::from_utf8(bytes.into()).expect("text"))
    }

    #[tokio::test]
    async fn answer_reads_all_pages_only_without_limit() {
        for (limit, calls) in [(0, 3), (1, 1)] {
            let called = Arc::new(AtomicU32::new(0));
            let counter = called.clone();
            let read = move |asked: PageRequest| {
                counter.fetch_add(1, Ordering::Relaxed);
                assert_eq!(asked.limit, if limit == 0 { MAX_LIMIT } else { limit });
                async move { pages(3, &asked) }
            };
            let answer = list(alive, page(limit), read).await.expect("an answer");
            body(answer).await.expect("a body");
            assert_eq!(called.load(Ordering::Relaxed), calls);
        }
    }

    #[tokio::test]
    async fn answer_is_one_array_with_and_without_rows_in_pages() {
        for (count, expected) in [
            (1, "[]"),
            (2, "[10,11]"),
            (3, "[10,11]"),
            (4, "[10,11,30,31]"),
            (5, "[10,11,30,31]"),
        ] {
            let read = move |asked: PageRequest| async move { pages(count, &asked) };
            let answer = list(alive, page(0), read).await.expect("an answer");
            assert_eq!(body(answer).await.expect("a body"), expected);
        }
    }

    #[tokio::test]
    async fn answer_fails_or_aborts_with_failed_page() {
        for (failed, is_refused) in [("", true), ("1", true), ("2", false), ("4", false)] {
            let read = move |asked: PageRequest| async move {
                if asked.cursor == failed {
                    return Err(Status::unavailable("away"));
                }
                pages(5, &asked)
            };
            match list(alive, page(0), read).await {
                Ok(answer) => assert!(!is_refused && body(answer).await.is_err(), "{failed}"),
                Err(_) => assert!(is_refused, "{failed}"),
            }
        }
    }

    #[tokio::test]
    async fn answer_aborts_at_deadline() {
        let read = |asked: PageRequest| async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            pages(u32::MAX, &asked)
        };
        let until = Instant::now() + Duration::from_millis(50);
        let answer = all(
            String::new(),
            Pages {
                check: alive,
                read,
                until,
            },
        )
        .await;
        assert!(body(answer.expect("an answer")).await.is_err());
    }

    #[tokio::test]
    async fn answer_aborts_when_session_ends() {
        let read = |asked: PageRequest| async move { pages(5, &asked) };
        let ended = || async { Err(Status::unauthenticated("ended")) };
        let answer = list(ended, page(0), read).await.expect("the first rows");
        assert!(body(answer).await.is_err());
    }
}
