//! The provider of payments refuses connections, then takes them and never answers: only what needs
//! it fails, with 502.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use hourmeter_runtime::identity::Service;
use hyper::Method;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::{Played, Stage};
use crate::fleet::Member;
use crate::http::Ask;
use crate::outcome::Outcome;
use crate::process::quiet_port;
use crate::world::World;

/// Tells billing of a provider that is not there, and lets owners try to pay.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    let refusing = quiet_port()?;
    let mut played = with_provider(stage, refusing).await?;
    let hanging = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = hanging.local_addr()?.port();
    let taking = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((socket, _)) = hanging.accept().await {
            held.push(socket);
        }
    });
    let more = with_provider(stage, port).await?;
    taking.abort();
    played.figures.join(more.figures);
    played.wrongs.extend(more.wrongs);
    stage.fleet.installation.provider = None;
    restart_billing(stage).await?;
    Ok(played)
}

async fn with_provider(stage: &mut Stage, port: u16) -> Result<Played> {
    stage.fleet.installation.provider = Some(format!("http://127.0.0.1:{port}/"));
    restart_billing(stage).await?;
    let tries = stage.or_short(10, 2);
    let world = stage.world.clone();
    let mut wrongs = Vec::new();
    let mut played = stage
        .under_load(async |_, _| {
            let mut paying = Vec::new();
            for number in 0..tries {
                paying.push(tokio::spawn(pay(world.clone(), number)));
                sleep(Duration::from_millis(300)).await;
            }
            for tried in paying {
                wrongs.extend(tried.await?);
            }
            Ok(())
        })
        .await?;
    played.wrongs.extend(wrongs);
    if played.figures.failures() > 0 {
        let why = "requests failed that have nothing to do with payments".to_owned();
        played.wrongs.push(why);
    }
    Ok(played)
}

/// An owner looks at the subscription, and tries to buy; answers what was not as it must be.
async fn pay(world: Arc<World>, number: usize) -> Vec<String> {
    let company = &world.companies[number % world.companies.len()];
    let path = "/api/subscription/info".to_owned();
    let look = company.rest(&company.owner, Method::GET, path, None);
    let body = json!({"tier": "professional", "billingInterval": "month"});
    let path = "/api/create-checkout-session".to_owned();
    let buy = company.rest(&company.owner, Method::POST, path, Some(&body));
    let wanted = [(look, Outcome::Done), (buy, Outcome::Provider)];
    let mut wrongs = Vec::new();
    for (ask, wanted) in wanted {
        wrongs.extend(expect(&world, &ask, wanted).await);
    }
    wrongs
}

async fn expect(world: &World, ask: &Ask, wanted: Outcome) -> Option<String> {
    let answer = world.gateways.ask(ask).await;
    let outcome = Outcome::of(&answer, false);
    (outcome != wanted).then(|| format!("{}: {outcome}, not {wanted}: {answer:?}", ask.path))
}

async fn restart_billing(stage: &mut Stage) -> Result<()> {
    let replicas = [0, 1].map(|replica| Member::Service(Service::Billing, replica));
    stage.fleet.restart(&replicas).await
}
