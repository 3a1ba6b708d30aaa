//! Pages of lists: a limit and an opaque cursor.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hourmeter_proto::common::v1::{PageRequest, PageResponse};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::Failure;

/// The most rows one page may have.
pub const MAX_LIMIT: u32 = 500;

/// Which part of a list is wanted; `K` is the sort key a page goes on after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<K> {
    /// At most so many rows; absent: all.
    pub limit: Option<u32>,
    /// Go on after this key; absent: from the beginning.
    pub after: Option<K>,
}

impl<K: Serialize + DeserializeOwned> Page<K> {
    /// Reads a page request; absent means the whole list.
    pub fn from_request(request: Option<&PageRequest>) -> Result<Self, Failure> {
        let Some(request) = request else {
            return Ok(Self {
                limit: None,
                after: None,
            });
        };
        if request.limit > MAX_LIMIT {
            return Err(Failure::field(
                "limit",
                format!("Must be at most {MAX_LIMIT}."),
            ));
        }
        let after = if request.cursor.is_empty() {
            None
        } else {
            Some(read(&request.cursor)?)
        };
        Ok(Self {
            limit: (request.limit > 0).then_some(request.limit),
            after,
        })
    }

    /// SQL `LIMIT`: one row more than asked, to know whether there is another page.
    pub fn sql_limit(&self) -> Option<i64> {
        self.limit.map(|limit| i64::from(limit) + 1)
    }

    /// Cuts the extra row off and tells how to go on.
    pub fn cut<T>(&self, rows: &mut Vec<T>, key: impl Fn(&T) -> K) -> PageResponse {
        let limit = self.limit.map_or(usize::MAX, |limit| limit as usize);
        if rows.len() <= limit {
            return PageResponse::default();
        }
        rows.truncate(limit);
        let next_cursor = rows
            .last()
            .map(|last| write(&key(last)))
            .unwrap_or_default();
        PageResponse { next_cursor }
    }
}

fn read<K: DeserializeOwned>(cursor: &str) -> Result<K, Failure> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok();
    bytes
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .ok_or_else(|| Failure::field("cursor", "Is not a cursor of this list."))
}

fn write<K: Serialize>(key: &K) -> String {
    // A key is a tuple of strings, numbers and ids, which always has a JSON form.
    serde_json::to_vec(key)
        .map(|json| BASE64_URL_SAFE_NO_PAD.encode(json))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(limit: u32, cursor: &str) -> Result<Page<u32>, Failure> {
        Page::from_request(Some(&PageRequest {
            limit,
            cursor: cursor.to_owned(),
        }))
    }

    #[test]
    fn pages_follow_one_another() {
        let first = page(2, "").expect("a page");
        let mut rows = vec![1, 2, 3];
        let next = first.cut(&mut rows, |row| *row);
        assert_eq!(rows, [1, 2]);
        assert_eq!(page(2, &next.next_cursor).expect("a page").after, Some(2));
    }

    #[test]
    fn the_last_page_has_no_next() {
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
    fn bad_requests_are_refused() {
        assert!(page(MAX_LIMIT, "").is_ok());
        assert!(page(MAX_LIMIT + 1, "").is_err());
        assert!(page(2, "%%%").is_err());
        assert!(page(2, "Zm9v").is_err());
    }
}

#[cfg(test)]
#[path = "page_fuzz.rs"]
mod fuzz;
