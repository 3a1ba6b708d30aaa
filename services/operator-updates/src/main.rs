//! The operator-updates service as a process: `hourmeter-operator-updates [serve | migrate]`.

use std::process::ExitCode;

use hourmeter_runtime::process;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(hourmeter_operator_updates::process(&process::arguments()).await)
}
