//! The OpenAPI document and its page.

use std::sync::LazyLock;

use axum::body::Bytes;
use hourmeter_proto::access::policy_table;
use http::StatusCode;
use serde_json::{Value, json};

use super::call::Call;
use super::response::RestResponse;
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use crate::{docs, openapi};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document(true));
static DOCUMENT_TEXT: LazyLock<Bytes> = LazyLock::new(|| DOCUMENT.to_string().into());
/// For a product without https.
static PLAIN_TEXT: LazyLock<Bytes> = LazyLock::new(|| document(false).to_string().into());
static PAGE: LazyLock<Bytes> = LazyLock::new(|| docs::page(&DOCUMENT).into());

fn document(https: bool) -> Value {
    // The gateway fails to start with an incomplete table.
    let policy = policy_table().unwrap_or_default();
    openapi::document(&super::routes(), &policy, https)
}

pub fn routes() -> Vec<Route> {
    vec![
        AccessRule::Public
            .route(Verb::Get, "/api/openapi.json", async |call: Call| {
                let https = call.services.config.is_https();
                let document = if https { &DOCUMENT_TEXT } else { &PLAIN_TEXT };
                Ok(RestResponse::shared(
                    "application/json",
                    Bytes::clone(document),
                ))
            })
            .summary("This description, OpenAPI 3.1")
            .responds(StatusCode::OK, ResponseDoc::Json(json!({"type": "object"}))),
        AccessRule::Public
            .route(Verb::Get, "/api/docs", async |_: Call| {
                Ok(RestResponse::shared(
                    "text/html; charset=utf-8",
                    PAGE.clone(),
                ))
            })
            .summary("This description as a page")
            .responds(StatusCode::OK, ResponseDoc::Other("text/html")),
        AccessRule::Public
            .route(Verb::Get, "/api/docs/style.css", async |_: Call| {
                let style = Bytes::from_static(docs::STYLE.as_bytes());
                Ok(RestResponse::shared("text/css; charset=utf-8", style))
            })
            .summary("Style of the page")
            .responds(StatusCode::OK, ResponseDoc::Other("text/css")),
    ]
}
