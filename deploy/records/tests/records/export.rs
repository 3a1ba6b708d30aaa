//! Exports contain all data of the company, nothing of others, and no credentials.

use std::fs;
use std::path::Path;

use hourmeter_records::{Databases, EXCLUDED_TABLES, Export, RecordsError};
use hourmeter_runtime::identity::Service;
use serde_json::Value;
use sqlx::Executor as _;
use uuid::Uuid;

use crate::world::{SECRET, World};

fn json(folder: &Path, file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(file).with_extension("json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

async fn export(
    databases: &Databases,
    company: Uuid,
    out: &Path,
) -> Result<Vec<(String, u64)>, RecordsError> {
    let what = Export {
        company,
        out: out.to_owned(),
        reason: "asked for by its owner".to_owned(),
    };
    hourmeter_records::export(databases, &what).await
}

fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&all_text(&path));
        } else {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}

#[tokio::test]
async fn export_contains_every_row_of_the_company_only() {
    let world = World::new().await;
    let [company, other] = world.companies;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("export");
    // As table owner, with row-level security, and as superuser, without.
    for (databases, name) in [(world.owners(), "one"), (world.admins(), "two")] {
        let out = folder.path().join(name);
        let counts = world.counts().await;
        let written = export(&databases, company, &out).await.unwrap();
        let mut expected = 0;
        for ((service, table, of), rows) in &counts {
            if *of != Some(company) || EXCLUDED_TABLES.iter().any(|(name, _)| name == table) {
                continue;
            }
            expected += 1;
            let file = format!("{service}/{table}");
            assert!(
                written.contains(&(file.clone(), rows.unsigned_abs())),
                "{file}"
            );
            let found = json(&out, &file);
            assert_eq!(found.len(), usize::try_from(*rows).unwrap(), "{file}");
            assert!(
                found
                    .iter()
                    .all(|row| row["company_id"] == company.to_string())
            );
            let csv = fs::read_to_string(out.join(&file).with_extension("csv")).unwrap();
            assert!(csv.matches("\r\n").count() > found.len(), "{file}: {csv}");
        }
        assert_eq!(written.len(), expected);
        let text = all_text(&out);
        assert!(!text.contains(&other.to_string()) && !text.contains("=Other"));
    }
    fs::create_dir(&out).unwrap();
    let refused = export(&world.owners(), company, &out).await.unwrap_err();
    assert!(refused.to_string().contains("exists"), "{refused}");
}

#[tokio::test]
async fn export_is_audited_for_company_and_platform() {
    let world = World::new().await;
    let company = world.companies[0];
    let folder = tempfile::tempdir().unwrap();
    let lines = async || -> Vec<(Uuid, String, String)> {
        let noted = "SELECT company_id, actor_name, detail FROM audit_events
             WHERE event = 'export' AND outcome = 'success' AND target_id = $1 ORDER BY company_id";
        let query = sqlx::query_as(noted).bind(company);
        let mut admin = world.admin(Service::Accounts).await;
        query.fetch_all(&mut admin).await.unwrap()
    };
    // A failed export leaves no files.
    let broken = world.owners_without(Service::Billing);
    let out = folder.path().join("export");
    assert!(export(&broken, company, &out).await.is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(lines().await, []);

    export(&world.owners(), company, &out).await.unwrap();
    let line = |log| {
        let words = ["command line", "asked for by its owner"].map(str::to_owned);
        let [actor, reason] = words;
        (log, actor, reason)
    };
    assert_eq!(lines().await, [line(Uuid::nil()), line(company)]);

    // An interrupted deletion gets no new rows of the company.
    let mut admin = world.admin(Service::Accounts).await;
    let stop =
        "SET session_replication_role = replica; DELETE FROM companies; DELETE FROM audit_events";
    admin.execute(stop).await.unwrap();
    let out = folder.path().join("rest");
    export(&world.owners(), company, &out).await.unwrap();
    assert_eq!(lines().await, [line(Uuid::nil())]);
}

#[tokio::test]
async fn export_keeps_files_of_running_export() {
    let world = World::new().await;
    let company = world.companies[0];
    let folder = tempfile::tempdir().unwrap();
    let draft = folder.path().join("export.part");
    fs::create_dir(&draft).unwrap();
    fs::write(draft.join("README.txt"), "of another").unwrap();
    for name in ["export", "export/"] {
        let out = folder.path().join(name);
        let refused = export(&world.owners(), company, &out).await.unwrap_err();
        assert!(refused.to_string().contains("export.part"), "{refused}");
    }
    assert!(draft.join("README.txt").exists());
    let out = folder.path().join("other/");
    export(&world.owners(), company, &out).await.unwrap();
    assert!(folder.path().join("other/README.txt").exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[tokio::test]
async fn export_contains_no_credentials() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("export");
    export(&world.owners(), world.companies[0], &out)
        .await
        .unwrap();
    let text = all_text(&out);
    assert!(!text.contains(SECRET));
    // Token digests as the database formats them.
    let mut admin = world.admin(Service::Accounts).await;
    let sids: Vec<String> = sqlx::query_scalar("SELECT encode(sid, 'hex') FROM sessions")
        .fetch_all(&mut admin)
        .await
        .unwrap();
    assert_eq!(sids.len(), 2);
    assert!(sids.iter().all(|sid| !text.contains(sid)));
    for path in [
        out.clone(),
        out.join("README.txt"),
        out.join("accounts/users.csv"),
    ] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[tokio::test]
async fn export_formats_values_for_people() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("export");
    export(&world.owners(), world.companies[0], &out)
        .await
        .unwrap();
    let machine = &json(&out, "equipment/equipment")[0];
    assert_eq!(machine["current_usage"], 312.5);
    assert_eq!(machine["total_diesel"], 40.25);
    assert_eq!(machine["version"], 1);
    assert_eq!(machine["meter_read_at"], "2026-01-02T01:04:05.678000Z");
    assert_eq!(machine["name"], "@Excavator");
    assert_eq!(json(&out, "equipment/ledger")[0]["cost"], 1999);
    let csv = fs::read_to_string(out.join("equipment/equipment.csv")).unwrap();
    assert!(csv.starts_with("company_id,id,name,"), "{csv}");
    assert!(csv.contains(",'@Excavator,"), "{csv}");
    let csv = fs::read_to_string(out.join("equipment/ledger.csv")).unwrap();
    assert!(csv.contains(",\"'- two\nlines\","), "{csv}");
    let csv = fs::read_to_string(out.join("accounts/companies.csv")).unwrap();
    assert!(csv.contains(",\"'=Acme, \"\"Ltd\"\"\","), "{csv}");
    let about = fs::read_to_string(out.join("README.txt")).unwrap();
    assert!(
        about.contains("equipment/ledger: 1 rows. Append-only"),
        "{about}"
    );
    assert!(
        about.contains("fuel: Hundredths") || about.contains("  fuel: "),
        "{about}"
    );
}

#[tokio::test]
async fn export_of_unknown_company_fails() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("export");
    let refused = export(&world.owners(), Uuid::now_v7(), &out)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("no data of company"),
        "{refused}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn export_streams_fifty_thousand_machines() {
    let world = World::new().await;
    let company = world.companies[0];
    let sql = format!(
        "INSERT INTO equipment (
             company_id, id, name, kind, unit, initial_usage, current_usage, meter_read_at,
             alert_threshold, fuel, description, added_at, updated_at
         )
         SELECT '{company}', gen_random_uuid(), 'M' || n, 'tools', 'hours', 0, n, now(), 10, 'n/a', '',
                now(), now()
         FROM generate_series(1, 50000) n"
    );
    let mut admin = world.admin(Service::Equipment).await;
    admin.execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("export");
    let written = export(&world.owners(), company, &out).await.unwrap();
    assert!(written.contains(&("equipment/equipment".to_owned(), 50_001)));
    let csv = fs::read_to_string(out.join("equipment/equipment.csv")).unwrap();
    assert_eq!(csv.matches("\r\n").count(), 50_002);
    assert_eq!(json(&out, "equipment/equipment").len(), 50_001);
}
