//! Everything is replaced, one process after the other, and nobody notices.

use anyhow::Result;

use super::{Played, Stage};
use crate::fleet::Member;

/// Stops and starts each, services first.
pub async fn play(stage: &mut Stage) -> Result<Played> {
    let mut played = stage
        .under_load(async |fleet, _| fleet.roll(&Member::all()).await)
        .await?;
    let failed = played.figures.failures();
    if failed > 0 {
        let why = format!("{failed} requests failed during a rolling restart");
        played.wrongs.push(why);
    }
    Ok(played)
}
