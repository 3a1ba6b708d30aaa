//! The scripts, with a `kubectl` that only notes what it is asked.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::overlay::Overlay;
use super::root;
use super::settings::files;

/// A folder with a `kubectl` of one's own.
struct Pretended(PathBuf);

impl Pretended {
    /// `answer` is what it does, in shell, after it has noted its arguments.
    fn new(name: &str, answer: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join("kubectl");
        let noted = folder.join("noted").display().to_string();
        let script = format!("#!/bin/sh\necho \"$*\" >>{noted}\n{answer}\n");
        std::fs::write(&program, script).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("executable");
        Self(folder)
    }

    fn run(&self, script: &str, arguments: &[&str]) -> Output {
        let path = std::env::var_os("PATH").expect("a path");
        let path = path.to_string_lossy();
        Command::new(root().join("deploy/kubernetes").join(script))
            .args(arguments)
            .env("PATH", format!("{}:{path}", self.0.display()))
            .output()
            .expect("it starts")
    }

    fn noted(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.0.join("noted")).expect("notes");
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Pretended {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What is applied and what is waited for, in order: an apply's selector, or what a wait names.
fn steps(noted: &[String]) -> Vec<&str> {
    let steps = noted.iter().map(|line| {
        let line = line.strip_prefix("-n hourmeter ").unwrap_or(line);
        let line = line.strip_suffix(" --timeout=5s").unwrap_or(line);
        let line = line.strip_suffix(" --timeout=10m").unwrap_or(line);
        line.strip_prefix("apply -k here -l app.kubernetes.io/")
            .unwrap_or(line)
    });
    // It looks at the whole first.
    steps.filter(|step| *step != "kustomize here").collect()
}

/// How one program is brought to what the overlay says.
fn rolled(program: &str) -> [String; 2] {
    [
        format!("name={program}"),
        format!("rollout status deployment/{program}"),
    ]
}

#[test]
fn a_roll_out_takes_one_program_after_the_other_and_who_is_called_first() {
    let kubectl = Pretended::new("roll-out", "exit 0");
    let done = kubectl.run("roll-out", &["here"]);
    assert!(done.status.success(), "{done:?}");
    let schemas = [
        "delete job accounts-migration equipment-migration operator-updates-migration \
         billing-migration --ignore-not-found"
            .to_owned(),
        "component notin (service,gateway)".to_owned(),
    ];
    let waits = ["accounts", "equipment", "operator-updates", "billing"];
    let waits = waits.map(|name| format!("wait job/{name}-migration --for=condition=complete"));
    let order = [
        "equipment",
        "accounts",
        "billing",
        "operator-updates",
        "gateway",
    ];
    let expected = schemas.into_iter().chain(waits);
    let expected: Vec<_> = expected
        .chain(order.map(rolled).into_iter().flatten())
        .collect();
    assert_eq!(steps(&kubectl.noted()), expected);
    assert_eq!(programs(), order.map(str::to_owned).into());
}

#[test]
fn a_roll_out_takes_away_no_job_but_the_migrations_of_its_overlay() {
    let kubectl = Pretended::new("roll-out-jobs", "exit 0");
    let done = kubectl.run("roll-out", &["here"]);
    assert!(done.status.success(), "{done:?}");
    let noted = kubectl.noted();
    let deleted = noted
        .iter()
        .filter_map(|line| line.strip_prefix("-n hourmeter delete job "));
    let named: BTreeSet<_> = deleted
        .flat_map(str::split_whitespace)
        .filter(|word| *word != "--ignore-not-found")
        .collect();
    let jobs = Overlay::of("production").migrations();
    let jobs: BTreeSet<_> = jobs.iter().map(|work| work.name.as_str()).collect();
    assert_eq!(named, jobs);
}

#[test]
fn a_roll_out_refuses_an_overlay_that_is_still_the_example() {
    let folder = std::env::temp_dir().join(format!("hourmeter-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let examples = ["example.com", "192.0.2.", "198.51.100.", "203.0.113."];
    for left in examples.map(Some).into_iter().chain([None]) {
        let mut text = Overlay::render("production");
        for example in examples {
            assert!(text.contains(example), "{example}");
            if Some(example) != left {
                text = text.replace(example, "ours");
            }
        }
        let rendered = folder.join("rendered");
        std::fs::write(&rendered, &text).expect("written");
        let answer = format!("[ \"$1\" != kustomize ] || cat {}", rendered.display());
        for arguments in [&["here"][..], &["--back", "here"]] {
            let kubectl = Pretended::new("roll-example", &answer);
            let done = kubectl.run("roll-out", arguments);
            assert_eq!(done.status.success(), left.is_none(), "{left:?} {done:?}");
            let touched = kubectl.noted().iter().any(|line| line != "kustomize here");
            assert_eq!(touched, left.is_none(), "{left:?}");
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(left.is_none_or(|left| said.contains(left)), "{said}");
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn a_step_back_is_the_same_in_reverse_and_leaves_schemas_alone() {
    let kubectl = Pretended::new("roll-back", "exit 0");
    let done = kubectl.run("roll-out", &["--back", "here"]);
    assert!(done.status.success(), "{done:?}");
    let order = [
        "gateway",
        "operator-updates",
        "billing",
        "accounts",
        "equipment",
    ];
    let settings = "component notin (service,gateway,migration)".to_owned();
    let rest = order.map(rolled).into_iter().flatten();
    let expected: Vec<_> = std::iter::once(settings).chain(rest).collect();
    assert_eq!(steps(&kubectl.noted()), expected);
    assert_eq!(programs(), order.map(str::to_owned).into());
}

#[test]
fn a_program_that_does_not_come_up_stops_the_roll_out() {
    let answer = "case \"$*\" in *deployment/accounts*) exit 1 ;; esac";
    for (arguments, last) in [
        (&["here"][..], "accounts"),
        (&["--back", "here"], "accounts"),
    ] {
        let kubectl = Pretended::new("roll-stops", answer);
        let done = kubectl.run("roll-out", arguments);
        assert!(!done.status.success());
        let noted = kubectl.noted();
        let noted = steps(&noted);
        assert_eq!(noted[noted.len() - 2..], rolled(last));
    }
}

#[test]
fn a_roll_out_without_an_overlay_says_how_to_call_it() {
    for arguments in [
        &[][..],
        &["--back"],
        &["--back", "here", "there"],
        &["--bakc", "here"],
        &["--help"],
    ] {
        let kubectl = Pretended::new("roll-help", "exit 0");
        let done = kubectl.run("roll-out", arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(
            said.ends_with("roll-out [--back] FOLDER_OF_THE_OVERLAY\n"),
            "{said}"
        );
        assert!(!kubectl.0.join("noted").exists(), "{arguments:?}");
    }
}

/// Every program that serves, by whose names everything is selected that is not for all.
fn programs() -> BTreeSet<String> {
    let overlay = Overlay::of("production");
    let serves = |component: &str| ["service", "gateway"].contains(&component);
    let work = overlay.workloads().into_iter();
    let programs: BTreeSet<_> = work
        .filter(|work| serves(work.component()))
        .map(|work| work.name)
        .collect();
    for document in &overlay.documents {
        let label = |name| document["metadata"]["labels"][name].as_str().unwrap_or("");
        if serves(label("app.kubernetes.io/component")) {
            let name = label("app.kubernetes.io/name");
            assert!(programs.contains(name), "never applied: {document}");
        }
    }
    programs
}

#[test]
fn a_schema_that_fails_leaves_the_programs_as_they_are() {
    let answer = "case \"$*\" in *condition=complete*) exit 1 ;; *) exit 0 ;; esac";
    let kubectl = Pretended::new("roll-out-fails", answer);
    let done = kubectl.run("roll-out", &["here"]);
    assert!(!done.status.success());
    let noted = kubectl.noted();
    let applied = noted.iter().filter(|line| line.starts_with("apply"));
    assert_eq!(applied.count(), 1, "{noted:#?}");
}

#[test]
fn a_migration_that_does_not_begin_is_shown() {
    // Neither ended nor failed, until somebody has looked at its pods.
    let answer = "shown=$(dirname \"$0\")/shown
        case \"$*\" in
            *'get pods'*) touch \"$shown\" ;;
            *condition=complete*) [ -e \"$shown\" ] ;;
            *condition=failed*) exit 1 ;;
        esac";
    let kubectl = Pretended::new("roll-out-waits", answer);
    let done = kubectl.run("roll-out", &["here"]);
    assert!(done.status.success());
    let noted = kubectl.noted();
    let shown = "-n hourmeter get pods -l job-name=accounts-migration";
    let looks = noted.iter().filter(|line| line.contains("get pods"));
    assert_eq!(looks.collect::<Vec<_>>(), [shown], "{noted:#?}");
}

#[test]
fn what_is_prepared_is_what_the_local_overlay_asks_for() {
    let kubectl = Pretended::new("prepare", "cat >/dev/null </dev/null");
    let secrets = kubectl.0.join("secrets");
    let done = kubectl.run("overlays/local/prepare", &[&secrets.display().to_string()]);
    assert!(done.status.success(), "{done:?}");
    let noted = kubectl.noted();
    let made: BTreeSet<_> = noted
        .iter()
        .filter_map(|line| {
            let rest = line.strip_prefix("create -n hourmeter ")?;
            let mut words = rest.split_whitespace().filter(|word| *word != "generic");
            Some(format!("{} {}", words.next()?, words.next()?))
        })
        .collect();
    let overlay = Overlay::of("local");
    let mut asked = BTreeSet::new();
    for work in overlay.workloads() {
        for volume in work.spec.volumes.iter().flatten() {
            if let Some(secret) = &volume.secret {
                let name = secret.secret_name.as_ref().expect("a name");
                asked.insert(format!("secret {name}"));
            }
            if let Some(map) = &volume.config_map {
                asked.insert(format!("configmap {}", map.name));
            }
        }
        files(&overlay, &work);
    }
    assert_eq!(made, asked);
}
