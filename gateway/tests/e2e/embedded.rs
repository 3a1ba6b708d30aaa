//! The embedded client equals the one in the folder.

use std::path::{Path, PathBuf};

use http::{HeaderMap, Method};

use crate::product::{Browser, Product, Reply};

fn built() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist")
}

/// Paths of all files of the client.
fn paths(folder: &Path, root: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a built client") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            paths(&path, root, found);
        } else {
            let name = path.strip_prefix(root).expect("below").to_str();
            found.push(format!("/{}", name.expect("a name")));
        }
    }
}

async fn send(
    visitor: &Browser,
    method: Method,
    path: &str,
    header: Option<(&'static str, &str)>,
) -> Reply {
    let mut request = visitor.request(method, path, None);
    if let Some((name, value)) = header {
        let value = value.parse().expect("a value");
        request.headers_mut().insert(name, value);
    }
    visitor.send(request).await
}

/// All headers except those that always differ.
fn stable_headers(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in ["x-request-id", "etag"] {
        headers.remove(name);
    }
    headers
}

#[tokio::test]
async fn embedded_files_equal_those_of_the_folder() {
    let product = Product::new().await;
    let folder = product.gateway_with(|config, _| config.web_dir = Some(built()));
    let program = product.gateway_with(|config, _| config.web_dir = None);
    let (folder, program) = (Browser::new(folder), Browser::new(program));
    let mut all = Vec::new();
    paths(&built(), &built(), &mut all);
    assert!(all.len() > 20, "{all:?}");
    let others = ["/", "/login", "/assets/", "/assets", "/nothing.js", "/.env"];
    all.extend(others.map(str::to_owned));
    let headers = [
        None,
        Some(("accept-encoding", "gzip")),
        Some(("accept-encoding", "gzip, deflate, br")),
        Some(("range", "bytes=1-2")),
        Some(("range", "bytes=99999999-")),
    ];
    for path in &all {
        for header in headers {
            for method in [Method::GET, Method::HEAD] {
                let name = format!("{method} {path} {header:?}");
                let theirs = send(&folder, method.clone(), path, header).await;
                let ours = send(&program, method, path, header).await;
                assert_eq!(ours.status, theirs.status, "{name}");
                assert_eq!(
                    stable_headers(&ours.headers),
                    stable_headers(&theirs.headers),
                    "{name}"
                );
                assert!(same(&ours, &theirs), "{name}");
                let tag = ours.headers.contains_key("etag");
                assert_eq!(tag, theirs.headers.contains_key("etag"), "{name}");
            }
        }
    }
}

/// Compares bodies of successes; errors contain the request id.
fn same(ours: &Reply, theirs: &Reply) -> bool {
    !ours.status.is_success() || ours.body == theirs.body
}

#[tokio::test]
async fn embedded_files_support_conditional_requests() {
    let product = Product::new().await;
    let program = Browser::new(product.gateway_with(|config, _| config.web_dir = None));
    let page = program.get("/login").await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("<!doctype html>"), "{}", page.text());
    for (condition, validator) in [
        ("if-none-match", "etag"),
        ("if-modified-since", "last-modified"),
    ] {
        let again = send(
            &program,
            Method::GET,
            "/login",
            Some((condition, page.header(validator))),
        )
        .await;
        assert_eq!(again.status, 304, "{condition}");
        assert!(again.body.is_empty());
        assert_eq!(again.header("cache-control"), "no-cache");
    }
    let other = send(
        &program,
        Method::GET,
        "/login",
        Some(("if-none-match", "\"1\"")),
    )
    .await;
    assert_eq!(other.status, 200);
    let zipped = send(
        &program,
        Method::GET,
        "/login",
        Some(("accept-encoding", "br")),
    )
    .await;
    assert_ne!(zipped.header("etag"), page.header("etag"));
}
