//! What `deploy/gate` leaves out where there is no kubectl is what needs it.

use std::path::Path;

use crate::kubernetes::{read, root};

/// The modules of this crate's tests that render manifests, by their files.
fn rendering(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rendering(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a file");
        // Not in a way that would find this line.
        if text.contains(concat!("Overlay", "::")) {
            let checks = root().join("deploy/checks/tests/checks");
            let module = path
                .strip_prefix(checks)
                .expect("within")
                .with_extension("");
            let module = module.to_str().expect("a name").replace('/', "::");
            found.push(format!("{module}::"));
        }
    }
}

#[test]
fn what_needs_kubectl_is_what_is_left_out_without_it() {
    let gate = read("deploy/gate");
    let (_, left_out) = gate.split_once("test(/^(").expect("the filter");
    let (left_out, _) = left_out.split_once(")::/").expect("its end");
    let left_out: Vec<String> = left_out
        .split('|')
        .map(|name| format!("{name}::"))
        .collect();
    let mut found = Vec::new();
    rendering(&root().join("deploy/checks/tests/checks"), &mut found);
    for module in &found {
        let covered = left_out.iter().any(|name| module.starts_with(name));
        assert!(covered, "deploy/gate runs {module} without kubectl, too");
    }
    for name in &left_out {
        let needed = found.iter().any(|module| module.starts_with(name));
        assert!(needed, "{name} needs no kubectl");
    }
}
