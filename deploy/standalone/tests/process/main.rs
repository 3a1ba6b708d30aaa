//! The shipped program: start, stop, crash and the main journey.

mod accounts;
mod company;
mod observability;
mod previous;
mod production;
mod restore;
mod survive;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use hourmeter_lab::{Program, TIMEOUT, Visitor, data_folder, free_port, start_database};
use reqwest::{Method, StatusCode};
use rustix::process::{Signal, kill_process};
use serde_json::json;
use tokio::time::{Instant, sleep};

fn hourmeter() -> Program {
    Program::new(env!("CARGO_BIN_EXE_hourmeter"))
}

/// An operator submits, the manager applies, and the machine shows it.
async fn main_journey(origin: &str) {
    let manager = Visitor::sign_up(origin, "Ridge Works").await;
    let machine = manager.add_machine("Excavator").await;
    let operator = manager.operator().await;
    let report = json!({"equipmentId": machine, "newUsage": 312.5, "fuelAdded": 40.25,
        "fuelType": "diesel", "notes": "Todo bien"});
    let sent = operator.post("/api/operator-updates", report).await;
    assert_eq!(sent["status"], "pending");

    let id = sent["id"].as_str().expect("an id");
    let path = format!("/api/operator-updates/{id}/apply");
    assert_eq!(manager.post(&path, json!({})).await["status"], "applied");
    assert_eq!(manager.post(&path, json!({})).await["status"], "applied");
    let shown = manager.get(&format!("/api/equipment/{machine}")).await;
    assert_eq!(shown["currentUsage"], 312.5);
    assert_eq!(shown["totalDieselUsed"], 40.25);
    assert_eq!(shown["serviceStatus"], "approaching_service");
    assert_eq!(
        operator.get("/api/operator-updates").await[0]["status"],
        "applied"
    );
}

/// An empty folder: the main journey, commands meanwhile, a restart, and lost keys.
#[tokio::test]
async fn one_process_main_journey_survives_restart() -> Result<()> {
    let (hourmeter, data) = (hourmeter(), data_folder()?);
    let product = hourmeter.start(data.path()).await?;
    main_journey(&product.origin).await;
    for second in [&[][..], &["check-projections"]] {
        let text = hourmeter.run(data.path(), second).await;
        let text = text.expect_err("it is refused");
        assert!(text.contains("another Hourmeter is running"), "{text}");
    }
    product.stop(Signal::TERM).await?;

    let run = async |arguments: &[&str]| hourmeter.run(data.path(), arguments).await;
    let none = "Companies: 1. Differences: 0.";
    assert_eq!(run(&["check-projections"]).await, Ok(format!("{none}\n")));
    let rebuilt = run(&["rebuild-projections"]).await;
    assert_eq!(rebuilt, Ok(format!("{none} Repaired: 0.\n")));
    let text = run(&["check-projections", "--company"]).await;
    let text = text.expect_err("it is refused");
    assert!(
        text.contains("usage: check-projections [--company UUID]"),
        "{text}"
    );

    let product = hourmeter.start(data.path()).await?;
    let manager = Visitor::sign_in(&product.origin, "Ridge Works").await;
    assert_eq!(
        manager.get("/api/equipment").await[0]["currentUsage"],
        312.5
    );
    product.stop(Signal::INT).await?;

    std::fs::remove_file(data.path().join("secrets.json"))?;
    let text = run(&[]).await.expect_err("it is refused");
    assert!(text.contains("secrets.json is missing"), "{text}");
    Ok(())
}

#[tokio::test]
async fn one_process_killed_while_applying_applies_once() -> Result<()> {
    let data = hourmeter().installation().await?;
    let mut product = hourmeter().start(data.path()).await?;
    let manager = Visitor::sign_up(&product.origin, "Crash Works").await;
    let machine = manager.add_machine("Loader").await;
    let operator = manager.operator().await;
    let mut ids = Vec::new();
    for number in 1..=40 {
        let report = json!({"equipmentId": machine, "fuelAdded": 1.5, "fuelType": "diesel", "clientId": number.to_string()});
        let sent = operator.post("/api/operator-updates", report).await;
        ids.push(sent["id"].as_str().expect("an id").to_owned());
    }
    let applied = Arc::new(AtomicUsize::new(0));
    let applying = tokio::spawn({
        let (manager, ids, applied) = (manager.clone(), ids.clone(), applied.clone());
        async move {
            for id in ids {
                let path = format!("/api/operator-updates/{id}/apply");
                let call = manager.call(Method::POST, &path).json(&json!({}));
                if call.send().await.is_ok() {
                    applied.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    while applied.load(Ordering::Relaxed) < 5 {
        sleep(Duration::from_millis(1)).await;
    }
    product.process.kill().await?;
    applying.abort();
    let before = applied.load(Ordering::Relaxed);
    assert!(before < ids.len(), "the kill came too late");

    let product = hourmeter().start(data.path()).await?;
    let manager = Visitor::sign_in(&product.origin, "Crash Works").await;
    // Deliveries of the dead process are taken over when their lease ends.
    let begun = Instant::now();
    while begun.elapsed() < TIMEOUT {
        let body = json!({"ids": ids});
        let results = manager.post("/api/operator-updates/apply", body).await;
        let results = results.as_array().expect("results");
        if results.iter().all(|result| result["ok"] == true) {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    let waiting = manager.get("/api/operator-updates?status=pending").await;
    assert_eq!(waiting, json!([]), "all are applied");
    let shown = manager.get(&format!("/api/equipment/{machine}")).await;
    assert_eq!(shown["totalDieselUsed"], 60.0, "40 times 1.5, each once");
    product.stop(Signal::TERM).await
}

#[tokio::test]
async fn one_process_restarts_killed_database() -> Result<()> {
    let data = hourmeter().installation().await?;
    let product = hourmeter().start(data.path()).await?;
    let manager = Visitor::sign_up(&product.origin, "Outage Works").await;
    manager.add_machine("Dozer").await;
    let dead = product.database()?;
    kill_process(dead, Signal::KILL)?;

    let (begun, mut seen) = (Instant::now(), Vec::new());
    let is_new = || product.database().is_ok_and(|database| database != dead);
    while begun.elapsed() < TIMEOUT {
        let answer = manager.call(Method::GET, "/api/equipment").send().await?;
        seen.push(answer.status());
        if answer.status() == StatusCode::OK && is_new() {
            break;
        }
        sleep(Duration::from_millis(20)).await;
    }
    assert!(is_new(), "a new server runs");
    let expected = [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE];
    assert!(
        seen.iter().all(|status| expected.contains(status)),
        "{seen:?}"
    );
    assert_eq!(manager.get("/api/equipment").await[0]["name"], "Dozer");
    product.stop(Signal::TERM).await
}

#[tokio::test]
async fn external_database_stopped_returns_503() -> Result<()> {
    let (data, own) = (data_folder()?, data_folder()?);
    let port = free_port()?;
    let (server, _) = start_database(own.path(), true, 100, port).await?;
    let url = server.admin_url("postgres");
    let variables = [("DATABASE_URL", url.as_str())];
    let product = hourmeter().start_with(data.path(), &[], &variables).await?;
    let manager = Visitor::sign_up(&product.origin, "Pause Works").await;
    manager.add_machine("Dozer").await;

    tokio::task::spawn_blocking(move || server.stop()).await??;
    let answer = manager.call(Method::GET, "/api/equipment").send().await?;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers().contains_key("retry-after"));
    let text = answer.text().await?;
    assert!(
        !text.contains("postgres") && !text.contains("127.0.0.1"),
        "{text}"
    );
    let body = json!({"name": "Lost", "type": "other", "unit": "n/a"});
    let (status, _) = manager.send(Method::POST, "/api/equipment", body).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);

    let (_server, _) = start_database(own.path(), true, 100, port).await?;
    // Each old connection fails on its first use.
    let begun = Instant::now();
    let machines = loop {
        let (status, answer) = manager.send(Method::GET, "/api/equipment", json!({})).await;
        if status == StatusCode::OK {
            break answer;
        }
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(begun.elapsed() < TIMEOUT, "the database is not found again");
        sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(machines.as_array().map(Vec::len), Some(1), "{machines}");
    product.stop_without_database(Signal::TERM).await
}

#[tokio::test]
async fn sync_catalogue_requires_stripe_key() -> Result<()> {
    let data = hourmeter().installation().await?;
    let run = async |settings: &[(&str, &str)]| {
        let mut command = hourmeter().command(data.path());
        command.arg("sync-catalogue").envs(settings.iter().copied());
        let answer = command.output().await?;
        assert_eq!(answer.status.code(), Some(1));
        Ok::<_, anyhow::Error>(String::from_utf8([answer.stdout, answer.stderr].concat())?)
    };
    let text = run(&[]).await?;
    assert!(text.contains("STRIPE_API_KEY is not set"), "{text}");
    // Nothing listens on this port.
    let text = run(&[
        ("STRIPE_API_KEY", "sk_test_hidden"),
        ("STRIPE_WEBHOOK_SECRETS", "whsec_hidden"),
        ("STRIPE_API_BASE", "http://127.0.0.1:9/"),
        ("PUBLIC_ORIGIN", "http://127.0.0.1:8080"),
    ])
    .await?;
    assert!(
        text.contains("the payment provider is unavailable"),
        "{text}"
    );
    assert!(!text.contains("hidden"), "{text}");
    Ok(())
}

#[tokio::test]
async fn start_rejects_invalid_settings_and_taken_port() -> Result<()> {
    let data = data_folder()?;
    let refused = async |settings: [(&str, &str); 2]| {
        let mut command = hourmeter().command(data.path());
        let answer = command.envs(settings).output().await?;
        assert!(!answer.status.success());
        Ok::<_, anyhow::Error>(String::from_utf8(answer.stderr)?)
    };
    let text = refused([("PORT", "door"), ("TRIAL_DAYS", "0")]).await?;
    assert!(
        text.contains("PORT") && text.contains("TRIAL_DAYS"),
        "{text}"
    );
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port().to_string();
    let text = refused([("PORT", &port), ("TRIAL_DAYS", "28")]).await?;
    assert!(text.contains("choose another with PORT"), "{text}");
    let database = data.path().join("postgres");
    assert!(!database.exists(), "no database was made");
    Ok(())
}

#[tokio::test]
async fn demo_company_covers_every_status_and_is_created_once() -> Result<()> {
    let data = hourmeter().installation().await?;
    let first = run_demo(data.path()).await?;
    assert!(first.contains("These are shown only now."), "{first}");
    let credentials = first.lines().find(|line| line.contains('@'));
    let credentials = credentials.context("the owner's line")?;
    let (email, password) = credentials.trim().split_once("   ").context("two words")?;

    let product = hourmeter().start(data.path()).await?;
    let body = json!({"emailOrBusinessName": email, "password": password});
    let owner = Visitor::new(&product.origin);
    let owner = owner.begin_session("/api/auth/login", body).await;
    let machines = owner.get("/api/equipment").await;
    let machines = machines.as_array().context("machines")?;
    assert_eq!(machines.len(), 14);
    for status in ["good", "approaching_service", "time_for_service", "overdue"] {
        let mut all = machines.iter();
        let found = all.any(|machine| machine["serviceStatus"] == status);
        assert!(found, "{status}");
    }
    let updates = owner.get("/api/operator-updates?status=pending").await;
    let updates = updates.as_array().context("updates")?;
    assert_eq!(updates.len(), 3);
    let fine = updates.iter().find(|row| row["belowCurrent"] == false);
    let id = fine.and_then(|row| row["id"].as_str()).context("an id")?;
    let path = format!("/api/operator-updates/{id}/apply");
    let applied = owner.post(&path, json!({})).await;
    assert_eq!(applied["status"], "applied", "the trial has begun just now");
    product.stop(Signal::TERM).await?;

    let again = run_demo(data.path()).await?;
    assert!(!again.contains("shown only now"), "{again}");
    Ok(())
}

/// Starts with `DEMO=1` and stops after the output is complete. Returns the output.
async fn run_demo(data: &std::path::Path) -> Result<String> {
    let mut product = hourmeter().start_with(data, &[], &[("DEMO", "1")]).await?;
    let log = product.process.log.clone();
    let begun = Instant::now();
    while !product.process.output()?.contains("Stop with Ctrl-C") {
        product.process.check_running()?;
        assert!(begun.elapsed() < TIMEOUT, "{}", product.process.output()?);
        sleep(Duration::from_millis(20)).await;
    }
    product.stop(Signal::TERM).await?;
    Ok(std::fs::read_to_string(log)?)
}
