//! Benchmarks of the release build on fresh data: start, memory, throughput and latency. Rate limits
//! are off.

mod digests;
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
use rustix::process::Signal;
use sqlx::{Connection as _, PgConnection};
use tokio::task::spawn_blocking;

use crate::process::cpu_time;
use crate::program::{Product, Program, database_pid};
use load::{Load, PACED_CLIENTS, drive_load};

const COMPANIES: usize = 100;
const MACHINES: usize = 15;
/// Closed-loop clients.
const CLIENTS: usize = 16;
const SPAN: Duration = Duration::from_secs(8);
/// Reads per second for the latency measurement.
const PACE: u32 = 300;

/// Names of the benchmarks. Without a name all run, except `timing` and `digests`.
pub const PARTS: [&str; 8] = [
    "calls", "flood", "timing", "field", "export", "lists", "traces", "digests",
];

/// Default duration of a figure and round of `traces`.
pub const TRACES_SPAN: Duration = Duration::from_secs(4);

/// A durable server of its own, so that the benchmarks can add rows.
struct Database {
    server: Server,
    folder: PathBuf,
}

impl Database {
    async fn start(data: &Path) -> Result<Self> {
        let folder = data.join("database");
        let options = Options::new(&folder);
        let server = spawn_blocking(move || Server::start(&options)).await??;
        Ok(Self { server, folder })
    }

    async fn connect(&self, database: &str) -> Result<PgConnection> {
        Ok(PgConnection::connect(&self.server.admin_url(database)).await?)
    }
}

async fn start(
    program: &Program,
    data: &Path,
    database: &Database,
    more: &[(&str, &str)],
) -> Result<Product> {
    let url = database.server.admin_url("postgres");
    let variables = [&[("DATABASE_URL", url.as_str())][..], more].concat();
    program.start_with(data, &[], &variables).await
}

/// Runs a benchmark, or all, on an empty data folder and prints the figures.
pub async fn run(
    program: &Program,
    data: &Path,
    part: Option<&str>,
    traces_span: Duration,
) -> Result<()> {
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

    let runs = |name| part.is_none_or(|part| part == name);
    let mut companies = Vec::new();
    if !matches!(part, Some("export" | "field" | "lists" | "digests")) {
        let begun = Instant::now();
        companies = seed::companies(&product.origin, "Bench", COMPANIES, MACHINES).await;
        let (rows, seconds) = (COMPANIES * MACHINES, begun.elapsed().as_secs_f64());
        let text = format!("{COMPANIES} companies, {rows} machines in {seconds:.0} s");
        report::fact("seeded", &text);
        report::head();
    }
    if runs("calls") {
        calls(&product, &database, &companies).await?;
    }
    if runs("flood") {
        flood::measure(&product, &companies).await?;
    }
    if part == Some("timing") {
        timing::measure(&product.origin, &companies).await?;
    }
    if runs("field") {
        field::measure(&product.origin, &database).await?;
    }
    if runs("export") {
        export::measure(&product, &database).await?;
    }
    if runs("lists") {
        lists::measure(&product.origin, &database).await?;
    }
    product.stop_without_database(Signal::TERM).await?;
    if runs("traces") {
        traces::measure(program, data, &database, &companies, traces_span).await?;
    }
    if part == Some("digests") {
        digests::measure(program, data, &database).await?;
    }
    spawn_blocking(move || database.server.stop()).await?
}

fn memory(name: &str, product: &Product) -> Result<()> {
    report::fact(name, &format!("{:.1} MB", product.process.megabytes()?));
    Ok(())
}

/// Throughput, latency and CPU time of the main calls.
async fn calls(product: &Product, database: &Database, companies: &[seed::Company]) -> Result<()> {
    let (product_pid, database_pid) = (product.process.pid()?, database_pid(&database.folder)?);
    let cpu = || anyhow::Ok(cpu_time(product_pid)? + cpu_time(database_pid)?);
    for (name, clients, load) in [
        ("sign-in", 4, Load::SignIn),
        ("equipment list, 15 rows", CLIENTS, Load::List),
        ("one piece of equipment", CLIENTS, Load::Get),
        ("current user", CLIENTS, Load::User),
        ("equipment count", CLIENTS, Load::Count),
        ("operator updates, list", CLIENTS, Load::Updates),
        ("history export", CLIENTS, Load::Export),
        ("usage update", CLIENTS, Load::Usage),
        ("operator submission", CLIENTS, Load::Submit),
        ("note", CLIENTS, Load::Note),
        ("mixed, nine reads per write", CLIENTS, Load::Mixed),
    ] {
        let before = cpu()?;
        let figures = drive_load(load, companies, clients, SPAN, None).await?;
        report::row(name, &figures.with_cpu(cpu()? - before));
    }
    for (name, load) in [("current user", Load::User), ("mixed", Load::Mixed)] {
        let figures = drive_load(load, companies, PACED_CLIENTS, SPAN, Some(PACE)).await?;
        report::row(&format!("{name} at {PACE}/s"), &figures);
    }
    memory("resident memory, after load", product)
}
