//! The cluster's files say what the programs understand.

mod capacity;
mod network;
pub mod overlay;
mod pages;
pub mod processes;
mod scripts;
pub mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hourmeter_runtime::identity::Service;
use k8s_openapi::api::core::v1::PodSpec;

use overlay::{Overlay, Workload, check_strictly, documents};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The four services and the gateway.
pub fn process_names() -> BTreeSet<String> {
    let services = Service::ALL.map(|service| service.name().to_owned());
    services.into_iter().chain(["gateway".to_owned()]).collect()
}

#[test]
fn every_document_has_only_fields_that_exist() {
    for overlay in Overlay::all() {
        for document in &overlay.documents {
            check_strictly(document);
        }
    }
    for (name, text) in examples() {
        let found = documents(&text);
        assert!(!found.is_empty(), "{name}");
        found.iter().for_each(check_strictly);
    }
    documents(&Overlay::render("../parts/to-cloudnative-pg"))
        .iter()
        .for_each(check_strictly);
}

/// The files of `examples` that are applied, by name.
fn examples() -> BTreeMap<String, String> {
    let folder = root().join("deploy/kubernetes/examples");
    let entries = std::fs::read_dir(&folder).expect("a folder");
    let files = entries.map(|entry| entry.expect("a file").path());
    // The values of a chart are no documents of the cluster.
    files
        .filter(|path| !path.ends_with("traefik-values.yaml"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), text)
        })
        .collect()
}

/// What examples start, each with its file.
fn example_jobs() -> Vec<(Overlay, Workload)> {
    let mut found = Vec::new();
    for text in examples().values() {
        let file = || Overlay {
            name: "examples",
            documents: documents(text),
        };
        for work in file().workloads() {
            found.push((file(), work));
        }
    }
    assert!(found.len() >= 2);
    found
}

#[test]
fn examples_may_do_no_more_than_their_work_and_have_what_they_name() {
    for (file, work) in example_jobs() {
        check_restricted(&work.name, &work.spec);
        check_mounts(&work);
        for document in &file.documents {
            assert_eq!(document["metadata"]["namespace"], "hourmeter");
        }
        for overlay in Overlay::all() {
            let there = overlay.kind("ServiceAccount");
            let account = work.spec.service_account_name.as_ref().expect("an account");
            let mut there = there.iter();
            assert!(there.any(|found| found["metadata"]["name"] == **account));
        }
    }
}

#[test]
fn the_ingress_is_one_that_every_controller_understands() {
    let overlay = Overlay::of("production");
    let found = overlay.kind("Ingress");
    assert_eq!(found.len(), 1);
    let annotations = found[0]["metadata"]["annotations"].as_object();
    let names: Vec<_> = annotations.expect("annotations").keys().collect();
    assert_eq!(names, ["cert-manager.io/cluster-issuer"]);
    // The one that is let in is the one it is meant for, with the values in the examples.
    let class = &found[0]["spec"]["ingressClassName"];
    let policies = overlay.kind("NetworkPolicy");
    let admitted = |name: &str| {
        let mut policies = policies.iter();
        let policy = policies.find(|policy| policy["metadata"]["name"] == name);
        let rule = &policy.expect("a policy")["spec"]["ingress"][0]["from"][0];
        rule["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"].clone()
    };
    assert_eq!(admitted("from-ingress"), *class);
    assert_eq!(admitted("acme-solver"), *class);
    let values = read("deploy/kubernetes/examples/traefik-values.yaml");
    let values: serde_json::Value = serde_saphyr::from_str(&values).expect("YAML");
    assert_eq!(values["service"]["spec"]["externalTrafficPolicy"], "Local");
    // The product's router is one for plain HTTP, too: below it, nobody would be redirected.
    let arguments = values["additionalArguments"].as_array().expect("arguments");
    let to_https: Vec<_> = arguments
        .iter()
        .filter_map(|one| one.as_str()?.split_once(".redirections.entryPoint."))
        .map(|(_, option)| option)
        .collect();
    assert_eq!(to_https, ["to=:443", "scheme=https"]);
}

#[test]
fn nobody_is_believed_about_clients_until_the_overlay_says_who() {
    for (overlay, believed) in [("local", ""), ("production", "192.0.2.0/24")] {
        let overlay = Overlay::of(overlay);
        let processes = overlay.processes();
        let gateway = processes.iter().find(|work| work.name == "gateway");
        let told = settings::environment(&overlay, gateway.expect("a gateway"));
        assert_eq!(told["TRUSTED_PROXIES"], believed);
    }
    let base = documents(&Overlay::render("../base"));
    let edge = base.iter().find(|found| {
        let name = found["metadata"]["name"].as_str().unwrap_or_default();
        found["kind"] == "ConfigMap" && name.starts_with("edge")
    });
    assert_eq!(edge.expect("settings")["data"]["TRUSTED_PROXIES"], "");
}

#[test]
fn what_must_be_refused_is_refused() {
    for (good, bad) in [
        (
            "automountServiceAccountToken: false",
            "automountToken: false",
        ),
        ("kind: Deployment", "kind: Deploymant"),
        ("periodSeconds: 10", "period: 10"),
        ("periodSeconds: 10", "periodSeconds: often"),
        ("sleep:", "sleeep:"),
    ] {
        let text = Overlay::render("production");
        assert!(text.contains(good), "{good}");
        let text = text.replacen(good, bad, 1);
        let refused = std::panic::catch_unwind(|| {
            documents(&text).iter().for_each(check_strictly);
        });
        assert!(refused.is_err(), "{bad}");
    }
}

#[test]
fn nothing_is_there_twice_and_all_is_in_the_name_space() {
    for overlay in Overlay::all() {
        let mut seen = BTreeSet::new();
        for document in &overlay.documents {
            let name = (&document["kind"], &document["metadata"]["name"]);
            assert!(seen.insert(format!("{name:?}")), "{name:?} twice");
            let space = if document["kind"] == "Namespace" {
                &document["metadata"]["name"]
            } else {
                &document["metadata"]["namespace"]
            };
            assert_eq!(space, "hourmeter", "{name:?}");
        }
    }
}

#[test]
fn every_process_is_deployed_and_every_service_migrated_from_one_image() {
    let version = env!("CARGO_PKG_VERSION");
    let published = format!("registry.example.com/hourmeter:{version}");
    for (overlay, image) in [("local", "hourmeter:dev"), ("production", &published)] {
        let overlay = Overlay::of(overlay);
        let deployed = overlay.processes();
        let names: BTreeSet<_> = deployed.iter().map(|work| work.name.clone()).collect();
        assert_eq!(names, process_names());
        for work in &deployed {
            let first = &work.container().args.as_ref().expect("arguments")[0];
            assert_eq!(first, &work.name);
        }
        let migrations = overlay.migrations();
        for service in Service::ALL {
            let name = format!("{}-migration", service.name());
            let job = migrations.iter().find(|work| work.name == name);
            let arguments = job.expect("a job").container().args.as_deref();
            assert_eq!(
                arguments.expect("arguments"),
                [service.name(), "migrate"],
                "{name}"
            );
        }
        assert_eq!(migrations.len(), Service::ALL.len());
        for work in deployed.iter().chain(&migrations) {
            assert_eq!(work.container().image.as_deref(), Some(image));
        }
    }
}

#[test]
fn the_image_is_named_after_the_version_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    let mut named = 0;
    for path in [
        "deploy/cluster.md",
        "deploy/compose.yaml",
        "deploy/image/Dockerfile",
        "deploy/kubernetes/examples/company.yaml",
        "deploy/kubernetes/examples/staff.yaml",
        "deploy/one-host.md",
    ] {
        let text = read(path);
        for rest in text.split("hourmeter:").skip(1) {
            if rest.starts_with(|first: char| first.is_ascii_digit()) {
                assert!(
                    rest.starts_with(version),
                    "{path}: {}",
                    &rest[..version.len()]
                );
                named += 1;
            }
        }
    }
    assert!(named >= 5, "{named}");
}

/// What a container may do, which is nothing beside its work.
fn check_restricted(name: &str, spec: &PodSpec) {
    assert_eq!(spec.automount_service_account_token, Some(false), "{name}");
    let pod = spec.security_context.as_ref().expect("a pod's rights");
    assert_eq!(pod.run_as_non_root, Some(true), "{name}");
    assert!(pod.run_as_user.is_some_and(|user| user > 0), "{name}");
    let seccomp = pod.seccomp_profile.as_ref().expect("a profile");
    assert_eq!(seccomp.type_, "RuntimeDefault", "{name}");
    assert_eq!(spec.host_network, None, "{name}");
    assert_eq!(spec.host_pid, None, "{name}");
    for container in &spec.containers {
        let rights = container.security_context.as_ref();
        let rights = rights.expect("a container's rights");
        assert_eq!(rights.allow_privilege_escalation, Some(false), "{name}");
        assert_eq!(rights.read_only_root_filesystem, Some(true), "{name}");
        let dropped = rights.capabilities.as_ref().expect("capabilities");
        assert_eq!(dropped.drop, Some(vec!["ALL".to_owned()]), "{name}");
        assert_eq!(dropped.add, None, "{name}");
        let resources = container.resources.as_ref().expect("resources");
        for amounts in [&resources.requests, &resources.limits] {
            let amounts = amounts.as_ref().expect("requests and limits");
            for kind in ["cpu", "memory"] {
                assert!(amounts.contains_key(kind), "{name} {kind}");
            }
        }
    }
}

#[test]
fn no_pod_may_do_more_than_its_work() {
    for overlay in Overlay::all() {
        for work in overlay.workloads() {
            check_restricted(&work.name, &work.spec);
        }
    }
}

#[test]
fn the_services_rights_come_with_an_account_of_their_own() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let account = work.spec.service_account_name.as_ref();
            assert_eq!(account, Some(&work.name));
            let there = overlay.kind("ServiceAccount");
            assert!(
                there
                    .iter()
                    .any(|found| found["metadata"]["name"] == *work.name)
            );
        }
    }
}

/// Every volume that is mounted exists, and every volume is mounted.
fn check_mounts(work: &Workload) {
    let claimed = work.claimed.iter().cloned();
    let volumes: BTreeSet<_> = work
        .spec
        .volumes
        .iter()
        .flatten()
        .map(|volume| volume.name.clone())
        .chain(claimed)
        .collect();
    let mounts = work.container().volume_mounts.iter().flatten();
    let mounted: BTreeSet<_> = mounts.map(|mount| mount.name.clone()).collect();
    assert_eq!(volumes, mounted, "{}", work.name);
}

#[test]
fn volumes_and_mounts_belong_together() {
    for overlay in Overlay::all() {
        overlay.workloads().iter().for_each(check_mounts);
    }
}
