//! What all processes are made of, to look for words in.

use std::path::PathBuf;

/// All of it, one file after the other.
pub fn all() -> String {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut folders = vec![root.join("gateway/src"), root.join("deploy/standalone/src")];
    for service in [
        "runtime",
        "accounts",
        "equipment",
        "operator-updates",
        "billing",
    ] {
        folders.push(root.join("services").join(service).join("src"));
    }
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text += &std::fs::read_to_string(&path).expect("a source file");
            }
        }
    }
    text
}
