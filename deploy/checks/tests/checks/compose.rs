//! The one host's file says the same as the cluster's.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use hourmeter_gateway::parse_proxies;
use hourmeter_runtime::testing::server_url;
use secrecy::ExposeSecret as _;
use serde_json::Value;

use crate::kubernetes::overlay::Overlay;
use crate::kubernetes::processes::Secrets;
use crate::kubernetes::settings::{environment, known};
use crate::kubernetes::{process_names, read};

/// How the folder of the secrets is written.
const SECRETS: &str = "${SECRETS:-/etc/hourmeter}/";

fn file() -> Value {
    serde_saphyr::from_str(&read("deploy/compose.yaml")).expect("YAML")
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().expect("a text").to_owned())
        .collect()
}

fn names(value: &Value) -> BTreeSet<String> {
    let map = value.as_object().expect("a map");
    map.keys().cloned().collect()
}

/// What a service is told.
fn told(service: &Value) -> BTreeMap<String, String> {
    let map = service["environment"].as_object().expect("an environment");
    map.iter()
        .map(|(name, value)| (name.clone(), value.as_str().expect("a text").to_owned()))
        .collect()
}

/// The folder of the secrets that is mounted at a path, and the file in it.
fn held(service: &Value, path: &str) -> (String, String) {
    let volumes = texts(&service["volumes"]);
    let mut fitting = volumes.iter().filter_map(|volume| {
        let (folder, mount) = volume.strip_prefix(SECRETS)?.split_once(':')?;
        let mount = mount.strip_suffix(":ro").expect("read only");
        let key = path.strip_prefix(mount)?.strip_prefix('/')?;
        Some((folder.to_owned(), key.to_owned()))
    });
    fitting
        .next()
        .unwrap_or_else(|| panic!("nothing is mounted at {path}: {volumes:?}"))
}

#[test]
fn every_process_is_told_what_the_cluster_tells_it() {
    let compose = file();
    let overlay = Overlay::of("production");
    for work in overlay.processes() {
        let service = &compose["services"][&work.name];
        let arguments = work.container().args.clone().expect("arguments");
        assert_eq!(texts(&service["command"]), arguments, "{}", work.name);
        let (ours, theirs) = (told(service), environment(&overlay, &work));
        let differing = [
            "APP_ENV",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_TRACES_SAMPLER_ARG",
            "PUBLIC_ORIGIN",
            "STOP_WAIT_SECONDS",
            "TRUSTED_PROXIES",
        ];
        let alike = |all: &BTreeMap<String, String>| {
            let mut all = all.clone();
            all.retain(|name, _| !differing.contains(&name.as_str()));
            all
        };
        assert_eq!(alike(&ours), alike(&theirs), "{}", work.name);
        let known = known(&work.name);
        for name in ours.keys() {
            assert!(known.contains(name), "{} never reads {name}", work.name);
        }
        let origin = ours.get("PUBLIC_ORIGIN");
        assert_eq!(origin.is_some(), theirs.contains_key("PUBLIC_ORIGIN"));
        assert!(origin.is_none_or(|origin| origin.starts_with("https://${DOMAIN:?")));
        assert_eq!(ours["APP_ENV"], "${APP_ENV:-production}");
    }
}

#[test]
fn every_file_is_one_that_is_made() {
    let secrets = Secrets::make("compose");
    let compose = file();
    for name in names(&compose["services"]) {
        let service = &compose["services"][&name];
        if service["environment"].is_null() {
            continue;
        }
        for (variable, path) in told(service) {
            if variable.ends_with("_FILE") {
                let (folder, key) = held(service, &path);
                let file = secrets.0.join(&folder).join(&key);
                assert!(file.is_file(), "{name} {variable}: {}", file.display());
                let owner = folder.ends_with("-owner");
                assert_eq!(owner, name.ends_with("-migration"), "{name} {variable}");
            }
        }
        // What is mounted is read.
        for volume in texts(&service["volumes"]) {
            if let Some(folder) = volume.strip_prefix(SECRETS) {
                let (folder, _) = folder.split_once(':').expect("a place");
                assert!(secrets.0.join(folder).is_dir(), "{name}: {folder}");
            }
        }
    }
}

#[test]
fn a_service_waits_for_its_schema_and_the_schema_for_the_database() {
    let compose = file();
    for process in process_names() {
        if process == "gateway" {
            continue;
        }
        let services = &compose["services"];
        let job = format!("{process}-migration");
        let waited = &services[&process]["depends_on"][&job]["condition"];
        assert_eq!(waited, "service_completed_successfully", "{process}");
        assert_eq!(texts(&services[&job]["command"]), [&process, "migrate"]);
        assert_eq!(services[&job]["restart"], "on-failure");
        let waited = &services[&job]["depends_on"]["postgres"]["condition"];
        assert_eq!(waited, "service_healthy", "{process}");
    }
    assert!(compose["services"]["postgres"]["healthcheck"].is_object());
}

#[test]
fn only_caddy_is_open_and_the_inside_has_no_way_out() {
    let compose = file();
    let known = names(&compose["networks"]);
    for name in names(&compose["services"]) {
        let service = &compose["services"][&name];
        assert_eq!(service["ports"].is_null(), name != "caddy", "{name}");
        let networks: BTreeSet<_> = match &service["networks"] {
            // With addresses.
            map @ Value::Object(_) => names(map),
            list => texts(list).into_iter().collect(),
        };
        assert!(networks.is_subset(&known), "{name}");
        let expected: &[&str] = match name.as_str() {
            "caddy" => &["edge"],
            "gateway" => &["edge", "inside"],
            "billing" => &["inside", "payments"],
            _ => &["inside"],
        };
        assert_eq!(
            networks,
            expected.iter().map(|name| (*name).to_owned()).collect()
        );
    }
    assert_eq!(compose["networks"]["inside"]["internal"], true);
}

#[test]
fn caddy_hands_everything_to_the_gateway_and_gives_up_idle_connections_first() {
    let compose = file();
    let services = &compose["services"];
    let given = &services["caddy"]["configs"][0];
    assert_eq!(
        given["target"], "/etc/caddy/Caddyfile",
        "where the image looks"
    );
    let source = given["source"].as_str().expect("a name");
    let text = compose["configs"][source]["content"].as_str();
    let words: Vec<_> = text.expect("a text").split_whitespace().collect();
    // Compose makes one dollar of two, and Caddy the name of what is in braces.
    assert_eq!(words[..2], ["{$$DOMAIN}", "{"]);
    let domain = services["caddy"]["environment"]["DOMAIN"].as_str();
    assert!(domain.is_some_and(|domain| domain.starts_with("${DOMAIN:?")));
    let after = |word: &str| {
        let place = words.iter().position(|other| *other == word);
        words[place.expect("the directive") + 1]
    };
    let port = services["gateway"]["environment"]["PORT"].as_str();
    let gateway = format!("gateway:{}", port.expect("a port"));
    assert_eq!(after("reverse_proxy"), gateway);
    let idle = after("keepalive").strip_suffix('s').expect("seconds");
    let idle = Duration::from_secs(idle.parse().expect("a number"));
    assert!(idle < hourmeter_gateway::HEADER_TIMEOUT);
}

#[test]
fn the_gateway_believes_caddy_alone_about_clients() {
    let compose = file();
    let services = &compose["services"];
    let told = services["gateway"]["environment"]["TRUSTED_PROXIES"].as_str();
    let trusted = parse_proxies(told.expect("a text")).expect("addresses");
    let caddy = &services["caddy"]["networks"]["edge"];
    let addresses = ["ipv4_address", "ipv6_address"];
    let addresses = addresses.map(|name| caddy[name].as_str().expect("an address"));
    let own = parse_proxies(&addresses.join(",")).expect("addresses");
    assert_eq!(trusted, own);
    // Both are of the network that the two share, which has IPv6: who comes by it keeps the address.
    let edge = &compose["networks"]["edge"];
    assert_eq!(edge["enable_ipv6"], true);
    let subnets = edge["ipam"]["config"].as_array().expect("subnets").iter();
    let subnets = subnets.map(|found| found["subnet"].as_str().expect("a text"));
    let subnets: Vec<_> = subnets.collect();
    let subnets = parse_proxies(&subnets.join(",")).expect("subnets");
    assert_eq!(subnets.len(), addresses.len());
    for (subnet, address) in subnets.iter().zip(addresses) {
        let address: IpAddr = address.parse().expect("an address");
        assert!(subnet.contains(&address), "{subnet} {address}");
    }
}

#[test]
fn processes_may_do_nothing_but_their_work_and_have_time_to_stop() {
    let compose = file();
    let drain = hourmeter_runtime::server::DRAIN.max(hourmeter_gateway::DRAIN);
    for process in process_names() {
        let service = &compose["services"][&process];
        assert_eq!(service["read_only"], true, "{process}");
        assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{process}");
        assert_eq!(texts(&service["security_opt"]), ["no-new-privileges:true"]);
        let grace = service["stop_grace_period"].as_str().expect("a time");
        let grace: u64 = grace.trim_end_matches('s').parse().expect("seconds");
        let wait: u64 = told(service)["STOP_WAIT_SECONDS"].parse().expect("seconds");
        assert!(grace > wait + drain.as_secs(), "{process}");
    }
}

#[test]
fn the_database_admits_all_pools() {
    let compose = file();
    let command = texts(&compose["services"]["postgres"]["command"]);
    let admitted: i32 = command
        .iter()
        .find_map(|word| word.strip_prefix("max_connections="))
        .and_then(|number| number.parse().ok())
        .expect("max_connections");
    let mut needed = 0;
    for process in process_names() {
        let told = told(&compose["services"][&process]);
        let pool = told
            .get("MAX_CONNECTIONS")
            .map(|number| number.parse::<i32>());
        // One more for its migration.
        needed += pool.map_or(0, |number| number.expect("a number") + 1);
    }
    assert!(
        needed > 60 && needed * 10 <= admitted * 8,
        "{needed} of {admitted}"
    );
}

#[test]
fn the_script_for_the_databases_makes_what_the_services_expect() {
    let secrets = Secrets::make("databases");
    let server = server_url();
    // The roles are the server's, and other tests sign in as them.
    let database = format!("scripted_{}", std::process::id());
    let psql = |arguments: &[&str]| {
        let output = std::process::Command::new("psql")
            .args(["--no-psqlrc", "-At", server.expose_secret()])
            .args(arguments)
            .output()
            .expect("psql is there; deploy/gate installs it");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{told}");
        String::from_utf8(output.stdout).expect("a text")
    };
    let script = crate::kubernetes::root().join("deploy/postgres/database.sql");
    let script = script.display().to_string();
    let named = format!("database={database}");
    // Twice: it may run again.
    for _ in 0..2 {
        psql(&[
            // As others who make roles at the same time do.
            "-c",
            "SELECT pg_advisory_lock(4711)",
            "-v",
            "service=accounts",
            "-v",
            "password=test",
            "-v",
            "owner_password=test",
            "-v",
            &named,
            "-f",
            &script,
        ]);
    }
    let owner = psql(&[
        "-c",
        &format!("SELECT datdba::regrole FROM pg_database WHERE datname = '{database}'"),
    ]);
    let rights = psql(&[
        "-c",
        &format!(
            "SELECT has_database_privilege('hourmeter_accounts', '{database}', 'CONNECT'), \
             has_database_privilege('public', '{database}', 'CONNECT'), \
             pg_has_role('hourmeter_accounts_owner', 'tenant_lookup', 'MEMBER'), \
             rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'hourmeter_accounts'"
        ),
    ]);
    psql(&["-c", &format!("DROP DATABASE {database}")]);
    assert_eq!(owner.trim(), "hourmeter_accounts_owner");
    assert_eq!(rights.trim(), "t|f|t|f");

    // What the image runs at its first start names every service, and passwords that are made.
    let start = read("deploy/postgres/init.sh");
    let line = start
        .lines()
        .find_map(|line| line.strip_prefix("for service in "));
    let services: BTreeSet<_> = line
        .and_then(|line| line.strip_suffix("; do"))
        .expect("a loop")
        .split(' ')
        .map(str::to_owned)
        .collect();
    let mut expected = process_names();
    expected.remove("gateway");
    assert_eq!(services, expected);
    for service in services {
        for file in [service.clone(), format!("{service}-owner")] {
            assert!(secrets.0.join("postgres").join(&file).is_file(), "{file}");
        }
    }
}
