//! What a run is told on its command line.

use anyhow::{Context as _, Result, bail};
use hourmeter_runtime::config::Settings;

use crate::cases::Case;

/// How one run goes.
#[derive(Clone, Debug)]
pub struct Options {
    /// In this order.
    pub cases: Vec<Case>,
    /// Requests a second.
    pub rate: u32,
    /// Quick enough for every test run.
    pub short: bool,
    /// The same seed draws the same jobs and moments.
    pub seed: u64,
}

/// What a wrong command line is answered with.
const USAGE: &str = "usage: hourmeter-survive [--short] [--rate REQUESTS_A_SECOND] [--case NAME]...
HOURMETER_SURVIVE_SEED repeats a run.";

impl Options {
    /// From the command line and the environment.
    pub fn read() -> Result<Self> {
        let mut arguments = std::env::args().skip(1);
        let (mut cases, mut rate, mut short) = (Vec::new(), None, false);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--short" => short = true,
                "--rate" => {
                    let text = arguments.next().context(USAGE)?;
                    rate = Some(text.parse().context(USAGE)?);
                }
                "--case" => {
                    let name = arguments.next().context(USAGE)?;
                    cases.push(Case::named(&name)?);
                }
                _ => bail!(USAGE),
            }
        }
        if cases.is_empty() {
            cases = Case::ALL.to_vec();
        }
        let drawn = u64::from(getrandom::u32()?);
        Ok(Self {
            cases,
            rate: rate.unwrap_or(if short { 15 } else { 200 }).max(1),
            short,
            seed: Settings::from_env().or("HOURMETER_SURVIVE_SEED", drawn),
        })
    }
}
