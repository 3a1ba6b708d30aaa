//! Export, deletion and comparison of a company's records with the shipped program.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use hourmeter_lab::Visitor;
use reqwest::{Method, StatusCode};
use rustix::process::Signal;
use serde_json::json;
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::hourmeter;

async fn status(visitor: &Visitor, path: &str) -> StatusCode {
    let answer = visitor.call(Method::GET, path).send().await;
    answer.expect("an answer").status()
}

#[tokio::test]
async fn company_export_and_delete_keep_other_companies() -> Result<()> {
    let data = hourmeter().installation().await?;
    let run = async |data: &Path, arguments: &[&str]| hourmeter().run(data, arguments).await;
    let running = hourmeter().start(data.path()).await?;
    let other = Visitor::sign_up(&running.origin, "Harbor Works").await;
    other.add_machine("Crane").await;
    let manager = Visitor::sign_up(&running.origin, "Ridge Works").await;
    let machine = manager.add_machine("Excavator").await;
    let operator = manager.operator().await;
    let report = json!({"equipmentId": machine, "newUsage": 312.5, "clientId": "1"});
    operator.post("/api/operator-updates", report).await;
    let user = manager.get("/api/auth/user").await;
    let company = user["companyId"].as_str().expect("a company");

    let out = data.path().join("export");
    let folder = out.to_str().expect("a path");
    let mut export = vec!["company", "export", "--company", company, "--out", folder];
    export.extend(["--reason", "requested by the owner"]);
    let mistyped = data.path().join("mistyped");
    let text = run(&mistyped, &export).await.expect_err("a refusal");
    assert!(text.contains("no installation"), "{text}");
    assert!(!mistyped.exists());
    run(data.path(), &export).await.expect("exported");
    let machines = std::fs::read_to_string(out.join("equipment/equipment.csv"))?;
    assert!(machines.contains(",Excavator,") && !machines.contains("Crane"));
    let updates = std::fs::read_to_string(out.join("operator-updates/updates.json"))?;
    assert!(updates.contains("312.5"));

    let mut delete = vec!["company", "delete", "--company", company, "--no-wait"];
    delete.extend(["--reason", "requested by the owner", "--confirm"]);
    let other_name = [&delete[..], &["Harbor Works"]].concat();
    let text = run(data.path(), &other_name).await.expect_err("a refusal");
    assert!(text.contains("nothing was deleted"), "{text}");
    assert_eq!(status(&manager, "/api/equipment").await, StatusCode::OK);

    delete.push("Ridge Works");
    let text = run(data.path(), &delete).await.expect("deleted");
    assert!(text.contains("equipment.equipment"), "{text}");
    // Gateways cache a session for 5 s; a call with it would write to billing.
    tokio::time::sleep(Duration::from_secs(5)).await;
    // Deletes what calls stored that were open at the first deletion. Without `--no-wait`, the
    // command does this itself.
    run(data.path(), &delete).await.expect("deleted again");
    assert_eq!(
        status(&manager, "/api/equipment").await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        status(&operator, "/api/operator-updates").await,
        StatusCode::UNAUTHORIZED
    );
    // An offline phone that returns gets a reason, and nothing of its entries is stored.
    let kept = json!({"equipmentId": machine, "newUsage": 320, "clientId": "2"});
    let path = "/api/operator-updates";
    let (refused, answer) = operator.send(Method::POST, path, kept).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);
    let reason = answer["message"].as_str();
    assert!(reason.is_some_and(|text| !text.is_empty()), "{answer}");
    let again = json!({"emailOrBusinessName": "Ridge Works", "password": "gravel-and-sand-41"});
    let visitor = Visitor::new(&running.origin);
    let (refused, _) = visitor.send(Method::POST, "/api/auth/login", again).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);
    assert_eq!(
        other.get("/api/equipment").await.as_array().map(Vec::len),
        Some(1)
    );
    running.stop(Signal::TERM).await?;

    let text = run(data.path(), &delete).await.expect("deleted");
    assert!(text.contains(": 0 rows deleted"), "{text}");
    Ok(())
}

/// With databases on different servers, operator-updates may be restored to an older moment than
/// equipment: its submissions then lack confirmations of deliveries.
#[tokio::test]
async fn restored_outbox_applies_once() -> Result<()> {
    let data = hourmeter().installation().await?;
    let running = hourmeter().start(data.path()).await?;
    let manager = Visitor::sign_up(&running.origin, "Ridge Works").await;
    let machine = manager.add_machine("Excavator").await;
    let operator = manager.operator().await;
    let url = running.database_url("hourmeter_operator_updates")?;
    let mut admin = PgConnection::connect(&url).await?;
    // The outbox before each delivery was confirmed.
    admin
        .execute(
            "CREATE TABLE kept AS TABLE decisions;
             CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                 'BEGIN INSERT INTO public.kept SELECT NEW.*; RETURN NULL; END';
             CREATE TRIGGER keep AFTER INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION keep()",
        )
        .await?;
    for number in 1..=6 {
        let report = json!({"equipmentId": machine, "newUsage": 100 + number, "fuelAdded": 1.5,
            "fuelType": "diesel", "clientId": number.to_string()});
        let sent = operator.post("/api/operator-updates", report).await;
        let id = sent["id"].as_str().expect("an id");
        let path = format!("/api/operator-updates/{id}/apply");
        assert_eq!(manager.post(&path, json!({})).await["status"], "applied");
    }
    admin
        .execute(
            "DROP TRIGGER keep ON decisions;
             BEGIN;
             UPDATE updates SET status = 'pending', applied_usage = NULL;
             INSERT INTO decisions SELECT * FROM kept ON CONFLICT DO NOTHING;
             UPDATE decisions SET attempts = 0, leased_until = NULL, next_try_at = now();
             COMMIT;
             DROP TABLE kept; DROP FUNCTION keep()",
        )
        .await?;
    let still = "SELECT count(*) FROM updates WHERE status = 'pending'";
    for _ in 0..1500 {
        let waiting = sqlx::query_scalar::<_, i64>(still).fetch_one(&mut admin);
        if waiting.await? == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let shown = manager.get(&format!("/api/equipment/{machine}")).await;
    assert_eq!(
        (
            shown["currentUsage"].as_f64(),
            shown["totalDieselUsed"].as_f64()
        ),
        (Some(106.0), Some(9.0))
    );
    let figures = data.path().join("figures");
    let figures = figures.to_str().context("a path")?;
    let check = ["figures", "--check", "--out", figures];
    let text = hourmeter().run(data.path(), &check).await;
    let text = text.expect("no differences");
    assert!(
        text.contains("in delivery: 0. Lost: 0. Applied but unconfirmed: 0."),
        "{text}"
    );
    admin.close().await?;
    running.stop(Signal::TERM).await
}
