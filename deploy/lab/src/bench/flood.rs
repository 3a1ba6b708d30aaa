//! A flood of wrong sign-ins, and what other users notice of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

use super::load::{Load, paced};
use super::report;
use super::seed::Company;
use crate::program::Product;
use crate::visitor::Visitor;

/// Wrong sign-ins a second: several times as many as two cores can hash.
const GUESSES: u32 = 500;
/// Connections they come over.
const CONNECTIONS: usize = 256;
/// Reads a second of people who are signed in.
const READS: u32 = 100;
/// How long it lasts.
const SPAN: Duration = Duration::from_secs(10);

/// How the guesses were answered.
#[derive(Default)]
struct Answers {
    /// 401: hashed and refused.
    refused: AtomicUsize,
    /// 503: refused before hashing.
    shed: AtomicUsize,
    /// Anything else; there must be none.
    other: AtomicUsize,
}

/// Floods the product while people read their lists.
pub async fn measure(product: &Product, companies: &[Company]) -> Result<()> {
    let answers = Arc::new(Answers::default());
    let over = Arc::new(AtomicBool::new(false));
    let flood = tokio::spawn(guess(product.origin.clone(), answers.clone(), over.clone()));
    // The queue is full before anything is measured.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let highest = async {
        let mut highest = 0.0_f64;
        while !over.load(Ordering::Relaxed) {
            highest = highest.max(product.process.megabytes()?);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::Ok(highest)
    };
    let reads = async {
        let reads = paced(READS, SPAN, Load::List, companies).await;
        over.store(true, Ordering::Relaxed);
        reads
    };
    let (highest, reads) = tokio::join!(highest, reads);
    let seconds = flood.await??.as_secs_f64();
    report::row(&format!("equipment list at {READS}/s, flooded"), &reads?);
    let rate = |count: &AtomicUsize| {
        let count = u32::try_from(count.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        f64::from(count) / seconds
    };
    let (refused, shed) = (rate(&answers.refused), rate(&answers.shed));
    let other = answers.other.load(Ordering::Relaxed);
    report::fact(
        &format!("{GUESSES} wrong sign-ins/s"),
        &format!("{refused:.0}/s hashed and refused, {shed:.0}/s turned away, {other} otherwise"),
    );
    report::fact(
        "resident memory, highest in it",
        &format!("{:.1} MB", highest?),
    );
    Ok(())
}

/// Guesses at a steady rate until it is over; how long that was.
async fn guess(origin: String, answers: Arc<Answers>, over: Arc<AtomicBool>) -> Result<Duration> {
    let begun = Instant::now();
    let turns = Arc::new(AtomicUsize::new(0));
    let gap = Duration::from_secs(1) / GUESSES;
    let mut workers = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (visitor, turns) = (Visitor::new(&origin), turns.clone());
        let (answers, over) = (answers.clone(), over.clone());
        workers.spawn(async move {
            while !over.load(Ordering::Relaxed) {
                let turn = turns.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep_until((begun + gap * u32::try_from(turn)?).into()).await;
                let name = format!("guess{turn}@example.com");
                let body = json!({"emailOrBusinessName": name, "password": "wrong-one"});
                let (status, _) = visitor.send(Method::POST, "/api/auth/login", body).await;
                let count = match status.as_u16() {
                    401 => &answers.refused,
                    503 => &answers.shed,
                    _ => &answers.other,
                };
                count.fetch_add(1, Ordering::Relaxed);
            }
            anyhow::Ok(())
        });
    }
    while let Some(result) = workers.join_next().await {
        result??;
    }
    Ok(begun.elapsed())
}
