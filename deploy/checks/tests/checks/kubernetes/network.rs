//! Who may talk to whom: exactly the edges of the architecture.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::networking::v1::{NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::overlay::{Overlay, documents};
use super::{example_jobs, read};

type Labels = BTreeMap<String, String>;

/// Somebody at an end of a connection.
struct Party {
    name: String,
    /// None: in our own name space.
    space: Option<&'static str>,
    labels: Labels,
}

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let pairs = pairs.iter();
    pairs
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

/// Our pods, the one cert-manager starts beside them, and those of others that are spoken of.
fn parties(overlay: &Overlay) -> Vec<Party> {
    let solver = Party {
        name: "solver".to_owned(),
        space: None,
        labels: labels(&[("acme.cert-manager.io/http01-solver", "true")]),
    };
    let ours = overlay.workloads().into_iter().map(|work| Party {
        name: work.name,
        space: None,
        labels: work.labels,
    });
    let others = [
        ("ingress", "traefik", labels(&[])),
        (
            "cnpg",
            "databases",
            labels(&[("cnpg.io/cluster", "hourmeter-db")]),
        ),
        ("databases", "databases", labels(&[])),
        ("monitoring", "monitoring", labels(&[])),
        ("dns", "kube-system", labels(&[("k8s-app", "kube-dns")])),
        ("kube-system", "kube-system", labels(&[])),
        (
            "stranger",
            "default",
            labels(&[("app.kubernetes.io/name", "gateway")]),
        ),
    ];
    let others = others.map(|(name, space, labels)| Party {
        name: name.to_owned(),
        space: Some(space),
        labels,
    });
    ours.chain([solver]).chain(others).collect()
}

fn selects(selector: &LabelSelector, labels: &Labels) -> bool {
    let equal = selector.match_labels.iter().flatten();
    let mut equal = equal.map(|(name, value)| labels.get(name) == Some(value));
    let among = selector.match_expressions.iter().flatten();
    let mut among = among.map(|rule| {
        assert_eq!(rule.operator, "In");
        let values = rule.values.as_ref().expect("values");
        labels
            .get(&rule.key)
            .is_some_and(|value| values.contains(value))
    });
    equal.all(|fits| fits) && among.all(|fits| fits)
}

/// Whether a rule's peer is this party.
fn is_peer(peer: &NetworkPolicyPeer, party: &Party) -> bool {
    if peer.ip_block.is_some() {
        return false;
    }
    let pods = peer.pod_selector.as_ref();
    let fits = pods.is_none_or(|selector| selects(selector, &party.labels));
    match (&peer.namespace_selector, party.space) {
        (None, space) => space.is_none() && fits,
        (Some(spaces), space) => {
            let name = labels(&[("kubernetes.io/metadata.name", space.unwrap_or("hourmeter"))]);
            selects(spaces, &name) && fits
        }
    }
}

fn ports(ports: Option<&Vec<NetworkPolicyPort>>) -> Vec<String> {
    let ports = ports.expect("rules name ports").iter();
    ports
        .map(|port| {
            let Some(IntOrString::Int(number)) = port.port else {
                panic!("ports are numbers");
            };
            assert_eq!(port.end_port, None);
            let kind = port.protocol.as_deref().expect("a protocol");
            if kind == "TCP" {
                number.to_string()
            } else {
                format!("{number}/{kind}")
            }
        })
        .collect()
}

/// What one direction allows: "from to port", as the policies of that side say.
#[derive(Default)]
struct Allowed {
    incoming: BTreeSet<String>,
    outgoing: BTreeSet<String>,
}

impl Allowed {
    fn read(overlay: &Overlay) -> Self {
        let parties = parties(overlay);
        let mut allowed = Self::default();
        for policy in overlay.typed::<NetworkPolicy>("NetworkPolicy") {
            let ours = parties.iter().filter(|party| party.space.is_none());
            for party in ours {
                allowed.add(&policy, party, &parties);
            }
        }
        allowed
    }

    fn add(&mut self, policy: &NetworkPolicy, party: &Party, parties: &[Party]) {
        let spec = policy.spec.as_ref().expect("a spec");
        let everyone = LabelSelector::default();
        if !selects(
            spec.pod_selector.as_ref().unwrap_or(&everyone),
            &party.labels,
        ) {
            return;
        }
        let kinds = spec.policy_types.as_ref().expect("directions are named");
        for rule in spec.ingress.iter().flatten() {
            assert!(kinds.iter().any(|kind| kind == "Ingress"));
            for peer in rule.from.as_ref().expect("rules name peers") {
                assert_eq!(peer.ip_block, None);
                for other in parties.iter().filter(|other| is_peer(peer, other)) {
                    for port in ports(rule.ports.as_ref()) {
                        let edge = format!("{} {} {port}", other.name, party.name);
                        self.incoming.insert(edge);
                    }
                }
            }
        }
        for rule in spec.egress.iter().flatten() {
            assert!(kinds.iter().any(|kind| kind == "Egress"));
            for peer in rule.to.as_ref().expect("rules name peers") {
                let block = peer.ip_block.iter().map(|block| block.cidr.clone());
                let others = parties.iter().filter(|other| is_peer(peer, other));
                for other in others.map(|other| other.name.clone()).chain(block) {
                    for port in ports(rule.ports.as_ref()) {
                        self.outgoing
                            .insert(format!("{} {other} {port}", party.name));
                    }
                }
            }
        }
    }
}

/// Where a node's own DNS cache answers: no pod's address.
const NODE_LOCAL_DNS: &str = "169.254.20.10/32";

pub const SERVICES: [&str; 4] = ["accounts", "equipment", "operator-updates", "billing"];

/// The connections of the architecture between our own pods.
fn expected_inside() -> BTreeSet<String> {
    let gateway = SERVICES.map(|service| format!("gateway {service} 7000"));
    let relay = "operator-updates equipment 7000".to_owned();
    gateway.into_iter().chain([relay]).collect()
}

/// Those to PostgreSQL and Redis, wherever they are.
fn expected_data(postgres: &str, redis: &str) -> BTreeSet<String> {
    let mut edges = BTreeSet::new();
    for service in SERVICES {
        edges.insert(format!("{service} {postgres} 5432"));
        edges.insert(format!("{service}-migration {postgres} 5432"));
    }
    for process in ["gateway", "equipment", "operator-updates", "billing"] {
        edges.insert(format!("{process} {redis} 6379"));
    }
    edges
}

#[test]
fn only_the_connections_of_the_architecture_are_let_in() {
    for overlay in Overlay::all() {
        let mut expected = expected_inside();
        if overlay.name == "production" {
            expected.insert("ingress gateway 8080".to_owned());
            expected.insert("ingress solver 8089".to_owned());
        }
        for process in SERVICES.iter().chain(&["gateway"]) {
            expected.insert(format!("monitoring {process} 9090"));
        }
        if overlay.name == "local" {
            expected.extend(expected_data("postgres", "redis"));
        }
        assert_eq!(
            Allowed::read(&overlay).incoming,
            expected,
            "{}",
            overlay.name
        );
    }
}

#[test]
fn only_the_connections_of_the_architecture_are_let_out() {
    for overlay in Overlay::all() {
        let mut expected = expected_inside();
        for process in SERVICES.iter().chain(&["gateway"]) {
            expected.insert(format!("{process} monitoring 4317"));
        }
        let pods = overlay.workloads().into_iter().map(|work| work.name);
        for pod in pods.chain(["solver".to_owned()]) {
            for server in ["dns", NODE_LOCAL_DNS] {
                expected.insert(format!("{pod} {server} 53"));
                expected.insert(format!("{pod} {server} 53/UDP"));
            }
        }
        if overlay.name == "local" {
            expected.extend(expected_data("postgres", "redis"));
        } else {
            expected.extend(expected_data("198.51.100.0/24", "203.0.113.0/24"));
            expected.insert("billing 0.0.0.0/0 443".to_owned());
        }
        assert_eq!(
            Allowed::read(&overlay).outgoing,
            expected,
            "{}",
            overlay.name
        );
    }
}

#[test]
fn postgres_of_the_operator_is_reached_with_the_part_for_it() {
    let mut overlay = Overlay::of("production");
    let text = Overlay::render("../parts/to-cloudnative-pg");
    let without = Allowed::read(&overlay);
    overlay.documents.extend(documents(&text));
    let with = Allowed::read(&overlay);
    assert_eq!(with.incoming, without.incoming);
    let added: BTreeSet<_> = with.outgoing.difference(&without.outgoing).collect();
    let mut expected = BTreeSet::new();
    for service in SERVICES {
        expected.insert(format!("{service} cnpg 5432"));
        expected.insert(format!("{service}-migration cnpg 5432"));
    }
    assert_eq!(added, expected.iter().collect());
    // They are the pods of the example.
    let example = documents(&read("deploy/kubernetes/examples/cloudnative-pg.yaml"));
    let cluster = example.iter().find(|found| found["kind"] == "Cluster");
    let about = &cluster.expect("a Cluster")["metadata"];
    assert_eq!(about["name"], "hourmeter-db");
    assert_eq!(about["namespace"], "databases");
}

#[test]
fn what_examples_start_reaches_postgres_alone() {
    for overlay in Overlay::all() {
        for (_, work) in example_jobs() {
            let policies: Vec<NetworkPolicy> = overlay.typed("NetworkPolicy");
            let fitting = policies.iter().filter(|policy| {
                let pods = policy
                    .spec
                    .as_ref()
                    .and_then(|spec| spec.pod_selector.as_ref());
                pods.is_none_or(|pods| selects(pods, &work.labels))
            });
            let names: BTreeSet<_> = fitting.flat_map(|found| &found.metadata.name).collect();
            let expected = ["names", "nothing-by-default", "to-postgres"];
            assert_eq!(Vec::from_iter(names), expected, "{}", work.name);
        }
    }
}

#[test]
fn whatever_no_rule_names_is_refused() {
    for overlay in Overlay::all() {
        let policies: Vec<NetworkPolicy> = overlay.typed("NetworkPolicy");
        let refusing = policies.iter().filter(|policy| {
            let spec = policy.spec.as_ref().expect("a spec");
            let everyone = spec
                .pod_selector
                .as_ref()
                .is_none_or(|selector| *selector == LabelSelector::default());
            let both = ["Ingress", "Egress"].map(str::to_owned).to_vec();
            everyone
                && spec.policy_types.as_ref() == Some(&both)
                && spec.ingress.is_none()
                && spec.egress.is_none()
        });
        assert_eq!(refusing.count(), 1, "{}", overlay.name);
    }
}

#[test]
fn payments_reach_no_private_network() {
    let overlay = Overlay::of("production");
    let policies: Vec<NetworkPolicy> = overlay.typed("NetworkPolicy");
    let named = |policy: &&NetworkPolicy| policy.metadata.name.as_deref() == Some("to-payments");
    let policy = policies.iter().find(named).expect("a policy");
    let spec = policy.spec.as_ref().expect("a spec");
    let rule = &spec.egress.as_ref().expect("a rule")[0];
    let peer = &rule.to.as_ref().expect("a peer")[0];
    let block = peer.ip_block.as_ref().expect("a block");
    let except: BTreeSet<_> = block.except.iter().flatten().map(String::as_str).collect();
    let private = [
        "10.0.0.0/8",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
    ];
    assert_eq!(except, private.into());
}
