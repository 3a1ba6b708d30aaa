//! Cost of traces: the same load without traces, with all requests traced, and with production's
//! share, interleaved in one run. The collector runs in this process.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use super::load::{Load, drive_load};
use super::report;
use super::seed::Company;
use super::{CLIENTS, Database, start};
use crate::collector::Collector;
use crate::process::cpu_time;
use crate::program::Program;

/// Repetitions of each variant, since the machine's speed varies.
const ROUNDS: usize = 3;
/// Sampling ratios.
const SHARES: [Option<&str>; 3] = [None, Some("1"), Some("0.05")];
const LOADS: [(&str, Load); 2] = [
    ("equipment list", Load::List),
    ("operator submission", Load::Submit),
];

/// Sums of one variant over its rounds.
#[derive(Clone, Copy, Default)]
struct Sum {
    requests: f64,
    seconds: f64,
    cpu: f64,
    spans: usize,
    errors: usize,
}

/// Measures each variant for `span` per round.
pub async fn measure(
    program: &Program,
    data: &Path,
    database: &Database,
    companies: &[Company],
    span: Duration,
) -> Result<()> {
    let (collector, url) = Collector::start().await?;
    let spans = || collector.spans().values().sum::<usize>();
    let mut sums = [[Sum::default(); SHARES.len()]; LOADS.len()];
    for _ in 0..ROUNDS {
        for (variant, share) in SHARES.iter().enumerate() {
            let traces = share.map(|share| {
                [
                    ("OTEL_EXPORTER_OTLP_ENDPOINT", &*url),
                    ("OTEL_TRACES_SAMPLER_ARG", share),
                ]
            });
            let product = start(program, data, database, traces.as_slice().as_flattened()).await?;
            let mut companies = companies.to_vec();
            for company in &mut companies {
                company.owner = company.owner.through(&product.origin);
                company.operator = company.operator.through(&product.origin);
            }
            for (sum, (_, load)) in sums.iter_mut().zip(LOADS) {
                let (cpu, seen) = (cpu_time(product.process.pid()?)?, spans());
                let figures = drive_load(load, &companies, CLIENTS, span, None).await?;
                let sum = &mut sum[variant];
                sum.cpu += cpu_time(product.process.pid()?)? - cpu;
                sum.spans += spans() - seen;
                sum.requests += figures.rate() * span.as_secs_f64();
                sum.seconds += span.as_secs_f64();
                sum.errors += figures.errors;
            }
            product.stop_without_database(Signal::TERM).await?;
        }
    }
    for ((name, _), [without, all, some]) in LOADS.iter().zip(sums) {
        print(&format!("{name}, without traces"), &without, &without);
        print("  every request traced", &all, &without);
        print("  one in twenty traced", &some, &without);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a displayed figure")]
fn print(name: &str, sum: &Sum, without: &Sum) {
    let (rate, cpu) = (sum.requests / sum.seconds, sum.cpu / sum.requests);
    let text = format!(
        "{rate:.0} /s ({:.2}), CPU per request {:.2}, {:.1} spans per request, {} errors",
        rate / (without.requests / without.seconds),
        cpu / (without.cpu / without.requests),
        sum.spans as f64 / sum.requests,
        sum.errors,
    );
    report::fact(name, &text);
}
