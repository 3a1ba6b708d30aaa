//! Pod security, probes, shutdown and replicas.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use serde_json::{Value, json};

use super::{Overlay, Workload, selects};
use crate::{items, keys, number, process_names, text, texts};

/// Restricted security context, and every volume is mounted.
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
        assert!(given.contains("cpu") && given.contains("memory"), "{name}");
    }
    let [volumes, mounts] = [&spec["volumes"], &container["volumeMounts"]].map(|list| {
        let names = items(list).map(|item| text(&item["name"]));
        names.collect::<BTreeSet<_>>()
    });
    assert_eq!(volumes, mounts, "{name}");
}

#[test]
fn pods_are_restricted() {
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

/// Whether a process returns 200 on its admin port.
pub fn answers(port: u16, path: &str) -> bool {
    let get = || -> std::io::Result<String> {
        let mut line = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        write!(
            line,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        line.read_to_string(&mut answer)?;
        Ok(answer)
    };
    get().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
}

pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn probes_and_grace_periods_match_programs() {
    let drain = hourmeter_runtime::connections::DRAIN;
    let drain = i64::try_from(drain.as_secs()).expect("seconds");
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let (name, container) = (&work.name, work.container());
            // A restart does not repair a dependency.
            for (probe, path) in [
                ("startupProbe", "/livez"),
                ("livenessProbe", "/livez"),
                ("readinessProbe", "/readyz"),
            ] {
                let get = json!({ "path": path, "port": "admin" });
                assert_eq!(container[probe]["httpGet"], get, "{name}");
            }
            let deployment = overlay.named("Deployment", name);
            let notes = &deployment["spec"]["template"]["metadata"]["annotations"];
            assert_eq!(notes["prometheus.io/port"], work.port("admin").to_string());
            assert_eq!(notes["prometheus.io/path"], "/metrics");
            let before = number(&container["lifecycle"]["preStop"]["sleep"]["seconds"]);
            let wait = overlay.environment(&work).remove("STOP_WAIT_SECONDS");
            let wait = number(&wait.into());
            let grace = number(&work.spec["terminationGracePeriodSeconds"]);
            assert!(
                before >= 5 && wait >= 5 && grace > before + wait + drain,
                "{name}"
            );
        }
    }
}

/// Minimum and maximum replicas of a process.
fn replicas(overlay: &Overlay, process: &str) -> (i64, i64) {
    let scaler = &overlay.named("HorizontalPodAutoscaler", process)["spec"];
    let target = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": process });
    assert_eq!(scaler["scaleTargetRef"], target);
    let [least, most] = ["minReplicas", "maxReplicas"].map(|field| number(&scaler[field]));
    (least, most)
}

#[test]
fn processes_scale_and_keep_replica_during_drain() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let name = &work.name;
            let (least, most) = replicas(&overlay, name);
            assert!(least >= 2 && most > least, "{name}");
            // Otherwise each roll-out would override the autoscaler.
            let deployment = &overlay.named("Deployment", name)["spec"];
            assert_eq!(deployment["replicas"], Value::Null, "{name}");
            let budgets = overlay
                .kind("PodDisruptionBudget")
                .map(|found| &found["spec"]);
            let budgets = budgets.filter(|budget| selects(&budget["selector"], &work.labels));
            let away: Vec<_> = budgets
                .map(|budget| number(&budget["maxUnavailable"]))
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

/// Maximum of all pools' connections, with the extra replicas of a roll-out.
fn connections(overlay: &Overlay) -> i64 {
    let pools = overlay.processes().into_iter().filter_map(|work| {
        let pool = overlay.environment(&work).remove("MAX_CONNECTIONS")?;
        let (_, most) = replicas(overlay, &work.name);
        Some((most + 1) * number(&pool.into()))
    });
    pools.sum::<i64>() + i64::try_from(overlay.migrations().len()).expect("a few")
}

#[test]
fn pools_fit_database_connections() {
    let local = Overlay::of("local");
    let server = local.process("postgres");
    let mut arguments = texts(&server.container()["args"]).into_iter();
    let admitted = arguments.find_map(|argument| argument.strip_prefix("max_connections="));
    let of_local = number(&admitted.expect("max_connections").into());
    let examples = Overlay::examples();
    let cluster = &examples.named("Cluster", "hourmeter-db")["spec"]["postgresql"]["parameters"];
    let of_production = number(&cluster["max_connections"]);
    let production = Overlay::of("production");
    for (overlay, admitted) in [(local, of_local), (production, of_production)] {
        let needed = connections(&overlay);
        let fits = needed > 100 && needed * 10 <= admitted * 8;
        assert!(fits, "{}: {needed} of {admitted}", overlay.name);
    }
}

#[test]
fn accounts_memory_fits_password_hashes() {
    for overlay in Overlay::all() {
        let accounts = overlay.process("accounts");
        let limits = &accounts.container()["resources"]["limits"];
        let cores: i64 = text(&limits["cpu"]).parse().expect("whole cores");
        let memory = text(&limits["memory"]).strip_suffix("Mi").expect("Mi");
        // 46 MiB per hash plus 256 MiB for the rest.
        assert!(cores * 46 + 256 <= number(&memory.into()), "{limits}");
    }
}
