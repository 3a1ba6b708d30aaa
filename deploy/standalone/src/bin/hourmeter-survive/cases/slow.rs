//! Every question to the database takes longer.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::{Played, Stage};
use crate::fleet::Member;
use crate::proxy::Proxy;

/// By how much.
const DELAY: Duration = Duration::from_millis(200);

/// Puts something slow between the services and their database for a while.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    let direct = stage.fleet.database_port()?;
    let proxy = Proxy::start(direct).await?;
    stage.fleet.installation.database_port = proxy.port;
    roll_services(stage).await?;
    let span = stage.or_short(Duration::from_secs(15), Duration::from_secs(4));
    let played = stage
        .under_load(async |_, _| {
            proxy.delay(DELAY);
            sleep(span).await;
            proxy.delay(Duration::ZERO);
            Ok(())
        })
        .await?;
    stage.fleet.installation.database_port = direct;
    roll_services(stage).await?;
    Ok(played)
}

async fn roll_services(stage: &mut Stage) -> Result<()> {
    let all = Member::all().into_iter();
    let services = all.filter(|member| matches!(member, Member::Service(..)));
    let services: Vec<Member> = services.collect();
    stage.fleet.restart(&services).await
}
