//! The short version of `make survive`: whatever is killed, held, slow or away, every write that was
//! acknowledged is there once, and nobody is answered what they must not be. Speed is no matter here.

use std::process::Stdio;

use tokio::process::Command;

use crate::product::root;

#[tokio::test]
async fn whatever_happens_what_was_acknowledged_is_there_once() {
    let run = Command::new(env!("CARGO_BIN_EXE_hourmeter-survive"))
        .arg("--short")
        .current_dir(root())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let run = run.await.expect("it runs");
    let text = [run.stdout, run.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    println!("{text}");
    assert!(run.status.success(), "{text}");
}
