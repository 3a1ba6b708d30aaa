//! A record of calls and events, which `deploy/proof/stripe` compares with Stripe's definitions.

use std::fs::OpenOptions;
use std::io::Write as _;

use serde_json::Value;

/// Appends a line to the file that `HOURMETER_STRIPE_RECORD` names; does nothing without it.
pub fn append(line: &Value) {
    let Some(file) = std::env::var_os("HOURMETER_STRIPE_RECORD") else {
        return;
    };
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .unwrap();
    // One write, because the test processes share the file.
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}
