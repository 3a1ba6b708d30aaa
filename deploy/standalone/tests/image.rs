//! Contents of the container image, and a start with nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::Result;
use hourmeter_lab::{data_folder, free_port, root};
use serde_json::Value;

/// User id in the image.
const PERSON: &str = "65532";

/// Maximum bytes beside the program. The C library takes 3.2 MB; an unnecessary file would exceed
/// this or have another name.
const MAX_OTHER_BYTES: u64 = 4_500_000;

/// The unpacked image of the program under test: settings and files.
struct Image {
    config: Value,
    files: PathBuf,
    listing: String,
    _folder: tempfile::TempDir,
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8(output.stdout).expect("a text")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

impl Image {
    fn build() -> Self {
        let folder = data_folder().expect("a folder");
        let at = folder.path();
        let archive = at.join("image.tar");
        run(Command::new(root().join("deploy/image/build"))
            .arg("--binary")
            .arg(env!("CARGO_BIN_EXE_hourmeter"))
            .args(["--tag", "hourmeter:test", "--output"])
            .arg(format!("oci-archive:{}", archive.display())));
        run(Command::new("tar")
            .arg("-xf")
            .arg(&archive)
            .arg("-C")
            .arg(at));
        let blob = |of: &Value| {
            let digest = of["digest"].as_str().expect("a digest");
            at.join("blobs").join(digest.replace(':', "/"))
        };
        let index = json(&at.join("index.json"));
        let manifest = json(&blob(&index["manifests"][0]));
        let layers = manifest["layers"].as_array().expect("layers");
        assert_eq!(layers.len(), 1);
        let files = at.join("files");
        fs::create_dir(&files).expect("a folder");
        let (layer, config) = (blob(&layers[0]), blob(&manifest["config"]));
        let listing = run(Command::new("tar")
            .args(["--numeric-owner", "-tvzf"])
            .arg(&layer));
        run(Command::new("tar")
            .arg("-xzf")
            .arg(&layer)
            .arg("-C")
            .arg(&files));
        Self {
            config: json(&config)["config"].clone(),
            files,
            listing,
            _folder: folder,
        }
    }

    /// Starts a process that sees only the image's files, as the image's user.
    fn start(&self, arguments: &[&str], environment: &[(&str, String)]) -> Running {
        let mut command = if rustix::process::geteuid().is_root() {
            let mut command = Command::new("chroot");
            command.arg(format!("--userspec={PERSON}:{PERSON}"));
            command
        } else {
            let mut command = Command::new("unshare");
            command.args(["--map-root-user", "chroot"]);
            command
        };
        let path = std::env::var_os("PATH").expect("a path");
        let child = command
            .arg(&self.files)
            .arg("/hourmeter")
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .spawn();
        Running(child.expect("it starts"))
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn texts(value: &Value) -> Vec<&str> {
    let items = value.as_array().expect("a list");
    items
        .iter()
        .map(|item| item.as_str().expect("a text"))
        .collect()
}

/// Arguments of an instruction in the Dockerfile's last stage.
fn arguments<'a>(dockerfile: &'a str, instruction: &str) -> Vec<&'a str> {
    let (_, last) = dockerfile.split_once("FROM scratch").expect("a last stage");
    let mut lines = last.lines();
    let line = lines.find_map(|line| line.strip_prefix(instruction));
    line.expect("the instruction").split_whitespace().collect()
}

/// Checks name, owner and size of every file, and that none is writable by others or setuid.
fn check_files(listing: &str) {
    let mut names = BTreeSet::new();
    let mut beside_the_program = 0;
    for line in listing.lines() {
        let fields: Vec<_> = line.split_whitespace().collect();
        let (mode, owner, name) = (fields[0], fields[1], fields[5]);
        assert_eq!(owner, "0/0", "{line}");
        assert!(mode.starts_with('d') || mode.starts_with('-'), "{line}");
        assert_eq!((&mode[5..6], &mode[8..9]), ("-", "-"), "{line}");
        assert!(!mode.contains(['s', 't']), "{line}");
        if mode.starts_with('-') {
            let name = name.rsplit('/').next().expect("a name");
            names.insert(name);
            if name != "hourmeter" {
                beside_the_program += fields[2].parse::<u64>().expect("bytes");
            }
        }
    }
    assert!(
        beside_the_program < MAX_OTHER_BYTES,
        "{beside_the_program} bytes"
    );
    // The loader's name depends on the architecture.
    names.retain(|name| !name.starts_with("ld-linux"));
    let expected = [
        "group",
        "hourmeter",
        "libc.so.6",
        "libgcc_s.so.1",
        "libm.so.6",
        "nsswitch.conf",
        "passwd",
    ];
    assert_eq!(names, BTreeSet::from(expected));
}

/// Compares the settings of both build methods.
fn check_settings(config: &Value) {
    let dockerfile = fs::read_to_string(root().join("deploy/image/Dockerfile")).expect("a file");
    assert_eq!(config["User"], format!("{PERSON}:{PERSON}"));
    assert_eq!(
        arguments(&dockerfile, "USER"),
        [format!("{PERSON}:{PERSON}")]
    );
    assert_eq!(texts(&config["Entrypoint"]), ["/hourmeter"]);
    assert_eq!(arguments(&dockerfile, "ENTRYPOINT"), ["[\"/hourmeter\"]"]);
    assert!(config["Cmd"].is_null());
    assert_eq!(
        config["StopSignal"],
        arguments(&dockerfile, "STOPSIGNAL")[0]
    );
    let env: BTreeSet<_> = texts(&config["Env"]).into_iter().collect();
    assert_eq!(env, arguments(&dockerfile, "ENV").into_iter().collect());
    let ports = config["ExposedPorts"].as_object().expect("ports");
    let ports: BTreeSet<_> = ports.keys().map(String::as_str).collect();
    assert_eq!(
        ports,
        arguments(&dockerfile, "EXPOSE").into_iter().collect()
    );
}

/// The first response on a port.
async fn answer(port: u16, path: &str) -> reqwest::Response {
    let url = format!("http://127.0.0.1:{port}{path}");
    for _ in 0..750 {
        if let Ok(answer) = reqwest::get(&url).await {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{url} never answered");
}

#[tokio::test]
async fn image_contains_program_and_runs_as_unprivileged_user() -> Result<()> {
    let image = Image::build();
    check_files(&image.listing);
    check_settings(&image.config);

    let (public, admin) = (free_port()?, free_port()?);
    let backend = format!("http://127.0.0.1:{}", free_port()?);
    let gateway = image.start(
        &["gateway"],
        &[
            ("APP_ENV", "test".to_owned()),
            ("HOST", "127.0.0.1".to_owned()),
            ("PORT", public.to_string()),
            ("ADMIN_LISTEN", format!("127.0.0.1:{admin}")),
            (
                "IDENTITY_SIGNING_KEY",
                "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".to_owned(),
            ),
            ("ACCOUNTS_URL", backend.clone()),
            ("EQUIPMENT_URL", backend.clone()),
            ("OPERATOR_UPDATES_URL", backend.clone()),
            ("BILLING_URL", backend.clone()),
            ("NOTIFICATIONS_URL", backend),
        ],
    );
    assert_eq!(answer(admin, "/livez").await.status(), 200);
    let status = fs::read_to_string(format!("/proc/{}/status", gateway.0.id()));
    if rustix::process::geteuid().is_root() {
        assert!(
            status
                .expect("a process")
                .contains(&format!("Uid:\t{PERSON}\t"))
        );
    }
    let page = answer(public, "/equipment").await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.expect("a text");
    let script = page.split("src=\"").find_map(|part| {
        let (path, _) = part.split_once('"')?;
        path.starts_with("/assets/").then_some(path)
    });
    let script = answer(public, script.expect("a script")).await;
    assert_eq!(script.status(), 200);
    assert_eq!(script.headers()["content-type"], "text/javascript");
    Ok(())
}
