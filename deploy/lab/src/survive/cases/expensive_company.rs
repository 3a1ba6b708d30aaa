//! Expensive companies: huge rows, or many password hashes.

use std::time::Duration;

use anyhow::Result;
use hourmeter_proto::equipment::v1::ListNotesRequest;
use hourmeter_runtime::identity::Service;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::attack::{self, Target};
use super::{CaseResult, Stage};
use crate::survive::jobs::Job;
use crate::survive::load::Load;
use crate::survive::world::World;
use crate::visitor::Visitor;

/// Notes of the one machine, 20 kB each.
const ROWS: i32 = 5000;
const READERS: usize = 16;
/// Clients that cause password hashes: the maximum of concurrent calls per company.
const HASHERS: usize = 32;
/// Sign-ins of the others per second.
const SIGN_INS: f64 = 5.0;
/// Pause after a rejection or an error.
const PAUSE: Duration = Duration::from_millis(100);
/// Text of the note that the others are copied from.
const SEED: &str = "seed of the huge rows";

async fn company(stage: &Stage, name: &str, address: &str) -> Visitor {
    let owner = Visitor::new(&stage.fleet.origin(0)).at_address(address);
    owner.create_company(name).await
}

/// Reads a 100 MB list repeatedly. The rows are created in the database.
pub async fn huge_rows(stage: &mut Stage) -> Result<CaseResult> {
    let owner = company(stage, "Huge Rows", "172.31.0.1").await;
    let machine = owner.add_machine("Wide loader").await;
    let notes = format!("/api/equipment/{machine}/notes");
    owner.post(&notes, json!({"content": SEED})).await;
    let rows = stage.or_short(ROWS, 100);
    let mut database = stage.fleet.database(Service::Equipment).await?;
    sqlx::query(
        "INSERT INTO ledger
        SELECT made.*
        FROM ledger seed
        CROSS JOIN generate_series(1, $1) AS number
        CROSS JOIN LATERAL jsonb_populate_record(
            seed,
            jsonb_build_object(
                'id', gen_random_uuid(),
                'content', number || repeat(chr(128668), 4990)
            )
        ) AS made
        WHERE seed.content = $2",
    )
    .bind(rows)
    .bind(SEED)
    .execute(&mut database)
    .await?;
    let list = ListNotesRequest {
        equipment_id: machine.clone(),
        page: None,
    };
    let read = move |target: Target, number: usize| {
        let owner = owner.through(&target.origin(number));
        let (way, call) = if number.is_multiple_of(2) {
            ("REST", owner.call(Method::GET, &notes))
        } else {
            let path = "equipment.v1.EquipmentService/ListNotes";
            ("grpc-web", owner.rpc(path, &list))
        };
        async move {
            let answer = call.send().await?;
            let (status, grpc_status) = (answer.status(), answer.headers().get("grpc-status"));
            let is_rpc_refused = grpc_status.is_some_and(|code| code != "0");
            let refused = if is_rpc_refused { " refused" } else { "" };
            let end = answer.bytes().await.map_or("cut", |_| "whole");
            target.observed(format!("{way} {status}{refused} {end}"));
            if is_rpc_refused || !status.is_success() {
                sleep(PAUSE).await;
            }
            Ok(())
        }
    };
    let result = attack::run_clients(stage, READERS, PAUSE, read).await;
    // Excludes the rows from later audits.
    sqlx::query("DELETE FROM ledger WHERE equipment_id = $1 AND content <> $2")
        .bind(machine.parse::<Uuid>()?)
        .bind(SEED)
        .execute(&mut database)
        .await?;
    result
}

/// Sets security questions, which are hashed, with the maximum of concurrent calls per company.
pub async fn hashing(stage: &mut Stage) -> Result<CaseResult> {
    let owner = company(stage, "Hash Works", "172.31.0.2").await;
    let questions = owner.get("/api/auth/security-questions").await;
    let hashers = stage.or_short(HASHERS, 4);
    let sign_in =
        |world: &World, rng: &mut fastrand::Rng| (Job::SignIn, rng.usize(..world.companies.len()));
    let rate = stage.or_short(SIGN_INS, 1.0);
    let sign_ins = Load::start(&stage.world, rate, sign_in, stage.rng.fork());
    let hash = move |target: Target, number: usize| {
        let owner = owner.through(&target.origin(number));
        let call = owner.call(Method::POST, "/api/auth/setup-security-questions");
        let call = call.json(&answers(&questions, number));
        async move {
            let status = call.send().await?.status();
            target.observed(status.as_str());
            if !status.is_success() {
                sleep(PAUSE).await;
            }
            Ok(())
        }
    };
    let result = attack::run_clients(stage, hashers, PAUSE, hash).await;
    sign_ins.stop().await?;
    result
}

fn answers(questions: &Value, number: usize) -> Value {
    json!({
        "securityQuestion1": questions[0], "securityAnswer1": format!("Blue mill {number}"),
        "securityQuestion2": questions[1], "securityAnswer2": format!("Old bridge {number}"),
    })
}
