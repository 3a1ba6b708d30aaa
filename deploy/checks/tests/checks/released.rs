//! Statements of the last release, prepared on this release's schema with the role that sends them.
//! Recorded by `deploy/record-release`.

use std::fmt::Write as _;

use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{TestDatabase, database};
use serde::Deserialize;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

use crate::{is_released, migrations_of, read};

/// A statement with the types of its parameters and columns.
#[derive(Debug, Deserialize)]
struct Statement {
    sql: String,
    parameters: Vec<String>,
    columns: Vec<String>,
}

impl Statement {
    /// Prepares and plans it: needs tables, columns, functions, types and grants, but no rows.
    async fn check(&self, connection: &mut PgConnection) -> Result<(), String> {
        let mut types = self.parameters.join(", ");
        let mut nulls = vec!["NULL"; self.parameters.len()].join(", ");
        for list in [&mut types, &mut nulls] {
            if !list.is_empty() {
                *list = format!("({list})");
            }
        }
        let text = |error: sqlx::Error| error.to_string();
        let prepare = format!("PREPARE old{types} AS {}", self.sql);
        let prepared = connection.execute(AssertSqlSafe(prepare)).await;
        prepared.map_err(text)?;
        let columns = "SELECT coalesce(result_types::text[], '{}') FROM pg_prepared_statements WHERE name = 'old'";
        let columns: Vec<String> = sqlx::query_scalar(columns)
            .fetch_one(&mut *connection)
            .await
            .map_err(text)?;
        let planned = format!("EXPLAIN EXECUTE old{nulls}");
        let planned = connection.execute(AssertSqlSafe(planned)).await;
        connection.execute("DEALLOCATE old").await.map_err(text)?;
        planned.map_err(text)?;
        if columns != self.columns {
            return Err(format!("returns {columns:?} instead of {:?}", self.columns));
        }
        Ok(())
    }
}

fn statements(service: Service) -> Vec<Statement> {
    let all = read(&format!("deploy/released/{}.json", service.name()));
    let all: Vec<Statement> = serde_json::from_str(&all).expect("statements");
    assert!(all.len() > 20, "{} of {}", all.len(), service.name());
    all
}

/// Violations of a service's old statements.
async fn problems(service: Service, test: &TestDatabase) -> String {
    let mut connection = connect_admin(&test.url).await.expect("a connection");
    let company = format!("SET app.company_id = '{}'", Uuid::nil());
    let settings = ["SET plan_cache_mode = force_generic_plan", &company];
    for setting in settings {
        let set = connection.execute(AssertSqlSafe(setting.to_owned())).await;
        set.expect("set");
    }
    let mut found = String::new();
    for statement in statements(service) {
        if let Err(problem) = statement.check(&mut connection).await {
            let _ = writeln!(found, "{problem}: {}", statement.sql);
        }
    }
    found
}

#[tokio::test]
async fn old_statements_run_on_new_schema() {
    for service in Service::ALL.into_iter().filter(|of| is_released(*of)) {
        let test = database(service, migrations_of(service)).await;
        let found = problems(service, &test).await;
        assert!(found.is_empty(), "{}:\n{found}", service.name());
    }
}

#[tokio::test]
async fn old_statements_broken_by_schema_are_found() {
    let changes = [
        (
            "ALTER TABLE equipment RENAME COLUMN name TO title",
            "does not exist",
        ),
        (
            "REVOKE INSERT ON equipment FROM hourmeter_equipment",
            "permission denied",
        ),
        (
            "ALTER TABLE service_parts ALTER COLUMN quantity TYPE integer",
            "instead of",
        ),
    ];
    for (change, problem) in changes {
        let test = database(Service::Equipment, migrations_of(Service::Equipment)).await;
        let mut owner = connect_admin(&test.owner_url).await.expect("a connection");
        owner.execute(change).await.expect("changed");
        let found = problems(Service::Equipment, &test).await;
        assert!(found.contains(problem), "{change}: {found}");
    }
}
