//! Commands of the accounts service on the shipped program.

use std::path::Path;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::product::{Running, Visitor, command, data_folder, free_port};

/// Runs a command; what it wrote, or what it complained of.
async fn run(data: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = command(data, free_port());
    let output = command.args(arguments).output().await.expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

async fn asked_for_the_code(origin: &str, said: &str) -> bool {
    let password = said.lines().find_map(|line| line.strip_prefix("Password:"));
    let body = json!({
        "emailOrBusinessName": "sam@help.example",
        "password": password.expect("a password").trim(),
    });
    let visitor = Visitor::new(origin);
    let (status, answer) = visitor.send(Method::POST, "/api/auth/login", body).await;
    status == StatusCode::UNAUTHORIZED && answer["code"] == "TOTP_REQUIRED"
}

#[tokio::test]
async fn staff_are_made_while_it_runs_and_while_it_does_not() {
    let data = data_folder();
    let add = [
        "staff",
        "add",
        "--name",
        "Sam",
        "--email",
        "sam@help.example",
    ];
    let said = run(data.path(), &add)
        .await
        .expect("before the first start");
    let running = Running::start(data.path()).await;
    assert!(asked_for_the_code(&running.origin, &said).await);

    let reset = ["staff", "reset", "--email", "sam@help.example"];
    let again = run(data.path(), &reset).await.expect("beside the product");
    assert!(!asked_for_the_code(&running.origin, &said).await);
    assert!(asked_for_the_code(&running.origin, &again).await);
    let twice = run(data.path(), &add).await.expect_err("a refusal");
    assert!(twice.contains("already"), "{twice}");
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");

    let listed = run(data.path(), &["staff", "list"]).await.expect("a list");
    assert!(listed.starts_with("sam@help.example  Sam"), "{listed}");
    let usage = run(data.path(), &["staff", "fire"])
        .await
        .expect_err("usage");
    assert!(usage.starts_with("usage:"), "{usage}");
}

#[tokio::test]
async fn the_sealing_key_is_replaced() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_up(&running.origin, "Ridge Works").await;
    let password = json!({"masterPassword": "shovel-ready-77"});
    manager.post("/api/company-settings", password).await;
    tokio::time::sleep(Duration::from_secs(2)).await;

    let file = data.path().join("secrets.json");
    let text = std::fs::read_to_string(&file).expect("the keys");
    let mut secrets: Value = serde_json::from_str(&text).expect("JSON");
    secrets["operator_password_keys"]["keys"]["2"] =
        "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=".into();
    secrets["operator_password_keys"]["active"] = "2".into();
    std::fs::write(&file, secrets.to_string()).expect("the keys");
    let refused = run(data.path(), &["reseal"]).await.expect_err("a refusal");
    assert!(refused.contains("start it again"), "{refused}");
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");

    let running = Running::start(data.path()).await;
    let said = run(data.path(), &["reseal"]).await.expect("resealed");
    assert_eq!(
        said,
        "Key 1: 1 moved away, 0 rows; no row uses it, so the key may go.\n\
        Key 2: 0 moved away, 1 rows; active.\n"
    );
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");
    let said = run(data.path(), &["reseal"]).await.expect("nothing to do");
    assert!(
        said.contains("Key 2: 0 moved away, 1 rows; active."),
        "{said}"
    );
}
