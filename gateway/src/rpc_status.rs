//! The status of a failed RPC.

use hourmeter_runtime::client::GrpcResponse;
use http::HeaderMap;
use tonic::{Code, Status};

/// The status of a failed RPC in the headers of its response.
pub fn failed_status(headers: &HeaderMap) -> Option<Status> {
    Status::from_header_map(headers).filter(|status| status.code() != Code::Ok)
}

/// The code of a failed RPC, which either did not reach the service or got an error from it.
pub fn failed_code(response: &Result<GrpcResponse, Status>) -> Option<Code> {
    match response {
        Ok(response) => failed_status(response.headers()).map(|status| status.code()),
        Err(status) => Some(status.code()),
    }
}
