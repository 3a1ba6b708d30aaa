//! The scripts of the cluster, with a `kubectl` that notes its arguments.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use super::Overlay;
use crate::{items, root, text};

/// A folder with a stand-in for a program.
pub struct StandIn(PathBuf);

impl StandIn {
    /// `answer` is what it does, in shell, after it has noted its arguments.
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

    /// A script that finds the stand-in first.
    pub fn command(&self, script: &str) -> Command {
        let path = std::env::var_os("PATH").expect("a path");
        let mut command = Command::new(root().join(script));
        command.env("PATH", format!("{}:{}", self.0.display(), path.display()));
        command
    }

    /// The arguments of each call.
    pub fn noted(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join("noted")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls of a roll-out, without what all have, and whether it succeeded.
    fn rolls(&self, arguments: &[&str]) -> (Vec<String>, bool) {
        let mut script = self.command("deploy/kubernetes/roll-out");
        let output = script.args(arguments).output().expect("the script");
        let noted = self.noted().into_iter().map(|line| {
            let line = line.replace("apply -k here -l app.kubernetes.io/", "apply ");
            let line = line.split(" --timeout=").next().unwrap_or_default();
            line.trim_start_matches("-n hourmeter ").to_owned()
        });
        (noted.collect(), output.status.success())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn roll_out(answer: &str, arguments: &[&str]) -> (Vec<String>, bool) {
    StandIn::new("roll-out", "kubectl", answer).rolls(arguments)
}

const FORWARD: &str = "equipment accounts billing operator-updates gateway";
const BACK: &str = "gateway operator-updates billing accounts equipment";

/// How programs are replaced, one after the other.
fn replaced(programs: &str) -> Vec<String> {
    let steps = programs.split(' ').flat_map(|program| {
        let wait = format!("rollout status deployment/{program}");
        [format!("apply name={program}"), wait]
    });
    steps.collect()
}

fn count(noted: &[String], beginning: &str) -> usize {
    let found = noted.iter().filter(|line| line.starts_with(beginning));
    found.count()
}

#[test]
fn roll_out_migrates_then_replaces_who_is_called_before_who_calls() {
    let overlay = Overlay::of("production");
    let jobs = overlay.migrations().into_iter().map(|work| work.name);
    let jobs: BTreeSet<_> = jobs.collect();
    let (noted, done) = roll_out("exit 0", &["here"]);
    assert!(done, "{noted:#?}");
    assert_eq!(noted[0], "kustomize here");
    // Jobs that somebody started by hand stay.
    let deleted = noted[1].strip_prefix("delete job ");
    let deleted = deleted.and_then(|line| line.strip_suffix(" --ignore-not-found"));
    let deleted = deleted.expect("jobs").split(' ').map(str::to_owned);
    assert_eq!(deleted.collect::<BTreeSet<_>>(), jobs);
    assert_eq!(noted[2], "apply component notin (service,gateway)");
    let waits = noted[3..7].iter().cloned().collect::<BTreeSet<_>>();
    let wait = |job: &String| format!("wait job/{job} --for=condition=complete");
    assert_eq!(waits, jobs.iter().map(wait).collect());
    assert_eq!(noted[7..], replaced(FORWARD));

    let (noted, done) = roll_out("exit 0", &["--back", "here"]);
    assert!(done, "{noted:#?}");
    let settings = "apply component notin (service,gateway,migration)";
    assert_eq!(noted[1], settings);
    assert_eq!(noted[2..], replaced(BACK));

    // Everything that these selectors leave out is applied with its program.
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
fn roll_out_stops_at_what_fails() {
    let fails = "case \"$*\" in *deployment/accounts*) exit 1 ;; esac";
    for arguments in [&["here"][..], &["--back", "here"]] {
        let (noted, done) = roll_out(fails, arguments);
        assert!(
            !done && noted.ends_with(&replaced("accounts")),
            "{noted:#?}"
        );
    }
    // A schema that fails leaves the programs as they are.
    let fails = "case \"$*\" in *condition=complete*) exit 1 ;; esac";
    let (noted, done) = roll_out(fails, &["here"]);
    assert!(!done && count(&noted, "apply") == 1, "{noted:#?}");
    // One that does not begin is shown: it has neither ended nor failed.
    let waits = "shown=$(dirname \"$0\")/shown
        case \"$*\" in
            *'get pods'*) touch \"$shown\" ;;
            *condition=complete*) [ -e \"$shown\" ] ;;
            *condition=failed*) exit 1 ;;
        esac";
    let (noted, done) = roll_out(waits, &["here"]);
    let shown = count(&noted, "get pods -l job-name=accounts-migration");
    assert!(done && shown == 1, "{noted:#?}");
    for arguments in ["", "--back", "--back here there", "--bakc here", "--help"] {
        let arguments: Vec<_> = arguments.split_whitespace().collect();
        let (noted, done) = roll_out("exit 0", &arguments);
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
            let kubectl = StandIn::new("roll-example", "kubectl", answer);
            std::fs::write(kubectl.0.join("rendered"), &filled).expect("written");
            let (noted, done) = kubectl.rolls(arguments);
            assert_eq!(done, left.is_none(), "{left:?}");
            assert_eq!(noted.len() > 1, left.is_none(), "{left:?}: {noted:#?}");
        }
    }
}

#[test]
fn prepare_makes_what_the_local_overlay_mounts() {
    let kubectl = StandIn::new("prepare", "kubectl", "cat >/dev/null </dev/null");
    let mut script = kubectl.command("deploy/kubernetes/overlays/local/prepare");
    let output = script.arg(kubectl.0.join("secrets")).output();
    let output = output.expect("the script");
    assert!(output.status.success(), "{output:?}");
    let mut made = BTreeSet::new();
    for line in kubectl.noted() {
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
