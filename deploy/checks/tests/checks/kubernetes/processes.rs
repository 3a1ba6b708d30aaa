//! Variables, files, ports and addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::network::SERVICES;
use super::overlay::{Overlay, Workload, documents};
use super::settings::{Held, environment, files, known};
use super::{example_jobs, read, root};

#[test]
fn every_variable_is_one_the_process_reads() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let known = known(&work.name);
            for name in environment(&overlay, &work).keys() {
                assert!(known.contains(name), "{} never reads {name}", work.name);
            }
        }
        for work in overlay.migrations() {
            let service = work.name.trim_end_matches("-migration");
            let known = known(service);
            for name in environment(&overlay, &work).keys() {
                assert!(known.contains(name), "{} never reads {name}", work.name);
            }
        }
    }
}

#[test]
fn only_migrations_get_the_owner_of_the_tables() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            for held in files(&overlay, &work).values() {
                assert!(!held.name.contains("owner"), "{} {held:?}", work.name);
            }
        }
        for work in overlay.migrations() {
            let service = work.name.trim_end_matches("-migration");
            let all: Vec<_> = files(&overlay, &work).into_values().collect();
            let owner = Held {
                secret: true,
                name: format!("{service}-database-owner"),
                key: "url".to_owned(),
            };
            assert_eq!(all, [owner]);
        }
    }
}

/// The folder in which `deploy/make-secrets` has made what an installation needs.
pub struct Secrets(pub PathBuf);

impl Secrets {
    pub fn make(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hourmeter-{name}-{}", std::process::id()));
        let made = Self(folder);
        made.make_again(&[]);
        made
    }

    /// Runs the script on the folder as it is.
    fn make_again(&self, hosts: &[&str]) {
        let script = root().join("deploy/make-secrets");
        let made = Command::new(script)
            .arg(&self.0)
            .args(hosts)
            .output()
            .expect("it starts");
        let told = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{told}");
    }

    fn path(&self, held: &Held) -> PathBuf {
        self.0.join(&held.name).join(&held.key)
    }
}

impl Drop for Secrets {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The table names it.
fn check_told(page: &str, variable: &str, held: &Held) {
    let (object, key) = (format!("`{}`", held.name), format!("`{}`", held.key));
    let mut rows = page.lines().filter(|line| line.starts_with('|'));
    let told = rows.any(|row| row.contains(&object) && row.contains(&key));
    assert!(told, "{variable}: deploy/cluster.md has no row of {held:?}");
}

#[test]
fn examples_take_their_files_from_the_same_secrets() {
    let secrets = Secrets::make("examples");
    let page = read("deploy/cluster.md");
    for (file, work) in example_jobs() {
        let found = files(&file, &work);
        assert!(!found.is_empty(), "{}", work.name);
        for (name, held) in &found {
            check_told(&page, name, held);
            assert!(secrets.path(held).is_file(), "{name}: {held:?}");
        }
        // What goes through all databases gets each owner under the service's name.
        if work.container().args.as_ref().expect("arguments")[0] == "company" {
            let expected = hourmeter_runtime::identity::Service::ALL.map(|service| {
                let name = service.name();
                let variable = name.to_uppercase().replace('-', "_");
                let held = Held {
                    secret: true,
                    name: format!("{name}-database-owner"),
                    key: "url".to_owned(),
                };
                (format!("{variable}_DATABASE_URL_FILE"), held)
            });
            assert_eq!(found, expected.into());
        }
    }
}

#[test]
fn every_file_comes_from_a_secret_that_is_made_and_documented() {
    let secrets = Secrets::make("files");
    let page = read("deploy/cluster.md");
    for overlay in Overlay::all() {
        for work in overlay.processes().iter().chain(&overlay.migrations()) {
            for (name, held) in files(&overlay, work) {
                check_told(&page, &name, &held);
                if overlay.name == "local" {
                    assert!(secrets.path(&held).is_file(), "{name}: {held:?}");
                }
            }
        }
    }
}

#[test]
fn the_made_keys_fit_together() {
    use hourmeter_runtime::identity::TrustedIssuers;
    use hourmeter_runtime::process::parse_key;

    let secrets = Secrets::make("keys");
    let text = |path: &str| std::fs::read_to_string(secrets.0.join(path)).expect("a file");
    let public: BTreeMap<String, String> =
        serde_json::from_str(&text("identity-public-keys/public-keys")).expect("JSON");
    assert_eq!(public.len(), 2);
    for (sender, public) in public {
        let secret = parse_key(&text(&format!("{sender}-identity/signing-key")).into());
        let expected = TrustedIssuers::public_key(&secret.expect("a key"));
        assert_eq!(parse_key(&public.into()), Ok(expected), "{sender}");
    }
}

#[test]
fn databases_are_believed_by_the_authority_that_was_given() {
    let secrets = Secrets::make("authority");
    let path = |path: &str| secrets.0.join(path);
    let read_made = |name: &str| std::fs::read_to_string(path(name)).expect("a file");
    let authority = path("cluster-ca/ca.crt");
    // What was made without would believe any server.
    let refused = Command::new(root().join("deploy/make-secrets"))
        .arg(&secrets.0)
        .args(["db.example", "cache.example"])
        .arg(&authority)
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    assert!(
        told.contains("accounts-database/url was made without"),
        "{told}"
    );
    for service in SERVICES {
        for kind in ["database", "database-owner"] {
            std::fs::remove_file(path(&format!("{service}-{kind}/url"))).expect("a file");
        }
    }
    let authority = authority.to_str().expect("a path");
    secrets.make_again(&["db.example", "cache.example", authority]);
    let page = read("deploy/cluster.md");
    for service in SERVICES {
        for kind in ["database", "database-owner"] {
            let url = read_made(&format!("{service}-{kind}/url"));
            let (address, ending) = url.split_once('?').expect("options");
            let name = format!("hourmeter_{}", service.replace('-', "_"));
            assert!(address.ends_with(&format!("@db.example:5432/{name}")));
            let expected = format!("sslmode=verify-full&sslrootcert=/secrets/{kind}/ca.crt");
            assert_eq!(ending, expected);
            assert!(page.contains(&format!("sslrootcert=/secrets/{kind}/ca.crt")));
            let kept = read_made(&format!("{service}-{kind}/ca.crt"));
            assert_eq!(kept, read_made("cluster-ca/ca.crt"));
        }
    }
}

#[test]
fn a_store_outside_gives_what_the_page_lists() {
    let page = read("deploy/cluster.md");
    let examples = documents(&read("deploy/kubernetes/examples/external-secrets.yaml"));
    let mut names = Vec::new();
    for example in &examples {
        let spec = &example["spec"];
        let name = spec["target"]["name"].as_str().expect("a name").to_owned();
        assert_eq!(example["metadata"]["name"], name);
        let written = spec["target"]["template"]["data"].as_object();
        let keys: Vec<String> = if let Some(written) = written {
            written.keys().cloned().collect()
        } else {
            let all = spec["data"].as_array().expect("keys").iter();
            all.map(|one| one["secretKey"].as_str().expect("a key").to_owned())
                .collect()
        };
        for key in keys {
            let held = Held {
                secret: true,
                name: name.clone(),
                key,
            };
            check_told(&page, "external-secrets.yaml", &held);
        }
        names.push(name);
    }
    assert_eq!(names, ["accounts-keys", "accounts-database", "redis"]);
}

#[test]
fn secrets_whose_making_broke_off_fit_together_once_it_ran_again() {
    let secrets = Secrets::make("again");
    let read = |path: &str| std::fs::read_to_string(secrets.0.join(path)).expect("a file");
    // What is made of another file, and so the later one of the two.
    let later = [
        "accounts-database/url",
        "redis/url",
        "identity-public-keys/public-keys",
        "cluster-ca/ca.crt",
    ];
    let before = later.map(read);
    for path in later {
        std::fs::remove_file(secrets.0.join(path)).expect("a file");
    }
    secrets.make_again(&[]);
    let after = later.map(read);
    assert_eq!(before[..3], after[..3]);
    let settings = read("redis-settings/redis.conf");
    let password = settings
        .lines()
        .find_map(|line| line.strip_prefix("requirepass "))
        .expect("a password");
    assert_eq!(after[1], format!("redis://:{password}@redis:6379/"));
    for process in ["gateway", "billing"] {
        let verified = Command::new("openssl")
            .args(["verify", "-CAfile"])
            .arg(secrets.0.join("cluster-ca/ca.crt"))
            .arg(secrets.0.join(format!("{process}-tls/tls.crt")))
            .output()
            .expect("openssl is there; deploy/gate installs it");
        let told = String::from_utf8_lossy(&verified.stderr);
        assert!(verified.status.success(), "{told}");
    }
}

/// The environment of a manifest, with the secrets where they are made here.
pub fn told(overlay: &Overlay, work: &Workload, secrets: &Secrets) -> BTreeMap<String, String> {
    let mut environment = environment(overlay, work);
    for (name, held) in files(overlay, work) {
        environment.insert(name, secrets.path(&held).display().to_string());
    }
    environment
}

/// A process with the environment of its manifest, but for ports and the places of files.
struct Started(Child, u16);

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Started {
    fn new(overlay: &Overlay, work: &Workload, secrets: &Secrets, without: Option<&str>) -> Self {
        let mut environment = told(overlay, work, secrets);
        let admin = free_port();
        for (name, value) in [
            ("LISTEN", format!("127.0.0.1:{}", free_port())),
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", free_port().to_string()),
            ("ADMIN_LISTEN", format!("127.0.0.1:{admin}")),
        ] {
            if environment.contains_key(name) {
                environment.insert(name.to_owned(), value);
            }
        }
        if let Some(without) = without {
            assert!(environment.remove(without).is_some(), "{without}");
        }
        let child = Command::new(program())
            .args(work.container().args.iter().flatten())
            .env_clear()
            .envs(environment)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.expect("it starts"), admin)
    }

    /// Whether it lives; else what it said.
    fn lives(mut self) -> Result<(), String> {
        for _ in 0..400 {
            if self.0.try_wait().expect("a process").is_some() {
                let mut told = String::new();
                let mut error = self.0.stderr.take().expect("a pipe");
                error.read_to_string(&mut told).expect("a text");
                return Err(told);
            }
            if is_alive(self.1) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("it neither lives nor ends".to_owned())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_alive(port: u16) -> bool {
    let Ok(mut line) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
        return false;
    };
    let mut answer = String::new();
    let asked = line.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    asked.is_ok() && line.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ")
}

/// The program that the whole workspace's build has put beside the tests.
pub fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("a path");
    let folder = tests.parent().and_then(Path::parent).expect("a folder");
    let program = folder.join("hourmeter");
    assert!(program.exists(), "build the workspace's programs first");
    program
}

/// The secrets that are not made but given.
pub fn with_payments(secrets: &Secrets) {
    let folder = secrets.0.join("billing-stripe");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("api-key"), "sk_test_1").expect("written");
    std::fs::write(folder.join("webhook-secrets"), "whsec_1\n").expect("written");
}

#[test]
fn every_process_starts_with_what_its_manifest_says() {
    let secrets = Secrets::make("start");
    with_payments(&secrets);
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let started = Started::new(&overlay, &work, &secrets, None).lives();
            if let Err(told) = started {
                panic!("{} of {}: {told}", work.name, overlay.name);
            }
        }
    }
}

#[test]
fn a_production_process_refuses_to_start_without_any_of_its_files() {
    let secrets = Secrets::make("without");
    with_payments(&secrets);
    let overlay = Overlay::of("production");
    for work in overlay.processes() {
        for name in files(&overlay, &work).keys() {
            // Without it each process counts for itself.
            if name == "REDIS_URL_FILE" {
                continue;
            }
            let told = Started::new(&overlay, &work, &secrets, Some(name)).lives();
            let told = told.expect_err(name);
            assert!(
                told.contains(name.trim_end_matches("_FILE")),
                "{name}: {told}"
            );
        }
    }
}

fn number(port: &IntOrString, work: &Workload) -> i32 {
    match port {
        IntOrString::Int(port) => *port,
        IntOrString::String(name) => work.port(name),
    }
}

#[test]
fn ports_are_those_the_process_opens() {
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let told = environment(&overlay, &work);
            let last = |name: &str| {
                let port = told[name].rsplit(':').next().expect("a port");
                port.parse::<i32>().expect("a number")
            };
            assert_eq!(work.port("admin"), last("ADMIN_LISTEN"), "{}", work.name);
            if work.name == "gateway" {
                assert_eq!(work.port("http"), last("PORT"));
                assert_eq!(told["HOST"], "0.0.0.0");
            } else {
                assert_eq!(work.port("grpc"), last("LISTEN"), "{}", work.name);
            }
        }
    }
}

/// Who stands behind a Service.
fn behind<'a>(service: &Service, all: &'a [Workload]) -> Vec<&'a Workload> {
    let selector = service
        .spec
        .as_ref()
        .and_then(|spec| spec.selector.as_ref());
    let selector = selector.expect("a selector");
    let fits = |work: &&Workload| {
        let mut wanted = selector.iter();
        wanted.all(|(name, value)| work.labels.get(name) == Some(value))
    };
    all.iter().filter(fits).collect()
}

#[test]
fn services_lead_to_one_kind_of_pod_and_to_a_port_it_has() {
    for overlay in Overlay::all() {
        let all = overlay.workloads();
        for service in overlay.typed::<Service>("Service") {
            let pods = behind(&service, &all);
            let name = service.metadata.name.as_deref().expect("a name");
            assert_eq!(pods.len(), 1, "{name}");
            assert_eq!(pods[0].name, name);
            for port in service
                .spec
                .iter()
                .flat_map(|spec| spec.ports.iter().flatten())
            {
                number(port.target_port.as_ref().expect("a port"), pods[0]);
            }
        }
    }
}

#[test]
fn addresses_of_services_are_headless_and_exist() {
    for overlay in Overlay::all() {
        let services: Vec<Service> = overlay.typed("Service");
        let all = overlay.workloads();
        let mut called = BTreeSet::new();
        for work in overlay.processes() {
            for (name, url) in environment(&overlay, &work) {
                let Some(service) = name.strip_suffix("_URL") else {
                    continue;
                };
                let rest = url.strip_prefix("https://").expect("TLS");
                let (host, port) = rest.split_once(':').expect("a port");
                assert_eq!(host.to_uppercase().replace('-', "_"), service);
                let found = services
                    .iter()
                    .find(|found| found.metadata.name.as_deref() == Some(host));
                let spec = found
                    .and_then(|found| found.spec.as_ref())
                    .expect("a Service");
                assert_eq!(
                    spec.cluster_ip.as_deref(),
                    Some("None"),
                    "{host} is headless"
                );
                // Callers ask each replica themselves whether it serves, and tell of those that do not.
                assert_eq!(spec.publish_not_ready_addresses, Some(true), "{host}");
                // Without a virtual address nobody translates ports.
                let pods = behind(found.expect("a Service"), &all);
                let port: i32 = port.parse().expect("a number");
                assert_eq!(pods[0].port("grpc"), port);
                let ports = spec.ports.as_ref().expect("ports");
                assert!(ports.iter().any(|found| found.port == port));
                called.insert(format!("{} {host}", work.name));
            }
        }
        let expected = [
            "gateway accounts",
            "gateway billing",
            "gateway equipment",
            "gateway operator-updates",
            "operator-updates equipment",
        ];
        assert_eq!(called, expected.map(str::to_owned).into());
    }
}

#[test]
fn certificates_name_whom_they_are_called_by() {
    let overlay = Overlay::of("production");
    let certificates = overlay.kind("Certificate");
    for work in overlay.processes() {
        let files = files(&overlay, &work);
        let secret = &files["TLS_CERT_FILE"].name;
        assert_eq!(&files["TLS_KEY_FILE"].name, secret);
        let found = certificates
            .iter()
            .find(|found| found["spec"]["secretName"] == **secret);
        let spec = &found.unwrap_or_else(|| panic!("no certificate {secret}"))["spec"];
        let names = spec["dnsNames"].as_array().expect("names");
        assert!(names.contains(&work.name.as_str().into()), "{}", work.name);
        let usages = spec["usages"].as_array().expect("usages");
        for usage in ["server auth", "client auth"] {
            assert!(usages.contains(&usage.into()), "{} {usage}", work.name);
        }
    }
}
