//! One layer a file; `stack.rs` puts them in order.

pub mod audit;
pub mod csrf;
pub mod headers;
pub mod measure;
pub mod overload;
pub mod panic;
pub mod rate;
pub mod session;
pub mod size;
pub mod visit;

use axum::extract::Request;
use uuid::Uuid;

use crate::address::ClientAddress;
use crate::visitor::{Door, Visit};

/// What the `visit` layer found; a request that never passed it has nothing to its name.
pub fn visit_of(request: &Request) -> Visit {
    request
        .extensions()
        .get()
        .copied()
        .unwrap_or_else(|| Visit {
            door: Door::of_path(request.uri().path()),
            request_id: Uuid::now_v7(),
            address: ClientAddress::find(None, request.headers(), &[]),
        })
}
