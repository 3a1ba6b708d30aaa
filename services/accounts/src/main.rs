//! The accounts service as a process: `hourmeter-accounts [serve | migrate | staff ... | reseal]`.

use std::process::ExitCode;

use hourmeter_runtime::process;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(hourmeter_accounts::process(&process::arguments()).await)
}
