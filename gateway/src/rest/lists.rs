//! Lists of any length, read from services in pages. A list without a limit ends at 5,000 rows or 8
//! MiB, with the cursor of the rest. An export is streamed page by page, so that no message,
//! statement or body in memory grows with the company.

pub mod ranked;

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::future::BoxFuture;
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

use super::call::Call;
use super::response::{JSON, RestResponse, RestResult};
use crate::api_error::ApiError;
use crate::response_memory::{QuotaKey, Reservation, ResponseMemory};

/// Rows of a list without a limit.
const MAX_ROWS: u32 = 5_000;
/// Bytes of such a list, unless its first page is larger.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Deadline for requesting further pages of such a list.
const LIST_DEADLINE: Duration = Duration::from_secs(5);
/// Deadline of an export, including the client's reading.
const EXPORT_DEADLINE: Duration = Duration::from_mins(5);
/// Memory reserved before a page is read.
const PAGE_BYTES: usize = 1024 * 1024;
/// Memory reserved before a list without a limit is read, so that a company reads at most four at a
/// time.
const LIST_BYTES: usize = 4 * 1024 * 1024;
/// Interval at which an export retries to reserve memory.
const RESERVE_INTERVAL: Duration = Duration::from_millis(200);

/// Rows of a page, and the next cursor.
pub type PageRead<T> = Result<(Vec<T>, Option<PageResponse>), Status>;

/// Responds with the page of this limit; without a limit, with as many rows as one response may
/// have.
pub async fn respond<T, F>(
    call: impl Into<Arc<Call>>,
    page: PageRequest,
    read: impl Fn(Arc<Call>, PageRequest) -> F + Send + Sync + 'static,
) -> RestResult
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
{
    let call = call.into();
    let (memory, key) = call.response_memory();
    if page.limit > 0 {
        let _room = memory.reserve(key, PAGE_BYTES)?;
        let (rows, next) = read(call, page).await?;
        return RestResponse::ok(&rows)?.with_next(next);
    }
    let mut reservation = reserve_list(&memory, key)?;
    let pages = Pages::of(call, read, LIST_DEADLINE);
    bounded(page.cursor, &pages, &mut reservation).await
}

/// Responds with all rows from the cursor, as long as the session is valid.
pub async fn export<T, F>(
    call: impl Into<Arc<Call>>,
    cursor: String,
    read: impl Fn(Arc<Call>, PageRequest) -> F + Send + Sync + 'static,
) -> RestResult
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<T>> + Send + 'static,
{
    let call = call.into();
    let (memory, key) = call.response_memory();
    let pages = Pages::of(call, read, EXPORT_DEADLINE);
    all(cursor, pages, ExportMemory { memory, key }).await
}

/// Reserves memory for a list without a limit; for its first page alone while memory is short.
fn reserve_list(memory: &ResponseMemory, key: QuotaKey) -> Result<Reservation, ApiError> {
    let bytes = if memory.is_short() {
        PAGE_BYTES
    } else {
        LIST_BYTES
    };
    memory.reserve(key, bytes)
}

/// Collects pages until the last one or a limit.
async fn bounded<T: Serialize>(
    mut cursor: String,
    pages: &Pages<T>,
    reservation: &mut Reservation,
) -> RestResult {
    let (mut json, mut count) = (Vec::new(), 0);
    loop {
        let rows;
        (rows, cursor) = pages.read(cursor, MAX_LIMIT.min(MAX_ROWS - count)).await?;
        count += u32::try_from(rows.len()).unwrap_or(MAX_ROWS);
        let before = if json.is_empty() { b'[' } else { b',' };
        json.extend(part(&rows, before, false)?);
        reservation.grow(json.len() + PAGE_BYTES)?;
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
    RestResponse::other(JSON, json).with_next(Some(PageResponse { next_cursor }))
}

/// Returns a single page directly; streams a longer list from its first rows.
async fn all<T: Serialize + Send + 'static>(
    mut cursor: String,
    pages: Pages<T>,
    memory: ExportMemory,
) -> RestResult {
    let mut reservation = memory.reserve()?;
    loop {
        let rows;
        (rows, cursor) = pages.read(cursor, MAX_LIMIT).await?;
        if cursor.is_empty() {
            return RestResponse::ok(&rows);
        }
        // A page whose rows are filtered may be empty.
        if !rows.is_empty() {
            let first = part(&rows, b'[', false)?;
            reservation.resize(first.len())?;
            let first = reservation.track(first.into());
            return Ok(RestResponse::other(
                JSON,
                streamed(first, cursor, pages, memory),
            ));
        }
    }
}

/// Reads the next page when the client has received the previous one. An error ends the body
/// without the end of the array, and the connection or HTTP/2 stream is reset.
fn streamed<T: Serialize + Send + 'static>(
    first: Bytes,
    cursor: String,
    pages: Pages<T>,
    memory: ExportMemory,
) -> Body {
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
            let mut reservation = memory.wait(PAGE_BYTES, pages.until).await?;
            let (rows, next) = pages.read(cursor, MAX_LIMIT).await?;
            let part = part(&rows, b',', next.is_empty())?;
            if reservation.resize(part.len()).is_err() {
                drop(reservation);
                reservation = memory.wait(part.len(), pages.until).await?;
            }
            Ok::<_, Status>(Some((reservation.track(part.into()), (next, pages))))
        };
        next.instrument(in_span.clone())
            .with_context(context.clone())
    });
    let remaining = remaining.inspect_err(move |error| {
        span.in_scope(|| tracing::error!(%error, "failed to read page, response aborted"));
    });
    Body::from_stream(stream::once(async { Ok(first) }).chain(remaining))
}

struct ExportMemory {
    memory: ResponseMemory,
    key: QuotaKey,
}

impl ExportMemory {
    fn reserve(&self) -> Result<Reservation, ApiError> {
        self.memory.reserve(self.key.clone(), PAGE_BYTES)
    }

    /// Reserves memory as soon as it is available.
    async fn wait(&self, bytes: usize, until: Instant) -> Result<Reservation, Status> {
        loop {
            if let Ok(reservation) = self.memory.reserve(self.key.clone(), bytes) {
                return Ok(reservation);
            }
            if Instant::now() >= until {
                return Err(Status::resource_exhausted(
                    "not enough memory for the next page",
                ));
            }
            tokio::time::sleep(RESERVE_INTERVAL).await;
        }
    }
}

/// Rows as a part of a JSON array, with the separator before them and the bracket at the end.
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

struct Pages<T> {
    /// Runs before each page after the first.
    check: Box<dyn Fn() -> BoxFuture<'static, Result<(), Status>> + Send + Sync>,
    read: Box<dyn Fn(PageRequest) -> BoxFuture<'static, PageRead<T>> + Send + Sync>,
    until: Instant,
}

impl<T> Pages<T> {
    /// The pages that `read` returns, as long as the session of the call is valid.
    fn of<F>(
        call: Arc<Call>,
        read: impl Fn(Arc<Call>, PageRequest) -> F + Send + Sync + 'static,
        deadline: Duration,
    ) -> Self
    where
        F: Future<Output = PageRead<T>> + Send + 'static,
    {
        let checked = call.clone();
        Self {
            check: Box::new(move || Box::pin(checked.clone().check_session())),
            read: Box::new(move |page| Box::pin(read(call.clone(), page))),
            until: Instant::now() + deadline,
        }
    }

    /// The page at a cursor, and the next cursor; empty after the last page.
    async fn read(&self, cursor: String, limit: u32) -> Result<(Vec<T>, String), Status> {
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

    fn memory() -> ExportMemory {
        ExportMemory {
            memory: ResponseMemory::default(),
            key: QuotaKey::Address("198.51.100.1".to_owned()),
        }
    }

    /// Pages of a valid session.
    pub(super) fn lasting<T, F>(read: impl Fn(PageRequest) -> F + Send + Sync + 'static) -> Pages<T>
    where
        F: Future<Output = PageRead<T>> + Send + 'static,
    {
        Pages {
            check: Box::new(|| Box::pin(async { Ok(()) })),
            read: Box::new(move |page| Box::pin(read(page))),
            until: Instant::now() + EXPORT_DEADLINE,
        }
    }

    /// A list without a limit from its beginning.
    async fn list<T: Serialize, F: Future<Output = PageRead<T>> + Send + 'static>(
        read: impl Fn(PageRequest) -> F + Send + Sync + 'static,
    ) -> RestResult {
        let mut reservation = memory().reserve()?;
        bounded(String::new(), &lasting(read), &mut reservation).await
    }

    /// An export from its beginning.
    async fn exported<T, F>(read: impl Fn(PageRequest) -> F + Send + Sync + 'static) -> RestResult
    where
        T: Serialize + Send + 'static,
        F: Future<Output = PageRead<T>> + Send + 'static,
    {
        all(String::new(), lasting(read), memory()).await
    }

    /// A page of a list; even pages are empty.
    #[expect(clippy::unnecessary_wraps, reason = "the result of a call")]
    fn pages(count: u32, asked: &PageRequest) -> PageRead<u32> {
        let number: u32 = asked.cursor.parse().unwrap_or(0);
        let next = (number + 1 < count).then(|| (number + 1).to_string());
        let next_cursor = next.unwrap_or_default();
        let rows = (0..number % 2 * 2).map(|row| 10 * number + row).collect();
        Ok((rows, Some(PageResponse { next_cursor })))
    }

    async fn body(response: RestResponse) -> Result<String, axum::Error> {
        let body = response.into_response().into_body();
        let bytes = axum::body::to_bytes(body, usize::MAX).await?;
        Ok(String::from_utf8(bytes.into()).expect("text"))
    }

    #[test]
    fn reserve_list_allows_four_lists_of_a_company() {
        let memory = ResponseMemory::default();
        let of = |number| QuotaKey::Address(format!("198.51.100.{number}"));
        let four: Vec<_> = (0..4).map(|_| reserve_list(&memory, of(1))).collect();
        assert!(four.iter().all(Result::is_ok));
        let fifth = reserve_list(&memory, of(1));
        assert!(matches!(fifth, Err(ApiError::RateLimited(_))));
        let others: Vec<_> = (2..20)
            .map(|number| reserve_list(&memory, of(number)))
            .collect();
        assert!(others.iter().all(Result::is_ok));
        // Now half of the memory is taken, so quotas are reduced to one page.
        assert!(reserve_list(&memory, of(20)).is_ok());
    }

    #[tokio::test]
    async fn bounded_ends_at_most_rows_or_bytes() {
        // Full pages without end.
        let endless = |row: &'static str| {
            move |asked: PageRequest| async move {
                let rows = vec![row; asked.limit as usize];
                let next_cursor = format!("{}x", asked.cursor);
                Ok((rows, Some(PageResponse { next_cursor })))
            }
        };
        let long: &str = Box::leak("x".repeat(10_000).into_boxed_str());
        for (row, pages, rows) in [("x", 10, 5000), (long, 2, 1000)] {
            let response = list(endless(row)).await.expect("a response");
            let response = response.into_response();
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
            let response = list(read).await.expect("a response");
            let response = response.into_response();
            assert!(!response.headers().contains_key("x-next-cursor"));
            let body = axum::body::to_bytes(response.into_body(), 100).await;
            assert_eq!(body.expect("a body"), expected);
        }
    }

    #[tokio::test]
    async fn bounded_fails_without_memory() {
        let memory = memory();
        let read = |asked: PageRequest| async move { pages(5, &asked) };
        let mut reservation = memory.reserve().expect("memory");
        let _other = memory.memory.reserve(memory.key.clone(), 15 << 20);
        let full = bounded(String::new(), &lasting(read), &mut reservation).await;
        assert!(matches!(full, Err(ApiError::RateLimited(_))));
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
            let response = exported(read).await.expect("a response");
            assert_eq!(body(response).await.expect("a body"), expected);
        }
    }

    #[tokio::test]
    async fn export_fails_or_aborts_with_failed_page() {
        for (failed, is_refused) in [("", true), ("1", true), ("2", false), ("4", false)] {
            let read = move |asked: PageRequest| async move {
                if asked.cursor == failed {
                    return Err(Status::unavailable("down"));
                }
                pages(5, &asked)
            };
            match exported(read).await {
                Ok(response) => assert!(!is_refused && body(response).await.is_err(), "{failed}"),
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
        let pages = Pages {
            until: Instant::now() + Duration::from_millis(50),
            ..lasting(read)
        };
        let response = all(String::new(), pages, memory()).await;
        assert!(body(response.expect("a response")).await.is_err());
    }

    #[tokio::test]
    async fn export_aborts_when_session_ends() {
        let read = |asked: PageRequest| async move { pages(5, &asked) };
        let pages = Pages {
            check: Box::new(|| Box::pin(async { Err(Status::unauthenticated("ended")) })),
            ..lasting(read)
        };
        let response = all(String::new(), pages, memory()).await;
        let response = response.expect("the first rows");
        assert!(body(response).await.is_err());
    }
}
