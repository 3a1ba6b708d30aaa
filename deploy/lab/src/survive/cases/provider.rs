//! The payment provider refuses connections, then accepts them and never responds: only calls that
//! need it fail, with 502.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use hourmeter_runtime::identity::Service;
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::{CaseResult, Stage};
use crate::fleet::{Fleet, Member};
use crate::process::free_port;
use crate::survive::outcome::Outcome;
use crate::survive::world::World;

/// Gives billing an unavailable provider while owners try to pay.
pub async fn run(stage: &mut Stage) -> Result<CaseResult> {
    let mut result = with_provider(stage, free_port()?).await?;
    let hanging = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = hanging.local_addr()?.port();
    let accepting = tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((socket, _)) = hanging.accept().await {
            open.push(socket);
        }
    });
    let more = with_provider(stage, port).await?;
    accepting.abort();
    result.figures.join(more.figures);
    result.violations.extend(more.violations);
    set_provider(stage, None).await?;
    Ok(result)
}

async fn set_provider(stage: &mut Stage, url: Option<String>) -> Result<()> {
    stage.fleet.payment_provider = url;
    let billing = Member::replicas(Service::Billing);
    stage.fleet.restart(&billing).await
}

async fn with_provider(stage: &mut Stage, port: u16) -> Result<CaseResult> {
    set_provider(stage, Some(format!("http://127.0.0.1:{port}/"))).await?;
    let tries = stage.or_short(10, 2);
    let world = stage.world.clone();
    let mut violations = Vec::new();
    let fault = async |_: &mut Fleet, _: &mut Rng| {
        let mut paying = JoinSet::new();
        for number in 0..tries {
            paying.spawn(pay(world.clone(), number));
            sleep(Duration::from_millis(300)).await;
        }
        violations = paying.join_all().await.concat();
        Ok(())
    };
    let mut result = stage.under_load(fault).await?;
    result.violations.extend(violations);
    Ok(result.without_failures("unrelated to payments"))
}

/// An owner reads the subscription and tries to buy. Returns unexpected responses.
async fn pay(world: Arc<World>, number: usize) -> Vec<String> {
    let owner = &world.companies[number % world.companies.len()].owner;
    let body = json!({"tier": "professional", "billingInterval": "month"});
    let read = owner.call(Method::GET, "/api/subscription/info");
    let buy = owner.call(Method::POST, "/api/create-checkout-session");
    let buy = buy.json(&body);
    let mut violations = Vec::new();
    for (call, wanted) in [(read, Outcome::Done), (buy, Outcome::Provider)] {
        let request = call.build().expect("a request");
        let answer = world.gateways.send(&request).await;
        let outcome = Outcome::of(&answer, false);
        if outcome != wanted {
            let path = request.url().path();
            violations.push(format!("{path}: {outcome}, not {wanted}: {answer:?}"));
        }
    }
    violations
}
