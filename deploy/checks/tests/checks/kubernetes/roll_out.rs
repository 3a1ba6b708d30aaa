//! The scripts of the cluster, with a `kubectl` that notes its arguments.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::Overlay;
use crate::{items, root, text};

/// A folder with a stand-in for `kubectl`.
struct Kubectl(PathBuf);

impl Kubectl {
    /// `answer` is what it does, in shell, after it has noted its arguments.
    fn new(name: &str, answer: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join("kubectl");
        let script = format!(
            "#!/bin/sh\necho \"$*\" >>{}/noted\n{answer}\n",
            folder.display()
        );
        std::fs::write(&program, script).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("executable");
        Self(folder)
    }

    fn run(&self, script: &str, arguments: &[&str]) -> Output {
        let path = std::env::var_os("PATH").expect("a path");
        let path = format!("{}:{}", self.0.display(), path.display());
        let mut script = Command::new(root().join("deploy/kubernetes").join(script));
        script
            .args(arguments)
            .env("PATH", path)
            .output()
            .expect("the script")
    }

    /// What it was called with, and whether the script succeeded. Selectors and waits are shortened.
    fn rolls(&self, arguments: &[&str]) -> (Vec<String>, bool) {
        let done = self.run("roll-out", arguments).status.success();
        let noted = self.noted().into_iter().map(|line| {
            let line = line.trim_start_matches("-n hourmeter ");
            let line = line
                .trim_end_matches(" --timeout=5s")
                .trim_end_matches(" --timeout=10m");
            line.replace("apply -k here -l app.kubernetes.io/", "apply ")
        });
        (noted.collect(), done)
    }

    fn noted(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join("noted")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Kubectl {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const FORWARD: [&str; 5] = [
    "equipment",
    "accounts",
    "billing",
    "operator-updates",
    "gateway",
];
const BACK: [&str; 5] = [
    "gateway",
    "operator-updates",
    "billing",
    "accounts",
    "equipment",
];

/// How programs are replaced, one after the other.
fn replaced(programs: &[&str]) -> Vec<String> {
    let steps = programs.iter().flat_map(|program| {
        [
            format!("apply name={program}"),
            format!("rollout status deployment/{program}"),
        ]
    });
    steps.collect()
}

#[test]
fn roll_out_migrates_then_replaces_who_is_called_before_who_calls() {
    let overlay = Overlay::of("production");
    let jobs: Vec<_> = overlay
        .migrations()
        .into_iter()
        .map(|work| work.name)
        .collect();
    let (noted, done) = Kubectl::new("roll-out", "exit 0").rolls(&["here"]);
    assert!(done, "{noted:#?}");
    assert_eq!(noted[0], "kustomize here");
    // Jobs that somebody started by hand stay.
    let mut deleted: BTreeSet<_> = noted[1].split(' ').collect();
    for word in ["delete", "job", "--ignore-not-found"] {
        assert!(deleted.remove(word), "{noted:#?}");
    }
    assert_eq!(deleted, jobs.iter().map(String::as_str).collect());
    assert_eq!(noted[2], "apply component notin (service,gateway)");
    let waits: BTreeSet<_> = noted[3..7].iter().cloned().collect();
    let wait = |job: &String| format!("wait job/{job} --for=condition=complete");
    assert_eq!(waits, jobs.iter().map(wait).collect());
    assert_eq!(noted[7..], replaced(&FORWARD));

    let (noted, done) = Kubectl::new("roll-back", "exit 0").rolls(&["--back", "here"]);
    assert!(done, "{noted:#?}");
    assert_eq!(
        noted[1],
        "apply component notin (service,gateway,migration)"
    );
    assert_eq!(noted[2..], replaced(&BACK));

    // Everything that these selectors leave out is applied with its program.
    let serves = |component: &str| ["service", "gateway"].contains(&component);
    for document in &overlay.documents {
        let label = |name| document["metadata"]["labels"][name].as_str().unwrap_or("");
        if serves(label("app.kubernetes.io/component")) {
            let name = label("app.kubernetes.io/name");
            assert!(FORWARD.contains(&name), "never applied: {document}");
        }
    }
}

#[test]
fn roll_out_stops_at_what_fails() {
    let fails = "case \"$*\" in *deployment/accounts*) exit 1 ;; esac";
    for arguments in [&["here"][..], &["--back", "here"]] {
        let (noted, done) = Kubectl::new("roll-stops", fails).rolls(arguments);
        assert!(
            !done && noted.ends_with(&replaced(&["accounts"])),
            "{noted:#?}"
        );
    }
    // A schema that fails leaves the programs as they are.
    let fails = "case \"$*\" in *condition=complete*) exit 1 ;; esac";
    let (noted, done) = Kubectl::new("roll-fails", fails).rolls(&["here"]);
    assert!(
        !done
            && noted
                .iter()
                .filter(|line| line.starts_with("apply"))
                .count()
                == 1,
        "{noted:#?}"
    );
    // One that does not begin is shown: neither ended nor failed, until somebody looks at its pods.
    let waits = "shown=$(dirname \"$0\")/shown
        case \"$*\" in
            *'get pods'*) touch \"$shown\" ;;
            *condition=complete*) [ -e \"$shown\" ] ;;
            *condition=failed*) exit 1 ;;
        esac";
    let (noted, done) = Kubectl::new("roll-waits", waits).rolls(&["here"]);
    let shown = "get pods -l job-name=accounts-migration";
    assert!(
        done && noted.iter().filter(|line| *line == shown).count() == 1,
        "{noted:#?}"
    );
    for arguments in [
        &[][..],
        &["--back"],
        &["--back", "here", "there"],
        &["--bakc", "here"],
        &["--help"],
    ] {
        let kubectl = Kubectl::new("roll-help", "exit 0");
        let (noted, done) = kubectl.rolls(arguments);
        assert!(!done && noted.is_empty(), "{arguments:?}: {noted:#?}");
    }
}

#[test]
fn roll_out_refuses_an_overlay_that_is_still_the_example() {
    let examples = ["example.com", "192.0.2.", "198.51.100.", "203.0.113."];
    let production = Overlay::render("production");
    for left in examples.map(Some).into_iter().chain([None]) {
        let filled = examples.iter().filter(|example| Some(**example) != left);
        let filled = filled.fold(production.clone(), |text, example| {
            assert!(text.contains(example), "{example}");
            text.replace(example, "ours")
        });
        for arguments in [&["here"][..], &["--back", "here"]] {
            let answer = "[ \"$1\" != kustomize ] || cat \"$(dirname \"$0\")/rendered\"";
            let kubectl = Kubectl::new("roll-example", answer);
            std::fs::write(kubectl.0.join("rendered"), &filled).expect("written");
            let (noted, done) = kubectl.rolls(arguments);
            assert_eq!(done, left.is_none(), "{left:?}");
            assert_eq!(noted.len() > 1, left.is_none(), "{left:?}: {noted:#?}");
        }
    }
}

#[test]
fn prepare_makes_what_the_local_overlay_mounts() {
    let kubectl = Kubectl::new("prepare", "cat >/dev/null </dev/null");
    let secrets = kubectl.0.join("secrets").display().to_string();
    let done = kubectl.run("overlays/local/prepare", &[&secrets]);
    assert!(done.status.success(), "{done:?}");
    let noted = kubectl.noted();
    let made = noted
        .iter()
        .filter_map(|line| line.strip_prefix("create -n hourmeter "));
    let made: BTreeSet<_> = made
        .map(|line| line.replace("secret generic", "secret"))
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    let mut mounted = BTreeSet::new();
    for work in Overlay::of("local").workloads() {
        for volume in items(&work.spec["volumes"]) {
            for (name, kind) in [
                (&volume["secret"]["secretName"], "secret"),
                (&volume["configMap"]["name"], "configmap"),
            ] {
                if !name.is_null() {
                    mounted.insert(format!("{kind} {}", text(name)));
                }
            }
        }
    }
    assert_eq!(made, mounted);
}
