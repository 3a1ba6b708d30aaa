//! The shipped programs as processes: start, stop, crash, and the main journey through either.

mod accounts;
mod company;
mod drill;
mod kill;
mod observed;
mod previous;
mod product;
mod production;
mod survive;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use product::{Running, Visitor, command, data_folder, free_port};
use reqwest::{Method, StatusCode};
use rustix::process::{Signal, kill_process};
use serde_json::json;

/// An operator reports, the manager applies, and the machine shows it.
async fn main_journey(origin: &str) {
    let manager = Visitor::sign_up(origin, "Ridge Works").await;
    let machine = manager.add_machine("Excavator").await;
    let operator = manager.operator().await;
    let report = json!({"equipmentId": machine, "newUsage": 312.5, "fuelAdded": 40.25,
        "fuelType": "diesel", "notes": "Todo bien"});
    let sent = operator.post("/api/operator-updates", report).await;
    assert_eq!(sent["status"], "pending");

    let path = format!(
        "/api/operator-updates/{}/apply",
        sent["id"].as_str().expect("an id")
    );
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

#[tokio::test]
async fn one_process_does_the_main_job_and_keeps_it() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    main_journey(&running.origin).await;
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");

    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_in(&running.origin, "Ridge Works").await;
    assert_eq!(
        manager.get("/api/equipment").await[0]["currentUsage"],
        312.5
    );
    assert!(
        running.stop(Signal::INT).await,
        "Ctrl-C stops it cleanly too"
    );
}

#[tokio::test]
async fn separate_processes_do_the_main_job() {
    let data = data_folder();
    let running = Running::start_with(data.path(), &["services"], &[]).await;
    main_journey(&running.origin).await;
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");
}

#[tokio::test]
async fn a_kill_in_the_middle_of_an_apply_applies_once() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_up(&running.origin, "Crash Works").await;
    let machine = manager.add_machine("Loader").await;
    let operator = manager.operator().await;
    let mut ids = Vec::new();
    for number in 1..=40 {
        let report = json!({"equipmentId": machine, "fuelAdded": 1.5, "fuelType": "diesel", "clientId": number.to_string()});
        let sent = operator.post("/api/operator-updates", report).await;
        ids.push(sent["id"].clone());
    }
    let applied = Arc::new(AtomicUsize::new(0));
    let applying = tokio::spawn({
        let (manager, ids, applied) = (manager.clone(), ids.clone(), applied.clone());
        async move {
            for id in ids {
                let path = format!(
                    "/api/operator-updates/{}/apply",
                    id.as_str().expect("an id")
                );
                let call = manager.call(Method::POST, &path).json(&json!({}));
                if call.send().await.is_ok() {
                    applied.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    while applied.load(Ordering::Relaxed) < 5 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    running.kill().await;
    applying.abort();
    let before = applied.load(Ordering::Relaxed);
    assert!(
        before < ids.len(),
        "the kill came too late to cut anything off"
    );

    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_in(&running.origin, "Crash Works").await;
    // What the dead process was delivering is taken over when its lease has run out.
    for _ in 0..60 {
        let results = manager
            .post("/api/operator-updates/apply", json!({"ids": ids}))
            .await;
        let results = results.as_array().expect("results");
        if results.iter().all(|result| result["ok"] == true) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let waiting = manager.get("/api/operator-updates?status=pending").await;
    assert_eq!(waiting, json!([]), "all are applied");
    let shown = manager.get(&format!("/api/equipment/{machine}")).await;
    assert_eq!(shown["totalDieselUsed"], 60.0, "40 times 1.5, each once");
    assert!(running.stop(Signal::TERM).await);
}

#[tokio::test]
async fn a_dead_database_is_started_again() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_up(&running.origin, "Outage Works").await;
    manager.add_machine("Dozer").await;
    let dead = running.database();
    kill_process(dead, Signal::KILL).expect("killed");

    let mut seen = Vec::new();
    for _ in 0..300 {
        let answer = manager
            .call(Method::GET, "/api/equipment")
            .send()
            .await
            .expect("an answer");
        seen.push(answer.status());
        if answer.status() == StatusCode::OK && running.database() != dead {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_ne!(running.database(), dead, "a new server runs");
    let expected = [StatusCode::OK, StatusCode::SERVICE_UNAVAILABLE];
    assert!(
        seen.iter().all(|status| expected.contains(status)),
        "{seen:?}"
    );
    assert_eq!(manager.get("/api/equipment").await[0]["name"], "Dozer");
    assert!(running.stop(Signal::TERM).await);
}

#[tokio::test]
async fn a_stopped_database_is_503_and_nothing_has_to_be_started_again() {
    let (data, own) = (data_folder(), data_folder());
    let mut options = hourmeter_embedded_postgres::Options::new(own.path().join("postgres"));
    options.package_dir = Some(product::package());
    let server = start_server(&options).await;
    let url = server.admin_url("postgres");
    let running = Running::start_with(data.path(), &[], &[("DATABASE_URL", &url)]).await;
    let manager = Visitor::sign_up(&running.origin, "Pause Works").await;
    manager.add_machine("Dozer").await;

    tokio::task::spawn_blocking(move || server.stop())
        .await
        .expect("a task")
        .expect("stopped");
    let answer = manager
        .call(Method::GET, "/api/equipment")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.headers().contains_key("retry-after"));
    let text = answer.text().await.expect("a body");
    assert!(
        !text.contains("postgres") && !text.contains("127.0.0.1"),
        "{text}"
    );
    let report = json!({"name": "Lost", "type": "other", "unit": "n/a"});
    let (status, _) = manager.send(Method::POST, "/api/equipment", report).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);

    let server = start_server(&options).await;
    assert_eq!(server.admin_url("postgres"), url, "the same port as before");
    // Connections from before are found dead one by one.
    let mut machines = Vec::new();
    for _ in 0..100 {
        let (status, answer) = manager.send(Method::GET, "/api/equipment", json!({})).await;
        if status == StatusCode::OK {
            machines.extend(answer.as_array().cloned().unwrap_or_default());
            break;
        }
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(machines.len(), 1, "{machines:?}");
    assert!(running.end(Signal::TERM).await, "it stops cleanly");
}

async fn start_server(
    options: &hourmeter_embedded_postgres::Options,
) -> hourmeter_embedded_postgres::Server {
    let options = options.clone();
    let start = move || hourmeter_embedded_postgres::Server::start(&options);
    tokio::task::spawn_blocking(start)
        .await
        .expect("a task")
        .expect("a server")
}

#[tokio::test]
async fn a_second_start_on_the_same_data_is_refused() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    let second = command(data.path(), free_port())
        .output()
        .await
        .expect("it ends");
    assert!(!second.status.success());
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(text.contains("another Hourmeter is running"), "{text}");
    assert!(running.stop(Signal::TERM).await);
}

#[tokio::test]
async fn projections_are_checked_and_rebuilt_from_the_command_line() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    main_journey(&running.origin).await;
    let run = async |arguments: &[&str]| {
        let mut command = command(data.path(), free_port());
        let answer = command.args(arguments).output().await.expect("it ends");
        let (out, err) = (answer.stdout, answer.stderr);
        let text = [out, err].map(|text| String::from_utf8_lossy(&text).into_owned());
        (answer.status.code(), text.concat())
    };
    let (code, text) = run(&["check-projections"]).await;
    assert_eq!(code, Some(1));
    assert!(text.contains("another Hourmeter is running"), "{text}");
    assert!(running.stop(Signal::TERM).await);
    let found = run(&["check-projections"]).await;
    let none = "Companies: 1. Differences: 0.";
    assert_eq!(found, (Some(0), format!("{none}\n")));
    let found = run(&["rebuild-projections"]).await;
    assert_eq!(found, (Some(0), format!("{none} Put right: 0.\n")));
    let (code, text) = run(&["check-projections", "--company"]).await;
    assert_eq!(code, Some(1));
    assert!(
        text.contains("usage: check-projections [--company UUID]"),
        "{text}"
    );
}

#[tokio::test]
async fn the_catalogue_is_brought_to_stripe_from_the_command_line() {
    let data = data_folder();
    let run = async |settings: &[(&str, &str)]| {
        let mut command = command(data.path(), free_port());
        command.arg("sync-catalogue").envs(settings.iter().copied());
        let answer = command.output().await.expect("it ends");
        let (out, err) = (answer.stdout, answer.stderr);
        let text = [out, err].map(|text| String::from_utf8_lossy(&text).into_owned());
        (answer.status.code(), text.concat())
    };
    let (code, text) = run(&[]).await;
    assert_eq!(code, Some(1));
    assert!(text.contains("there is no STRIPE_API_KEY"), "{text}");
    // It asks Stripe, where nobody answers here.
    let (code, text) = run(&[
        ("STRIPE_API_KEY", "sk_test_hidden"),
        ("STRIPE_WEBHOOK_SECRETS", "whsec_hidden"),
        ("STRIPE_API_BASE", "http://127.0.0.1:9/"),
        ("PUBLIC_ORIGIN", "http://127.0.0.1:8080"),
    ])
    .await;
    assert_eq!(code, Some(1));
    assert!(
        text.contains("the payment provider does not answer"),
        "{text}"
    );
    assert!(!text.contains("hidden"), "{text}");
}

#[tokio::test]
async fn lost_keys_are_told_instead_of_locking_everybody_out() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    assert!(running.stop(Signal::TERM).await);
    std::fs::remove_file(data.path().join("secrets.json")).expect("it was there");
    let answer = command(data.path(), free_port())
        .output()
        .await
        .expect("it ends");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(
        !answer.status.success() && text.contains("secrets.json is missing"),
        "{text}"
    );
}

#[tokio::test]
async fn a_taken_port_is_told_before_anything_starts() {
    let data = data_folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let answer = command(data.path(), port).output().await.expect("it ends");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(
        !answer.status.success() && text.contains("choose another with PORT"),
        "{text}"
    );
    assert!(
        !data.path().join("postgres").exists(),
        "no database was made"
    );
}

#[tokio::test]
async fn wrong_settings_are_all_told_at_once() {
    let data = data_folder();
    let mut command = command(data.path(), free_port());
    let answer = command
        .env("PORT", "door")
        .env("TRIAL_DAYS", "0")
        .output()
        .await
        .expect("it ends");
    let text = String::from_utf8_lossy(&answer.stderr);
    assert!(
        text.contains("PORT") && text.contains("TRIAL_DAYS"),
        "{text}"
    );
}

#[tokio::test]
async fn the_demo_company_shows_every_status_and_is_made_once() {
    let data = data_folder();
    let port = free_port();
    let first = run_demo(data.path(), port).await;
    assert!(first.contains("These are shown only now."), "{first}");
    let credentials = first
        .lines()
        .find(|line| line.contains('@'))
        .expect("the owner's line");
    let (email, password) = credentials.trim().split_once("   ").expect("two words");

    let running = Running::start(data.path()).await;
    let owner = Visitor::new(&running.origin);
    let body = json!({"emailOrBusinessName": email, "password": password});
    owner.post("/api/auth/login", body).await;
    let machines = owner.get("/api/equipment").await;
    let machines = machines.as_array().expect("machines");
    assert_eq!(machines.len(), 14);
    for status in ["good", "approaching_service", "time_for_service", "overdue"] {
        assert!(
            machines
                .iter()
                .any(|machine| machine["serviceStatus"] == status),
            "{status}"
        );
    }
    let updates = owner.get("/api/operator-updates?status=pending").await;
    assert_eq!(updates.as_array().map(Vec::len), Some(3));
    let fine = updates
        .as_array()
        .and_then(|rows| rows.iter().find(|row| row["belowCurrent"] == false));
    let id = fine
        .and_then(|row| row["id"].as_str())
        .expect("one to apply");
    let applied = owner
        .post(&format!("/api/operator-updates/{id}/apply"), json!({}))
        .await;
    assert_eq!(applied["status"], "applied", "the trial has begun just now");
    assert!(running.stop(Signal::TERM).await);

    let again = run_demo(data.path(), port).await;
    assert!(!again.contains("shown only now"), "{again}");
}

/// Starts with `DEMO=1`, waits until it says that it is ready, and stops it.
async fn run_demo(data: &std::path::Path, port: u16) -> String {
    use tokio::io::{AsyncBufReadExt as _, BufReader};
    let mut child = command(data, port)
        .env("DEMO", "1")
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut text = String::new();
    while let Some(line) = lines.next_line().await.expect("a line") {
        text.push_str(&line);
        text.push('\n');
        if line.contains("Stop with Ctrl-C") {
            break;
        }
    }
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let id = id
        .and_then(rustix::process::Pid::from_raw)
        .expect("a running process");
    kill_process(id, Signal::TERM).expect("a signal");
    assert!(child.wait().await.expect("a status").success());
    text
}
