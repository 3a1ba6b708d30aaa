//! What the pages tell people to do is what the files and the programs take.

use std::collections::BTreeSet;
use std::process::Command;

use super::overlay::{Overlay, Workload, documents};
use super::processes::{Secrets, program, told, with_payments};
use super::settings::files;
use super::{example_jobs, process_names, read, root};

/// Commands that a page has done within a running process: the process, and the program's arguments.
fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    for line in page.lines() {
        for (before, after) in line.match_indices("/hourmeter ").filter_map(|(at, name)| {
            let (before, after) = line.split_at(at);
            let before = before.trim_end().trim_end_matches(" --");
            // Not the name of an image or an address.
            let (_, process) = before.rsplit_once(" exec ")?;
            Some((process, &after[name.len()..]))
        }) {
            let process = before.trim_start_matches("deploy/").to_owned();
            let after = after.split('`').next().unwrap_or_default();
            let arguments = after.split_whitespace().map(str::to_owned);
            found.push((process, arguments.collect()));
        }
    }
    found
}

/// The image has nothing but the program: no shell, and no path to look it up on.
#[test]
fn what_pages_run_in_a_process_is_a_command_that_finds_its_settings() {
    let secrets = Secrets::make("commands");
    with_payments(&secrets);
    let overlay = Overlay::of("production");
    let processes = overlay.processes();
    let pages = ["deploy/cluster.md", "deploy/one-host.md"];
    let mut tried = BTreeSet::new();
    for (page, (process, arguments)) in pages
        .iter()
        .flat_map(|page| commands(&read(page)).into_iter().map(move |it| (page, it)))
    {
        let work = processes.iter().find(|work| work.name == process);
        let work = work.unwrap_or_else(|| panic!("{page}: there is no {process}"));
        // Nobody is there to ask, which is what it shall come to.
        let mut environment = told(&overlay, work, &secrets);
        environment.insert(
            "STRIPE_API_BASE".to_owned(),
            "https://127.0.0.1:1/".to_owned(),
        );
        let done = Command::new(program())
            .args(&arguments)
            .env_clear()
            .envs(environment)
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&done.stderr);
        let reached = UNREACHED.iter().any(|problem| said.contains(problem));
        assert!(reached, "{page}: {process} {arguments:?}: {said}");
        tried.insert(arguments.join(" "));
    }
    let expected = ["accounts reseal", "billing sync-catalogue"];
    assert_eq!(tried, expected.map(str::to_owned).into());
}

/// How a command ends that had all its settings.
const UNREACHED: [&str; 2] = ["failed to lookup address information", "payment provider"];

/// The folder of the authority that the page writes into the URLs of a Secret.
fn authority_folder(page: &str, secret: &str) -> Option<String> {
    let row = page
        .lines()
        .filter(|line| line.starts_with('|'))
        .find(|line| {
            line.split('|')
                .nth(1)
                .is_some_and(|names| names.contains(&format!("`{secret}`")))
        })?;
    let (_, path) = row.split_once("sslrootcert=")?;
    let (folder, key) = path.split('`').next()?.rsplit_once('/')?;
    assert_eq!(key, "ca.crt", "{row}");
    Some(folder.to_owned())
}

#[test]
fn the_authority_in_an_address_is_where_the_secret_is_mounted() {
    let page = read("deploy/cluster.md");
    let check = |overlay: &Overlay, work: &Workload| {
        let held: Vec<_> = files(overlay, work).into_values().collect();
        for url in held.iter().filter(|held| held.key == "url") {
            let folder = authority_folder(&page, &url.name);
            let folder = folder.unwrap_or_else(|| panic!("deploy/cluster.md on {}", url.name));
            let mounts = work.container().volume_mounts.iter().flatten();
            let mut mounts = mounts.filter(|mount| mount.mount_path == folder);
            let mount = mounts.next();
            let mount = mount.unwrap_or_else(|| panic!("{}: nothing at {folder}", work.name));
            let mut volumes = work.spec.volumes.iter().flatten();
            let volume = volumes.find(|volume| volume.name == mount.name);
            let secret = volume.and_then(|volume| volume.secret.as_ref());
            let name = secret.and_then(|secret| secret.secret_name.as_deref());
            // A command on all databases has the authority of the first one's server.
            let name = name.expect("a Secret");
            let both_owners = [name, &url.name]
                .iter()
                .all(|name| name.ends_with("-owner"));
            let alike = name == url.name || both_owners;
            assert!(alike, "{}: {name} at {folder}", work.name);
        }
    };
    for overlay in Overlay::all() {
        for work in overlay.processes().iter().chain(&overlay.migrations()) {
            check(&overlay, work);
        }
    }
    for (file, work) in example_jobs() {
        check(&file, &work);
    }
}

#[test]
fn an_authority_keeps_its_key_and_another_can_take_over() {
    let text = read("deploy/kubernetes/overlays/production/certificates.yaml");
    let next = documents(&read("deploy/kubernetes/examples/next-authority.yaml"));
    let ours = documents(&text);
    let authorities: Vec<_> = ours
        .iter()
        .chain(&next)
        .filter(|found| found["spec"]["isCA"] == true)
        .collect();
    let names: BTreeSet<_> = authorities
        .iter()
        .map(|found| found["spec"]["commonName"].as_str().expect("a name"))
        .collect();
    assert_eq!(
        names,
        ["Hourmeter cluster CA", "Hourmeter cluster CA 2"].into()
    );
    for found in &authorities {
        let name = &found["metadata"]["name"];
        // cert-manager makes another key by default, which nobody would believe.
        assert_eq!(
            found["spec"]["privateKey"]["rotationPolicy"], "Never",
            "{name}"
        );
        // Each signs under its own name.
        let signs = ours
            .iter()
            .chain(&next)
            .find(|issuer| issuer["kind"] == "Issuer" && issuer["metadata"]["name"] == *name);
        let signs = &signs.expect("an Issuer")["spec"]["ca"]["secretName"];
        assert_eq!(*signs, found["spec"]["secretName"]);
    }
    // What the page has replaced is the issuer of every process, and nothing else.
    let page = read("deploy/cluster.md");
    let from = "issuerRef: { name: cluster-ca,";
    let to = "issuerRef: { name: cluster-ca-2,";
    assert!(page.contains(&format!("'s/{from}/{to}/'")));
    let changed = documents(&text.replace(from, to));
    let moved: BTreeSet<_> = changed
        .iter()
        .filter(|found| found["spec"]["issuerRef"]["name"] == "cluster-ca-2")
        .map(|found| {
            found["metadata"]["name"]
                .as_str()
                .expect("a name")
                .to_owned()
        })
        .collect();
    assert_eq!(moved, process_names());
    // What it has people wait for is what a process says.
    let said = "new certificates are in use";
    assert!(page.contains(said) && read("services/runtime/src/tls/mod.rs").contains(said));
}

#[test]
fn the_list_of_what_is_in_the_folder_is_complete() {
    let list = read("deploy/README.md");
    let entries = std::fs::read_dir(root().join("deploy")).expect("a folder");
    for entry in entries {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        if name == "README.md" || name.starts_with('.') {
            continue;
        }
        let folder = format!("`{name}/`");
        let listed = [folder, format!("`{name}`"), format!("]({name})")];
        assert!(listed.iter().any(|text| list.contains(text)), "{name}");
    }
    for link in list.split("](").skip(1) {
        let path = link.split(')').next().expect("a link");
        assert!(root().join("deploy").join(path).exists(), "{path}");
    }
}
