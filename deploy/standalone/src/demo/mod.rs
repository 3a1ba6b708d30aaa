//! Seeds the demo company through the product's own calls, with a clock that starts in the past and
//! moves week by week, so that the product computes every figure.

mod company;
mod history;
mod machines;
mod office;

use anyhow::{Result, bail};
use chrono::Duration;
use hourmeter_runtime::clock::Clock;
use tokio_util::sync::CancellationToken;

use crate::databases::Databases;
use crate::print_line;
use crate::product::Product;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Seeds the demo company unless this data folder has one, and prints its credentials once. After
/// an interrupted run the next start creates another company.
pub async fn fill_once(
    settings: &StandaloneSettings,
    databases: &Databases,
    secrets: &Secrets,
    ended: &CancellationToken,
) -> Result<()> {
    let marker = settings.data_dir.join("demo-company");
    if marker.exists() {
        print_line("The demo company exists; its credentials were printed when it was created.");
        return Ok(());
    }
    let clock = Clock::fixed(Clock::system().now() - Duration::weeks(machines::WEEKS.into()));
    let stop = CancellationToken::new();
    let product = Product::assemble(settings, databases, secrets, &clock, &stop)?;
    let company = company::sign_up(&product, secrets).await?;
    let filled = async {
        tokio::select! {
            recorded = history::record(&product, &company, &clock) => recorded?,
            () = ended.cancelled() => bail!("stopped while seeding the demo company"),
        }
        // The history is in the past; the subscription starts now.
        clock.set(Clock::system().now());
        company.subscribe(settings, &product, databases).await?;
        // An SMTP server would not find the demo's address.
        if settings.mail.is_sandbox() {
            company.send_digest(&product, secrets).await?;
        }
        Ok(())
    }
    .await;
    stop.cancel();
    product.close().await;
    filled?;
    std::fs::write(&marker, "Created the demo company of this data folder.\n")?;
    print_credentials(settings, &company);
    Ok(())
}

fn print_credentials(settings: &StandaloneSettings, company: &company::DemoCompany) {
    let address = &settings.address;
    let credentials =
        |name: &str, password| print_line(format_args!("            {name}   {password}"));
    print_line(format_args!("Demo company: {}", company.name));
    print_line(format_args!("  owner     {address}/login"));
    credentials(&company.email, &company.password);
    print_line(format_args!("  operators {address}/employee-login"));
    for operator in &company.operators {
        credentials(&operator.username, &company.operator_password);
    }
    print_line("These are shown only now.");
}
