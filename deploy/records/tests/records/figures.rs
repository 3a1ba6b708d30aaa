//! Figures cover every row, and a comparison finds every change.

use hourmeter_records::{Deliveries, Figures, Mark, Snapshot, compare, deliveries, figures};
use hourmeter_runtime::identity::Service;
use sqlx::{AssertSqlSafe, Executor as _};
use uuid::Uuid;

use crate::world::World;

async fn read(world: &World) -> Figures {
    let mut snapshot = Snapshot::now(&world.admins()).await.unwrap();
    figures(&mut snapshot).await.unwrap()
}

async fn change(world: &World, service: Service, sql: &str) {
    let mut admin = world.admin(service).await;
    admin.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
}

fn compared(before: &Figures, after: &Figures) -> (bool, String) {
    let mut out = Vec::new();
    let equal = compare(before, after, &mut out).is_ok();
    (equal, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn figures_round_trip_through_file() {
    let world = World::new().await;
    let before = read(&world).await;
    let again: Figures = read(&world).await.to_string().parse().unwrap();
    let (equal, output) = compared(&before, &again);
    assert!(equal, "{output}");
    assert!(
        output.contains("Companies: 3."),
        "two and the platform: {output}"
    );
    let text = before.to_string();
    assert!(text.contains("total_diesel=4025"), "{text}");
    for broken in ["", "hourmeter figures 1\n", &text[..text.len() / 2]] {
        assert!(broken.parse::<Figures>().is_err());
    }
    let nothing = Figures::default();
    assert!(
        !compared(&nothing, &nothing).0,
        "nothing compared is no proof"
    );
}

#[expect(clippy::too_many_lines, reason = "a table of losses")]
#[tokio::test]
async fn compare_finds_every_kind_of_loss() {
    for (service, sql, expected) in [
        (
            Service::Equipment,
            "DELETE FROM ledger_voids WHERE ctid = (SELECT min(ctid) FROM ledger_voids)",
            "rows 1 became 0",
        ),
        (
            Service::Equipment,
            "UPDATE ledger SET fuel = fuel + 1 WHERE ctid = (SELECT min(ctid) FROM ledger)",
            "sum of fuel \"4025\" became \"4026\"",
        ),
        (
            Service::Accounts,
            "UPDATE users SET first_name = 'Olivier' WHERE first_name = '+Olivia'",
            "same rows and sums, different content",
        ),
        (
            Service::Accounts,
            "DELETE FROM operator_usernames",
            "the platform, accounts.operator_usernames",
        ),
        (
            Service::OperatorUpdates,
            "ALTER TABLE updates NO FORCE ROW LEVEL SECURITY",
            "operator-updates, table updates: has changed",
        ),
        (
            Service::Billing,
            "DROP POLICY tenant ON stripe_events",
            "policy stripe_events.tenant: is missing",
        ),
        (
            Service::Billing,
            "REVOKE INSERT ON subscriptions FROM hourmeter_billing",
            "billing, table subscriptions: has changed",
        ),
        (
            Service::Equipment,
            "DROP INDEX ledger_fuel",
            "index ledger_fuel: is missing",
        ),
        (
            Service::Accounts,
            "ALTER FUNCTION peek_session(bytea) SECURITY INVOKER",
            "function peek_session(bytea): has changed",
        ),
        (
            Service::Billing,
            "ALTER POLICY tenant ON stripe_events USING (true)",
            "policy stripe_events.tenant: has changed",
        ),
        (
            Service::OperatorUpdates,
            "CREATE POLICY everybody ON updates USING (true)",
            "policy updates.everybody: is new",
        ),
        (
            Service::Accounts,
            "DROP FUNCTION peek_session(bytea)",
            "function peek_session(bytea): is missing",
        ),
        (
            Service::OperatorUpdates,
            "CREATE OR REPLACE FUNCTION mark_change() RETURNS trigger LANGUAGE plpgsql
                 SET search_path = '' AS 'BEGIN RETURN NEW; END'",
            "function mark_change(): has changed",
        ),
        (
            Service::OperatorUpdates,
            "DROP TRIGGER mark_change ON updates",
            "trigger updates.mark_change: is missing",
        ),
        (
            Service::OperatorUpdates,
            "ALTER TABLE updates DISABLE TRIGGER mark_change",
            "trigger updates.mark_change: has changed",
        ),
        (
            Service::OperatorUpdates,
            "ALTER TABLE updates ALTER COLUMN late DROP DEFAULT",
            "column updates.late: has changed",
        ),
        (
            Service::OperatorUpdates,
            "ALTER TABLE updates DROP CONSTRAINT updates_reported_equipment",
            "constraint updates.updates_reported_equipment: is missing",
        ),
        (
            Service::Billing,
            "DO 'BEGIN EXECUTE format(''GRANT CREATE ON DATABASE %I TO PUBLIC'', current_database()); END'",
            "billing, database: has changed",
        ),
        (
            Service::Billing,
            "DO 'BEGIN EXECUTE format(''ALTER DATABASE %I SET work_mem = 4321'', current_database()); END'",
            "billing, settings: is new",
        ),
        (
            Service::Billing,
            "GRANT CREATE ON SCHEMA public TO PUBLIC",
            "billing, schema public: has changed",
        ),
    ] {
        let world = World::new().await;
        let before = read(&world).await;
        change(&world, service, sql).await;
        let (equal, output) = compared(&before, &read(&world).await);
        assert!(!equal && output.contains(expected), "{sql}: {output}");
    }
}

/// Roles are global, so this one exists only in a transaction that is rolled back.
#[tokio::test]
async fn figures_show_changed_role() {
    let world = World::new().await;
    let role = format!("hourmeter_test_{}", Uuid::now_v7().simple());
    let mut snapshot = Snapshot::now(&world.admins()).await.unwrap();
    let make = format!("ROLLBACK; BEGIN; CREATE ROLE {role}");
    let connection = &mut snapshot.connections[0].1;
    connection.execute(AssertSqlSafe(make)).await.unwrap();
    let before = figures(&mut snapshot).await.unwrap();
    let more = format!("ALTER ROLE {role} BYPASSRLS");
    let connection = &mut snapshot.connections[0].1;
    connection.execute(AssertSqlSafe(more)).await.unwrap();
    let (equal, output) = compared(&before, &figures(&mut snapshot).await.unwrap());
    let expected = format!("role {role}: has changed");
    assert!(!equal && output.contains(&expected), "{expected}: {output}");
}

#[tokio::test]
async fn figures_require_role_that_sees_all_rows() {
    let world = World::new().await;
    let mut snapshot = Snapshot::now(&world.owners()).await.unwrap();
    let refused = figures(&mut snapshot).await.unwrap_err();
    assert!(refused.to_string().contains("BYPASSRLS"), "{refused}");
}

#[tokio::test]
async fn mark_is_consistent_during_writes() {
    let world = World::new().await;
    let mark = Mark::parse("drill_1").unwrap();
    let mut snapshot = Snapshot::at(&world.admins(), &mark).await.unwrap();
    assert!(!snapshot.wal_file.is_empty());
    // Written after the snapshot, before it is read.
    change(&world, Service::Equipment, "DELETE FROM ledger_voids").await;
    let seen = figures(&mut snapshot).await.unwrap();
    let voids = |figures: &Figures| {
        let rows = figures.rows.iter();
        rows.filter(|((_, table, _), _)| table == "ledger_voids")
            .count()
    };
    assert_eq!((voids(&seen), voids(&read(&world).await)), (2, 0));
    for wrong in ["", "a b", "a'b", "ä", &"x".repeat(61)] {
        assert!(Mark::parse(wrong).is_none(), "{wrong}");
    }
}

#[tokio::test]
async fn mark_waits_for_open_writes() {
    let world = World::new().await;
    let mut writer = world.admin(Service::Equipment).await;
    writer
        .execute("BEGIN; DELETE FROM ledger_voids")
        .await
        .unwrap();
    let mark = Mark::parse("drill_2").unwrap();
    let databases = world.admins();
    let marking = tokio::spawn(async move { Snapshot::at(&databases, &mark).await });
    // Longer than the lock timeout: it gives up, lets others pass and retries.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert!(!marking.is_finished());
    writer.execute("COMMIT").await.unwrap();
    let mut snapshot = marking.await.unwrap().unwrap();
    let seen = figures(&mut snapshot).await.unwrap();
    assert!(
        seen.rows
            .keys()
            .all(|(_, table, _)| table != "ledger_voids")
    );
}

#[tokio::test]
async fn deliveries_report_submissions_missing_on_one_side() {
    let world = World::new().await;
    let counts_of = |deliveries: &Deliveries| {
        let Deliveries {
            lost,
            under_way,
            undecided,
        } = deliveries;
        (lost.len(), *under_way, undecided.len())
    };
    for (service, sql, expected) in [
        (Service::Equipment, "SELECT 1", (0, 0, 0)),
        // Equipment is older: later applications are lost.
        (Service::Equipment, "DELETE FROM applied_updates", (2, 0, 0)),
        // Operator-updates is older, and the decision is still in the outbox: harmless.
        (
            Service::OperatorUpdates,
            "UPDATE updates SET status = 'pending';
             INSERT INTO decisions (company_id, update_id, equipment_id, captured_at, automatic,
                 decided_by, decided_at, overridden, replace_meter)
             SELECT company_id, id, equipment_id, now(), false, '', now(), false, false
             FROM updates WHERE client_id = 'one'",
            (0, 2, 0),
        ),
        // From before the decision, and from before the submission.
        (Service::OperatorUpdates, "DELETE FROM decisions", (0, 0, 2)),
        (
            Service::OperatorUpdates,
            "DELETE FROM updates WHERE client_id = 'one'",
            (0, 0, 2),
        ),
    ] {
        change(&world, service, sql).await;
        let mut snapshot = Snapshot::now(&world.admins()).await.unwrap();
        let found = deliveries(&mut snapshot).await.unwrap();
        assert_eq!(counts_of(&found), expected, "{sql}");
        if sql.contains("applied_updates") {
            let back = "INSERT INTO applied_updates
                SELECT company_id, id, id, NULL, NULL, now() FROM equipment";
            change(&world, Service::Equipment, back).await;
        }
    }
}
