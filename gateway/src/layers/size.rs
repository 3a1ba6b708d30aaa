//! Rejects requests with large headers.

use axum::extract::Request;

use crate::api_error::ApiError;

/// Bytes of the URI and the headers of a request.
const MAX_BYTES: usize = 16 * 1024;

pub fn check(request: &Request) -> Result<(), ApiError> {
    if size(request) > MAX_BYTES {
        return Err(ApiError::HeadersTooLarge);
    }
    Ok(())
}

fn size(request: &Request) -> usize {
    let address = request.uri().path_and_query();
    let address = address.map_or(0, |address| address.as_str().len());
    let headers = request.headers().iter();
    headers.fold(address, |sum, (name, value)| {
        sum + name.as_str().len() + value.len()
    })
}
