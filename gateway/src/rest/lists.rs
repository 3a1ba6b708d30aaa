//! Lists of any length. A service answers pages; whoever asks for all gets them read one after
//! the other, so that no message and no statement grows with the company.

use std::time::Duration;

use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use hourmeter_runtime::client;
use hourmeter_runtime::page::MAX_LIMIT;
use serde::Serialize;
use tonic::Status;

use super::answer::Answer;
use crate::rescue::Refusal;
use crate::visitor::unavailable;

/// How long reading all of a list may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// A page as answered, and how to go on.
pub type PageRead<T> = Result<(Vec<T>, Option<PageResponse>), Status>;

/// Answers the page asked for; without a limit, all from there on.
pub async fn answer<T: Serialize, F>(
    page: PageRequest,
    read: impl Fn(PageRequest) -> F,
) -> Result<Answer, Refusal>
where
    F: Future<Output = PageRead<T>>,
{
    if page.limit > 0 {
        let (rows, next) = read(page).await?;
        return Answer::list(&rows, next);
    }
    let rows = in_time(all(page.cursor, read)).await?;
    Answer::list(&rows, None)
}

/// Reads many pages, as long as that may take.
pub async fn in_time<T>(work: impl Future<Output = Result<T, Status>>) -> Result<T, Refusal> {
    within(DEADLINE, work).await
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, Status>>,
) -> Result<T, Refusal> {
    let done = client::within(limit, work).await;
    Ok(done.map_err(|_| unavailable())??)
}

async fn all<T, F>(mut cursor: String, read: impl Fn(PageRequest) -> F) -> Result<Vec<T>, Status>
where
    F: Future<Output = PageRead<T>>,
{
    let mut rows = Vec::new();
    loop {
        let limit = MAX_LIMIT;
        let (mut page, next) = read(PageRequest { limit, cursor }).await?;
        rows.append(&mut page);
        cursor = next.unwrap_or_default().next_cursor;
        if cursor.is_empty() {
            return Ok(rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use hourmeter_runtime::error::Kind;

    use super::*;

    fn page(limit: u32) -> PageRequest {
        PageRequest {
            limit,
            ..PageRequest::default()
        }
    }

    /// A list of this many pages of one row each.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "stands for a call, which may fail"
    )]
    fn pages(count: u32, asked: &PageRequest) -> PageRead<u32> {
        let number: u32 = asked.cursor.parse().unwrap_or(0);
        let next = (number + 1 < count).then(|| (number + 1).to_string());
        let next_cursor = next.unwrap_or_default();
        Ok((vec![number], Some(PageResponse { next_cursor })))
    }

    #[tokio::test]
    async fn all_pages_are_read_only_without_a_limit() {
        for (limit, calls) in [(0, 3), (1, 1)] {
            let called = AtomicU32::new(0);
            let read = |asked: PageRequest| {
                called.fetch_add(1, Ordering::Relaxed);
                assert_eq!(asked.limit, if limit == 0 { MAX_LIMIT } else { limit });
                async move { pages(3, &asked) }
            };
            answer(page(limit), read).await.expect("an answer");
            assert_eq!(called.load(Ordering::Relaxed), calls);
        }
    }

    #[tokio::test]
    async fn a_page_that_fails_fails_the_list() {
        let read = |asked: PageRequest| async move {
            match asked.cursor.as_str() {
                "1" => Err(Status::unavailable("away")),
                _ => pages(3, &asked),
            }
        };
        assert!(answer(page(0), read).await.is_err());
        assert!(answer(page(1), read).await.is_ok());
    }

    #[tokio::test]
    async fn a_list_without_end_is_given_up() {
        let read = |asked: PageRequest| async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            pages(u32::MAX, &asked)
        };
        let given_up = within(Duration::from_millis(50), all(String::new(), read)).await;
        let Err(Refusal::Failed(failure)) = given_up else {
            panic!("it ended");
        };
        assert_eq!(failure.kind, Kind::Unavailable);
    }
}
