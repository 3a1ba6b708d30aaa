//! Pagination with a limit and an opaque cursor.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use futures::{Stream, TryStreamExt as _};
use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::error::ServiceError;
use crate::refusals;

/// Maximum and default number of rows of a page.
pub const MAX_LIMIT: u32 = 500;
/// Maximum bytes of text of a page, unless its first row has more.
const MAX_TEXT: usize = 1024 * 1024;

/// A requested page; `K` is the sort key in the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<K> {
    /// Maximum number of rows.
    pub limit: u32,
    /// The last key of the previous page; None: the first page.
    pub after: Option<K>,
}

impl<K: Serialize + DeserializeOwned> Page<K> {
    /// Validates a page request; the default limit is [`MAX_LIMIT`].
    pub fn from_request(request: Option<&PageRequest>) -> Result<Self, ServiceError> {
        let default = PageRequest::default();
        let request = request.unwrap_or(&default);
        if request.limit > MAX_LIMIT {
            let text = refusals::AT_MOST.with("max", MAX_LIMIT);
            return Err(ServiceError::field("limit", text));
        }
        let after = if request.cursor.is_empty() {
            None
        } else {
            Some(read(&request.cursor)?)
        };
        Ok(Self {
            limit: match request.limit {
                0 => MAX_LIMIT,
                limit => limit,
            },
            after,
        })
    }

    /// SQL `LIMIT`: one extra row shows whether there is another page.
    pub fn sql_limit(&self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// Reads rows with long texts. Lowers the limit once the texts exceed 1 MiB; `size` returns the
    /// bytes of a row's texts.
    pub async fn gather<R, E>(
        &mut self,
        rows: impl Stream<Item = Result<R, E>>,
        size: impl Fn(&R) -> usize,
    ) -> Result<Vec<R>, E> {
        let mut rows = std::pin::pin!(rows);
        let (mut gathered, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.try_next().await? {
            bytes += size(&row);
            gathered.push(row);
            let kept = gathered.len() - 1;
            if bytes > MAX_TEXT && kept > 0 {
                self.limit = self.limit.min(u32::try_from(kept).unwrap_or(u32::MAX));
                break;
            }
        }
        Ok(gathered)
    }

    /// Removes the extra row and returns the cursor of the next page.
    pub fn cut<T>(&self, rows: &mut Vec<T>, key: impl Fn(&T) -> K) -> PageResponse {
        let limit = self.limit as usize;
        if rows.len() <= limit {
            return PageResponse::default();
        }
        rows.truncate(limit);
        let next_cursor = rows
            .last()
            .map(|last| cursor(&key(last)))
            .unwrap_or_default();
        PageResponse { next_cursor }
    }
}

/// Sort key of a list with its newest row first: time in microseconds, and id.
pub type TimeKey = (i64, Uuid);

/// Times that a row can have, in microseconds: 1900 to 2200.
const TIMES: std::ops::Range<i64> = -2_208_988_800_000_000..7_258_118_400_000_000;

/// Whether a row can have this time.
pub(crate) fn is_storable(at: DateTime<Utc>) -> bool {
    TIMES.contains(&at.timestamp_micros())
}

impl Page<TimeKey> {
    /// The position that all rows of the page are before.
    pub fn before(&self) -> Result<(DateTime<Utc>, Uuid), ServiceError> {
        let (micros, id) = self.after.unwrap_or((TIMES.end - 1, Uuid::max()));
        let at = DateTime::from_timestamp_micros(micros).filter(|at| is_storable(*at));
        let at = at.ok_or_else(|| ServiceError::field("cursor", refusals::CURSOR_INVALID))?;
        Ok((at, id))
    }
}

/// Reads the ids in a field, as many as a page has rows.
pub fn read_ids(field: &str, texts: &[String]) -> Result<Vec<Uuid>, ServiceError> {
    if texts.len() > MAX_LIMIT as usize {
        let text = refusals::AT_MOST.with("max", MAX_LIMIT);
        return Err(ServiceError::field(field, text));
    }
    let ids = texts.iter().map(|text| Uuid::parse_str(text));
    ids.collect::<Result<_, _>>()
        .map_err(|_| ServiceError::field(field, refusals::NOT_AN_ID))
}

fn read<K: DeserializeOwned>(cursor: &str) -> Result<K, ServiceError> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| ServiceError::field("cursor", refusals::CURSOR_INVALID))
}

/// The cursor of a key.
pub fn cursor<K: Serialize>(key: &K) -> String {
    // A key is a tuple of strings, numbers and ids, so encoding never fails.
    serde_json::to_vec(key)
        .map(|json| BASE64_URL_SAFE_NO_PAD.encode(json))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;

    fn page(limit: u32, cursor: &str) -> Result<Page<u32>, ServiceError> {
        Page::from_request(Some(&PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }))
    }

    #[test]
    fn cut_returns_the_cursor_of_the_next_page() {
        let first = page(2, "").expect("a page");
        let mut rows = vec![1, 2, 3];
        let next = first.cut(&mut rows, |row| *row);
        assert_eq!(rows, [1, 2]);
        assert_eq!(page(2, &next.next_cursor).expect("a page").after, Some(2));
    }

    #[test]
    fn cut_of_the_last_page_has_no_cursor() {
        let mut rows = vec![1, 2];
        assert_eq!(
            page(2, "")
                .expect("a page")
                .cut(&mut rows, |row| *row)
                .next_cursor,
            ""
        );
    }

    #[test]
    fn from_request_without_limit_uses_the_maximum() {
        let absent = Page::<u32>::from_request(None).expect("a page");
        assert_eq!(absent, page(0, "").expect("a page"));
        let mut rows: Vec<u32> = (0..=MAX_LIMIT).collect();
        let next = absent.cut(&mut rows, |row| *row);
        assert_eq!(rows.len(), MAX_LIMIT as usize);
        assert_ne!(next.next_cursor, "");
    }

    #[tokio::test]
    async fn gather_lowers_the_limit_for_long_texts() {
        let whole = |_: &u32| MAX_TEXT;
        let (half, short) = (|_: &u32| MAX_TEXT / 2, |_: &u32| 1);
        for (size, expected) in [
            (&whole as &dyn Fn(&u32) -> usize, &[0][..]),
            (&half, &[0, 1]),
            (&short, &[0, 1, 2, 3]),
        ] {
            let mut page = page(4, "").expect("a page");
            let rows = futures::stream::iter(0..5).map(Ok::<_, ServiceError>);
            let mut rows = page.gather(rows, size).await.expect("rows");
            let next = page.cut(&mut rows, |row| *row);
            assert_eq!(rows, expected);
            assert_ne!(next.next_cursor, "");
        }
    }

    #[test]
    fn from_request_rejects_invalid_limits_and_cursors() {
        assert!(page(MAX_LIMIT, "").is_ok());
        assert!(page(MAX_LIMIT + 1, "").is_err());
        assert!(page(2, "%%%").is_err());
        assert!(page(2, "Zm9v").is_err());
    }
}

#[cfg(test)]
#[path = "page_fuzz.rs"]
mod fuzz;
