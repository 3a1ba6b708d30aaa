//! Benchmarks of the program beside it, see `hourmeter_lab::bench`; started by `make bench`.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hourmeter_lab::bench::{self, Part, TRACES_SPAN};
use hourmeter_lab::{Program, data_folder};

const USAGE: &str = "usage: hourmeter-bench [calls | flood | field | export | lists | timing | traces [SECONDS_A_FIGURE]]";

fn part() -> Result<Part> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Ok(match arguments[..] {
        [] => Part::All,
        ["calls"] => Part::Calls,
        ["flood"] => Part::Flood,
        ["field"] => Part::Field,
        ["export"] => Part::Export,
        ["lists"] => Part::Lists,
        ["timing"] => Part::Timing,
        ["traces"] => Part::Traces(TRACES_SPAN),
        ["traces", seconds] => Part::Traces(Duration::from_secs(seconds.parse().context(USAGE)?)),
        _ => bail!(USAGE),
    })
}

#[tokio::main]
async fn main() -> Result<()> {
    let part = part()?;
    let data = data_folder()?;
    bench::run(&Program::beside()?, data.path(), part).await
}
