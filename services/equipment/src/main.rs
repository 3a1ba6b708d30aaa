//! The equipment service as a process: `hourmeter-equipment [serve | migrate | check-projections |
//! rebuild-projections]`.

use std::process::ExitCode;

use hourmeter_runtime::process;

#[tokio::main]
async fn main() -> ExitCode {
    process::end(hourmeter_equipment::process(&process::arguments()).await)
}
