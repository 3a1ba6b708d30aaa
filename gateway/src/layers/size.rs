//! Refuses headers that are longer than any page of ours sends.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use super::visit_of;
use crate::rescue::Refusal;

/// The most bytes of a request's address and headers.
const MAX_BYTES: usize = 16 * 1024;

/// The layer.
pub async fn layer(request: Request, next: Next) -> Response {
    if size(&request) > MAX_BYTES {
        let visit = visit_of(&request);
        return Refusal::LongHeaders.into_response(visit.door, visit.request_id);
    }
    next.run(request).await
}

fn size(request: &Request) -> usize {
    let address = request.uri().path_and_query();
    let address = address.map_or(0, |address| address.as_str().len());
    let headers = request.headers().iter();
    headers.fold(address, |sum, (name, value)| {
        sum + name.as_str().len() + value.len()
    })
}
