//! Databases of tests.

use std::borrow::Cow;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{database, server_url};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

async fn exists(admin: &mut PgConnection, name: &str) -> bool {
    let found = sqlx::query("SELECT FROM pg_database WHERE datname = $1").bind(name);
    let row = found.fetch_optional(admin).await.expect("an answer");
    row.is_some()
}

#[tokio::test]
async fn database_drops_those_of_ended_processes_only() {
    let steps = Migrator {
        migrations: Cow::Borrowed(&[]),
        ..Migrator::DEFAULT
    };
    let used = database(Service::Billing, &steps).await;
    let used = used.admin_url.expose_secret().rsplit('/').next().unwrap();
    let mut admin = connect_admin(&server_url()).await.unwrap();
    // No connection has the process ID 0.
    let left = format!("test_0_{}", Uuid::now_v7().simple());
    let create = AssertSqlSafe(format!("CREATE DATABASE {left}"));
    admin.execute(create).await.unwrap();

    database(Service::Billing, &steps).await;
    assert!(!exists(&mut admin, &left).await);
    assert!(exists(&mut admin, used).await);
}
