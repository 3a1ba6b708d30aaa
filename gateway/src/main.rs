//! The gateway as a program of its own.

use std::process::ExitCode;

use hourmeter_runtime::process;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(hourmeter_gateway::process().await)
}
