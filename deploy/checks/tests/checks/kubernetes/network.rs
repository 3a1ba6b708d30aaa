//! Network policies allow exactly the connections of the architecture.

use std::collections::BTreeSet;

use hourmeter_runtime::identity::Service;
use serde_json::{Value, json};

use super::{Overlay, selects};
use crate::{documents, items, number, process_names, text, texts};

/// Peers beside our workloads: name, namespace, a label and its value.
const OTHERS: [[&str; 4]; 8] = [
    // Started by cert-manager beside our pods.
    [
        "solver",
        "hourmeter",
        "acme.cert-manager.io/http01-solver",
        "true",
    ],
    ["ingress", "traefik", "app", "traefik"],
    ["cnpg", "databases", "cnpg.io/cluster", "hourmeter-db"],
    ["databases", "databases", "app", "other"],
    ["monitoring", "monitoring", "app", "prometheus"],
    ["dns", "kube-system", "k8s-app", "kube-dns"],
    ["kube-system", "kube-system", "app", "other"],
    ["stranger", "default", "app.kubernetes.io/name", "gateway"],
];

/// Name, namespace and labels of all peers.
fn parties(overlay: &Overlay) -> Vec<(String, &str, Value)> {
    let ours = overlay.workloads().into_iter();
    let ours = ours.map(|work| (work.name, "hourmeter", work.labels));
    let others = OTHERS.iter().map(|[name, space, label, value]| {
        let labels = json!({ *label: value });
        ((*name).to_owned(), *space, labels)
    });
    ours.chain(others).collect()
}

/// Connections that policies of a direction allow: "from to port".
fn allowed(overlay: &Overlay, direction: &str) -> BTreeSet<String> {
    let [field, side] = match direction {
        "Ingress" => ["ingress", "from"],
        _ => ["egress", "to"],
    };
    let parties = parties(overlay);
    let mut edges = BTreeSet::new();
    for policy in overlay.kind("NetworkPolicy") {
        let spec = &policy["spec"];
        let selected = parties.iter().filter(|(_, space, labels)| {
            *space == "hourmeter" && selects(&spec["podSelector"], labels)
        });
        let selected: Vec<_> = selected.collect();
        for rule in items(&spec[field]) {
            let types = texts(&spec["policyTypes"]);
            assert!(types.contains(&direction), "{policy}");
            // Without peers or ports, a rule allows all.
            let (peers, ports) = (&rule[side], &rule["ports"]);
            assert!(peers[0].is_object() && ports[0].is_object(), "{policy}");
            for other in items(peers).flat_map(|peer| names_of(peer, &parties)) {
                for (party, port) in product(&selected, ports) {
                    assert_eq!(port["endPort"], Value::Null, "{policy}");
                    let ends = match direction {
                        "Ingress" => format!("{other} {party}"),
                        _ => format!("{party} {other}"),
                    };
                    let protocol = text(&port["protocol"]).replace("TCP", "");
                    let port = format!("{ends} {}/{protocol}", number(&port["port"]));
                    edges.insert(port.trim_end_matches('/').to_owned());
                }
            }
        }
    }
    edges
}

fn product<'a>(
    parties: &'a [&(String, &str, Value)],
    ports: &'a Value,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let names = parties.iter().map(|(name, ..)| name.as_str());
    names.flat_map(|name| items(ports).map(move |port| (name, port)))
}

/// The peers that a rule names, or its address block.
fn names_of(peer: &Value, parties: &[(String, &str, Value)]) -> Vec<String> {
    if let Some(block) = peer["ipBlock"]["cidr"].as_str() {
        return vec![block.to_owned()];
    }
    let named = parties.iter().filter(|(_, space, labels)| {
        let of_space = json!({ "kubernetes.io/metadata.name": space });
        let in_space = match &peer["namespaceSelector"] {
            Value::Null => *space == "hourmeter",
            spaces => selects(spaces, &of_space),
        };
        in_space && selects(&peer["podSelector"], labels)
    });
    named.map(|(name, ..)| name.clone()).collect()
}

/// Address of a node-local DNS cache.
const NODE_LOCAL_DNS: &str = "169.254.20.10/32";

/// Connections between our own pods.
fn inside() -> BTreeSet<String> {
    let gateway = Service::ALL.map(|service| format!("gateway {} 7000", service.name()));
    let others = [
        "accounts notifications 7000",
        "billing notifications 7000",
        "equipment notifications 7000",
        "notifications accounts 7000",
        "notifications billing 7000",
        "notifications equipment 7000",
        "notifications operator-updates 7000",
        "operator-updates equipment 7000",
        "operator-updates notifications 7000",
    ];
    gateway
        .into_iter()
        .chain(others.map(str::to_owned))
        .collect()
}

/// Connections to PostgreSQL and Redis.
fn data(postgres: &str, redis: &str) -> BTreeSet<String> {
    let mut edges = BTreeSet::from([
        format!("gateway {redis} 6379"),
        format!("company-deletions {postgres} 5432"),
    ]);
    for service in Service::ALL.map(Service::name) {
        edges.insert(format!("{service} {postgres} 5432"));
        edges.insert(format!("{service}-migration {postgres} 5432"));
        if service != "accounts" {
            edges.insert(format!("{service} {redis} 6379"));
        }
    }
    edges
}

#[test]
fn network_policies_allow_architecture_only() {
    for overlay in Overlay::all() {
        let [mut incoming, mut outgoing] = [inside(), inside()];
        for process in process_names() {
            incoming.insert(format!("monitoring {process} 9090"));
            outgoing.insert(format!("{process} monitoring 4317"));
        }
        let pods = overlay.workloads().into_iter().map(|work| work.name);
        for pod in pods.chain(["solver".to_owned()]) {
            for server in ["dns", NODE_LOCAL_DNS] {
                outgoing.insert(format!("{pod} {server} 53"));
                outgoing.insert(format!("{pod} {server} 53/UDP"));
            }
        }
        if overlay.name == "local" {
            incoming.extend(data("postgres", "redis"));
            outgoing.extend(data("postgres", "redis"));
        } else {
            incoming.insert("ingress gateway 8080".to_owned());
            incoming.insert("ingress solver 8089".to_owned());
            outgoing.extend(data("198.51.100.0/24", "203.0.113.0/24"));
            outgoing.insert("billing 0.0.0.0/0 443".to_owned());
            outgoing.insert("notifications 0.0.0.0/0 443".to_owned());
            outgoing.insert("notifications 0.0.0.0/0 465".to_owned());
            outgoing.insert("notifications 0.0.0.0/0 587".to_owned());
        }
        let name = overlay.name;
        assert_eq!(allowed(&overlay, "Ingress"), incoming, "{name}");
        assert_eq!(allowed(&overlay, "Egress"), outgoing, "{name}");

        // Default deny.
        let refusing = &overlay.named("NetworkPolicy", "nothing-by-default")["spec"];
        let all = json!({ "podSelector": {}, "policyTypes": ["Ingress", "Egress"] });
        assert_eq!(*refusing, all);
        // Jobs of the examples connect to PostgreSQL only.
        for work in Overlay::examples().workloads() {
            let policies = overlay.kind("NetworkPolicy");
            let names = policies.filter_map(|policy| {
                let selected = selects(&policy["spec"]["podSelector"], &work.labels);
                selected.then(|| text(&policy["metadata"]["name"]))
            });
            let expected = ["names", "nothing-by-default", "to-postgres"];
            assert_eq!(
                names.collect::<BTreeSet<_>>(),
                expected.into(),
                "{}",
                work.name
            );
        }
    }
}

#[test]
fn network_policies_reach_operator_postgres() {
    let mut overlay = Overlay::of("production");
    let directions = ["Ingress", "Egress"];
    let without = directions.map(|direction| allowed(&overlay, direction));
    let part = documents(&Overlay::render("../parts/to-cloudnative-pg"));
    overlay.documents.extend(part);
    let with = directions.map(|direction| allowed(&overlay, direction));
    assert_eq!(with[0], without[0]);
    let mut expected = data("cnpg", "redis");
    expected.retain(|edge| edge.ends_with(" cnpg 5432"));
    assert_eq!(&with[1] - &without[1], expected);
    // These are the pods of the example.
    let examples = Overlay::examples();
    let cluster = &examples.named("Cluster", "hourmeter-db")["metadata"];
    assert_eq!(cluster["namespace"], "databases");
}

#[test]
fn network_policies_keep_payments_and_mail_from_private_networks() {
    let overlay = Overlay::of("production");
    let private = "10.0.0.0/8 100.64.0.0/10 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16";
    let private: BTreeSet<_> = private.split(' ').collect();
    for name in ["to-payments", "to-mail", "to-push"] {
        let policy = &overlay.named("NetworkPolicy", name)["spec"];
        let except = texts(&policy["egress"][0]["to"][0]["ipBlock"]["except"]);
        assert_eq!(BTreeSet::from_iter(except), private, "{name}");
    }
}
