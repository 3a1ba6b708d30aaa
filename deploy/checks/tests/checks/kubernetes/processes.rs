//! Variables, files, ports, addresses and certificates of the manifests match the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hourmeter_runtime::identity::Service;
use serde_json::json;

use super::pods::{answers, free_port};
use super::secrets::Secrets;
use super::{Overlay, SourceFile, Workload, selects, variable};
use crate::{items, process_names, text, texts};

#[test]
fn only_migrations_and_jobs_get_the_owner_role() {
    let secrets = Secrets::make("files");
    let owner = |service: &str| SourceFile {
        secret: true,
        name: format!("{service}-database-owner"),
        key: "url".to_owned(),
    };
    for overlay in Overlay::all() {
        for work in overlay.processes().iter().chain(&overlay.migrations()) {
            let files = overlay.files(work);
            for (name, source_file) in &files {
                let path = secrets.path(source_file);
                assert!(path.is_file(), "{} {name}: {source_file:?}", work.name);
            }
            // Only migrations get the owner role.
            if work.component() == "migration" {
                assert_eq!(
                    files.into_values().collect::<Vec<_>>(),
                    [owner(work.service())]
                );
            } else {
                let mut names = files.values().map(|source_file| &source_file.name);
                assert!(!names.any(|name| name.contains("owner")), "{}", work.name);
            }
        }
    }
    for overlay in Overlay::all().into_iter().chain([Overlay::examples()]) {
        for work in overlay.workloads() {
            let files = overlay.files(&work);
            let mut paths = files.values().map(|source_file| secrets.path(source_file));
            assert!(paths.all(|path| path.is_file()), "{files:?}");
            // A command on all databases gets every owner role.
            if work.container()["args"][0] == "company" {
                let all = Service::ALL.map(|service| {
                    let name = variable(service.name());
                    (format!("{name}_DATABASE_URL_FILE"), owner(service.name()))
                });
                assert_eq!(files, all.into());
            }
        }
    }
}

/// The environment of a manifest with generated secret files.
fn environment(overlay: &Overlay, work: &Workload, secrets: &Secrets) -> BTreeMap<String, String> {
    let mut environment = overlay.environment(work);
    let files = overlay.files(work).into_iter();
    environment.extend(
        files.map(|(name, source_file)| (name, secrets.path(&source_file).display().to_string())),
    );
    environment
}

/// The program built by the workspace beside the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("a path");
    let program = tests
        .parent()
        .and_then(Path::parent)
        .expect("a folder")
        .join("hourmeter");
    assert!(program.exists(), "build the workspace's programs first");
    program
}

/// A running process and its admin port.
struct Started(Child, u16);

impl Started {
    /// Starts it with the environment of its manifest except for ports.
    fn new(work: &Workload, mut environment: BTreeMap<String, String>) -> Self {
        let admin = free_port();
        for (name, value) in [
            ("LISTEN", format!("127.0.0.1:{}", free_port())),
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", free_port().to_string()),
            ("ADMIN_LISTEN", format!("127.0.0.1:{admin}")),
        ] {
            environment
                .entry(name.to_owned())
                .and_modify(|old| *old = value);
        }
        let mut command = Command::new(program());
        command
            .args(texts(&work.container()["args"]))
            .env_clear()
            .envs(environment);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        Self(child.expect("a process"), admin)
    }

    /// Waits until it is alive; an error contains its output.
    fn wait_until_live(mut self) -> Result<(), String> {
        for _ in 0..400 {
            if self.0.try_wait().expect("a process").is_some() {
                let mut said = String::new();
                let mut error = self.0.stderr.take().expect("a pipe");
                error.read_to_string(&mut said).expect("a text");
                return Err(said);
            }
            if answers(self.1, "/livez") {
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

#[test]
fn processes_start_with_manifest_environment() {
    let secrets = Secrets::verified("start");
    for overlay in Overlay::all() {
        for work in overlay.processes() {
            let started =
                Started::new(&work, environment(&overlay, &work, &secrets)).wait_until_live();
            started.unwrap_or_else(|said| panic!("{} of {}: {said}", work.name, overlay.name));
        }
    }
}

#[test]
fn production_requires_every_file() {
    let secrets = Secrets::make("without");
    let overlay = Overlay::of("production");
    for work in overlay.processes() {
        let mut files: BTreeSet<_> = overlay.files(&work).into_keys().collect();
        // Optional: without it, each process limits rates on its own.
        files.remove("REDIS_URL_FILE");
        // Optional: the signing key is used instead.
        files.remove("LIMITS_KEY_FILE");
        for name in files {
            let mut environment = environment(&overlay, &work, &secrets);
            environment.remove(&name);
            let said = Started::new(&work, environment)
                .wait_until_live()
                .expect_err(&name);
            assert!(
                said.contains(name.trim_end_matches("_FILE")),
                "{name}: {said}"
            );
        }
    }
}

/// Commands for a running pod, here without database and payment provider.
#[test]
fn commands_read_settings_of_pod() {
    let secrets = Secrets::verified("commands");
    let overlay = Overlay::of("production");
    for (process, command, unreached) in [
        ("accounts", "reseal", "failed to lookup address information"),
        ("billing", "sync-catalogue", "payment provider"),
    ] {
        let work = overlay.process(process);
        let mut program = Command::new(program());
        program.args([process, command]).env_clear();
        program.envs(environment(&overlay, &work, &secrets));
        let output = program
            .env("STRIPE_API_BASE", "https://127.0.0.1:1/")
            .output();
        let output = output.expect("a process");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(unreached), "{process}: {said}");
    }
}

#[test]
fn ports_and_urls_match_processes() {
    for overlay in Overlay::all() {
        let all = overlay.workloads();
        let mut called = BTreeSet::new();
        for work in overlay.processes() {
            let environment = overlay.environment(&work);
            let opens = |port: &str, variable: &str| {
                let number = environment[variable].rsplit(':').next();
                assert_eq!(number, Some(&*work.port(port).to_string()), "{}", work.name);
            };
            opens("admin", "ADMIN_LISTEN");
            if work.name == "gateway" {
                opens("http", "PORT");
                assert_eq!(environment["HOST"], "0.0.0.0");
            } else {
                opens("grpc", "LISTEN");
            }
            let urls = environment.iter();
            for (name, url) in urls.filter(|(name, _)| name.ends_with("_URL")) {
                let host = url
                    .strip_prefix("https://")
                    .and_then(|url| url.split_once(':'));
                let (host, port) = host.expect("TLS and a port");
                assert_eq!(*name, format!("{}_URL", variable(host)));
                let service = &overlay.named("Service", host)["spec"];
                // Callers probe each replica directly, without a virtual address.
                assert_eq!(service["clusterIP"], "None", "{host}");
                assert_eq!(service["publishNotReadyAddresses"], true, "{host}");
                let server = all.iter().find(|work| work.name == host).expect("a server");
                assert_eq!(server.port("grpc").to_string(), port);
                assert_eq!(service["ports"][0]["port"], *server.port("grpc"));
                called.insert(format!("{} {host}", work.name));
            }
        }
        let expected = [
            "accounts notifications",
            "billing notifications",
            "equipment notifications",
            "gateway accounts",
            "gateway billing",
            "gateway equipment",
            "gateway notifications",
            "gateway operator-updates",
            "notifications accounts",
            "notifications billing",
            "notifications equipment",
            "notifications operator-updates",
            "operator-updates equipment",
            "operator-updates notifications",
        ];
        assert_eq!(called, expected.map(str::to_owned).into());
        for service in overlay.kind("Service") {
            let name = &service["metadata"]["name"];
            let selector = json!({ "matchLabels": service["spec"]["selector"] });
            let pods = all.iter().filter(|work| selects(&selector, &work.labels));
            let pods: Vec<_> = pods.collect();
            assert!(pods.len() == 1 && *name == pods[0].name, "{name}");
            for port in items(&service["spec"]["ports"]) {
                pods[0].port(text(&port["targetPort"]));
            }
        }
    }
}

#[test]
fn certificates_match_processes() {
    let (overlay, examples) = (Overlay::of("production"), Overlay::examples());
    let certificates: Vec<_> = overlay.kind("Certificate").collect();
    assert_eq!(certificates.len(), process_names().len() + 1);
    for work in overlay.processes() {
        let (name, files) = (&work.name, overlay.files(&work));
        let secret = &files["TLS_CERT_FILE"].name;
        assert_eq!(&files["TLS_KEY_FILE"].name, secret);
        let mut specs = certificates.iter().map(|found| &found["spec"]);
        let spec = specs.find(|spec| spec["secretName"] == **secret);
        let spec = spec.expect("a certificate");
        assert!(texts(&spec["dnsNames"]).contains(&name.as_str()), "{name}");
        let usages = texts(&spec["usages"]);
        assert!(
            usages.contains(&"server auth") && usages.contains(&"client auth"),
            "{name}"
        );
        assert_eq!(spec["issuerRef"]["name"], "cluster-ca", "{name}");
    }
    // cert-manager rotates keys by default, which would break trust.
    let mut authorities = BTreeSet::new();
    for file in [&overlay, &examples] {
        for found in file
            .kind("Certificate")
            .filter(|found| found["spec"]["isCA"] == true)
        {
            let (spec, name) = (&found["spec"], text(&found["metadata"]["name"]));
            assert_eq!(spec["privateKey"]["rotationPolicy"], "Never", "{name}");
            let issuer = &file.named("Issuer", name)["spec"];
            assert_eq!(issuer["ca"]["secretName"], spec["secretName"]);
            authorities.insert(text(&spec["commonName"]));
        }
    }
    let expected = ["Hourmeter cluster CA", "Hourmeter cluster CA 2"];
    assert_eq!(authorities, expected.into());
}
