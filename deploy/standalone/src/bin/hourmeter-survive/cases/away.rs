//! What everything leans on is away for a while.

use std::time::Duration;

use anyhow::Result;
use tokio::time::sleep;

use super::{Played, Stage};

/// The database is killed, and started again at once.
pub async fn database_killed(stage: &mut Stage) -> Result<Played> {
    let rounds = stage.or_short(3, 1);
    stage
        .under_load(async |fleet, chance| {
            for round in 0..rounds {
                if round > 0 {
                    sleep(Duration::from_secs(4)).await;
                }
                sleep(Duration::from_millis(chance.up_to(200))).await;
                fleet.kill_database().await?;
                fleet.revive_database().await?;
            }
            Ok(())
        })
        .await
}

/// The database is stopped for a while.
pub async fn database_stopped(stage: &mut Stage) -> Result<Played> {
    let span = stage.or_short(Duration::from_secs(10), Duration::from_secs(2));
    stage
        .under_load(async |fleet, _| {
            fleet.stop_database().await?;
            sleep(span).await;
            fleet.revive_database().await
        })
        .await
}

/// Redis is away for a while: nobody may notice more than that changes are seen later.
pub async fn redis_stopped(stage: &mut Stage) -> Result<Played> {
    let span = stage.or_short(Duration::from_mins(1), Duration::from_secs(4));
    let mut played = stage
        .under_load(async |fleet, _| {
            fleet.redis().kill().await?;
            sleep(span).await;
            fleet.redis().revive()
        })
        .await?;
    if played.figures.failures() > 0 {
        let why = "requests failed though only Redis was away";
        played.wrongs.push(why.to_owned());
    }
    Ok(played)
}
