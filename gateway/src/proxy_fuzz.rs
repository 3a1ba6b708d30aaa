use axum::body::{Body, to_bytes};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bolero::check;
use http_body_util::Full;
use tonic::body::Body as GrpcBody;

use super::*;

/// Responds with the bytes of the request, as a message and trailers.
async fn echo(request: GrpcRequest) -> Result<GrpcResponse, Infallible> {
    let response = match request.into_body().collect().await {
        Ok(body) => {
            let trailers = async { Some(Ok(HeaderMap::from_iter([ok()]))) };
            GrpcBody::new(Full::new(body.to_bytes()).with_trailers(trailers))
        }
        Err(status) => return Ok(status.into_http()),
    };
    let mut response = http::Response::new(response);
    let grpc = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, grpc);
    Ok(response)
}

fn ok() -> (HeaderName, HeaderValue) {
    let name = HeaderName::from_static("grpc-status");
    (name, HeaderValue::from_static("0"))
}

async fn response(content_type: &str, body: Vec<u8>) -> (StatusCode, HeaderMap, Vec<u8>) {
    let request = Request::post("/x.X/Y")
        .header("content-type", content_type)
        .header("accept", content_type)
        .body(Body::from(body));
    let router = Router::new().route("/x.X/Y", translated(service_fn(echo)));
    let response = router.oneshot(request.expect("a request")).await;
    let (parts, body) = response.expect("a response").into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    (parts.status, parts.headers, body.to_vec())
}

/// The last frame of a response.
fn trailers(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).expect("short").to_be_bytes();
    [&[0x80], length.as_slice(), text.as_bytes()].concat()
}

#[test]
fn grpc_web_frames_reach_the_service_and_return_unchanged() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let end = trailers("grpc-status:0\r\n");
    check!().for_each(|input: &[u8]| {
        runtime.block_on(async {
            let (status, _, body) = response("application/grpc-web+proto", input.to_vec()).await;
            assert_eq!(status, StatusCode::OK);
            assert_eq!(body, [input, &end].concat());

            let text = BASE64_STANDARD.encode(input).into_bytes();
            let (status, _, body) = response("application/grpc-web-text+proto", text).await;
            assert_eq!(status, StatusCode::OK);
            // Each chunk of the response is encoded separately.
            let parts: Vec<u8> = [input, &end].concat();
            let joined = String::from_utf8(body).expect("text");
            assert_eq!(decoded(&joined), Some(parts));

            // Invalid base64 is rejected by status or not forwarded.
            let (status, headers, body) =
                response("application/grpc-web-text", input.to_vec()).await;
            assert_eq!(status, StatusCode::OK);
            let refused = headers.get("grpc-status").is_some_and(|code| code != "0");
            assert!(refused || decoded(&String::from_utf8(body).expect("text")).is_some());
        });
    });
}

/// Concatenated base64 texts, each with its own padding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for quad in text.as_bytes().chunks(4) {
        bytes.extend(BASE64_STANDARD.decode(quad).ok()?);
    }
    Some(bytes)
}

#[test]
fn timeouts_never_exceed_the_cap() {
    check!().for_each(|input: &[u8]| {
        let Ok(requested) = HeaderValue::from_bytes(input) else {
            return;
        };
        for max in [MAX_TIMEOUT, Duration::from_secs(13)] {
            let given = parse_timeout(&capped(&requested, max));
            assert!(given.is_some_and(|given| given <= max), "{requested:?}");
        }
    });
}
