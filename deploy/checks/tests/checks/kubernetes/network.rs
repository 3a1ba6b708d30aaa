//! Who may talk to whom: exactly the connections of the architecture.

use std::collections::BTreeSet;

use hourmeter_runtime::identity::Service;
use serde_json::{Value, json};

use super::{Overlay, selects};
use crate::{documents, items, number, process_names, text, texts};

/// An end of a connection.
struct Party {
    name: String,
    /// None: our own.
    space: Option<&'static str>,
    labels: Value,
}

/// Our pods, the one that cert-manager starts beside them, and those of others that policies name.
fn parties(overlay: &Overlay) -> Vec<Party> {
    let party = |name: &str, space, labels| Party {
        name: name.to_owned(),
        space,
        labels,
    };
    let ours = overlay.workloads().into_iter();
    let ours = ours.map(|work| Party {
        name: work.name,
        space: None,
        labels: work.labels,
    });
    let others = [
        party(
            "solver",
            None,
            json!({ "acme.cert-manager.io/http01-solver": "true" }),
        ),
        party("ingress", Some("traefik"), json!({})),
        party(
            "cnpg",
            Some("databases"),
            json!({ "cnpg.io/cluster": "hourmeter-db" }),
        ),
        party("databases", Some("databases"), json!({})),
        party("monitoring", Some("monitoring"), json!({})),
        party("dns", Some("kube-system"), json!({ "k8s-app": "kube-dns" })),
        party("kube-system", Some("kube-system"), json!({})),
        party(
            "stranger",
            Some("default"),
            json!({ "app.kubernetes.io/name": "gateway" }),
        ),
    ];
    ours.chain(others).collect()
}

/// The parties that a rule's peer names, or its block of addresses.
fn peers(peer: &Value, parties: &[Party]) -> Vec<String> {
    if let Some(block) = peer["ipBlock"]["cidr"].as_str() {
        return vec![block.to_owned()];
    }
    let is_peer = |party: &&Party| {
        let space = json!({ "kubernetes.io/metadata.name": party.space.unwrap_or("hourmeter") });
        let in_space = match &peer["namespaceSelector"] {
            Value::Null => party.space.is_none(),
            spaces => selects(spaces, &space),
        };
        in_space && selects(&peer["podSelector"], &party.labels)
    };
    parties
        .iter()
        .filter(is_peer)
        .map(|party| party.name.clone())
        .collect()
}

/// What the policies of an overlay allow, one direction each: "from to port".
fn allowed(overlay: &Overlay) -> [BTreeSet<String>; 2] {
    let parties = parties(overlay);
    let [mut incoming, mut outgoing] = [BTreeSet::new(), BTreeSet::new()];
    for policy in overlay.kind("NetworkPolicy") {
        let spec = &policy["spec"];
        let selected =
            |party: &&Party| party.space.is_none() && selects(&spec["podSelector"], &party.labels);
        for party in parties.iter().filter(selected) {
            for (direction, field, side) in
                [("Ingress", "ingress", "from"), ("Egress", "egress", "to")]
            {
                for rule in items(&spec[field]) {
                    assert!(texts(&spec["policyTypes"]).contains(&direction), "{policy}");
                    // Without a side or ports, a rule would allow all.
                    assert!(
                        items(&rule[side]).count() > 0 && items(&rule["ports"]).count() > 0,
                        "{policy}"
                    );
                    for (other, port) in items(&rule[side]).flat_map(|peer| {
                        let ports = items(&rule["ports"]);
                        ports.flat_map(|port| {
                            peers(peer, &parties)
                                .into_iter()
                                .map(move |other| (other, port))
                        })
                    }) {
                        assert_eq!(port["endPort"], Value::Null, "{policy}");
                        let (from, to) = match direction {
                            "Ingress" => (&other, &party.name),
                            _ => (&party.name, &other),
                        };
                        let edge = format!("{from} {to} {}", number(&port["port"]));
                        let edge = match text(&port["protocol"]) {
                            "TCP" => edge,
                            protocol => format!("{edge}/{protocol}"),
                        };
                        let edges = if direction == "Ingress" {
                            &mut incoming
                        } else {
                            &mut outgoing
                        };
                        edges.insert(edge);
                    }
                }
            }
        }
    }
    [incoming, outgoing]
}

/// Where a node's own DNS cache answers.
const NODE_LOCAL_DNS: &str = "169.254.20.10/32";

/// The connections between our own pods.
fn inside() -> BTreeSet<String> {
    let gateway = Service::ALL.map(|service| format!("gateway {} 7000", service.name()));
    let relay = "operator-updates equipment 7000".to_owned();
    gateway.into_iter().chain([relay]).collect()
}

/// Those to PostgreSQL and Redis, wherever they are.
fn data(postgres: &str, redis: &str) -> BTreeSet<String> {
    let services = Service::ALL.map(Service::name).into_iter();
    let postgres = services.flat_map(|service| {
        [
            format!("{service} {postgres} 5432"),
            format!("{service}-migration {postgres} 5432"),
        ]
    });
    let redis = ["gateway", "equipment", "operator-updates", "billing"]
        .map(|process| format!("{process} {redis} 6379"));
    postgres.chain(redis).collect()
}

#[test]
fn only_the_connections_of_the_architecture_are_allowed() {
    for overlay in Overlay::all() {
        let [incoming, outgoing] = allowed(&overlay);
        let [mut expected_in, mut expected_out] = [inside(), inside()];
        for process in process_names() {
            expected_in.insert(format!("monitoring {process} 9090"));
            expected_out.insert(format!("{process} monitoring 4317"));
        }
        let pods = overlay.workloads().into_iter().map(|work| work.name);
        for pod in pods.chain(["solver".to_owned()]) {
            for port in ["53", "53/UDP"] {
                expected_out
                    .extend(["dns", NODE_LOCAL_DNS].map(|server| format!("{pod} {server} {port}")));
            }
        }
        if overlay.name == "local" {
            expected_in.extend(data("postgres", "redis"));
            expected_out.extend(data("postgres", "redis"));
        } else {
            expected_in.extend(["ingress gateway 8080", "ingress solver 8089"].map(str::to_owned));
            expected_out.extend(data("198.51.100.0/24", "203.0.113.0/24"));
            expected_out.insert("billing 0.0.0.0/0 443".to_owned());
        }
        assert_eq!(incoming, expected_in, "{}", overlay.name);
        assert_eq!(outgoing, expected_out, "{}", overlay.name);

        // What no rule names is refused.
        let refusing = &overlay.named("NetworkPolicy", "nothing-by-default")["spec"];
        assert_eq!(
            *refusing,
            json!({ "podSelector": {}, "policyTypes": ["Ingress", "Egress"] })
        );
        // Jobs of the examples reach PostgreSQL alone.
        for work in Overlay::examples().workloads() {
            let policies = overlay.kind("NetworkPolicy");
            let policies =
                policies.filter(|policy| selects(&policy["spec"]["podSelector"], &work.labels));
            let names: BTreeSet<_> = policies
                .map(|policy| text(&policy["metadata"]["name"]))
                .collect();
            assert_eq!(
                names,
                ["names", "nothing-by-default", "to-postgres"].into(),
                "{}",
                work.name
            );
        }
    }
}

#[test]
fn postgres_of_the_operator_is_reached_with_the_part_for_it() {
    let mut overlay = Overlay::of("production");
    let without = allowed(&overlay);
    overlay
        .documents
        .extend(documents(&Overlay::render("../parts/to-cloudnative-pg")));
    let with = allowed(&overlay);
    assert_eq!(with[0], without[0]);
    let mut expected = data("cnpg", "");
    expected.retain(|edge| edge.ends_with(" cnpg 5432"));
    assert_eq!(&with[1] - &without[1], expected);
    // They are the pods of the example.
    let examples = Overlay::examples();
    assert_eq!(
        examples.named("Cluster", "hourmeter-db")["metadata"]["namespace"],
        "databases"
    );
}

#[test]
fn payments_reach_no_private_network() {
    let overlay = Overlay::of("production");
    let policy = &overlay.named("NetworkPolicy", "to-payments")["spec"];
    let except = texts(&policy["egress"][0]["to"][0]["ipBlock"]["except"]);
    let private = [
        "10.0.0.0/8",
        "100.64.0.0/10",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
    ];
    assert_eq!(BTreeSet::from_iter(except), private.into());
}
