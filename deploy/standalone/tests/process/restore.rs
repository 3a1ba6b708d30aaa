//! Backup and restore: `deploy/backup` and `deploy/restore-restore` on the running product, with a
//! complete PostgreSQL (the package of `make run` has no tools).

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use hourmeter_lab::{Product, Visitor, data_folder, root};
use reqwest::{Method, StatusCode};
use rustix::process::Signal;
use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;
use tokio::process::Command;

use crate::hourmeter;

/// The newest complete PostgreSQL on this machine.
fn complete_postgres() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql");
    let newest = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path())
        // The package of the tools alone creates such a folder too.
        .filter(|path| path.join("bin/postgres").exists())
        .max();
    newest.expect("a PostgreSQL with its tools; deploy/gate installs one")
}

/// Starts a product on that PostgreSQL.
async fn start(data: &Path) -> Result<Product> {
    let package = complete_postgres();
    let package = package.to_str().context("a path")?;
    hourmeter()
        .start_with(data, &[], &[("POSTGRES_PACKAGE", package)])
        .await
}

/// A product on that PostgreSQL with WAL archiving.
async fn archiving_product(data: &Path, backups: &Path) -> Result<Product> {
    start(data).await?.stop(Signal::TERM).await?;
    let wal = backups.join("wal");
    std::fs::create_dir(&wal)?;
    for folder in [backups, &wal] {
        // For root, the database runs as another user.
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777))?;
    }
    let file = data.join("postgres/data/postgresql.conf");
    let settings = std::fs::read_to_string(&file)?;
    let page = std::fs::read_to_string(root().join("deploy/backup.md"))?;
    let command = page
        .lines()
        .find(|line| line.starts_with("archive_command = "));
    let command = command.context("an archive_command on the page")?;
    let command = command.replace("/backup", backups.to_str().context("a path")?);
    let archive = format!("{settings}\narchive_mode = on\n{command}\n");
    std::fs::write(&file, archive)?;
    start(data).await
}

/// Runs a program with the product's server in its environment. Returns success and output.
async fn run(mut command: Command, product: &Product) -> Result<(bool, String)> {
    let path = std::env::var_os("PATH").context("a path")?;
    let mut path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    path.insert(0, complete_postgres().join("bin"));
    let output = command
        .env("PATH", std::env::join_paths(path)?)
        .env("PGHOST", "127.0.0.1")
        .env("PGPORT", product.database_file("port")?)
        .env("PGUSER", "postgres")
        .env("PGPASSWORD", product.database_file("password")?)
        .env("SERVER_DATABASE_URL", product.database_url("postgres")?)
        .env("HOURMETER", hourmeter().path())
        .env("ARCHIVE_TIMEOUT", "60")
        .output()
        .await?;
    let text = String::from_utf8([output.stdout, output.stderr].concat())?;
    Ok((output.status.success(), text))
}

/// Runs a script of `deploy/`.
async fn script(name: &str, product: &Product, backups: &Path) -> Result<(bool, String)> {
    let mut command = Command::new(root().join("deploy").join(name));
    command.arg(backups);
    run(command, product).await
}

/// Submits updates and applies every second one until stopped.
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
async fn restore_drill_restores_every_company() -> Result<()> {
    let (data, backups) = (data_folder()?, data_folder()?);
    let product = archiving_product(data.path(), backups.path()).await?;
    let (succeeded, output) = script("restore-drill", &product, backups.path()).await?;
    assert!(!succeeded && output.contains("no backup"), "{output}");

    let mut work = tokio::task::JoinSet::new();
    for name in ["Ridge Works", "Harbor Works", "Valley Works"] {
        let manager = Visitor::sign_up(&product.origin, name).await;
        let machine = manager.add_machine("Excavator").await;
        let operator = manager.operator().await;
        work.spawn(keep_working(manager, operator, machine));
    }
    let (succeeded, output) = script("backup", &product, backups.path()).await?;
    assert!(succeeded, "{output}");
    // Writes continue meanwhile: what follows the backup comes from the WAL.
    let late = Visitor::sign_up(&product.origin, "Late Works").await;
    late.add_machine("Crane").await;
    let (succeeded, output) = script("restore-drill", &product, backups.path()).await?;
    assert!(succeeded, "{output}");
    assert!(work.try_join_next().is_none(), "no submission failed");
    work.abort_all();
    assert!(output.contains("Differences: 0."), "{output}");
    assert!(output.contains("Companies: 4. Tables: "), "{output}");
    assert!(output.contains("Lost: 0."), "{output}");

    // A modified file must fail verification.
    let mut base = std::fs::read_dir(backups.path().join("base"))?;
    let manifest = base
        .next()
        .context("a backup")??
        .path()
        .join("backup_manifest");
    let text = std::fs::read_to_string(&manifest)?;
    std::fs::write(&manifest, text.replacen("\"Size\": ", "\"Size\": 1", 1))?;
    let (succeeded, output) = script("restore-drill", &product, backups.path()).await?;
    assert!(!succeeded, "{output}");
    product.stop(Signal::TERM).await
}

/// The databases in the dump order of the one-host page.
fn dump_order() -> Vec<String> {
    let page = std::fs::read_to_string(root().join("deploy/one-host.md")).expect("the page");
    let (before, _) = page.split_once("pg_dump ").expect("a dump");
    let (_, list) = before.rsplit_once("for service in ").expect("a loop");
    let (list, _) = list.split_once("; do").expect("a list");
    let names = list.split_whitespace();
    names.map(|name| format!("hourmeter_{name}")).collect()
}

/// A product whose databases are dumped and restored one by one.
struct DumpedProduct {
    product: Product,
    data: TempDir,
    manager: Visitor,
    operator: Visitor,
    machine: String,
}

impl DumpedProduct {
    async fn start() -> Result<Self> {
        let data = data_folder()?;
        let product = start(data.path()).await?;
        let manager = Visitor::sign_up(&product.origin, "Ridge Works").await;
        Ok(Self {
            machine: manager.add_machine("Excavator").await,
            operator: manager.operator().await,
            product,
            data,
            manager,
        })
    }

    /// Submits one hour and 1.5 gallons more than the last submission. Returns its id.
    async fn report(&self, number: u32) -> String {
        let report = json!({"equipmentId": self.machine, "newUsage": 100 + number,
            "fuelAdded": 1.5, "fuelType": "diesel", "clientId": number.to_string()});
        let sent = self.operator.post("/api/operator-updates", report).await;
        sent["id"].as_str().expect("an id").to_owned()
    }

    async fn apply(&self, id: &str) {
        let path = format!("/api/operator-updates/{id}/apply");
        assert_eq!(
            self.manager.post(&path, json!({})).await["status"],
            "applied"
        );
    }

    async fn database(&self, name: &str) -> PgConnection {
        let url = self.product.database_url(name).expect("its address");
        PgConnection::connect(&url).await.expect("a connection")
    }

    /// Waits until the outbox has `wanted` decisions.
    async fn until_outbox_has(&self, wanted: i64) {
        let mut updates = self.database("hourmeter_operator_updates").await;
        for _ in 0..3000 {
            let count = sqlx::query_scalar("SELECT count(*) FROM decisions");
            let count: i64 = count.fetch_one(&mut updates).await.expect("one");
            if count == wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the outbox never had {wanted}");
    }

    fn file(&self, database: &str) -> PathBuf {
        self.data.path().join(database).with_extension("dump")
    }

    async fn dump(&self, database: &str) {
        let mut command = Command::new(complete_postgres().join("bin/pg_dump"));
        command
            .args(["-Fc", database, "-f"])
            .arg(self.file(database));
        let (succeeded, output) = run(command, &self.product).await.expect("it runs");
        assert!(succeeded, "{output}");
    }

    /// Restores a database from its dump while the product runs.
    async fn restore(&self, database: &str) {
        // Locks of running queries may conflict; then the whole restore is retried.
        for left in (0..10).rev() {
            let mut command = Command::new(complete_postgres().join("bin/pg_restore"));
            command
                .args([
                    "--clean",
                    "--if-exists",
                    "--single-transaction",
                    "-d",
                    database,
                ])
                .arg(self.file(database));
            let (succeeded, output) = run(command, &self.product).await.expect("it runs");
            if succeeded {
                return;
            }
            assert!(left > 0 && output.contains("deadlock"), "{output}");
        }
    }

    /// Meter and diesel of the machine.
    async fn machine(&self) -> (Option<f64>, Option<f64>) {
        let path = format!("/api/equipment/{}", self.machine);
        let shown: Value = self.manager.get(&path).await;
        let number = |name: &str| shown[name].as_f64();
        (number("currentUsage"), number("totalDieselUsed"))
    }

    /// Result of `hourmeter figures --check`.
    async fn checked(&self) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hourmeter"));
        command.args(["figures", "--check", "--out"]);
        command.arg(self.data.path().join("figures"));
        command.env("APP_ENV", "test");
        run(command, &self.product).await.expect("it runs")
    }
}

#[tokio::test]
async fn dumps_in_documented_order_restore_exactly_once() -> Result<()> {
    let [updates, equipment] = ["hourmeter_operator_updates", "hourmeter_equipment"];
    let order = dump_order();
    let pair: Vec<&String> = order
        .iter()
        .filter(|name| [updates, equipment].contains(&name.as_str()))
        .collect();
    let [first, second] = pair[..] else {
        panic!("two that belong together: {order:?}");
    };
    let product = DumpedProduct::start().await?;

    // At the first dump one is confirmed, one is being delivered, and one waits for review.
    let confirmed = product.report(1).await;
    product.apply(&confirmed).await;
    let mut holder = product.database(equipment).await;
    holder
        .execute("BEGIN; LOCK TABLE applied_updates IN EXCLUSIVE MODE")
        .await
        .expect("a lock");
    let on_its_way = product.report(2).await;
    let manager = product.manager.clone();
    let path = format!("/api/operator-updates/{on_its_way}/apply");
    let decided = tokio::spawn(async move { manager.send(Method::POST, &path, json!({})).await });
    product.until_outbox_has(1).await;
    let waiting = product.report(3).await;
    product.dump(first).await;

    // Between the dumps all take effect, and one more is submitted and applied.
    holder.execute("ROLLBACK").await.expect("no lock");
    let (status, output) = decided.await.expect("decided");
    assert!(
        status == StatusCode::OK || status.is_server_error(),
        "{status} {output}"
    );
    product.until_outbox_has(0).await;
    product.apply(&waiting).await;
    let between = product.report(4).await;
    product.apply(&between).await;
    product.dump(second).await;
    let after = product.report(5).await;
    product.apply(&after).await;
    assert_eq!(product.machine().await, (Some(105.0), Some(7.5)));

    product.restore(second).await;
    product.restore(first).await;
    // Deliveries leased at the dump wait for the end of the lease.
    let mut outbox = product.database(updates).await;
    let now = "UPDATE decisions SET leased_until = NULL, next_try_at = now()";
    outbox.execute(now).await.expect("due");
    product.until_outbox_has(0).await;
    assert_eq!(product.machine().await, (Some(104.0), Some(6.0)));
    let (succeeded, output) = product.checked().await;
    assert!(
        !succeeded && output.contains("Lost: 0. Applied but unconfirmed: 2."),
        "{output}"
    );
    assert!(
        output.contains(&waiting) && output.contains(&between),
        "{output}"
    );

    // Applying again counts nothing twice.
    product.apply(&waiting).await;
    assert_eq!(product.machine().await, (Some(104.0), Some(6.0)));
    let (_, output) = product.checked().await;
    assert!(
        output.contains("in delivery: 0. Lost: 0. Applied but unconfirmed: 1."),
        "{output}"
    );

    // The other order loses applied submissions: equipment of that dump, submissions of a later
    // one.
    let late = product.report(6).await;
    product.apply(&late).await;
    product.restore(equipment).await;
    let (succeeded, output) = product.checked().await;
    assert!(!succeeded && output.contains("Lost: 1."), "{output}");
    product.product.stop(Signal::TERM).await
}
