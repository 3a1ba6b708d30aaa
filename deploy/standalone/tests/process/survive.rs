//! The short version of `make survive`: under all faults every acknowledged write is stored exactly
//! once, and no response is wrong. Speed is not judged.

use anyhow::Result;
use hourmeter_lab::data_folder;
use hourmeter_lab::survive::Options;

use crate::hourmeter;

#[tokio::test(flavor = "multi_thread")]
async fn survive_keeps_acknowledged_writes_once() -> Result<()> {
    let (options, data) = (Options::new(true), data_folder()?.keep());
    let place = format!("seed {}, data and logs in {}", options.seed, data.display());
    println!("{place}");
    let wrongs = options.run(&hourmeter(), &data).await?;
    assert_eq!(wrongs, 0, "{place}");
    Ok(std::fs::remove_dir_all(data)?)
}
