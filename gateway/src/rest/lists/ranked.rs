//! A whole list in an order that changes while it is read.

use std::cmp::Reverse;

use super::{
    Arc, Call, JSON, LIST_DEADLINE, MAX_BYTES, MAX_LIMIT, MAX_ROWS, PAGE_BYTES, PageRead,
    PageRequest, Pages, Reservation, RestResponse, Serialize, ServiceError, reserve_list,
};
use crate::api_error::ApiError;

/// Responds with all rows by their ranks; `None` if there are more than one response may have.
/// `read` returns pages in an order that does not change, so that no row is missing or repeated.
pub async fn ranked<T, F>(
    call: Arc<Call>,
    descending: bool,
    read: impl Fn(Arc<Call>, PageRequest) -> F + Send + Sync + 'static,
) -> Result<Option<RestResponse>, ApiError>
where
    T: Serialize + Send + 'static,
    F: Future<Output = PageRead<(u64, T)>> + Send + 'static,
{
    let (memory, key) = call.response_memory();
    let mut reservation = reserve_list(&memory, key)?;
    let pages = Pages::of(call, read, LIST_DEADLINE);
    whole(descending, &pages, &mut reservation).await
}

async fn whole<T: Serialize>(
    descending: bool,
    pages: &Pages<(u64, T)>,
    reservation: &mut Reservation,
) -> Result<Option<RestResponse>, ApiError> {
    let (mut rows, mut bytes, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let page;
        (page, cursor) = pages.read(cursor, MAX_LIMIT).await?;
        for (rank, row) in page {
            let json = serde_json::to_vec(&row).map_err(ServiceError::internal)?;
            bytes += json.len() + 1;
            rows.push((rank, json));
        }
        reservation.grow(2 * bytes + PAGE_BYTES)?;
        if cursor.is_empty() {
            break;
        }
        if rows.len() >= MAX_ROWS as usize || bytes >= MAX_BYTES || pages.is_late() {
            return Ok(None);
        }
        (pages.check)().await?;
    }
    // Stable: rows of one rank keep their order.
    if descending {
        rows.sort_by_key(|(rank, _)| Reverse(*rank));
    } else {
        rows.sort_by_key(|(rank, _)| *rank);
    }
    let rows: Vec<Vec<u8>> = rows.into_iter().map(|(_, json)| json).collect();
    let mut body = vec![b'['];
    body.extend(rows.join(&b','));
    body.push(b']');
    Ok(Some(RestResponse::other(JSON, body)))
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::common::v1::PageResponse;

    use super::super::tests::lasting;
    use super::*;
    use crate::response_memory::{QuotaKey, ResponseMemory};

    /// The rows of pages of two; a row is its rank.
    async fn sorted(ranks: &'static [u64], descending: bool) -> Option<String> {
        let read = move |asked: PageRequest| async move {
            let at: usize = asked.cursor.parse().unwrap_or(0);
            let end = ranks.len().min(at + 2);
            let next_cursor = (end < ranks.len()).then(|| end.to_string());
            let rows = ranks[at..end].iter().map(|rank| (*rank / 10, *rank));
            let next_cursor = next_cursor.unwrap_or_default();
            Ok((rows.collect(), Some(PageResponse { next_cursor })))
        };
        let pages = lasting(read);
        let memory = ResponseMemory::default();
        let key = QuotaKey::Address("198.51.100.1".to_owned());
        let mut reservation = memory.reserve(key, PAGE_BYTES).expect("memory");
        let response = whole(descending, &pages, &mut reservation).await;
        let response = response.expect("a list")?;
        let body = response.into_response().into_body();
        let bytes = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a body");
        Some(String::from_utf8(bytes.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn ranked_sorts_rows_of_all_pages() {
        let ranks = &[30, 11, 31, 20, 10];
        let ascending = sorted(ranks, false).await;
        assert_eq!(ascending.as_deref(), Some("[11,10,20,30,31]"));
        let descending = sorted(ranks, true).await;
        assert_eq!(descending.as_deref(), Some("[30,31,20,11,10]"));
        assert_eq!(sorted(&[], true).await.as_deref(), Some("[]"));
    }

    #[tokio::test]
    async fn ranked_is_none_above_the_limit_of_rows() {
        static MANY: [u64; MAX_ROWS as usize + 1] = [0; MAX_ROWS as usize + 1];
        assert_eq!(sorted(&MANY, false).await, None);
    }
}
