//! Lists of any length. A service answers pages. A list without a limit is read page by page and
//! ends at 5,000 rows or 8 MiB, with the cursor of what follows. An export is streamed page by page,
//! so that no message, no statement and no body in memory grows with the company.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use hourmeter_runtime::client;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::page::MAX_LIMIT;
use opentelemetry::Context;
use opentelemetry::trace::FutureExt as _;
use serde::Serialize;
use tokio::time::Instant;
use tonic::Status;
use tracing::{Instrument as _, Span};

use super::answer::{Answer, JSON};
use super::call::CallSession;
use crate::answers::{Answers, Holder, Room};
use crate::rescue::Refusal;

/// The most rows of a list without a limit.
const MAX_ROWS: u32 = 5_000;
/// The most bytes of such a list, unless its first page has more.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// How long such a list goes on with another page.
const LIST_DEADLINE: Duration = Duration::from_secs(5);
/// How long an export may take, with the time in which the client reads it.
const EXPORT_DEADLINE: Duration = Duration::from_mins(5);
/// Memory that is reserved for a page before it is read.
const PAGE_ROOM: usize = 1024 * 1024;
/// Memory that is reserved for a list without a limit before it is read, so that a company reads
/// only four of them at the same moment.
const LIST_ROOM: usize = 4 * 1024 * 1024;
/// How often an export looks for memory for its next page.
const LOOK_FOR_ROOM: Duration = Duration::from_millis(200);

/// A page as answered, and how to go on.
pub type PageRead<T> = Result<(Vec<T>, Option<PageResponse>), Status>;

/// Answers the page with this limit; without a limit, the rows from the cursor on, as many as one
/// answer may have.
pub async fn answer<T, F>(
    session: CallSession,
    page: PageRequest,
    read: impl Fn(PageRequest) -> F + Send + Sync + 'static,
) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
{
    let (answers, holder) = session.room();
    if page.limit > 0 {
        let _room = answers.reserve(holder, PAGE_ROOM)?;
        let (rows, next) = read(page).await?;
        return Answer::list(&rows, next);
    }
    let mut room = list_room(&answers, holder)?;
    let pages = Pages {
        check: move || session.check(),
        read,
        until: Instant::now() + LIST_DEADLINE,
    };
    bounded(page.cursor, &pages, &mut room).await
}

/// Answers all rows from the cursor on, as long as the session lives.
pub async fn export<T, F>(
    session: CallSession,
    cursor: String,
    read: impl Fn(PageRequest) -> F + Send + Sync + 'static,
) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
{
    let (answers, holder) = session.room();
    let pages = Pages {
        check: move || session.check(),
        read,
        until: Instant::now() + EXPORT_DEADLINE,
    };
    all(cursor, pages, Memory { answers, holder }).await
}

/// Room for a list without a limit; for its first page alone while memory is short.
fn list_room(answers: &Answers, holder: Holder) -> Result<Room, Refusal> {
    let bytes = if answers.is_tight() {
        PAGE_ROOM
    } else {
        LIST_ROOM
    };
    answers.reserve(holder, bytes)
}

/// Answers pages until there is no other or the answer is large enough.
async fn bounded<T, F, G, C, R>(
    mut cursor: String,
    pages: &Pages<C, R>,
    room: &mut Room,
) -> Result<Answer, Refusal>
where
    T: Serialize,
    F: Future<Output = PageRead<T>>,
    G: Future<Output = Result<(), Status>>,
    C: Fn() -> G,
    R: Fn(PageRequest) -> F,
{
    let (mut json, mut count) = (Vec::new(), 0);
    loop {
        let rows;
        (rows, cursor) = pages.read(cursor, MAX_LIMIT.min(MAX_ROWS - count)).await?;
        count += u32::try_from(rows.len()).unwrap_or(MAX_ROWS);
        let before = if json.is_empty() { b'[' } else { b',' };
        json.extend(part(&rows, before, false)?);
        room.grow(json.len() + PAGE_ROOM)?;
        let is_enough = count >= MAX_ROWS || json.len() >= MAX_BYTES || pages.is_late();
        if cursor.is_empty() || is_enough {
            break;
        }
        (pages.check)().await?;
    }
    if json.is_empty() {
        json.push(b'[');
    }
    json.push(b']');
    let next_cursor = cursor;
    Answer::other(JSON, json).with_next(Some(PageResponse { next_cursor }))
}

/// Answers a list of one page whole. Streams a longer one from its first rows on.
async fn all<T, F, G, C, R>(
    mut cursor: String,
    pages: Pages<C, R>,
    memory: Memory,
) -> Result<Answer, Refusal>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
    G: Future<Output = Result<(), Status>> + Send + 'static,
    C: Fn() -> G + Send + Sync + 'static,
    R: Fn(PageRequest) -> F + Send + Sync + 'static,
{
    let mut room = memory.reserve()?;
    loop {
        let rows;
        (rows, cursor) = pages.read(cursor, MAX_LIMIT).await?;
        if cursor.is_empty() {
            return Answer::list(&rows, None);
        }
        // A page of rows that a handler filters out may be empty.
        if !rows.is_empty() {
            let first = part(&rows, b'[', false)?;
            room.resize(first.len())?;
            let first = room.hold(first.into());
            return Ok(Answer::other(JSON, streamed(first, cursor, pages, memory)));
        }
    }
}

/// Reads the next page when the client has taken the one before. An error ends the body without
/// the end of the array, and the connection or HTTP/2 stream is reset.
fn streamed<T, F, G, C, R>(first: Bytes, cursor: String, pages: Pages<C, R>, memory: Memory) -> Body
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
    let memory = Arc::new(memory);
    let remaining = stream::try_unfold((cursor, pages), move |(cursor, pages)| {
        let memory = memory.clone();
        let next = async move {
            if cursor.is_empty() {
                return Ok(None);
            }
            (pages.check)().await?;
            let mut room = memory.wait(PAGE_ROOM, pages.until).await?;
            let (rows, next) = pages.read(cursor, MAX_LIMIT).await?;
            let part = part(&rows, b',', next.is_empty())?;
            if room.resize(part.len()).is_err() {
                drop(room);
                room = memory.wait(part.len(), pages.until).await?;
            }
            Ok::<_, Status>(Some((room.hold(part.into()), (next, pages))))
        };
        next.instrument(in_span.clone())
            .with_context(context.clone())
    });
    let remaining = remaining.inspect_err(move |error| {
        span.in_scope(|| tracing::error!(%error, "failed to read page, response aborted"));
    });
    Body::from_stream(stream::once(async { Ok(first) }).chain(remaining))
}

/// Where the memory of an export is counted.
struct Memory {
    answers: Answers,
    holder: Holder,
}

impl Memory {
    /// Takes room for a page.
    fn reserve(&self) -> Result<Room, Refusal> {
        self.answers.reserve(self.holder.clone(), PAGE_ROOM)
    }

    /// Takes room as soon as there is some.
    async fn wait(&self, bytes: usize, until: Instant) -> Result<Room, Status> {
        loop {
            if let Ok(room) = self.answers.reserve(self.holder.clone(), bytes) {
                return Ok(room);
            }
            if Instant::now() >= until {
                return Err(Status::resource_exhausted("no memory for the next page"));
            }
            tokio::time::sleep(LOOK_FOR_ROOM).await;
        }
    }
}

/// Rows as a part of a JSON array: after its bracket or after other rows, and at its end or not.
fn part(rows: &[impl Serialize], before: u8, is_last: bool) -> Result<Vec<u8>, ServiceError> {
    let mut part = serde_json::to_vec(rows).map_err(ServiceError::internal)?;
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
    /// Runs before each page after the first.
    check: C,
    read: R,
    until: Instant,
}

impl<C, R> Pages<C, R> {
    /// The page at a cursor, and the cursor of the next one; empty if there is none.
    async fn read<T, F>(&self, cursor: String, limit: u32) -> Result<(Vec<T>, String), Status>
    where
        F: Future<Output = PageRead<T>>,
        R: Fn(PageRequest) -> F,
    {
        let page = (self.read)(PageRequest { limit, cursor });
        let left = self.until.saturating_duration_since(Instant::now());
        let (rows, next) = client::with_deadline(left, page).await??;
        Ok((rows, next.unwrap_or_default().next_cursor))
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn alive() -> Result<(), Status> {
        Ok(())
    }

    fn memory() -> Memory {
        Memory {
            answers: Answers::default(),
            holder: Holder::Address("198.51.100.1".to_owned()),
        }
    }

    fn lasting<C, R>(check: C, read: R) -> Pages<C, R> {
        let until = Instant::now() + EXPORT_DEADLINE;
        Pages { check, read, until }
    }

    /// The list without a limit from its beginning.
    async fn list<T, F, R>(read: R) -> Result<Answer, Refusal>
    where
        T: Serialize,
        F: Future<Output = PageRead<T>>,
        R: Fn(PageRequest) -> F,
    {
        let mut room = memory().reserve()?;
        bounded(String::new(), &lasting(alive, read), &mut room).await
    }

    /// The export from its beginning.
    async fn exported<T, F, R>(read: R) -> Result<Answer, Refusal>
    where
        T: Serialize + Send + 'static,
        F: Future<Output = PageRead<T>> + Send + 'static,
        R: Fn(PageRequest) -> F + Send + Sync + 'static,
    {
        all(String::new(), lasting(alive, read), memory()).await
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

    #[test]
    fn list_room_is_for_four_lists_of_a_company() {
        let answers = Answers::default();
        let of = |number| Holder::Address(format!("198.51.100.{number}"));
        let four: Vec<_> = (0..4).map(|_| list_room(&answers, of(1))).collect();
        assert!(four.iter().all(Result::is_ok));
        let fifth = list_room(&answers, of(1));
        assert!(matches!(fifth, Err(Refusal::TooMany(_))));
        let others: Vec<_> = (2..20)
            .map(|number| list_room(&answers, of(number)))
            .collect();
        assert!(others.iter().all(Result::is_ok));
        // Now half of the memory is taken, so that a holder has room for one page.
        assert!(list_room(&answers, of(20)).is_ok());
    }

    #[tokio::test]
    async fn bounded_ends_at_most_rows_or_bytes() {
        // Pages of as many rows as are asked for, without end.
        let endless = |row: &'static str| {
            move |asked: PageRequest| async move {
                let rows = vec![row; asked.limit as usize];
                let next_cursor = format!("{}x", asked.cursor);
                Ok((rows, Some(PageResponse { next_cursor })))
            }
        };
        let long: &str = Box::leak("x".repeat(10_000).into_boxed_str());
        for (row, pages, rows) in [("x", 10, 5000), (long, 2, 1000)] {
            let answer = list(endless(row)).await.expect("an answer");
            let response = answer.into_response();
            assert_eq!(response.headers()["x-next-cursor"].len(), pages);
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await;
            let read: Vec<String> =
                serde_json::from_slice(&body.expect("a body")).expect("an array");
            assert_eq!(read.len(), rows);
        }
    }

    #[tokio::test]
    async fn bounded_reads_all_of_a_short_list() {
        for (count, expected) in [(1, "[]"), (2, "[10,11]"), (4, "[10,11,30,31]")] {
            let read = move |asked: PageRequest| async move { pages(count, &asked) };
            let answer = list(read).await.expect("an answer");
            let response = answer.into_response();
            assert!(!response.headers().contains_key("x-next-cursor"));
            let body = axum::body::to_bytes(response.into_body(), 100).await;
            assert_eq!(body.expect("a body"), expected);
        }
    }

    #[tokio::test]
    async fn bounded_fails_without_memory() {
        let memory = memory();
        let read = |asked: PageRequest| async move { pages(5, &asked) };
        let mut room = memory.reserve().expect("room");
        let _other = memory.answers.reserve(memory.holder.clone(), 15 << 20);
        let full = bounded(String::new(), &lasting(alive, read), &mut room).await;
        assert!(matches!(full, Err(Refusal::TooMany(_))));
    }

    #[tokio::test]
    async fn export_is_one_array_with_and_without_rows_in_pages() {
        for (count, expected) in [
            (1, "[]"),
            (2, "[10,11]"),
            (3, "[10,11]"),
            (4, "[10,11,30,31]"),
            (5, "[10,11,30,31]"),
        ] {
            let read = move |asked: PageRequest| async move { pages(count, &asked) };
            let answer = exported(read).await.expect("an answer");
            assert_eq!(body(answer).await.expect("a body"), expected);
        }
    }

    #[tokio::test]
    async fn export_fails_or_aborts_with_failed_page() {
        for (failed, is_refused) in [("", true), ("1", true), ("2", false), ("4", false)] {
            let read = move |asked: PageRequest| async move {
                if asked.cursor == failed {
                    return Err(Status::unavailable("away"));
                }
                pages(5, &asked)
            };
            match exported(read).await {
                Ok(answer) => assert!(!is_refused && body(answer).await.is_err(), "{failed}"),
                Err(_) => assert!(is_refused, "{failed}"),
            }
        }
    }

    #[tokio::test]
    async fn export_aborts_at_deadline() {
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
            memory(),
        )
        .await;
        assert!(body(answer.expect("an answer")).await.is_err());
    }

    #[tokio::test]
    async fn export_aborts_when_session_ends() {
        let read = |asked: PageRequest| async move { pages(5, &asked) };
        let ended = || async { Err(Status::unauthenticated("ended")) };
        let answer = all(String::new(), lasting(ended, read), memory()).await;
        let answer = answer.expect("the first rows");
        assert!(body(answer).await.is_err());
    }
}
