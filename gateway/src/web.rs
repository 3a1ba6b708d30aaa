//! The built web client: files, the landing page at `/`, the sign-in pages, and the application at
//! every other path. The files come from a folder, or from the program if it was built with them.

#[cfg(feature = "embedded-client")]
mod embedded;
mod first_page;

use std::convert::Infallible;
use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, StatusCode, Uri, header};
use tower::util::BoxCloneSyncService;
use tower::{ServiceBuilder, ServiceExt as _};
use tower_http::services::ServeDir;
use tower_http::services::fs::{Backend, DefaultServeDirFallback, ServeFileSystemResponseBody};

use crate::api_error::ApiError;
use crate::config::GatewayConfig;
use crate::layers::context_of;
use crate::requester::{Protocol, RequestContext};

/// Names of these files change with their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Asks each time whether it is still the same.
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
const NOT_BUILT: &str = "The web client is not built. Build it first: npm run build in web/.\n";

const APPLICATION: &str = "/index.html";
/// The page to sign in at, without the application.
const SIGN_IN: &str = "/sign-in.html";

/// Responds with a file of the client, wherever those are.
type Files = BoxCloneSyncService<Request, Response, Infallible>;

/// Everything that is neither API nor RPC.
pub fn router(config: &GatewayConfig) -> Router {
    let files = files(config.web_dir.as_deref());
    let https = config.is_https();
    Router::new()
        .fallback(serve)
        .with_state(Client { files, https })
}

#[derive(Clone)]
struct Client {
    files: Files,
    /// Decides the name of the session cookie.
    https: bool,
}

/// A folder that is named counts even where the program has a client of its own.
fn files(folder: Option<&Path>) -> Files {
    match folder {
        Some(folder) => files_of(ServeDir::new(folder)),
        #[cfg(feature = "embedded-client")]
        None => files_of(ServeDir::with_backend("", embedded::Embedded)),
        #[cfg(not(feature = "embedded-client"))]
        None => files_of(ServeDir::new("web/dist")),
    }
}

fn files_of<B: Backend>(folder: ServeDir<DefaultServeDirFallback, B>) -> Files {
    let files = folder
        .append_index_html_on_directories(false)
        .precompressed_br()
        .precompressed_gzip();
    let answer = |answer: http::Response<ServeFileSystemResponseBody>| answer.map(Body::new);
    BoxCloneSyncService::new(ServiceBuilder::new().map_response(answer).service(files))
}

async fn serve(State(Client { files, https }): State<Client>, request: Request) -> Response {
    let context = context_of(&request);
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let is_grpc =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
    if context.protocol == Protocol::GrpcWeb || is_grpc {
        return ApiError::UnknownPath.into_response(Protocol::GrpcWeb, context.request_id);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut answer =
            ApiError::MethodNotAllowed.into_response(context.protocol, context.request_id);
        let allowed = HeaderValue::from_static("GET, HEAD");
        answer.headers_mut().insert(header::ALLOW, allowed);
        return answer;
    }
    match request.uri().path() {
        path if is_hidden(path) => unknown(context),
        path if is_file(path) => file(files, request).await,
        "/" => home(files, https, request).await,
        "/login" | "/employee-login" => page(files, SIGN_IN, request).await,
        _ => page(files, APPLICATION, request).await,
    }
}

fn unknown(context: RequestContext) -> Response {
    ApiError::UnknownPath.into_response(Protocol::Page, context.request_id)
}

/// A name with a dot, however it is written, is a file's and never a page's.
fn is_file(path: &str) -> bool {
    let dotted = path.contains('.') || path.contains("%2e") || path.contains("%2E");
    dotted || path.starts_with("/assets/")
}

async fn file(files: Files, request: Request) -> Response {
    let context = context_of(&request);
    let hashed = request.uri().path().starts_with("/assets/");
    let cache = if hashed { IMMUTABLE } else { NO_CACHE };
    let found = find(files, request, cache).await;
    found.unwrap_or_else(|| unknown(context))
}

/// A file of the client, with its caching.
async fn find(files: Files, request: Request, cache: HeaderValue) -> Option<Response> {
    let mut answer = files.oneshot(request).await.ok()?;
    answer.headers_mut().insert(header::CACHE_CONTROL, cache);
    is_found(answer.status()).then_some(answer)
}

fn is_found(status: StatusCode) -> bool {
    status.is_success()
        || status == StatusCode::NOT_MODIFIED
        || status == StatusCode::RANGE_NOT_SATISFIABLE
        || status == StatusCode::PRECONDITION_FAILED
}

/// Names that begin with a dot, however it is written, are never ours to show.
fn is_hidden(path: &str) -> bool {
    let names = path.split('/');
    let mut beginnings = names.filter_map(|name| name.get(..name.len().min(3)));
    beginnings.any(|name| name.starts_with('.') || name.eq_ignore_ascii_case("%2e"))
}

/// The landing page in the visitor's language, or the application where somebody has signed in.
async fn home(files: Files, https: bool, mut request: Request) -> Response {
    let name = first_page::of(request.headers(), https).unwrap_or(APPLICATION);
    // One address has several pages, whose times of change say nothing about each other.
    for condition in [header::IF_MODIFIED_SINCE, header::IF_NONE_MATCH] {
        request.headers_mut().remove(condition);
    }
    let mut answer = page(files, name, request).await;
    let varies = HeaderValue::from_static("Accept-Language, Cookie");
    answer.headers_mut().append(header::VARY, varies);
    answer
}

async fn page(files: Files, name: &'static str, mut request: Request) -> Response {
    *request.uri_mut() = Uri::from_static(name);
    let found = find(files, request, NO_CACHE).await;
    found.unwrap_or_else(|| {
        let text = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        (StatusCode::SERVICE_UNAVAILABLE, text, NOT_BUILT).into_response()
    })
}
