//! Runs the cases of `hourmeter_lab::survive` on the program beside it; started by `make survive`.
//! Prints one table row per case. Exits with 1 if anything is wrong or, in the long version, too
//! slow.
#![expect(clippy::print_stderr, reason = "prints how to repeat a failed run")]

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use hourmeter_lab::survive::{Case, Options};
use hourmeter_lab::{Program, data_folder};
use hourmeter_runtime::config::Settings;

const USAGE: &str = "usage: hourmeter-survive [--short] [--rate REQUESTS_A_SECOND] [--case NAME]...
HOURMETER_SURVIVE_SEED repeats a run.";

fn options() -> Result<Options> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut options = Options::new(arguments.iter().any(|argument| argument == "--short"));
    let (mut cases, mut arguments) = (Vec::new(), arguments.iter());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--short" => {}
            "--rate" => {
                let rate = arguments.next().and_then(|rate| rate.parse().ok());
                options.rate = rate.filter(|rate| *rate > 0).context(USAGE)?;
            }
            "--case" => cases.push(Case::named(arguments.next().context(USAGE)?)?),
            _ => bail!(USAGE),
        }
    }
    if !cases.is_empty() {
        options.cases = cases;
    }
    options.seed = Settings::from_env().or("HOURMETER_SURVIVE_SEED", options.seed);
    Ok(options)
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let options = options()?;
    // Kept after a failure or panic.
    let data = data_folder()?.keep();
    let result = options.run(&Program::beside()?, &data).await;
    if matches!(result, Ok(0)) {
        std::fs::remove_dir_all(data)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (seed, data) = (options.seed, data.display());
    eprintln!("Repeat with HOURMETER_SURVIVE_SEED={seed}; logs and data are in {data}");
    result.map(|_| ExitCode::FAILURE)
}
