//! Benchmarks of the release build on fresh data: start, memory, throughput and latency, with a
//! baseline of the same query and JSON without the product. Rate limits are off.

mod baseline;
mod cpu;
mod export;
mod field;
mod flood;
mod lists;
mod load;
mod report;
mod seed;
mod timing;
mod traces;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use hourmeter_embedded_postgres::{Options, Server};
use rustix::process::{Pid, Signal};
use tokio::task::spawn_blocking;

use crate::program::{Product, Program, database_pid, postgres_package};
use cpu::Stack;
use load::{Load, closed, paced};
use report::Figures;
use seed::Company;

/// Companies that share the load.
const COMPANIES: usize = 100;
const MACHINES: usize = 15;
/// Closed-loop clients.
const CLIENTS: usize = 16;
const SPAN: Duration = Duration::from_secs(8);
/// Reads per second for the latency measurement.
const PACE: u32 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Calls,
    Flood,
    Field,
    Export,
    Lists,
    /// Timing differences between known and unknown names; not part of [`Part::All`].
    Timing,
    /// Cost of traces, with the duration per figure and round.
    Traces(Duration),
}

/// Default duration of [`Part::Traces`] per figure and round.
pub const TRACES_SPAN: Duration = Duration::from_secs(4);

/// A durable server of its own, so that baseline queries can run on it too.
struct Database {
    server: Server,
    folder: PathBuf,
}

impl Database {
    async fn start(data: &Path) -> Result<Self> {
        let folder = data.join("database");
        let mut options = Options::new(&folder);
        options.package_dir = Some(postgres_package());
        let server = spawn_blocking(move || Server::start(&options)).await??;
        Ok(Self { server, folder })
    }

    fn url(&self, database: &str) -> String {
        self.server.admin_url(database)
    }

    fn pid(&self) -> Result<Pid> {
        database_pid(&self.folder)
    }

    async fn stop(self) -> Result<()> {
        Ok(spawn_blocking(move || self.server.stop()).await??)
    }
}

async fn start(
    program: &Program,
    data: &Path,
    database: &Database,
    more: &[(&str, &str)],
) -> Result<Product> {
    let url = database.url("postgres");
    let variables = [&[("DATABASE_URL", url.as_str())][..], more].concat();
    program.start_with(data, &[], &variables).await
}

/// Measures on an empty data folder and prints the figures.
pub async fn run(program: &Program, data: &Path, part: Part) -> Result<()> {
    let database = Database::start(data).await?;
    let begun = Instant::now();
    let product = start(program, data, &database, &[]).await?;
    let seconds = |begun: Instant| format!("{:.2} s", begun.elapsed().as_secs_f64());
    report::fact("first start to ready", &seconds(begun));
    product.stop_without_database(Signal::TERM).await?;
    let begun = Instant::now();
    let product = start(program, data, &database, &[]).await?;
    report::fact("next start to ready", &seconds(begun));
    tokio::time::sleep(Duration::from_secs(2)).await;
    memory("resident memory, idle", &product)?;

    let companies = match part {
        Part::Export | Part::Field | Part::Lists => Vec::new(),
        Part::All | Part::Calls | Part::Flood | Part::Timing | Part::Traces(_) => {
            seeded(&product).await
        }
    };
    if matches!(part, Part::All | Part::Calls) {
        calls(&product, &database, &companies).await?;
    }
    if matches!(part, Part::All | Part::Flood) {
        flood::measure(&product, &companies).await?;
    }
    if part == Part::Timing {
        timing::measure(&product.origin, &companies).await?;
    }
    if matches!(part, Part::All | Part::Field) {
        field::measure(&product.origin, &database).await?;
    }
    if matches!(part, Part::All | Part::Export) {
        export::measure(&product, &database).await?;
    }
    if matches!(part, Part::All | Part::Lists) {
        lists::measure(&product.origin, &database).await?;
    }
    product.stop_without_database(Signal::TERM).await?;
    let span = match part {
        Part::Traces(span) => Some(span),
        Part::All => Some(TRACES_SPAN),
        _ => None,
    };
    if let Some(span) = span {
        traces::measure(program, data, &database, &companies, span).await?;
    }
    database.stop().await
}

async fn seeded(product: &Product) -> Vec<Company> {
    let begun = Instant::now();
    let companies = seed::companies(&product.origin, "Bench", COMPANIES, MACHINES).await;
    let (rows, seconds) = (COMPANIES * MACHINES, begun.elapsed().as_secs_f64());
    let text = format!("{COMPANIES} companies, {rows} machines in {seconds:.0} s");
    report::fact("seeded", &text);
    report::head();
    companies
}

fn memory(name: &str, product: &Product) -> Result<()> {
    report::fact(name, &format!("{:.1} MB", product.process.megabytes()?));
    Ok(())
}

/// Throughput, latency and CPU time of the main calls.
async fn calls(product: &Product, database: &Database, companies: &[Company]) -> Result<()> {
    let stack = Stack {
        product: &product.process,
        database: database.pid()?,
    };
    let measure = async |clients, load| -> Result<Figures> {
        let before = stack.cpu()?;
        let figures = closed(clients, SPAN, load, companies).await?;
        Ok(figures.with_cpu(stack.cpu()? - before))
    };
    report::row("sign-in", &measure(4, Load::SignIn).await?);
    let list = measure(CLIENTS, Load::List).await?;
    report::row("equipment list, 15 rows", &list);
    let bare = baseline::list(database, companies, CLIENTS, SPAN).await?;
    report::row("  bare handler, same query", &bare);
    let raw = baseline::run_query(database, companies, CLIENTS, SPAN).await?;
    report::row("  the query alone", &raw);
    for (name, load) in [
        ("one piece of equipment", Load::Get),
        ("current user", Load::User),
        ("equipment count", Load::Count),
        ("operator updates, list", Load::Updates),
        ("history export", Load::Export),
        ("usage update", Load::Usage),
        ("operator submission", Load::Submit),
        ("note", Load::Note),
        ("mixed, nine reads per write", Load::Mixed),
    ] {
        report::row(name, &measure(CLIENTS, load).await?);
    }
    for (name, load) in [("current user", Load::User), ("mixed", Load::Mixed)] {
        let figures = paced(PACE, SPAN, load, companies).await?;
        report::row(&format!("{name} at {PACE}/s"), &figures);
    }
    if let (Some(list), Some(bare)) = (list.cpu, bare.cpu) {
        let ratio = format!("{:.2}", bare / list);
        report::fact("CPU of the bare handler / CPU of the list", &ratio);
    }
    memory("resident memory, after load", product)
}
