//! The layers of every request, one file each; `stack.rs` sets their order.

pub mod audit;
pub mod body;
pub mod csrf;
pub mod headers;
pub mod metrics;
pub mod overload;
pub mod panic;
pub mod rate;
pub mod request_context;
pub mod session;
pub mod size;

use axum::extract::Request;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::requester::{Protocol, RequestContext};

/// The context that [`request_context::create`] stored in a request; a new one if there is none.
pub fn context_of(request: &Request) -> RequestContext {
    request
        .extensions()
        .get()
        .copied()
        .unwrap_or_else(|| RequestContext {
            protocol: Protocol::from_path(request.uri().path()),
            request_id: Uuid::now_v7(),
            address: ClientAddress::find(None, request.headers(), &[]),
        })
}
