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

    fn run(&self, script: &str, argument: &str) -> Output {
        let path = std::env::var_os("PATH").expect("a path");
        let path = path.to_string_lossy();
        Command::new(root().join("deploy/kubernetes").join(script))
            .arg(argument)
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

#[test]
fn schemas_come_before_services_and_services_before_the_gateway() {
    let kubectl = Pretended::new("roll-out", "exit 0");
    let done = kubectl.run("roll-out", "here");
    assert!(done.status.success(), "{done:?}");
    let noted = kubectl.noted();
    let at = |wanted: &str| {
        let found = noted.iter().position(|line| line.contains(wanted));
        found.unwrap_or_else(|| panic!("{wanted}: {noted:#?}"))
    };
    let component = "apply -k here -l app.kubernetes.io/component";
    let schemas = at(&format!("{component} notin (service,gateway)"));
    let services = at(&format!("{component}=service"));
    let gateway = at(&format!("{component}=gateway"));
    assert!(at("delete job -l app.kubernetes.io/component=migration") < schemas);
    for work in Overlay::of("production").workloads() {
        let name = &work.name;
        match work.component() {
            "migration" => {
                let waited = at(&format!("wait job/{name} --for=condition=complete"));
                assert!(schemas < waited && waited < services, "{name}");
            }
            "service" => {
                let waited = at(&format!("rollout status deployment/{name} "));
                assert!(services < waited && waited < gateway, "{name}");
            }
            _ => assert!(gateway < at(&format!("rollout status deployment/{name} "))),
        }
    }
    let receiver = at("rollout status deployment/equipment ");
    assert!(receiver < at("rollout status deployment/operator-updates "));
}

#[test]
fn a_schema_that_fails_leaves_the_programs_as_they_are() {
    let answer = "case \"$*\" in *condition=complete*) exit 1 ;; *) exit 0 ;; esac";
    let kubectl = Pretended::new("roll-out-fails", answer);
    let done = kubectl.run("roll-out", "here");
    assert!(!done.status.success());
    let noted = kubectl.noted();
    let applied = noted.iter().filter(|line| line.starts_with("apply"));
    assert_eq!(applied.count(), 1, "{noted:#?}");
}

#[test]
fn what_is_prepared_is_what_the_local_overlay_asks_for() {
    let kubectl = Pretended::new("prepare", "cat >/dev/null </dev/null");
    let secrets = kubectl.0.join("secrets");
    let done = kubectl.run("overlays/local/prepare", &secrets.display().to_string());
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
