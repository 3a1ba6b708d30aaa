//! The manifests match the programs. `deploy/lint` validates their schema.

mod alerts;
mod network;
mod pods;
mod processes;
pub mod secrets;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use hourmeter_runtime::identity::Service;
use serde_json::Value;

use crate::{documents, items, keys, process_names, read, root, text};

/// An overlay as rendered by `kubectl kustomize`.
pub struct Overlay {
    pub name: &'static str,
    pub documents: Vec<Value>,
}

/// A resource that creates pods.
pub struct Workload {
    pub name: String,
    pub labels: Value,
    /// Pod spec, including volumes of claim templates.
    pub spec: Value,
}

/// A file of a `Secret` or `ConfigMap`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    pub secret: bool,
    pub name: String,
    pub key: String,
}

impl Overlay {
    pub fn all() -> [Self; 2] {
        [Self::of("local"), Self::of("production")]
    }

    pub fn of(name: &'static str) -> Self {
        let documents = documents(&Self::render(name));
        Self { name, documents }
    }

    pub fn render(name: &str) -> String {
        let folder = root().join("deploy/kubernetes/overlays").join(name);
        let output = Command::new("kubectl")
            .arg("kustomize")
            .arg(folder)
            .output();
        let output = output.expect("kubectl; deploy/gate installs it");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("a text")
    }

    /// The examples except Helm values.
    pub fn examples() -> Self {
        let folder = std::fs::read_dir(root().join("deploy/kubernetes/examples"));
        let names = folder
            .expect("a folder")
            .map(|entry| entry.expect("a file").file_name());
        let names = names.filter(|name| name != "traefik-values.yaml");
        let texts =
            names.map(|name| read(&format!("deploy/kubernetes/examples/{}", name.display())));
        let documents = texts.flat_map(|text| documents(&text)).collect();
        Self {
            name: "examples",
            documents,
        }
    }

    pub fn kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        let kind = kind.to_owned();
        self.documents
            .iter()
            .filter(move |document| document["kind"] == kind)
    }

    pub fn named(&self, kind: &str, name: &str) -> &Value {
        let mut all = self.kind(kind);
        let found = all.find(|document| document["metadata"]["name"] == name);
        found.unwrap_or_else(|| panic!("{}: no {kind} {name}", self.name))
    }

    pub fn workloads(&self) -> Vec<Workload> {
        let kinds = ["CronJob", "Deployment", "Job", "StatefulSet"];
        let all = kinds.into_iter().flat_map(|kind| self.kind(kind));
        let all = all.map(|document| {
            let spec = &document["spec"];
            let template = match &spec["jobTemplate"] {
                Value::Null => &spec["template"],
                job => &job["spec"]["template"],
            };
            let mut spec = template["spec"].clone();
            for claim in items(&document["spec"]["volumeClaimTemplates"]) {
                let volumes = spec["volumes"].as_array_mut().expect("volumes");
                volumes.push(claim["metadata"].clone());
            }
            let name = text(&document["metadata"]["name"]).to_owned();
            let labels = template["metadata"]["labels"].clone();
            Workload { name, labels, spec }
        });
        all.collect()
    }

    pub fn processes(&self) -> Vec<Workload> {
        let mut all = self.workloads();
        all.retain(|work| ["service", "gateway"].contains(&work.component()));
        all
    }

    pub fn process(&self, name: &str) -> Workload {
        let mut all = self.workloads().into_iter();
        all.find(|work| work.name == name)
            .unwrap_or_else(|| panic!("no {name}"))
    }

    pub fn migrations(&self) -> Vec<Workload> {
        let mut all = self.workloads();
        all.retain(|work| work.container()["args"][1] == "migrate");
        all
    }

    /// The environment of a process including its `ConfigMap`s.
    pub fn environment(&self, work: &Workload) -> BTreeMap<String, String> {
        let map = |name: &Value| &self.named("ConfigMap", text(name))["data"];
        let mut all = BTreeMap::new();
        for source in items(&work.container()["envFrom"]) {
            let data = map(&source["configMapRef"]["name"]).clone();
            let data: BTreeMap<_, _> = serde_json::from_value(data).expect("texts");
            all.extend(data);
        }
        for variable in items(&work.container()["env"]) {
            let source = &variable["valueFrom"]["configMapKeyRef"];
            let value = match &variable["value"] {
                Value::Null => &map(&source["name"])[text(&source["key"])],
                value => value,
            };
            let name = text(&variable["name"]).to_owned();
            let twice = all.insert(name, text(value).to_owned());
            assert_eq!(twice, None, "{}: {variable}", work.name);
        }
        all
    }

    /// The source of each file variable of a process.
    pub fn files(&self, work: &Workload) -> BTreeMap<String, SourceFile> {
        let all = self.environment(work).into_iter();
        let files = all.filter(|(name, _)| name.ends_with("_FILE"));
        files
            .map(|(name, path)| (name, work.source_file(&path)))
            .collect()
    }
}

impl Workload {
    pub fn container(&self) -> &Value {
        assert_eq!(items(&self.spec["containers"]).count(), 1, "{}", self.name);
        &self.spec["containers"][0]
    }

    pub fn port(&self, name: &str) -> &Value {
        let mut ports = items(&self.container()["ports"]);
        let port = ports.find(|port| port["name"] == name);
        &port.unwrap_or_else(|| panic!("{} has no port {name}", self.name))["containerPort"]
    }

    pub fn component(&self) -> &str {
        let component = self.labels["app.kubernetes.io/component"].as_str();
        component.unwrap_or_default()
    }

    /// The migrated service, or its own name.
    pub fn service(&self) -> &str {
        self.name.trim_end_matches("-migration")
    }

    /// The source of the file at `path`.
    pub fn source_file(&self, path: &str) -> SourceFile {
        let mut mounts = items(&self.container()["volumeMounts"]).filter_map(|mount| {
            let key = path.strip_prefix(text(&mount["mountPath"]))?;
            Some((&mount["name"], key.strip_prefix('/')?.to_owned()))
        });
        let mount = mounts.next();
        let (name, key) = mount.unwrap_or_else(|| panic!("{}: {path}", self.name));
        let volume = items(&self.spec["volumes"]).find(|volume| volume["name"] == *name);
        let volume = volume.expect("a volume");
        let secret = volume["secret"]["secretName"].as_str();
        let name = secret.unwrap_or_else(|| text(&volume["configMap"]["name"]));
        let (secret, name) = (secret.is_some(), name.to_owned());
        SourceFile { secret, name, key }
    }
}

/// Whether a selector matches labels. All expressions use `In`.
pub fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = &selector["matchLabels"];
    keys(equal).into_iter().all(|key| labels[key] == equal[key])
        && items(&selector["matchExpressions"]).all(|rule| {
            assert_eq!(rule["operator"], "In");
            items(&rule["values"]).any(|value| *value == labels[text(&rule["key"])])
        })
}

/// Prefix of a service's variables.
pub fn variable(service: &str) -> String {
    service.to_uppercase().replace('-', "_")
}

#[test]
fn manifests_deploy_and_migrate_every_process() {
    let version = env!("CARGO_PKG_VERSION");
    let published = format!("registry.example.com/hourmeter:{version}");
    for (overlay, image) in [("local", "hourmeter:dev"), ("production", &published)] {
        let overlay = Overlay::of(overlay);
        let (deployed, migrations) = (overlay.processes(), overlay.migrations());
        let commands = deployed.iter().map(|work| &work.container()["args"][0]);
        assert_eq!(commands.map(text).collect::<BTreeSet<_>>(), process_names());
        assert_eq!(migrations.len(), Service::ALL.len());
        for service in Service::ALL.map(Service::name) {
            let job = migrations.iter().find(|work| work.service() == service);
            let arguments = &job.expect("a migration").container()["args"];
            assert_eq!(*arguments, serde_json::json!([service, "migrate"]));
        }
        for work in deployed.iter().chain(&migrations) {
            assert_eq!(work.container()["image"], image, "{}", work.name);
        }
        for document in &overlay.documents {
            let inside = document["metadata"]["namespace"] == "hourmeter";
            assert!(inside || document["kind"] == "Namespace", "{document}");
        }
    }
    for work in Overlay::examples().workloads() {
        assert_eq!(work.container()["image"], published, "{}", work.name);
    }
    let compose = read("deploy/compose.yaml");
    assert!(compose.contains(&format!("image: ${{IMAGE:-hourmeter:{version}}}")));
}

#[test]
fn ingress_is_only_entry_and_trusted_proxies_are_named() {
    let overlay = Overlay::of("production");
    let ingress = overlay.named("Ingress", "hourmeter");
    // No annotations of a specific controller.
    let annotations = keys(&ingress["metadata"]["annotations"]);
    assert_eq!(annotations, ["cert-manager.io/cluster-issuer"].into());
    for policy in ["from-ingress", "acme-solver"] {
        let peer = &overlay.named("NetworkPolicy", policy)["spec"]["ingress"][0]["from"][0];
        let space = &peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"];
        assert_eq!(*space, ingress["spec"]["ingressClassName"], "{policy}");
    }
    let values = &documents(&read("deploy/kubernetes/examples/traefik-values.yaml"))[0];
    assert_eq!(values["service"]["spec"]["externalTrafficPolicy"], "Local");
    let arguments = items(&values["additionalArguments"]).filter_map(Value::as_str);
    let mut options = arguments.filter_map(|argument| argument.split_once(".redirections."));
    assert!(options.any(|(_, option)| option == "entryPoint.scheme=https"));
    let trusted = ["local", "production", "../base"].map(|name| {
        let overlay = Overlay::of(name);
        overlay.environment(&overlay.process("gateway"))["TRUSTED_PROXIES"].clone()
    });
    assert_eq!(trusted, ["", "192.0.2.0/24", ""]);
}
