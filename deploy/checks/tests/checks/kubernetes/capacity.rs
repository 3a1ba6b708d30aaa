//! Probes, stopping, replicas, and what the database must admit.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

use hourmeter_runtime::admin::AdminPort;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::overlay::{Overlay, Workload, documents};
use super::settings::environment;
use super::{examples, process_names};

fn path(probe: Option<&Probe>) -> String {
    let get = probe
        .and_then(|probe| probe.http_get.as_ref())
        .expect("a probe");
    assert_eq!(get.port, IntOrString::String("admin".to_owned()));
    assert_eq!(get.scheme, None);
    get.path.clone().expect("a path")
}

#[tokio::test]
async fn probes_ask_what_the_admin_port_answers() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let open = AdminPort::open(address, || std::future::ready(true)).await;
    let _open = open.expect("a port");
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let container = work.container();
            let startup = path(container.startup_probe.as_ref());
            // Restarting a process does not mend what it depends on.
            assert_eq!(startup, "/livez");
            assert_eq!(path(container.liveness_probe.as_ref()), "/livez");
            assert_eq!(path(container.readiness_probe.as_ref()), "/readyz");
        }
        let scraped = overlay.typed::<Deployment>("Deployment").into_iter();
        for template in scraped.filter_map(|found| found.spec.map(|spec| spec.template)) {
            let about = template.metadata.expect("about");
            let Some(notes) = about.annotations else {
                continue;
            };
            assert_eq!(notes["prometheus.io/port"], "9090");
            assert_eq!(notes["prometheus.io/path"], "/metrics");
        }
    }
    for path in ["/livez", "/readyz", "/metrics"] {
        let answer = tokio::task::spawn_blocking(move || get(address, path)).await;
        let answer = answer.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    }
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut line = TcpStream::connect(address).expect("a connection");
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    line.write_all(request.as_bytes()).expect("asked");
    let mut answer = String::new();
    line.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn a_pod_has_time_to_stop_well() {
    let drain = hourmeter_runtime::server::DRAIN.max(hourmeter_gateway::DRAIN);
    let drain = i64::try_from(drain.as_secs()).expect("seconds");
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let hooks = work.container().lifecycle.as_ref().expect("hooks");
            let before = hooks.pre_stop.as_ref().and_then(|hook| hook.sleep.as_ref());
            let before = before.expect("a sleep").seconds;
            let told = environment(&overlay, &work);
            let wait: i64 = told["STOP_WAIT_SECONDS"].parse().expect("a number");
            assert!(before >= 5 && wait >= 5, "{}", work.name);
            let grace = work.spec.termination_grace_period_seconds.expect("a time");
            assert!(grace > before + wait + drain, "{}", work.name);
        }
    }
}

fn scalers(overlay: &Overlay) -> Vec<(String, i32, i32)> {
    let all: Vec<HorizontalPodAutoscaler> = overlay.typed("HorizontalPodAutoscaler");
    let scalers = all.into_iter().map(|scaler| {
        let spec = scaler.spec.expect("a spec");
        let target = spec.scale_target_ref;
        assert_eq!(
            (&*target.kind, target.api_version.as_deref()),
            ("Deployment", Some("apps/v1"))
        );
        let least = spec.min_replicas.expect("a least");
        (target.name, least, spec.max_replicas)
    });
    scalers.collect()
}

#[test]
fn every_process_scales_between_two_and_more() {
    for overlay in Overlay::all() {
        let scalers = scalers(&overlay);
        let names = scalers.iter().map(|(name, ..)| name.clone());
        assert_eq!(
            names.collect::<std::collections::BTreeSet<_>>(),
            process_names()
        );
        assert_eq!(scalers.len(), process_names().len());
        for (name, least, most) in scalers {
            assert!(least >= 2 && most > least, "{name}");
        }
        for found in overlay.typed::<Deployment>("Deployment") {
            let name = found.metadata.name.expect("a name");
            if process_names().contains(&name) {
                // Else each roll-out would undo what the autoscaler did.
                assert_eq!(found.spec.expect("a spec").replicas, None, "{name}");
            }
        }
    }
}

#[test]
fn a_drain_of_a_node_leaves_a_replica_of_each() {
    for overlay in Overlay::all() {
        let budgets: Vec<PodDisruptionBudget> = overlay.typed("PodDisruptionBudget");
        let scalers = scalers(&overlay);
        for work in overlay.processes() {
            let fitting = budgets.iter().filter(|budget| {
                let spec = budget.spec.as_ref().expect("a spec");
                let wanted = spec
                    .selector
                    .as_ref()
                    .and_then(|all| all.match_labels.as_ref());
                let mut wanted = wanted.expect("labels").iter();
                wanted.all(|(name, value)| work.labels.get(name) == Some(value))
            });
            let fitting: Vec<_> = fitting.collect();
            assert_eq!(fitting.len(), 1, "{}", work.name);
            let spec = fitting[0].spec.as_ref().expect("a spec");
            let Some(IntOrString::Int(away)) = spec.max_unavailable else {
                panic!("{}: a number that may be away", work.name);
            };
            let least = scalers.iter().find(|(name, ..)| *name == work.name);
            assert!(
                away >= 1 && away < least.expect("a scaler").1,
                "{}",
                work.name
            );
        }
        assert_eq!(budgets.len(), overlay.processes().len());
    }
}

/// Connections that all pools together may open, replicas that a roll-out adds included.
fn connections(overlay: &Overlay) -> i32 {
    let pods: Vec<Workload> = overlay.processes();
    let pools = scalers(overlay).into_iter().filter_map(|(name, _, most)| {
        let work = pods.iter().find(|work| work.name == name)?;
        let pool = environment(overlay, work)
            .get("MAX_CONNECTIONS")?
            .parse::<i32>();
        Some((most + 1) * pool.expect("a number"))
    });
    let migrations = i32::try_from(overlay.migrations().len()).expect("a few");
    pools.sum::<i32>() + migrations
}

#[test]
fn all_pools_together_take_at_most_four_fifths_of_the_database() {
    let local = Overlay::of("local");
    let servers: Vec<StatefulSet> = local.typed("StatefulSet");
    let spec = servers[0]
        .spec
        .as_ref()
        .and_then(|spec| spec.template.spec.as_ref());
    let arguments = spec.expect("a pod").containers[0].args.clone();
    let admitted = arguments.into_iter().flatten().find_map(|argument| {
        let number = argument.strip_prefix("max_connections=")?.parse();
        Some(number.expect("a number"))
    });
    check_admitted(&local, admitted.expect("max_connections"));

    let operated = &examples()["cloudnative-pg.yaml"];
    let clusters = documents(operated).into_iter();
    let mut clusters = clusters.filter(|document| document["kind"] == "Cluster");
    let cluster = clusters.next().expect("a cluster");
    let admitted = &cluster["spec"]["postgresql"]["parameters"]["max_connections"];
    let admitted = admitted.as_str().and_then(|number| number.parse().ok());
    check_admitted(
        &Overlay::of("production"),
        admitted.expect("max_connections"),
    );
}

fn check_admitted(overlay: &Overlay, admitted: i32) {
    let needed = connections(overlay);
    assert!(needed > 100, "{needed}");
    assert!(
        needed * 10 <= admitted * 8,
        "{}: {needed} of {admitted}",
        overlay.name
    );
}

#[test]
fn the_password_service_bounds_its_cores_and_so_its_memory() {
    for overlay in Overlay::all() {
        let all = overlay.processes();
        let accounts = all.iter().find(|work| work.name == "accounts");
        let resources = accounts.expect("accounts").container().resources.clone();
        let limits = resources.and_then(|all| all.limits).expect("limits");
        let cores: i32 = limits["cpu"].0.parse().expect("whole cores");
        let memory: i32 = limits["memory"]
            .0
            .trim_end_matches("Mi")
            .parse()
            .expect("Mi");
        // 46 MiB a hash and one hash a core, beside 256 MiB for the rest.
        assert!(cores * 46 + 256 <= memory, "{cores} cores, {memory} MiB");
    }
}
