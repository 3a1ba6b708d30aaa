//! Backups that bring everything back: `deploy/backup` and `deploy/restore-drill` on the running
//! product, with the programs of a complete PostgreSQL (the package of `make run` has no tools).

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::json;
use tokio::process::Command;

use crate::product::{Running, Visitor, data_folder, root};

/// The newest complete PostgreSQL of this machine.
fn complete_postgres() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let newest = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path())
        // The package of the tools alone makes such a folder too.
        .filter(|path| path.join("bin/postgres").exists())
        .max();
    newest.expect("a PostgreSQL with its tools; deploy/gate installs one")
}

/// A product on that PostgreSQL, which archives its log into a folder.
async fn archiving_product(data: &Path, backups: &Path) -> Running {
    let package = complete_postgres();
    let package = package.to_str().expect("a path");
    let more = [("POSTGRES_PACKAGE", package)];
    let first = Running::start_with(data, &[], &more).await;
    assert!(first.stop(Signal::TERM).await, "it stops cleanly");
    let wal = backups.join("wal");
    std::fs::create_dir(&wal).expect("a folder");
    for folder in [backups, &wal] {
        // Root's database runs as another user.
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(folder, open).expect("an open folder");
    }
    let file = data.join("postgres/data/postgresql.conf");
    let settings = std::fs::read_to_string(&file).expect("its settings");
    let page = std::fs::read_to_string(root().join("deploy/backup.md")).expect("the page");
    let mut told = page.lines();
    let told = told.find(|line| line.starts_with("archive_command = "));
    let told = told
        .expect("a command")
        .replace("/backup", backups.to_str().expect("a path"));
    let archive = format!("{settings}\narchive_mode = on\n{told}\n");
    std::fs::write(&file, archive).expect("its settings");
    Running::start_with(data, &[], &more).await
}

/// Runs one of the scripts of `deploy/`; whether it ended well, and what it wrote.
async fn script(name: &str, data: &Path, backups: &Path) -> (bool, String) {
    let read = |name: &str| {
        let text = std::fs::read_to_string(data.join("postgres").join(name)).expect("a file");
        text.trim().to_owned()
    };
    let (port, password) = (read("port"), read("password"));
    let path = std::env::join_paths([complete_postgres().join("bin")].into_iter().chain(
        std::env::split_paths(&std::env::var_os("PATH").expect("a path")),
    ));
    let url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
    let output = Command::new(root().join("deploy").join(name))
        .arg(backups)
        .env("PATH", path.expect("a path"))
        .env("PGHOST", "127.0.0.1")
        .env("PGPORT", port)
        .env("PGUSER", "postgres")
        .env("PGPASSWORD", password)
        .env("SERVER_DATABASE_URL", url)
        .env("HOURMETER", env!("CARGO_BIN_EXE_hourmeter"))
        .env("ARCHIVE_PATIENCE", "60")
        .output()
        .await
        .expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    (output.status.success(), text)
}

/// Reports, and applies every other report, until told to stop.
async fn keep_working(manager: Visitor, operator: Visitor, machine: String) {
    for number in 1.. {
        let report = json!({"equipmentId": machine, "newUsage": 100 + number, "fuelAdded": 1.25,
            "fuelType": "diesel", "clientId": format!("{machine}-{number}")});
        let sent = operator.post("/api/operator-updates", report).await;
        let id = sent["id"].as_str().expect("an id").to_owned();
        if number % 2 == 0 {
            let path = format!("/api/operator-updates/{id}/apply");
            manager.send(Method::POST, &path, json!({})).await;
        }
    }
}

#[tokio::test]
async fn a_backup_brings_every_company_back_to_a_fresh_server() {
    let (data, backups) = (data_folder(), data_folder());
    let running = archiving_product(data.path(), backups.path()).await;
    let (ended_well, said) = script("restore-drill", data.path(), backups.path()).await;
    assert!(!ended_well && said.contains("no backup"), "{said}");

    let mut work = tokio::task::JoinSet::new();
    for name in ["Ridge Works", "Harbor Works", "Valley Works"] {
        let manager = Visitor::sign_up(&running.origin, name).await;
        let machine = manager.add_machine("Excavator").await;
        let operator = manager.operator().await;
        work.spawn(keep_working(manager, operator, machine));
    }
    let (ended_well, said) = script("backup", data.path(), backups.path()).await;
    assert!(ended_well, "{said}");
    // All this while they go on reporting: what came after the backup comes from the log.
    let late = Visitor::sign_up(&running.origin, "Late Works").await;
    late.add_machine("Crane").await;
    let (ended_well, said) = script("restore-drill", data.path(), backups.path()).await;
    assert!(ended_well, "{said}");
    assert!(
        work.try_join_next().is_none(),
        "nobody was kept from working"
    );
    work.abort_all();
    assert!(said.contains("Differences: 0."), "{said}");
    assert!(said.contains("Companies: 4. Tables: "), "{said}");
    assert!(said.contains("Lost: 0."), "{said}");

    // A file that is not as it was written does not pass for a backup.
    let base = std::fs::read_dir(backups.path().join("base")).expect("a folder");
    let base = base.flatten().next().expect("a backup").path();
    let manifest = base.join("backup_manifest");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, text.replacen("\"Size\": ", "\"Size\": 1", 1)).expect("written");
    let (ended_well, said) = script("restore-drill", data.path(), backups.path()).await;
    assert!(!ended_well, "{said}");
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");
}
