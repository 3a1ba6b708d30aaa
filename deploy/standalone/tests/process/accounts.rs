//! Commands of the accounts service on the shipped program.

use std::fs::File;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use hourmeter_lab::{Visitor, data_folder};
use reqwest::{Method, StatusCode};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::hourmeter;

/// Whether the printed enrolment code works.
async fn enrols(origin: &str, printed: &str) -> bool {
    let code = printed
        .lines()
        .find_map(|line| line.strip_prefix("Enrolment code:"));
    let body = json!({"code": code.expect("a code").trim()});
    let visitor = Visitor::new(origin);
    let path = "/api/auth/staff-enrolment";
    let (status, answer) = visitor.send(Method::POST, path, body).await;
    status == StatusCode::OK && answer["email"] == "sam@help.example"
}

#[tokio::test]
async fn staff_commands_work_with_and_without_running_product() -> Result<()> {
    let data = data_folder()?;
    let run = async |arguments: &[&str]| hourmeter().run(data.path(), arguments).await;
    let email = ["--email", "sam@help.example"];
    let add = ["staff", "add", "--name", "Sam", email[0], email[1]];
    let printed = run(&add).await.expect("before the first start");
    let product = hourmeter().start(data.path()).await?;
    assert!(enrols(&product.origin, &printed).await);

    let reset = run(&["staff", "reset", email[0], email[1]]).await;
    let again = reset.expect("beside the product");
    assert!(!enrols(&product.origin, &printed).await);
    assert!(enrols(&product.origin, &again).await);
    let twice = run(&add).await.expect_err("a refusal");
    assert!(twice.contains("already"), "{twice}");
    product.stop(Signal::TERM).await?;

    let listed = run(&["staff", "list"]).await.expect("a list");
    assert!(listed.starts_with("sam@help.example  Sam"), "{listed}");
    let usage = run(&["staff", "fire"]).await.expect_err("usage");
    assert!(usage.starts_with("usage:"), "{usage}");
    let unknown_person = run(&["second-factor", "reset", email[0], email[1]]).await;
    let unknown_person = unknown_person.expect_err("a refusal");
    assert!(
        unknown_person.contains("no owner or manager"),
        "{unknown_person}"
    );
    Ok(())
}

#[tokio::test]
async fn reseal_replaces_the_sealing_key() -> Result<()> {
    let data = hourmeter().installation().await?;
    let reseal = async || hourmeter().run(data.path(), &["reseal"]).await;
    let product = hourmeter().start(data.path()).await?;
    let manager = Visitor::sign_up(&product.origin, "Ridge Works").await;
    let password = json!({"masterPassword": "shovel-ready-77"});
    manager.post("/api/company-settings", password).await;

    let file = data.path().join("secrets.json");
    let mut secrets: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    secrets["operator_password_keys"]["keys"]["2"] =
        "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=".into();
    secrets["operator_password_keys"]["active"] = "2".into();
    std::fs::write(&file, secrets.to_string())?;
    // As if changed after this start.
    let changed = |at| File::options().append(true).open(&file)?.set_modified(at);
    changed(SystemTime::now() + Duration::from_secs(5))?;
    let refused = reseal().await.expect_err("a refusal");
    assert!(refused.contains("restart it"), "{refused}");
    product.stop(Signal::TERM).await?;

    changed(SystemTime::now())?;
    let product = hourmeter().start(data.path()).await?;
    assert_eq!(
        reseal().await.expect("resealed"),
        "Key 1: 1 re-encrypted, 0 rows; no row uses it; the key can be removed.\n\
        Key 2: 0 re-encrypted, 1 rows; active.\n"
    );
    product.stop(Signal::TERM).await?;
    let text = reseal().await.expect("nothing to do");
    assert!(
        text.contains("Key 2: 0 re-encrypted, 1 rows; active."),
        "{text}"
    );
    Ok(())
}
