//! What a process is told, and where its files come from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hourmeter_runtime::identity::Service;
use k8s_openapi::api::core::v1::ConfigMap;

use super::overlay::{Overlay, Workload};
use super::root;

/// One object of the cluster that holds files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Held {
    /// Whether it is a Secret.
    pub secret: bool,
    /// Its name.
    pub name: String,
    /// The file in it.
    pub key: String,
}

/// The environment of a process, what stands in a `ConfigMap` looked up.
pub fn environment(overlay: &Overlay, work: &Workload) -> BTreeMap<String, String> {
    let maps: Vec<ConfigMap> = overlay.typed("ConfigMap");
    let map = |name: &str| {
        let found = maps
            .iter()
            .find(|map| map.metadata.name.as_deref() == Some(name));
        let data = found.and_then(|map| map.data.clone());
        data.unwrap_or_else(|| panic!("{} asks for the ConfigMap {name}", work.name))
    };
    let mut all = BTreeMap::new();
    for source in work.container().env_from.iter().flatten() {
        let source = source.config_map_ref.as_ref().expect("a ConfigMap");
        all.extend(map(&source.name));
    }
    for variable in work.container().env.iter().flatten() {
        let value = variable.value.clone().unwrap_or_else(|| {
            let source = variable.value_from.as_ref().expect("a value");
            let key = source.config_map_key_ref.as_ref().expect("of a ConfigMap");
            map(&key.name).remove(&key.key).expect("its key")
        });
        assert_eq!(
            all.insert(variable.name.clone(), value),
            None,
            "{}",
            variable.name
        );
    }
    all
}

/// Where the file at a path comes from.
pub fn held(work: &Workload, path: &str) -> Held {
    let mounts = work.container().volume_mounts.iter().flatten();
    let mut fitting = mounts.filter_map(|mount| {
        let key = path.strip_prefix(&mount.mount_path)?.strip_prefix('/')?;
        Some((mount.name.clone(), key.to_owned()))
    });
    let (volume, key) = fitting
        .next()
        .unwrap_or_else(|| panic!("{}: nothing is mounted at {path}", work.name));
    let mut volumes = work.spec.volumes.iter().flatten();
    let volume = volumes
        .find(|found| found.name == volume)
        .expect("a volume");
    let secret = volume
        .secret
        .as_ref()
        .and_then(|secret| secret.secret_name.clone());
    let map = volume.config_map.as_ref().map(|map| map.name.clone());
    Held {
        secret: secret.is_some(),
        name: secret.or(map).expect("a Secret or a ConfigMap"),
        key,
    }
}

/// The files a process is told of: by variable, what holds each.
pub fn files(overlay: &Overlay, work: &Workload) -> BTreeMap<String, Held> {
    let all = environment(overlay, work).into_iter();
    all.filter(|(name, _)| name.ends_with("_FILE"))
        .map(|(name, path)| (name, held(work, &path)))
        .collect()
}

/// The names of variables that the code of a process speaks of.
pub fn known(process: &str) -> BTreeSet<String> {
    let own = if process == "gateway" {
        "gateway/src".to_owned()
    } else {
        format!("services/{process}/src")
    };
    let mut names = BTreeSet::new();
    for folder in [own.as_str(), "services/runtime/src"] {
        for path in rust_files(&root().join(folder)) {
            // The gateway has no database, and does not listen as a service does.
            if process == "gateway" && path.ends_with("runtime/src/process/mod.rs") {
                continue;
            }
            names.extend(words(&std::fs::read_to_string(&path).expect("a text")));
        }
    }
    // The gateway makes these names from the services'.
    if process == "gateway" {
        for service in Service::ALL {
            names.insert(format!(
                "{}_URL",
                service.name().to_uppercase().replace('-', "_")
            ));
        }
    }
    names
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

/// Texts in capitals, and what they are called when they name a file.
fn words(source: &str) -> BTreeSet<String> {
    let texts = source.split('"').skip(1).step_by(2);
    let capital = |text: &&str| {
        text.len() > 3
            && text
                .chars()
                .all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    texts
        .filter(capital)
        .flat_map(|name| [name.to_owned(), format!("{name}_FILE")])
        .collect()
}
