//! A company's records on the shipped program: exported, deleted, and told apart after databases
//! were restored to different moments.

use std::path::Path;
use std::time::Duration;

use reqwest::{Method, StatusCode};
use rustix::process::Signal;
use serde_json::json;
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::product::{Running, Visitor, command, data_folder, free_port};

/// Runs a command; whether it ended well, and what it wrote.
async fn run(data: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = command(data, free_port());
    let output = command.args(arguments).output().await.expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    (output.status.success(), text)
}

async fn status(visitor: &Visitor, path: &str) -> StatusCode {
    let answer = visitor.call(Method::GET, path).send().await;
    answer.expect("an answer").status()
}

#[tokio::test]
async fn a_company_is_exported_and_deleted_while_others_go_on() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
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
    export.extend(["--reason", "asked for by its owner"]);
    let mistyped = data.path().join("mistyped");
    let (ended_well, said) = run(&mistyped, &export).await;
    assert!(!ended_well && said.contains("no installation"), "{said}");
    assert!(!mistyped.exists());
    let (ended_well, said) = run(data.path(), &export).await;
    assert!(ended_well, "{said}");
    let machines = std::fs::read_to_string(out.join("equipment/equipment.csv")).expect("a file");
    assert!(machines.contains(",Excavator,") && !machines.contains("Crane"));
    let updates = std::fs::read_to_string(out.join("operator-updates/updates.json"));
    assert!(updates.expect("a file").contains("312.5"));

    let mut delete = vec!["company", "delete", "--company", company, "--no-wait"];
    delete.extend(["--reason", "asked for by its owner", "--confirm"]);
    let (ended_well, said) = run(data.path(), &[&delete[..], &["Harbor Works"]].concat()).await;
    assert!(!ended_well && said.contains("is not called"), "{said}");
    assert_eq!(status(&manager, "/api/equipment").await, StatusCode::OK);

    delete.push("Ridge Works");
    let (ended_well, said) = run(data.path(), &delete).await;
    assert!(ended_well && said.contains("equipment.equipment"), "{said}");
    assert_eq!(
        status(&manager, "/api/equipment").await,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        status(&operator, "/api/operator-updates").await,
        StatusCode::UNAUTHORIZED
    );
    // A phone that comes back with what it kept is told why, and nothing of it is stored.
    let kept = json!({"equipmentId": machine, "newUsage": 320, "clientId": "2"});
    let (refused, said) = operator
        .send(Method::POST, "/api/operator-updates", kept)
        .await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);
    assert!(
        said["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty()),
        "{said}"
    );
    let again = json!({"emailOrBusinessName": "Ridge Works", "password": "gravel-and-sand-41"});
    let visitor = Visitor::new(&running.origin);
    let (refused, _) = visitor.send(Method::POST, "/api/auth/login", again).await;
    assert_eq!(refused, StatusCode::UNAUTHORIZED);
    assert_eq!(
        other.get("/api/equipment").await.as_array().map(Vec::len),
        Some(1)
    );
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");

    let (ended_well, said) = run(data.path(), &delete).await;
    assert!(ended_well && said.contains(": 0 rows deleted"), "{said}");
}

/// A superuser's connection to the database of submissions.
async fn submissions(data: &Path) -> PgConnection {
    let read = |name: &str| std::fs::read_to_string(data.join("postgres").join(name));
    let (port, password) = (
        read("port").expect("a port"),
        read("password").expect("one"),
    );
    let (port, password) = (port.trim(), password.trim());
    let url = format!("postgres://postgres:{password}@127.0.0.1:{port}/hourmeter_operator_updates");
    PgConnection::connect(&url).await.expect("a connection")
}

/// Where the two databases are on different servers, operator-updates may come back a little older
/// than equipment: with decisions whose effect it has not heard of.
#[tokio::test]
async fn what_took_effect_after_an_older_backup_counts_once() {
    let data = data_folder();
    let running = Running::start(data.path()).await;
    let manager = Visitor::sign_up(&running.origin, "Ridge Works").await;
    let machine = manager.add_machine("Excavator").await;
    let operator = manager.operator().await;
    let mut admin = submissions(data.path()).await;
    // The outbox as it was, before each delivery was confirmed.
    admin
        .execute(
            "CREATE TABLE kept AS TABLE decisions;
             CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                 'BEGIN INSERT INTO public.kept SELECT NEW.*; RETURN NULL; END';
             CREATE TRIGGER keep AFTER INSERT ON decisions FOR EACH ROW EXECUTE FUNCTION keep()",
        )
        .await
        .expect("a copy");
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
        .await
        .expect("an older moment");
    let still = "SELECT count(*) FROM updates WHERE status = 'pending'";
    for _ in 0..300 {
        let waiting: i64 = sqlx::query_scalar(still)
            .fetch_one(&mut admin)
            .await
            .expect("one");
        if waiting == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
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
    let figures = figures.to_str().expect("a path");
    let (ended_well, said) = run(data.path(), &["figures", "--check", "--out", figures]).await;
    assert!(ended_well, "{said}");
    assert!(
        said.contains("under way: 0. Lost: 0. Applied and not said so: 0."),
        "{said}"
    );
    admin.close().await.expect("closed");
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");
}
