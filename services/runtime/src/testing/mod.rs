//! Databases and callers for tests. `HOURMETER_TEST_POSTGRES` names a superuser's URL of a
//! disposable server; `make test` starts one.

use std::sync::Arc;
use std::time::Duration;

use hourmeter_proto::access::policy_table;
use hourmeter_proto::accounts::v1::{Role, Scope};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _};
use tonic::service::Routes;
use uuid::Uuid;

use crate::client::{self, Backend};
use crate::clock::Clock;
use crate::db::{Database, Provision, connect_admin, url_for};
use crate::identity::{
    Caller, Entitlements, Identity, Service, Signer, StaffIdentity, TrustedIssuers, Verifier,
};
use crate::server::{Guard, guarded};

/// Secret of the gateway in tests.
pub const GATEWAY_SECRET: [u8; 32] = [1; 32];
/// Secret of the operator-updates service in tests.
pub const RELAY_SECRET: [u8; 32] = [2; 32];

/// The keys services trust in tests.
pub fn trusted_issuers() -> TrustedIssuers {
    TrustedIssuers::default()
        .with("gateway", TrustedIssuers::public_key(&GATEWAY_SECRET))
        .with(
            "operator-updates",
            TrustedIssuers::public_key(&RELAY_SECRET),
        )
}

/// How long tests wait for a connection: hundreds of databases are made and opened while they run, and
/// a slow machine then stands still for a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// A database of its own for one test.
#[derive(Debug)]
pub struct TestDatabase {
    /// The service's connections, as the service's own role.
    pub database: Database,
    /// The same as a URL.
    pub url: SecretString,
    /// The URL of the role that owns the schema, to bring it up to date.
    pub owner_url: SecretString,
    /// A superuser's URL of this database, to look at what was stored.
    pub admin_url: SecretString,
}

/// A fresh, migrated database, cloned from a template that is made once per schema. The clone is
/// left behind; the server is disposable.
///
/// # Panics
/// When no test server is there or it does not do as told.
pub async fn database(service: Service, steps: &Migrator) -> TestDatabase {
    let server = server_url();
    let provision = template(&server, service, steps).await;
    let name = format!("test_{}", Uuid::now_v7().simple());
    let mut admin = connect_admin(&server)
        .await
        .expect("the test server answers");
    let clone = format!(
        "CREATE DATABASE {name} TEMPLATE {} STRATEGY FILE_COPY OWNER {}",
        provision.database,
        provision.owner()
    );
    // A template can't be copied while somebody is still connected to it.
    let mut tries = 0;
    while let Err(error) = admin.execute(AssertSqlSafe(clone.clone())).await {
        tries += 1;
        assert!(tries < 50, "can't clone the template: {error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let grant = format!("GRANT CONNECT ON DATABASE {name} TO {}", provision.role());
    admin
        .execute(AssertSqlSafe(grant))
        .await
        .expect("the role may connect");
    let url = url_for(
        &server,
        &provision.role(),
        &provision.service_password,
        &name,
    );
    let url = url.expect("a URL");
    let owner = provision.owner();
    let owner_url = url_for(&server, &owner, &provision.owner_password, &name);
    let admin_url = admin_url(&server, &name);
    let database = Database::connect_with(&url, 8, PATIENCE).expect("a pool");
    TestDatabase {
        database,
        url,
        owner_url: owner_url.expect("a URL"),
        admin_url,
    }
}

/// URL of the disposable server.
///
/// # Panics
/// When `HOURMETER_TEST_POSTGRES` is not set.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no settings to read it from"
)]
pub fn server_url() -> SecretString {
    let url = std::env::var("HOURMETER_TEST_POSTGRES");
    url.expect("HOURMETER_TEST_POSTGRES is not set: run `make test`, or `make test-postgres` first")
        .into()
}

/// URL of a disposable Redis.
///
/// # Panics
/// When `HOURMETER_TEST_REDIS` is not set.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no settings to read it from"
)]
pub fn redis_url() -> SecretString {
    let url = std::env::var("HOURMETER_TEST_REDIS");
    url.expect("HOURMETER_TEST_REDIS is not set: run `make test`, or `make test-postgres` first")
        .into()
}

fn admin_url(server: &SecretString, database: &str) -> SecretString {
    let url = server.expose_secret();
    let base = url.rsplit_once('/').map_or(url, |(base, _)| base);
    format!("{base}/{database}").into()
}

async fn template(server: &SecretString, service: Service, steps: &Migrator) -> Provision {
    let mut hash = Sha256::new();
    for step in steps.iter() {
        hash.update(&step.checksum);
    }
    let version: u64 = hash
        .finalize()
        .iter()
        .take(6)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let service_name = service.name().replace('-', "_");
    let provision = Provision {
        service,
        database: format!("template_{service_name}_{version:012x}"),
        service_password: "test".into(),
        owner_password: "test".into(),
    };
    let mut admin = connect_admin(server)
        .await
        .expect("the test server answers");
    // One process makes it, the others wait.
    admin
        .execute("SELECT pg_advisory_lock(4712)")
        .await
        .expect("a lock");
    let ready = sqlx::query("SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate")
        .bind(&provision.database)
        .fetch_optional(&mut admin)
        .await
        .expect("an answer");
    if ready.is_none() {
        provision.run(&mut admin).await.expect("roles and database");
        let owner = url_for(
            server,
            &provision.owner(),
            &provision.owner_password,
            &provision.database,
        );
        provision
            .migrate(&owner.expect("a URL"), steps)
            .await
            .expect("migrations");
        let done = format!("ALTER DATABASE {} IS_TEMPLATE true", provision.database);
        admin
            .execute(AssertSqlSafe(done))
            .await
            .expect("a template");
    }
    admin
        .execute("SELECT pg_advisory_unlock(4712)")
        .await
        .expect("a lock");
    provision
}

/// A service behind its guard, called in process as in the shipped product.
///
/// # Panics
/// When the contracts have no whole policy table.
pub fn backend(service: Service, routes: Routes, clock: Clock) -> Backend {
    let policy = Arc::new(policy_table().expect("a whole policy table"));
    let guard = Guard::new(
        Verifier::new(service, &trusted_issuers()),
        policy.clone(),
        clock,
    );
    client::in_process(guarded(routes, guard), policy)
}

/// An owner of a company of its own, with an active subscription and 15 machines.
pub fn owner() -> Identity {
    let owner_id = Uuid::now_v7();
    Identity {
        company_id: Uuid::now_v7(),
        user_id: owner_id,
        owner_id,
        session_id: Uuid::now_v7(),
        request_id: Uuid::now_v7(),
        address_prefix: "192.0.2.0/24".to_owned(),
        role: Role::Owner,
        scope: Scope::Full,
        authenticated_at: Clock::system().now().timestamp(),
        display_name: "Olivia Owner".to_owned(),
        time_zone: chrono_tz::UTC,
        auto_apply_updates: false,
        entitlements: Entitlements {
            active: true,
            equipment_limit: 15,
            fuel_analytics: false,
            parts_entry: false,
        },
    }
}

/// An operator of the same company.
pub fn operator_of(owner: &Identity) -> Identity {
    Identity {
        user_id: Uuid::now_v7(),
        session_id: Uuid::now_v7(),
        role: Role::Operator,
        scope: Scope::Operator,
        display_name: "Oscar Operator".to_owned(),
        ..owner.clone()
    }
}

/// A message signed as the gateway would for this person.
///
/// # Panics
/// When signing fails.
pub fn as_person<T>(service: Service, identity: &Identity, message: T) -> tonic::Request<T> {
    as_caller(
        service,
        &Caller::Person(Box::new(identity.clone())),
        message,
    )
}

/// A staff member who has just signed in.
pub fn staff() -> StaffIdentity {
    StaffIdentity {
        staff_id: Uuid::now_v7(),
        session_id: Uuid::now_v7(),
        request_id: Uuid::now_v7(),
        address_prefix: "198.51.100.0/24".to_owned(),
        authenticated_at: Clock::system().now().timestamp(),
        display_name: "Sam Support".to_owned(),
    }
}

/// A message signed as the gateway would for this staff member.
///
/// # Panics
/// When signing fails.
pub fn as_staff<T>(service: Service, staff: &StaffIdentity, message: T) -> tonic::Request<T> {
    as_caller(service, &Caller::Staff(Box::new(staff.clone())), message)
}

/// A message signed as the gateway would without a session.
///
/// # Panics
/// When signing fails.
pub fn as_edge<T>(service: Service, message: T) -> tonic::Request<T> {
    as_caller(
        service,
        &Caller::Edge {
            request_id: Uuid::now_v7(),
        },
        message,
    )
}

/// A message signed as the operator-updates service would for a company.
///
/// # Panics
/// When signing fails.
pub fn as_relay<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    let caller = Caller::Service {
        name: Service::OperatorUpdates,
        company_id,
    };
    let signer = Signer::new("operator-updates", &RELAY_SECRET).expect("a signer");
    client::signed(&signer, service, &caller, message).expect("a signed message")
}

fn as_caller<T>(service: Service, caller: &Caller, message: T) -> tonic::Request<T> {
    let signer = Signer::new("gateway", &GATEWAY_SECRET).expect("a signer");
    client::signed(&signer, service, caller, message).expect("a signed message")
}
