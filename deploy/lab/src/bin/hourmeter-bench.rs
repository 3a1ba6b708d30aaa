//! Benchmarks of the program beside it, see `hourmeter_lab::bench`; started by `make bench`.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hourmeter_lab::bench::{self, PARTS, TRACES_SPAN};
use hourmeter_lab::{Program, data_folder};

const USAGE: &str = "usage: hourmeter-bench [calls | digests | field | export | flood | lists | timing | traces [SECONDS_A_FIGURE]]";

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (part, span) = match arguments[..] {
        [] => (None, TRACES_SPAN),
        ["traces", seconds] => {
            let seconds = seconds.parse().context(USAGE)?;
            (Some("traces"), Duration::from_secs(seconds))
        }
        [part] if PARTS.contains(&part) => (Some(part), TRACES_SPAN),
        _ => bail!(USAGE),
    };
    let data = data_folder()?;
    bench::run(&Program::beside()?, data.path(), part, span).await
}
