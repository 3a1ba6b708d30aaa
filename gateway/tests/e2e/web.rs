//! The static client.

use std::path::PathBuf;

use http::Method;
use uuid::Uuid;

use crate::product::{Browser, Product};

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

fn built() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hourmeter-web-{}", Uuid::now_v7()));
    std::fs::create_dir_all(folder.join("assets")).expect("a folder");
    for (name, text) in [
        ("index.html", "<!doctype html>page"),
        ("index.html.gz", "zipped page"),
        ("index.html.br", "smaller page"),
        ("sign-in.html", "<!doctype html>sign-in page"),
        ("landing-en.html", "<!doctype html>landing page"),
        ("manager-es.html", "<!doctype html>tablero"),
        ("landing-en.html.gz", "zipped landing page"),
        ("landing-es.html", "<!doctype html>página de inicio"),
        ("sw.js", "worker"),
        ("manifest.webmanifest", "{}"),
        ("icon-192.png", "picture"),
        ("assets/shot-abc123.webp", "picture"),
        ("assets/text-abc123.woff2", "font"),
        (".env", "SECRET=1"),
        ("assets/index-abc123.js", "script"),
        ("assets/index-abc123.js.gz", "zipped script"),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

#[tokio::test]
async fn client_files_are_served() {
    let product = Product::new().await;
    let unbuilt = product.visitor().get("/equipment-list").await;
    assert_eq!(unbuilt.status, 503);
    assert!(unbuilt.text().contains("not built"));

    let folder = built();
    let router = product.gateway_with(|config, _| config.web_dir = Some(folder.clone()));
    let visitor = Browser::new(router);
    for path in [
        "/index.html",
        "/login/",
        "/equipment/due",
        "/add-equipment?edit=1",
        "/assetsx",
    ] {
        let page = visitor.get(path).await;
        assert_eq!(page.text(), "<!doctype html>page", "{path}");
        assert_eq!(page.header("cache-control"), "no-cache");
        assert_eq!(page.header("content-type"), "text/html");
    }
    for path in ["/login", "/employee-login?operator=maria4821"] {
        let page = visitor.get(path).await;
        assert_eq!(page.text(), "<!doctype html>sign-in page", "{path}");
        assert_eq!(page.header("cache-control"), "no-cache");
    }
    let script = visitor.get("/assets/index-abc123.js").await;
    assert_eq!(script.text(), "script");
    assert_eq!(script.header("content-type"), "text/javascript");
    assert_eq!(script.header("cache-control"), IMMUTABLE);
    // Browsers reject a worker or a manifest with another type, and must get a new version
    // immediately.
    for (path, kind, cache) in [
        ("/sw.js", "text/javascript", "no-cache"),
        (
            "/manifest.webmanifest",
            "application/manifest+json",
            "no-cache",
        ),
        ("/icon-192.png", "image/png", "no-cache"),
        ("/assets/shot-abc123.webp", "image/webp", IMMUTABLE),
        ("/assets/text-abc123.woff2", "font/woff2", IMMUTABLE),
    ] {
        let file = visitor.get(path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("content-type"), kind, "{path}");
        assert_eq!(file.header("cache-control"), cache, "{path}");
    }
    for path in ["/", "/assets/index-abc123.js"] {
        let mut request = visitor.request(Method::GET, path, None);
        let gzip = "gzip".parse().expect("a value");
        request.headers_mut().insert("accept-encoding", gzip);
        let zipped = visitor.send(request).await;
        assert!(zipped.text().starts_with("zipped"), "{path}");
        assert_eq!(zipped.header("content-encoding"), "gzip");
    }
    let mut request = visitor.request(Method::GET, "/equipment-list", None);
    let both = "gzip, deflate, br".parse().expect("a value");
    request.headers_mut().insert("accept-encoding", both);
    let smaller = visitor.send(request).await;
    assert_eq!(smaller.text(), "smaller page");
    assert_eq!(smaller.header("content-encoding"), "br");
    for path in [
        "/.env",
        "/%2eenv",
        "/x.php",
        "/assets/gone.js",
        "/assets",
        "/assets/",
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/.git/config",
    ] {
        let reply = visitor.get(path).await;
        let page = path == "/assets" && reply.status == 200;
        assert!(
            reply.status == 404 || page,
            "{path}: {} {}",
            reply.status,
            reply.text()
        );
        assert!(!reply.text().contains("SECRET"), "{path}");
    }
    let post = visitor.call(Method::POST, "/login", None).await;
    assert_eq!(
        (post.status.as_u16(), post.header("allow")),
        (405, "GET, HEAD")
    );
    std::fs::remove_dir_all(folder).expect("removed");
}

#[tokio::test]
async fn start_page_depends_on_language_and_cookies() {
    let product = Product::new().await;
    let folder = built();
    let router = product.gateway_with(|config, _| config.web_dir = Some(folder.clone()));
    let visitor = Browser::new(router);
    let landing = "<!doctype html>landing page";
    let spanish = "<!doctype html>página de inicio";
    let application = "<!doctype html>page";
    for (languages, cookies, expected) in [
        ("en-US,en;q=0.9", "", landing),
        ("es-MX,es;q=0.9,en;q=0.8", "", spanish),
        ("en-US", "language=es", spanish),
        ("es-MX", "known=1", application),
        ("en-US", "__Host-sid=ended", application),
        (
            "es-MX",
            "__Host-sid=x; known=manager",
            "<!doctype html>tablero",
        ),
    ] {
        let mut request = visitor.request(Method::GET, "/?from=mail", None);
        for (name, value) in [
            ("accept-language", languages),
            ("cookie", cookies),
            // Kept by the browser from another page at this address.
            ("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"),
        ] {
            let value = value.parse().expect("a value");
            request.headers_mut().insert(name, value);
        }
        let page = visitor.send(request).await;
        assert_eq!(page.status, 200, "{languages} {cookies}");
        assert_eq!(page.text(), expected, "{languages} {cookies}");
        assert_eq!(page.header("cache-control"), "no-cache");
        let mut varies = page.headers.get_all("vary").iter();
        assert!(varies.any(|names| names == "Accept-Language, Cookie"));
    }
    std::fs::remove_dir_all(folder).expect("removed");
}
