//! The client within the program is the one in the folder.

use std::path::{Path, PathBuf};

use http::{HeaderMap, Method};

use crate::product::{Browser, Product, Reply};

fn built() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist")
}

/// Every file of the client, as paths of the site.
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

async fn ask(
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

/// All but what differs with each answer, and the tag, which is made below the second.
fn lasting(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in ["x-request-id", "etag"] {
        headers.remove(name);
    }
    headers
}

#[tokio::test]
async fn every_file_is_the_same_from_the_program_and_from_the_folder() {
    let product = Product::new().await;
    let folder = product.regated(|config, _| config.web_dir = Some(built()));
    let program = product.regated(|config, _| config.web_dir = None);
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
                let told = format!("{method} {path} {header:?}");
                let theirs = ask(&folder, method.clone(), path, header).await;
                let ours = ask(&program, method, path, header).await;
                assert_eq!(ours.status, theirs.status, "{told}");
                assert_eq!(lasting(&ours.headers), lasting(&theirs.headers), "{told}");
                assert!(same(&ours, &theirs), "{told}");
                let tag = ours.headers.contains_key("etag");
                assert_eq!(tag, theirs.headers.contains_key("etag"), "{told}");
            }
        }
    }
}

/// Pages and files byte by byte; a refusal names its own request.
fn same(ours: &Reply, theirs: &Reply) -> bool {
    !ours.status.is_success() || ours.body == theirs.body
}

#[tokio::test]
async fn a_client_that_has_the_file_is_told_so() {
    let product = Product::new().await;
    let program = Browser::new(product.regated(|config, _| config.web_dir = None));
    let page = program.get("/login").await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("<!doctype html>"), "{}", page.text());
    for (asked, answered) in [
        ("if-none-match", "etag"),
        ("if-modified-since", "last-modified"),
    ] {
        let again = ask(
            &program,
            Method::GET,
            "/login",
            Some((asked, page.header(answered))),
        )
        .await;
        assert_eq!(again.status, 304, "{asked}");
        assert!(again.body.is_empty());
        assert_eq!(again.header("cache-control"), "no-cache");
    }
    let other = ask(
        &program,
        Method::GET,
        "/login",
        Some(("if-none-match", "\"1\"")),
    )
    .await;
    assert_eq!(other.status, 200);
    let zipped = ask(
        &program,
        Method::GET,
        "/login",
        Some(("accept-encoding", "br")),
    )
    .await;
    assert_ne!(zipped.header("etag"), page.header("etag"));
}
