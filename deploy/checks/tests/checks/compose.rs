//! The Compose file matches the cluster's manifests and publishes only the proxy.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::process::Command;
use std::time::Duration;

use hourmeter_gateway::parse_proxies;
use hourmeter_runtime::testing::server_url;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use crate::kubernetes::Overlay;
use crate::kubernetes::secrets::Secrets;
use crate::{documents, items, keys, number, process_names, read, root, text, texts};

const SECRETS: &str = "${SECRETS:-/etc/hourmeter}/";

fn compose() -> Value {
    documents(&read("deploy/compose.yaml")).remove(0)
}

fn environment<'a>(service: &'a Value) -> BTreeMap<&'a str, &'a str> {
    let all = keys(&service["environment"]).into_iter();
    // Set only with a sender of mail.
    let optional = |value: &'a str| {
        let start = ["${MAIL_FROM:+", "${SMS_API:+"];
        let path = start.iter().find_map(|start| value.strip_prefix(start));
        path?.strip_suffix('}')
    };
    all.map(|name| (name, text(&service["environment"][name])))
        .map(|(name, value)| (name, optional(value).unwrap_or(value)))
        .collect()
}

fn mounts(service: &Value) -> Vec<(&str, &str)> {
    let all = texts(&service["volumes"]).into_iter();
    let all = all.filter_map(|volume| volume.strip_prefix(SECRETS)?.split_once(':'));
    all.map(|(folder, mount)| (folder, mount.strip_suffix(":ro").expect("read only")))
        .collect()
}

#[test]
fn compose_environment_matches_cluster() {
    let secrets = Secrets::make("compose");
    let compose = compose();
    let services = &compose["services"];
    let overlay = Overlay::of("production");
    for work in overlay.processes() {
        let service = &services[&work.name];
        let arguments = &work.container()["args"];
        assert_eq!(service["command"], *arguments, "{}", work.name);
        let (mut ours, mut theirs) = (environment(service), overlay.environment(&work));
        assert_eq!(ours["APP_ENV"], "${APP_ENV:-production}");
        let origin = ours.get("PUBLIC_ORIGIN");
        assert_eq!(origin.is_some(), theirs.contains_key("PUBLIC_ORIGIN"));
        assert!(origin.is_none_or(|origin| origin.starts_with("https://${DOMAIN:?")));
        for name in [
            "APP_ENV",
            "MAIL_FROM",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_TRACES_SAMPLER_ARG",
            "PLAINTEXT_HOSTS",
            "PUBLIC_ORIGIN",
            "SMS_API",
            "SMS_COUNTRY_CODES",
            "SMS_FROM",
            "STOP_WAIT_SECONDS",
            "TRUSTED_PROXIES",
        ] {
            ours.remove(name);
            theirs.remove(name);
        }
        let theirs: BTreeMap<_, _> = theirs
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(ours, theirs, "{}", work.name);
    }
    for name in keys(services) {
        let mounts = mounts(&services[name]);
        for (folder, _) in &mounts {
            assert!(secrets.0.join(folder).is_dir(), "{name}: {folder}");
        }
        for (variable, path) in environment(&services[name]) {
            if variable.ends_with("_FILE") {
                let (folder, mount) = mounts
                    .iter()
                    .find(|(_, mount)| path.starts_with(mount))
                    .expect(path);
                let file = secrets
                    .0
                    .join(folder)
                    .join(path[mount.len()..].trim_start_matches('/'));
                assert!(file.is_file(), "{name} {variable}: {}", file.display());
                // Only migrations get the owner role.
                let is_owner = folder.ends_with("-owner");
                assert_eq!(is_owner, name.ends_with("-migration"), "{name} {variable}");
            }
        }
    }
}

#[test]
fn compose_services_wait_for_migrations_and_fit_database() {
    let compose = compose();
    let services = &compose["services"];
    let drain = hourmeter_runtime::connections::DRAIN;
    let drain = i64::try_from(drain.as_secs()).expect("seconds");
    let mut connections = 0;
    for process in process_names() {
        let service = &services[process];
        let wait = number(&service["environment"]["STOP_WAIT_SECONDS"]);
        let grace = number(&service["stop_grace_period"]);
        assert!(grace > wait + drain, "{process}");
        if process == "gateway" {
            continue;
        }
        let job = format!("{process}-migration");
        let waited = &service["depends_on"][&job]["condition"];
        assert_eq!(waited, "service_completed_successfully", "{process}");
        let job = &services[&job];
        assert_eq!(job["command"], json!([process, "migrate"]));
        assert_eq!(job["restart"], "on-failure");
        let waited = &job["depends_on"]["postgres"]["condition"];
        assert_eq!(waited, "service_healthy", "{process}");
        // Plus one for its migration.
        connections += number(&service["environment"]["MAX_CONNECTIONS"]) + 1;
    }
    assert!(services["postgres"]["healthcheck"].is_object());
    let mut command = texts(&services["postgres"]["command"]).into_iter();
    let admitted = command.find_map(|word| word.strip_prefix("max_connections="));
    let admitted = number(&admitted.expect("max_connections").into());
    let fits = connections > 60 && connections * 10 <= admitted * 8;
    assert!(fits, "{connections} of {admitted}");
}

#[test]
fn compose_containers_are_restricted() {
    let compose = compose();
    let services = &compose["services"];
    let mut all = 0;
    for name in keys(services) {
        let service = &services[name];
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        let options = json!(["no-new-privileges:true"]);
        assert_eq!(service["security_opt"], options, "{name}");
        let limit = text(&service["mem_limit"]).strip_suffix('m');
        let limit: u32 = limit.expect("MB").parse().expect("a number");
        if !name.ends_with("-migration") {
            all += limit;
        }
    }
    for work in Overlay::of("production").processes() {
        let limit = text(&work.container()["resources"]["limits"]["memory"]);
        let ours = text(&services[&work.name]["mem_limit"]);
        assert_eq!(
            ours.strip_suffix('m'),
            limit.strip_suffix("Mi"),
            "{}",
            work.name
        );
    }
    // The memory that deploy/one-host.md requires.
    assert!(all <= 4 * 1024 + 256, "{all} MB");
}

#[test]
fn compose_publishes_proxy_only() {
    let compose = compose();
    let services = &compose["services"];
    for name in keys(services) {
        let service = &services[name];
        assert_eq!(service["ports"].is_null(), name != "caddy", "{name}");
        let has_host = ["network_mode", "privileged"].map(|field| !service[field].is_null());
        assert_eq!(has_host, [false; 2], "{name}");
        // A map if addresses are set.
        let mut networks = keys(&service["networks"]);
        networks.extend(items(&service["networks"]).map(text));
        let expected: &[_] = match name {
            "caddy" => &["edge"],
            "gateway" => &["edge", "inside"],
            "billing" => &["inside", "payments"],
            "notifications" => &["inside", "mail"],
            _ => &["inside"],
        };
        assert_eq!(Vec::from_iter(networks), expected, "{name}");
    }
    assert_eq!(compose["networks"]["inside"]["internal"], true);
}

#[test]
fn compose_gateway_trusts_proxy_only() {
    let compose = compose();
    let (caddy, gateway) = (
        &compose["services"]["caddy"],
        &compose["services"]["gateway"],
    );
    let config = &caddy["configs"][0];
    assert_eq!(config["target"], "/etc/caddy/Caddyfile");
    // A read-only container cannot have a config with `content`.
    let source = &compose["configs"][text(&config["source"])];
    assert_eq!(*source, json!({"file": "./Caddyfile"}));
    let content = read("deploy/Caddyfile");
    let lines = content.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    // Caddy expands the braces.
    assert_eq!(words[..2], ["{$DOMAIN}", "{"]);
    assert!(text(&caddy["environment"]["DOMAIN"]).starts_with("${DOMAIN:?"));
    let after = |word: &str| {
        let place = words.iter().position(|other| *other == word);
        words[place.expect("the directive") + 1]
    };
    let port = text(&gateway["environment"]["PORT"]);
    assert_eq!(after("reverse_proxy"), format!("gateway:{port}"));
    // Caddy must close idle connections first.
    let idle = u64::try_from(number(&after("keepalive").into())).expect("seconds");
    assert!(Duration::from_secs(idle) < hourmeter_gateway::HEADER_TIMEOUT);

    let proxies = |text: &str| parse_proxies(text).expect("addresses");
    let addresses =
        ["ipv4_address", "ipv6_address"].map(|kind| text(&caddy["networks"]["edge"][kind]));
    let trusted = proxies(text(&gateway["environment"]["TRUSTED_PROXIES"]));
    assert_eq!(trusted, proxies(&addresses.join(",")));
    // Both addresses are in the shared network; IPv6 keeps client addresses.
    let edge = &compose["networks"]["edge"];
    assert_eq!(edge["enable_ipv6"], true);
    let subnets = items(&edge["ipam"]["config"]).map(|found| text(&found["subnet"]));
    let subnets = proxies(&subnets.collect::<Vec<_>>().join(","));
    assert_eq!(subnets.len(), addresses.len());
    for (subnet, address) in subnets.iter().zip(addresses) {
        let address: IpAddr = address.parse().expect("an address");
        assert!(subnet.contains(&address), "{subnet} {address}");
    }
}

#[test]
fn database_script_creates_roles_and_grants() {
    let server = server_url();
    // Roles are global and used by other tests.
    let database = format!("scripted_{}", std::process::id());
    let psql = |arguments: &[&str]| {
        let mut psql = Command::new("psql");
        psql.args(["--no-psqlrc", "-At", server.expose_secret()]);
        let output = psql.args(arguments).output();
        let output = output.expect("psql; deploy/gate installs it");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("a text")
    };
    let script = root().join("deploy/postgres/database.sql");
    let script = format!(
        // The lock of tests that create roles.
        "SELECT pg_advisory_lock(4711);
        \\set service accounts\n\\set password test\n\\set owner_password test
        \\set database {database}\n\\i {}\n",
        script.display()
    );
    let file = std::env::temp_dir().join(format!("{database}.sql"));
    std::fs::write(&file, script).expect("written");
    // The script is idempotent.
    psql(&["-f", &file.display().to_string()]);
    psql(&["-f", &file.display().to_string()]);
    std::fs::remove_file(file).expect("removed");
    let rights = format!(
        "SELECT (SELECT datdba::regrole FROM pg_database WHERE datname = '{database}'), \
         has_database_privilege('hourmeter_accounts', '{database}', 'CONNECT'), \
         has_database_privilege('public', '{database}', 'CONNECT'), \
         pg_has_role('hourmeter_accounts_owner', 'tenant_lookup', 'MEMBER'), \
         (SELECT bool_or(has_database_privilege('public', oid, 'CONNECT')) FROM pg_database \
          WHERE datname IN ('postgres', 'template1')), \
         rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'hourmeter_accounts'"
    );
    let rights = psql(&["-c", &rights]);
    psql(&["-c", &format!("DROP DATABASE {database}")]);
    assert_eq!(rights.trim(), "hourmeter_accounts_owner|t|f|t|f|f");
}
