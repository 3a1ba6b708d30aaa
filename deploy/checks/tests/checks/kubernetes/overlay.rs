//! An overlay as `kubectl kustomize` renders it.

use std::collections::BTreeMap;
use std::process::Command;

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{
    ConfigMap, Container, Namespace, PodSpec, PodTemplateSpec, Secret, Service, ServiceAccount,
};
use k8s_openapi::api::networking::v1::{Ingress, NetworkPolicy};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::root;

/// The documents of a YAML file.
pub fn documents(text: &str) -> Vec<Value> {
    let found: Vec<Value> = serde_saphyr::from_multiple(text).expect("YAML");
    found.into_iter().filter(|value| !value.is_null()).collect()
}

/// One overlay.
pub struct Overlay {
    /// The name of its folder.
    pub name: &'static str,
    /// What it renders to.
    pub documents: Vec<Value>,
}

/// Something that makes pods.
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The labels of its pods.
    pub labels: BTreeMap<String, String>,
    /// Its pods.
    pub spec: PodSpec,
    /// Volumes it claims.
    pub claimed: Vec<String>,
}

impl Workload {
    fn new(name: Option<String>, template: PodTemplateSpec) -> Self {
        let labels = template.metadata.and_then(|about| about.labels);
        Self {
            name: name.expect("a name"),
            labels: labels.unwrap_or_default(),
            spec: template.spec.expect("pods"),
            claimed: Vec::new(),
        }
    }

    /// Its only container.
    pub fn container(&self) -> &Container {
        assert_eq!(self.spec.containers.len(), 1, "{}", self.name);
        &self.spec.containers[0]
    }

    /// The number of its port of this name.
    pub fn port(&self, name: &str) -> i32 {
        let mut ports = self.container().ports.iter().flatten();
        let port = ports.find(|port| port.name.as_deref() == Some(name));
        port.unwrap_or_else(|| panic!("{} has no port {name}", self.name))
            .container_port
    }

    /// What it is for: `service`, `gateway`, `migration`, or nothing of these.
    pub fn component(&self) -> &str {
        let label = self.labels.get("app.kubernetes.io/component");
        label.map_or("", String::as_str)
    }
}

impl Overlay {
    /// Both.
    pub fn all() -> [Self; 2] {
        [Self::of("local"), Self::of("production")]
    }

    /// The one in a folder of `overlays`.
    pub fn of(name: &'static str) -> Self {
        Self {
            name,
            documents: documents(&Self::render(name)),
        }
    }

    /// As text.
    pub fn render(name: &str) -> String {
        let folder = root().join("deploy/kubernetes/overlays").join(name);
        let output = Command::new("kubectl")
            .arg("kustomize")
            .arg(folder)
            .output();
        let output = output.expect("kubectl is there; deploy/gate installs it");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{told}");
        String::from_utf8(output.stdout).expect("a text")
    }

    /// Its documents of a kind.
    pub fn kind(&self, kind: &str) -> Vec<&Value> {
        let all = self.documents.iter();
        all.filter(|document| document["kind"] == kind).collect()
    }

    /// The same, understood.
    pub fn typed<T: DeserializeOwned>(&self, kind: &str) -> Vec<T> {
        let found = self.kind(kind).into_iter().cloned();
        found
            .map(|document| serde_json::from_value(document).expect("a document"))
            .collect()
    }

    /// Everything that makes pods.
    pub fn workloads(&self) -> Vec<Workload> {
        let mut all = Vec::new();
        for found in self.typed::<Deployment>("Deployment") {
            let spec = found.spec.expect("a spec");
            all.push(Workload::new(found.metadata.name, spec.template));
        }
        for found in self.typed::<Job>("Job") {
            let spec = found.spec.expect("a spec");
            all.push(Workload::new(found.metadata.name, spec.template));
        }
        for found in self.typed::<StatefulSet>("StatefulSet") {
            let spec = found.spec.expect("a spec");
            let claims = spec.volume_claim_templates.into_iter().flatten();
            let claimed = claims.filter_map(|claim| claim.metadata.name).collect();
            let work = Workload::new(found.metadata.name, spec.template);
            all.push(Workload { claimed, ..work });
        }
        all
    }

    /// The services and the gateway.
    pub fn processes(&self) -> Vec<Workload> {
        let all = self.workloads().into_iter();
        all.filter(|work| matches!(work.component(), "service" | "gateway"))
            .collect()
    }

    /// What brings schemas up to date.
    pub fn migrations(&self) -> Vec<Workload> {
        let all = self.workloads().into_iter();
        all.filter(|work| work.component() == "migration").collect()
    }
}

/// Fails when a document has a field its kind does not have, or is of no kind that is known.
pub fn check_strictly(document: &Value) {
    let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
    match (text("apiVersion").as_str(), text("kind").as_str()) {
        ("v1", "Namespace") => strict::<Namespace>(document),
        ("v1", "ServiceAccount") => strict::<ServiceAccount>(document),
        ("v1", "Service") => strict::<Service>(document),
        ("v1", "ConfigMap") => strict::<ConfigMap>(document),
        ("v1", "Secret") => strict::<Secret>(document),
        ("apps/v1", "Deployment") => strict::<Deployment>(document),
        ("apps/v1", "StatefulSet") => strict::<StatefulSet>(document),
        ("batch/v1", "Job") => strict::<Job>(document),
        ("networking.k8s.io/v1", "NetworkPolicy") => strict::<NetworkPolicy>(document),
        ("networking.k8s.io/v1", "Ingress") => strict::<Ingress>(document),
        ("policy/v1", "PodDisruptionBudget") => strict::<PodDisruptionBudget>(document),
        ("autoscaling/v2", "HorizontalPodAutoscaler") => {
            strict::<HorizontalPodAutoscaler>(document);
        }
        // Their kinds come with operators; these are the fields used.
        ("cert-manager.io/v1", "Issuer") => fields(document, &["selfSigned", "ca.secretName"]),
        ("cert-manager.io/v1", "Certificate") => fields(
            document,
            &[
                "isCA",
                "commonName",
                "secretName",
                "duration",
                "renewBefore",
                "privateKey.algorithm",
                "privateKey.size",
                "privateKey.rotationPolicy",
                "usages",
                "dnsNames",
                "issuerRef.name",
                "issuerRef.kind",
            ],
        ),
        ("postgresql.cnpg.io/v1", "Cluster") => fields(
            document,
            &[
                "instances",
                "imageName",
                "storage.size",
                "bootstrap.initdb.localeProvider",
                "bootstrap.initdb.builtinLocale",
                "enableSuperuserAccess",
                "postgresql.parameters",
                "postgresql.synchronous.method",
                "postgresql.synchronous.number",
                "resources",
                "affinity.topologyKey",
            ],
        ),
        ("redis.redis.opstreelabs.in/v1beta2", "Redis") => fields(
            document,
            &[
                "kubernetesConfig.image",
                "kubernetesConfig.imagePullPolicy",
                "kubernetesConfig.redisSecret.name",
                "kubernetesConfig.redisSecret.key",
                "kubernetesConfig.resources",
                "redisConfig.additionalRedisConfig",
                "TLS.ca",
                "TLS.cert",
                "TLS.key",
                "TLS.secret.secretName",
                "podSecurityContext",
            ],
        ),
        ("external-secrets.io/v1", "ExternalSecret") => fields(
            document,
            &[
                "refreshInterval",
                "secretStoreRef.name",
                "secretStoreRef.kind",
                "target.name",
                "target.template.data",
                "data",
            ],
        ),
        (version, kind) => panic!("{version} {kind} is no kind that is known here"),
    }
}

fn strict<T: DeserializeOwned>(document: &Value) {
    let mut unknown = Vec::new();
    let read: Result<T, _> =
        serde_ignored::deserialize(document, |path| unknown.push(path.to_string()));
    let name = &document["metadata"]["name"];
    if let Err(error) = read {
        panic!("{} {name}: {error}", document["kind"]);
    }
    assert!(
        unknown.is_empty(),
        "{} {name}: {unknown:?}",
        document["kind"]
    );
}

/// Whether a spec has no other fields than these; below one that is named all is allowed.
fn fields(document: &Value, known: &[&str]) {
    let mut paths = Vec::new();
    collect("", &document["spec"], known, &mut paths);
    let name = &document["metadata"]["name"];
    assert!(paths.is_empty(), "{} {name}: {paths:?}", document["kind"]);
    assert!(document["spec"].is_object(), "{name}");
}

fn collect(path: &str, value: &Value, known: &[&str], unknown: &mut Vec<String>) {
    if known.contains(&path) {
        return;
    }
    match value {
        Value::Object(map) if path.is_empty() || !map.is_empty() => {
            for (name, value) in map {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                collect(&path, value, known, unknown);
            }
        }
        _ => unknown.push(path.to_owned()),
    }
}
