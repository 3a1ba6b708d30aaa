//! What pods may do, how they start and stop, and how many there are.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use hourmeter_runtime::admin::AdminPort;
use serde_json::{Value, json};

use super::{Overlay, Workload, selects};
use crate::{items, keys, number, process_names, text, texts};

/// A pod may do nothing beside its work, and every volume is mounted.
fn check_pod(work: &Workload) {
    let (name, spec, pod) = (&work.name, &work.spec, &work.spec["securityContext"]);
    assert_eq!(spec["automountServiceAccountToken"], false, "{name}");
    assert_eq!(pod["runAsNonRoot"], true, "{name}");
    assert!(number(&pod["runAsUser"]) > 0, "{name}");
    assert_eq!(pod["seccompProfile"]["type"], "RuntimeDefault", "{name}");
    for shared in ["hostNetwork", "hostPID", "hostIPC", "initContainers"] {
        assert_eq!(spec[shared], Value::Null, "{name} {shared}");
    }
    let container = work.container();
    let expected = json!({
        "allowPrivilegeEscalation": false,
        "capabilities": { "drop": ["ALL"] },
        "readOnlyRootFilesystem": true,
    });
    assert_eq!(container["securityContext"], expected, "{name}");
    for amounts in ["requests", "limits"] {
        let given = keys(&container["resources"][amounts]);
        assert!(
            given.is_superset(&["cpu", "memory"].into()),
            "{name} {amounts}"
        );
    }
    let names = |list| {
        items(list)
            .map(|item| text(&item["name"]))
            .collect::<BTreeSet<_>>()
    };
    let mut volumes = names(&spec["volumes"]);
    volumes.extend(work.claimed.iter().map(String::as_str));
    assert_eq!(volumes, names(&container["volumeMounts"]), "{name}");
}

#[test]
fn pods_may_do_nothing_beside_their_work() {
    let overlays = Overlay::all();
    for overlay in &overlays {
        overlay.workloads().iter().for_each(check_pod);
        for work in overlay.processes() {
            assert_eq!(work.spec["serviceAccountName"], work.name);
            overlay.named("ServiceAccount", &work.name);
        }
    }
    let examples = Overlay::examples();
    assert!(examples.workloads().len() >= 2);
    for work in examples.workloads() {
        check_pod(&work);
        let job = examples.named("Job", &work.name);
        assert_eq!(job["metadata"]["namespace"], "hourmeter");
        for overlay in &overlays {
            overlay.named("ServiceAccount", text(&work.spec["serviceAccountName"]));
        }
    }
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut line = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    line.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    line.read_to_string(&mut answer).expect("an answer");
    answer
}

#[tokio::test]
async fn probes_ask_what_the_admin_port_answers_and_pods_have_time_to_stop() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let open = AdminPort::open(address, || std::future::ready(true)).await;
    let _open = open.expect("a port");
    for path in ["/livez", "/readyz", "/metrics"] {
        let answer = tokio::task::spawn_blocking(move || get(address, path)).await;
        let answer = answer.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    }
    let drain = hourmeter_runtime::server::DRAIN.max(hourmeter_gateway::DRAIN);
    let drain = i64::try_from(drain.as_secs()).expect("seconds");
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let (name, container) = (&work.name, work.container());
            // A restart does not repair what a process depends on.
            for (probe, path) in [
                ("startupProbe", "/livez"),
                ("livenessProbe", "/livez"),
                ("readinessProbe", "/readyz"),
            ] {
                assert_eq!(
                    container[probe]["httpGet"],
                    json!({ "path": path, "port": "admin" }),
                    "{name}"
                );
            }
            let deployment = overlay.named("Deployment", name);
            let notes = &deployment["spec"]["template"]["metadata"]["annotations"];
            assert_eq!(notes["prometheus.io/port"], work.port("admin").to_string());
            assert_eq!(notes["prometheus.io/path"], "/metrics");
            let before = number(&container["lifecycle"]["preStop"]["sleep"]["seconds"]);
            let wait = number(
                &overlay.environment(&work)["STOP_WAIT_SECONDS"]
                    .as_str()
                    .into(),
            );
            assert!(before >= 5 && wait >= 5, "{name}");
            assert!(
                number(&work.spec["terminationGracePeriodSeconds"]) > before + wait + drain,
                "{name}"
            );
        }
    }
}

/// The least and the most replicas of a process.
fn replicas(overlay: &Overlay, process: &str) -> (i64, i64) {
    let scaler = &overlay.named("HorizontalPodAutoscaler", process)["spec"];
    let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": process });
    assert_eq!(scaler["scaleTargetRef"], target);
    (
        number(&scaler["minReplicas"]),
        number(&scaler["maxReplicas"]),
    )
}

#[test]
fn every_process_scales_and_keeps_a_replica_when_a_node_is_drained() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let name = &work.name;
            let (least, most) = replicas(&overlay, name);
            assert!(least >= 2 && most > least, "{name}");
            // Else each roll-out would undo what the autoscaler did.
            assert_eq!(
                overlay.named("Deployment", name)["spec"]["replicas"],
                Value::Null,
                "{name}"
            );
            let budgets = overlay.kind("PodDisruptionBudget");
            let budgets =
                budgets.filter(|budget| selects(&budget["spec"]["selector"], &work.labels));
            let away: Vec<_> = budgets
                .map(|budget| number(&budget["spec"]["maxUnavailable"]))
                .collect();
            assert!(
                away.len() == 1 && (1..least).contains(&away[0]),
                "{name}: {away:?}"
            );
        }
        for kind in ["HorizontalPodAutoscaler", "PodDisruptionBudget"] {
            assert_eq!(overlay.kind(kind).count(), process_names().len(), "{kind}");
        }
    }
}

/// Connections that all pools may open together, with the replica that a roll-out adds.
fn connections(overlay: &Overlay) -> i64 {
    let pools = overlay.processes().into_iter().filter_map(|work| {
        let pool = overlay.environment(&work).remove("MAX_CONNECTIONS")?;
        let (_, most) = replicas(overlay, &work.name);
        Some((most + 1) * number(&pool.into()))
    });
    pools.sum::<i64>() + i64::try_from(overlay.migrations().len()).expect("a few")
}

#[test]
fn pools_take_at_most_four_fifths_of_the_database() {
    let local = Overlay::of("local");
    let server = local
        .workloads()
        .into_iter()
        .find(|work| work.name == "postgres");
    let server = server.expect("a server");
    let mut arguments = texts(&server.container()["args"]).into_iter();
    let admitted = arguments.find_map(|argument| argument.strip_prefix("max_connections="));
    let of_local = number(&admitted.expect("max_connections").into());
    let examples = Overlay::examples();
    let cluster = &examples.named("Cluster", "hourmeter-db")["spec"]["postgresql"]["parameters"];
    let of_production = number(&cluster["max_connections"]);
    for (overlay, admitted) in [
        (local, of_local),
        (Overlay::of("production"), of_production),
    ] {
        let needed = connections(&overlay);
        assert!(
            needed > 100 && needed * 10 <= admitted * 8,
            "{}: {needed} of {admitted}",
            overlay.name
        );
    }
}

#[test]
fn accounts_has_memory_for_a_password_hash_on_every_core() {
    for overlay in Overlay::all() {
        let accounts = overlay
            .processes()
            .into_iter()
            .find(|work| work.name == "accounts");
        let accounts = accounts.expect("accounts");
        let limits = &accounts.container()["resources"]["limits"];
        let (cores, memory) = (text(&limits["cpu"]).parse::<i64>(), text(&limits["memory"]));
        assert!(memory.ends_with("Mi"), "{memory}");
        // 46 MiB a hash, beside 256 MiB for the rest.
        assert!(
            cores.expect("whole cores") * 46 + 256 <= number(&memory.into()),
            "{limits}"
        );
    }
}
