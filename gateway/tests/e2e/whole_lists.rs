//! Lists that are longer than a page.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hourmeter_runtime::client::{Backend, GrpcRequest};
use serde_json::{Value, json};
use tower::{ServiceExt as _, service_fn};

use crate::product::{Browser, Product, id};

/// A service, and how often it was called by what a path ends with.
fn counted(backend: Backend, method: &'static str) -> (Backend, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    let counting = calls.clone();
    let backend = service_fn(move |request: GrpcRequest| {
        if request.uri().path().ends_with(method) {
            counting.fetch_add(1, Ordering::Relaxed);
        }
        backend.clone().oneshot(request)
    });
    (Backend::new(backend), calls)
}

#[tokio::test]
async fn a_long_history_is_read_page_by_page_and_answered_whole() {
    const ENTRIES: usize = 501;
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    for n in 0..ENTRIES {
        let usage = json!({"usageIncrease": 0.01, "fuelAdded": 1, "notes": n.to_string()});
        owner
            .patch(&format!("{path}/usage"), usage)
            .await
            .expect(200);
    }
    let (backend, calls) = counted(product.backends.equipment.clone(), "/ListHistory");
    let router = product.regated(|_, backends| backends.equipment = backend);
    let browser = Browser { router, ..owner };
    for (path, text) in [
        ("/api/equipment-history/export", "content"),
        ("/api/fuel-usage/export", "notes"),
        ("/api/equipment-history", "content"),
        (&format!("{path}/history"), "content"),
    ] {
        calls.store(0, Ordering::Relaxed);
        let reply = browser.get(path).await;
        let rows = reply.expect(200);
        let rows = rows.as_array().expect("a list");
        assert_eq!(rows.len(), ENTRIES, "{path}");
        let texts: BTreeSet<_> = rows.iter().map(|row| row[text].as_str()).collect();
        assert_eq!(texts.len(), ENTRIES, "{path}");
        assert_eq!(rows[0][text], "500", "{path}");
        assert_eq!(calls.load(Ordering::Relaxed), 2, "{path}");
        assert_eq!(reply.header("x-next-cursor"), "", "{path}");
    }
    let notes = browser.get(&format!("{path}/notes")).await.expect(200);
    assert_eq!(notes.as_array().map(Vec::len), Some(ENTRIES));
    // From a cursor on, without a limit: the rest.
    let first = browser.get("/api/equipment-history?limit=100").await;
    let cursor = first.header("x-next-cursor");
    let rest = browser
        .get(&format!("/api/equipment-history?cursor={cursor}"))
        .await;
    assert_eq!(
        rest.expect(200).as_array().map(Vec::len),
        Some(ENTRIES - 100)
    );
    let wrong = browser.get("/api/equipment-history?cursor=zzz").await;
    assert_ne!(wrong.expect(400)["fields"]["cursor"], Value::Null);
}
