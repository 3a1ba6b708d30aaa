//! A replica stands still: it takes what it is sent, and answers nothing.

use std::time::Duration;

use anyhow::Result;
use hourmeter_runtime::identity::Service;
use rustix::process::Signal;
use tokio::time::sleep;

use super::{Played, Stage};
use crate::fleet::Member;

/// Holds one replica of each service for a while, one after the other.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    let span = stage.or_short(Duration::from_secs(8), Duration::from_secs(3));
    let services = if stage.short {
        vec![Service::Equipment]
    } else {
        Service::ALL.to_vec()
    };
    stage
        .under_load(async |fleet, chance| {
            for service in services {
                let replica = chance.place(2);
                let member = fleet.member(Member::Service(service, replica))?;
                member.signal(Signal::STOP)?;
                sleep(span).await;
                member.signal(Signal::CONT)?;
                sleep(Duration::from_secs(1)).await;
            }
            Ok(())
        })
        .await
}
