//! A flood of wrong sign-ins and its effect on other users.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use reqwest::Method;
use serde_json::json;

use super::load::{Load, PACED_CLIENTS, drive, drive_load};
use super::report;
use super::seed::Company;
use crate::lock;
use crate::program::Product;
use crate::visitor::Visitor;

/// Wrong sign-ins per second: several times what two cores can hash.
const WRONG_SIGN_INS: u32 = 500;
const CONNECTIONS: usize = 256;
/// Reads per second of signed-in users.
const READS: u32 = 100;
/// Time for the queue to fill before the measurement.
const FILL: Duration = Duration::from_secs(1);
const SPAN: Duration = Duration::from_secs(10);

pub async fn measure(product: &Product, companies: &[Company]) -> Result<()> {
    let statuses: Arc<Mutex<BTreeMap<u16, u32>>> = Arc::default();
    let (visitor, counts) = (Visitor::new(&product.origin), statuses.clone());
    let guess = move |index| {
        let (visitor, counts) = (visitor.clone(), counts.clone());
        async move {
            let name = format!("guess{index}@example.com");
            let body = json!({"emailOrBusinessName": name, "password": "wrong-one"});
            let (status, _) = visitor.send(Method::POST, "/api/auth/login", body).await;
            *lock(&counts).entry(status.as_u16()).or_default() += 1;
            Ok(true)
        }
    };
    let flood = tokio::spawn(drive(CONNECTIONS, FILL + SPAN, Some(WRONG_SIGN_INS), guess));
    tokio::time::sleep(FILL).await;
    let mut highest = 0.0_f64;
    let watch = async {
        loop {
            highest = highest.max(product.process.megabytes()?);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let reads = tokio::select! {
        reads = drive_load(Load::List, companies, PACED_CLIENTS, SPAN, Some(READS)) => reads?,
        ended = watch => return ended,
    };
    flood.await??;
    report::row(&format!("equipment list at {READS}/s, flooded"), &reads);
    // 401: hashed and refused; 503: refused before hashing. Others must not occur.
    let mut statuses = lock(&statuses);
    let mut rate = |status| {
        let count = statuses.remove(&status).unwrap_or_default();
        f64::from(count) / (FILL + SPAN).as_secs_f64()
    };
    let (refused, shed) = (rate(401), rate(503));
    let other: u32 = statuses.values().sum();
    report::fact(
        &format!("{WRONG_SIGN_INS} wrong sign-ins/s"),
        &format!(
            "{refused:.0}/s hashed and refused, {shed:.0}/s refused before hashing, {other} others"
        ),
    );
    report::fact("resident memory, maximum", &format!("{highest:.1} MB"));
    Ok(())
}
