//! Responses of REST handlers.

use axum::body::{Body, Bytes, HttpBody as _};
use axum::response::{IntoResponse as _, Response};
use hourmeter_proto::common::v1::PageResponse;
use hourmeter_runtime::error::ServiceError;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body_util::BodyExt as _;
use serde::Serialize;

use crate::api_error::ApiError;
use crate::response_memory::{QuotaKey, ResponseMemory, UNTRACKED_BYTES};

pub const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

pub const JSON: &str = "application/json";

pub fn json(value: &impl Serialize) -> Result<Bytes, ApiError> {
    let json = serde_json::to_vec(value).map_err(ServiceError::internal)?;
    Ok(json.into())
}

pub type RestResult = Result<RestResponse, ApiError>;

pub struct RestResponse {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    content_type: &'static str,
    body: Body,
    /// The body is static and shared by all clients.
    is_shared: bool,
    /// Contains so much data that the audit log must record it.
    pub is_export: bool,
}

impl RestResponse {
    /// 200 with JSON.
    pub fn ok(value: &impl Serialize) -> RestResult {
        Ok(Self::other(JSON, json(value)?))
    }

    /// 201 with JSON.
    pub fn created(value: &impl Serialize) -> RestResult {
        Ok(Self::ok(value)?.with_status(StatusCode::CREATED))
    }

    /// 201 with a new object, or 200 with a known one.
    pub fn ok_or_created(is_new: bool, value: &impl Serialize) -> RestResult {
        if is_new {
            Self::created(value)
        } else {
            Self::ok(value)
        }
    }

    /// Adds the cursor of the next page, if there is one, as a header.
    pub fn with_next(self, page: Option<PageResponse>) -> RestResult {
        let cursor = page.unwrap_or_default().next_cursor;
        if cursor.is_empty() {
            return Ok(self);
        }
        let cursor = cursor
            .parse()
            .map_err(|_| ServiceError::internal("cursor is not ASCII"))?;
        Ok(self.with(NEXT_CURSOR, cursor))
    }

    /// 204.
    pub fn empty() -> Self {
        Self::other("", Body::empty()).with_status(StatusCode::NO_CONTENT)
    }

    /// 200 with another content type.
    pub fn other(content_type: &'static str, body: impl Into<Body>) -> Self {
        Self {
            status: StatusCode::OK,
            headers: Vec::new(),
            content_type,
            body: body.into(),
            is_shared: false,
            is_export: false,
        }
    }

    /// 200 with static bytes, which take no memory per client.
    pub fn shared(content_type: &'static str, bytes: Bytes) -> Self {
        Self {
            is_shared: true,
            ..Self::other(content_type, bytes)
        }
    }

    /// The size in bytes; 0 if unknown or static.
    pub fn size(&self) -> usize {
        let size = self.body.size_hint().exact().unwrap_or(0);
        if self.is_shared {
            0
        } else {
            usize::try_from(size).unwrap_or(usize::MAX)
        }
    }

    /// Counts the memory until the client has received it. A stream counts its own parts.
    pub async fn track_memory(mut self, memory: &ResponseMemory, key: QuotaKey) -> RestResult {
        if self.size() > UNTRACKED_BYTES {
            let body = self.body.collect().await.map_err(ServiceError::internal)?;
            self.body = memory.track(key, body.to_bytes())?.into();
        }
        Ok(self)
    }

    /// Marks it as an export, where the route does not.
    pub const fn exported(mut self) -> Self {
        self.is_export = true;
        self
    }

    pub fn redirect(status: StatusCode, to: &'static str) -> Self {
        let to = HeaderValue::from_static(to);
        Self::other("", Body::empty())
            .with_status(status)
            .with(header::LOCATION, to)
    }

    pub const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    pub fn into_response(self) -> Response {
        let mut response = (self.status, self.body).into_response();
        let headers = response.headers_mut();
        headers.remove(header::CONTENT_TYPE);
        if !self.content_type.is_empty() {
            let content_type = HeaderValue::from_static(self.content_type);
            headers.insert(header::CONTENT_TYPE, content_type);
        }
        headers.extend(self.headers);
        response
    }
}
