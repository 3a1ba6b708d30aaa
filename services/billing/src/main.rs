//! The billing service as a process: `hourmeter-billing [serve | migrate | sync-catalogue]`.

use std::process::ExitCode;

use hourmeter_runtime::process;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(hourmeter_billing::process(&process::arguments()).await)
}
