//! The cluster's scripts, with a `kubectl` stub that records its arguments.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::Overlay;
use crate::{items, root, text};

/// A folder with a stub of a program.
pub struct Stub(PathBuf);

impl Stub {
    /// `answer` is the shell code that the stub runs after recording its arguments.
    pub fn new(test: &str, program: &str, answer: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join(program);
        let script = format!(
            "#!/bin/sh\necho \"$*\" >>{}/noted\n{answer}\n",
            folder.display()
        );
        std::fs::write(&program, script).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("executable");
        Self(folder)
    }

    /// A script with the stub first on its path.
    pub fn command(&self, script: &str) -> Command {
        let path = std::env::var_os("PATH").expect("a path");
        let mut command = Command::new(root().join(script));
        command.env("PATH", format!("{}:{}", self.0.display(), path.display()));
        command
    }

    /// The arguments of each call.
    pub fn recorded_calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join("noted")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls of a roll-out without common arguments, and whether it succeeded.
    fn rolls(&self, arguments: &[&str]) -> (Vec<String>, bool) {
        let mut script = self.command("deploy/kubernetes/roll-out");
        let output = script.args(arguments).output().expect("the script");
        let recorded_calls = self.recorded_calls().into_iter().map(|line| {
            let line = line.replace("apply -k here -l app.kubernetes.io/", "apply ");
            let line = line.split(" --timeout=").next().unwrap_or_default();
            line.trim_start_matches("-n hourmeter ").to_owned()
        });
        (recorded_calls.collect(), output.status.success())
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn roll_out(answer: &str, arguments: &[&str]) -> (Vec<String>, bool) {
    Stub::new("roll-out", "kubectl", answer).rolls(arguments)
}

const FORWARD: &str = "equipment accounts billing operator-updates gateway";
const BACK: &str = "gateway operator-updates billing accounts equipment";

/// Calls that replace programs one by one.
fn replaced(programs: &str) -> Vec<String> {
    let steps = programs.split(' ').flat_map(|program| {
        let wait = format!("rollout status deployment/{program}");
        [format!("apply name={program}"), wait]
    });
    steps.collect()
}

fn count(recorded_calls: &[String], beginning: &str) -> usize {
    let found = recorded_calls
        .iter()
        .filter(|line| line.starts_with(beginning));
    found.count()
}

#[test]
fn roll_out_migrates_then_updates_callees_first() {
    let overlay = Overlay::of("production");
    let jobs = overlay.migrations().into_iter().map(|work| work.name);
    let jobs: BTreeSet<_> = jobs.collect();
    let (recorded_calls, done) = roll_out("exit 0", &["here"]);
    assert!(done, "{recorded_calls:#?}");
    assert_eq!(recorded_calls[0], "kustomize here");
    // Jobs started by hand are kept.
    let deleted = recorded_calls[1].strip_prefix("delete job ");
    let deleted = deleted.and_then(|line| line.strip_suffix(" --ignore-not-found"));
    let deleted = deleted.expect("jobs").split(' ').map(str::to_owned);
    assert_eq!(deleted.collect::<BTreeSet<_>>(), jobs);
    assert_eq!(recorded_calls[2], "apply component notin (service,gateway)");
    let waits = recorded_calls[3..7]
        .iter()
        .cloned()
        .collect::<BTreeSet<_>>();
    let wait = |job: &String| format!("wait job/{job} --for=condition=complete");
    assert_eq!(waits, jobs.iter().map(wait).collect());
    assert_eq!(recorded_calls[7..], replaced(FORWARD));

    let (recorded_calls, done) = roll_out("exit 0", &["--back", "here"]);
    assert!(done, "{recorded_calls:#?}");
    let settings = "apply component notin (service,gateway,migration)";
    assert_eq!(recorded_calls[1], settings);
    assert_eq!(recorded_calls[2..], replaced(BACK));

    // Everything that these selectors exclude is applied with its program.
    let serves = |component: &str| ["service", "gateway"].contains(&component);
    for document in &overlay.documents {
        let label = |name| document["metadata"]["labels"][name].as_str().unwrap_or("");
        if serves(label("app.kubernetes.io/component")) {
            let name = label("app.kubernetes.io/name");
            assert!(
                FORWARD.split(' ').any(|program| program == name),
                "never applied: {document}"
            );
        }
    }
}

#[test]
fn roll_out_stops_at_first_failure() {
    let fails = "case \"$*\" in *deployment/accounts*) exit 1 ;; esac";
    for arguments in [&["here"][..], &["--back", "here"]] {
        let (recorded_calls, done) = roll_out(fails, arguments);
        assert!(
            !done && recorded_calls.ends_with(&replaced("accounts")),
            "{recorded_calls:#?}"
        );
    }
    // A failed migration leaves the programs unchanged.
    let fails = "case \"$*\" in *condition=complete*) exit 1 ;; esac";
    let (recorded_calls, done) = roll_out(fails, &["here"]);
    assert!(
        !done && count(&recorded_calls, "apply") == 1,
        "{recorded_calls:#?}"
    );
    // A job that does not start is shown: it has neither completed nor failed.
    let waits = "shown=$(dirname \"$0\")/shown
        case \"$*\" in
            *'get pods'*) touch \"$shown\" ;;
            *condition=complete*) [ -e \"$shown\" ] ;;
            *condition=failed*) exit 1 ;;
        esac";
    let (recorded_calls, done) = roll_out(waits, &["here"]);
    let shown = count(&recorded_calls, "get pods -l job-name=accounts-migration");
    assert!(done && shown == 1, "{recorded_calls:#?}");
    for arguments in ["", "--back", "--back here there", "--bakc here", "--help"] {
        let arguments: Vec<_> = arguments.split_whitespace().collect();
        let (recorded_calls, done) = roll_out("exit 0", &arguments);
        assert!(
            !done && recorded_calls.is_empty(),
            "{arguments:?}: {recorded_calls:#?}"
        );
    }
}

#[test]
fn roll_out_rejects_placeholders() {
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
            let kubectl = Stub::new("roll-example", "kubectl", answer);
            std::fs::write(kubectl.0.join("rendered"), &filled).expect("written");
            let (recorded_calls, done) = kubectl.rolls(arguments);
            assert_eq!(done, left.is_none(), "{left:?}");
            assert_eq!(
                recorded_calls.len() > 1,
                left.is_none(),
                "{left:?}: {recorded_calls:#?}"
            );
        }
    }
}

#[test]
fn prepare_creates_mounted_secrets() {
    let kubectl = Stub::new("prepare", "kubectl", "cat >/dev/null </dev/null");
    let mut script = kubectl.command("deploy/kubernetes/overlays/local/prepare");
    let output = script.arg(kubectl.0.join("secrets")).output();
    let output = output.expect("the script");
    assert!(output.status.success(), "{output:?}");
    let mut made = BTreeSet::new();
    for line in kubectl.recorded_calls() {
        if let Some(line) = line.strip_prefix("create -n hourmeter ") {
            let line = line.replace("secret generic", "secret");
            made.insert(line.split(' ').take(2).collect::<Vec<_>>().join(" "));
        }
    }
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
