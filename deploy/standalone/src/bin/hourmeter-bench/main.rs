//! Figures of the release build on fresh data: start, memory, throughput and latency, each list
//! figure beside the same query and JSON without the product around it, in one run.
//!
//! `make bench` runs it. It starts the product beside it with limits off and all else as shipped.
//! `hourmeter-bench flood` measures only how it stands a flood of sign-ins, `hourmeter-bench field`
//! only submissions from the field and their review, `hourmeter-bench traces` only what traces cost
//! (`hourmeter-bench traces 1` with a second a figure instead of four).

mod client;
mod field;
mod flood;
mod limit;
mod lists;
mod load;
mod product;
mod report;
mod seed;
mod traces;

use std::time::{Duration, Instant};

use anyhow::Result;

use load::{Load, closed, paced};
use product::Product;

/// Companies that share the load.
const COMPANIES: usize = 100;
/// Machines of each.
const MACHINES: usize = 15;
/// Connections that call as fast as they are answered.
const CONNECTIONS: usize = 16;
/// How long each figure is measured.
const SPAN: Duration = Duration::from_secs(8);
/// How long each figure is measured a round that tells what traces cost.
const TRACES_SPAN: Duration = Duration::from_secs(4);
/// Reads a second at which latency is asked for.
const PACE: u32 = 300;

#[tokio::main]
async fn main() -> Result<()> {
    let data = tempfile::Builder::new()
        .prefix("hourmeter-bench-")
        .tempdir_in("/var/tmp")?;
    product::open_to_all(data.path())?;
    let database = product::Database::start(data.path()).await?;

    let begun = Instant::now();
    let product = Product::start(data.path(), &database).await?;
    report::fact(
        "first start to ready",
        &format!("{:.2} s", begun.elapsed().as_secs_f64()),
    );
    product.stop().await?;
    let begun = Instant::now();
    let product = Product::start(data.path(), &database).await?;
    report::fact(
        "next start to ready",
        &format!("{:.2} s", begun.elapsed().as_secs_f64()),
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    report::fact("resident memory, idle", &product.memory()?);

    let origin = product.origin();
    let part = std::env::args().nth(1);
    if part.as_deref() == Some("field") {
        field::measure(&origin, &database).await?;
        product.stop().await?;
        return database.stop().await;
    }
    let begun = Instant::now();
    let companies = seed::companies(&origin, "Bench", COMPANIES, MACHINES).await?;
    let rows = COMPANIES * MACHINES;
    let seconds = begun.elapsed().as_secs_f64();
    report::fact(
        "seeded",
        &format!("{COMPANIES} companies, {rows} machines in {seconds:.0} s"),
    );

    report::head();
    if part.as_deref() == Some("flood") {
        flood::measure(&product, &origin, &companies).await?;
        product.stop().await?;
        return database.stop().await;
    }
    if part.as_deref() == Some("traces") {
        product.stop().await?;
        let seconds = std::env::args().nth(2).map(|seconds| seconds.parse());
        let seconds = seconds.transpose()?.map(Duration::from_secs);
        let span = seconds.unwrap_or(TRACES_SPAN);
        traces::measure(data.path(), &database, &companies, span).await?;
        return database.stop().await;
    }
    report::row(
        "sign-in",
        &closed(4, SPAN, Load::SignIn, &origin, &companies).await?,
    );
    report::row(
        "current user",
        &closed(CONNECTIONS, SPAN, Load::User, &origin, &companies).await?,
    );
    let list = closed(CONNECTIONS, SPAN, Load::List, &origin, &companies).await?;
    report::row("equipment list, 15 rows", &list);
    let bare = limit::serve(&database, &companies).await?;
    let bare = closed(CONNECTIONS, SPAN, Load::List, &bare, &companies).await?;
    report::row("  bare handler, same query", &bare);
    let raw = limit::query_loop(&database, &companies, CONNECTIONS, SPAN).await?;
    report::row("  the query alone", &raw);
    report::row(
        "usage update",
        &closed(CONNECTIONS, SPAN, Load::Usage, &origin, &companies).await?,
    );
    report::row(
        "operator submission",
        &closed(CONNECTIONS, SPAN, Load::Submit, &origin, &companies).await?,
    );
    let user = paced(PACE, SPAN, Load::User, &origin, &companies).await?;
    report::row(&format!("current user at {PACE}/s"), &user);
    let paced_list = paced(PACE, SPAN, Load::List, &origin, &companies).await?;
    report::row(&format!("equipment list at {PACE}/s"), &paced_list);

    report::fact(
        "list against bare handler",
        &format!("{:.2}", list.rate() / bare.rate()),
    );
    report::fact("resident memory, after load", &product.memory()?);
    flood::measure(&product, &origin, &companies).await?;
    field::measure(&origin, &database).await?;
    lists::measure(&origin, &database).await?;
    product.stop().await?;
    traces::measure(data.path(), &database, &companies, TRACES_SPAN).await?;
    database.stop().await
}
