//! Every process is killed in turn.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::{Played, Stage};
use crate::fleet::Member;

/// Kills, waits a moment, starts again, and goes on to the next.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    let rounds = stage.or_short(2, 1);
    let pause = stage.or_short(Duration::from_secs(2), Duration::from_millis(300));
    stage
        .under_load(async |fleet, chance| {
            for _ in 0..rounds {
                let mut members = Member::all();
                let count = members.len();
                chance.mix(&mut members, count);
                for member in members {
                    sleep(Duration::from_millis(chance.up_to(200))).await;
                    fleet.member(member)?.kill().await?;
                    sleep(Duration::from_millis(chance.up_to(600))).await;
                    fleet.revive(member)?;
                    fleet.until_answers(member).await?;
                    sleep(pause).await;
                }
            }
            Ok(())
        })
        .await
}
