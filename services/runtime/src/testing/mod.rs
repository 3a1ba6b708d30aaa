//! Databases and callers for tests. `HOURMETER_TEST_POSTGRES` is a superuser's URL of a disposable
//! server; `make test` starts one.

mod fake_notifications;

use std::ffi::OsString;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hourmeter_proto::access::policy_table;
use hourmeter_proto::accounts::v1::{Role, Scope};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use tonic::service::Routes;
use uuid::Uuid;

use crate::client::{self, Backend};
use crate::clock::Clock;
use crate::db::{Database, Provision, connect_admin, url_for};
use crate::error::ServiceError;
use crate::identity::{
    Caller, DEFAULT_STALE_AFTER_DAYS, Entitlements, IDENTITY_HEADER, Identity, Service, Signer,
    StaffIdentity, TrustedIssuers, Verifier,
};
use crate::server::{Guard, guarded};

pub use self::fake_notifications::{FakeNotifications, NotificationsState};

/// Signing key of the gateway.
pub const GATEWAY_SECRET: [u8; 32] = [1; 32];
/// Signing key of the operator-updates service.
pub const RELAY_SECRET: [u8; 32] = [2; 32];

/// Signing key of the notifications service.
pub const NOTIFICATIONS_SECRET: [u8; 32] = [3; 32];

/// Signing key of the accounts service.
pub const ACCOUNTS_SECRET: [u8; 32] = [4; 32];

/// Signing key of the billing service.
pub const BILLING_SECRET: [u8; 32] = [5; 32];

/// Signing key of the equipment service.
pub const EQUIPMENT_SECRET: [u8; 32] = [6; 32];

/// The keys that services trust.
pub fn trusted_issuers() -> TrustedIssuers {
    TrustedIssuers::default()
        .with("gateway", TrustedIssuers::public_key(&GATEWAY_SECRET))
        .with(
            "operator-updates",
            TrustedIssuers::public_key(&RELAY_SECRET),
        )
        .with(
            "notifications",
            TrustedIssuers::public_key(&NOTIFICATIONS_SECRET),
        )
        .with("accounts", TrustedIssuers::public_key(&ACCOUNTS_SECRET))
        .with("billing", TrustedIssuers::public_key(&BILLING_SECRET))
        .with("equipment", TrustedIssuers::public_key(&EQUIPMENT_SECRET))
}

/// On a busy machine, connecting can take seconds.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A service's database.
#[derive(Debug)]
pub struct TestDatabase {
    /// The pool with the service's role.
    pub database: Database,
    /// URL with the service's role.
    pub url: SecretString,
    /// URL with the role that owns the schema, for migrations.
    pub owner_url: SecretString,
    /// URL with a superuser, to inspect stored data.
    pub admin_url: SecretString,
}

impl TestDatabase {
    fn new(server: &SecretString, provision: &Provision, name: &str) -> Self {
        let url_of = |role: String, password| url_for(server, &role, password, name);
        let url = url_of(provision.role(), &provision.service_password).expect("a URL");
        let owner_url = url_of(provision.owner(), &provision.owner_password).expect("a URL");
        Self {
            database: Database::connect_with(&url, 8, ACQUIRE_TIMEOUT).expect("a pool"),
            url,
            owner_url,
            admin_url: admin_url(server, name),
        }
    }
}

/// Creates a migrated database for one test, cloned from a template per schema. A later test drops it
/// when this process has ended.
///
/// # Panics
/// When there is no test server or a statement fails.
pub async fn database(service: Service, steps: &Migrator) -> TestDatabase {
    let server = server_url();
    let mut admin = connect_admin(&server).await.expect("a connection");
    let provision = provision(service, steps);
    if preparation().is_none() {
        drop_left_databases(&mut admin).await;
    }
    let name = clone_template(&mut admin, &server, &provision, steps).await;
    prepare(service, &name);
    // Open until the process ends: `drop_left_databases` recognizes the databases in use by it.
    std::mem::forget(admin);
    TestDatabase::new(&server, &provision, &name)
}

/// Returns a migrated database that all tests of a program share, also in later runs on the same
/// server. For tests that use only their own companies with unique names. A test needs its own
/// [`database`] if it accesses rows of all companies, changes the schema, or runs background tasks.
///
/// # Panics
/// When there is no test server or a statement fails.
pub async fn shared_database(service: Service, steps: &Migrator) -> TestDatabase {
    let server = server_url();
    let provision = provision(service, steps);
    let program = std::env::current_exe().expect("the path of the test program");
    let program = program.file_name().expect("a file").as_encoded_bytes();
    let name = provision.database.replacen("template", "shared", 1);
    let name = format!("{name}_{:012x}", short_hash([program]));
    let shared = TestDatabase::new(&server, &provision, &name);
    // If it exists, this opens a connection that the test needs anyway. It may not be prepared yet.
    if preparation().is_none() && shared.database.lookup().await.is_ok() {
        return shared;
    }
    let mut admin = connect_admin(&server).await.expect("a connection");
    lock(&mut admin).await;
    if !exists(&mut admin, &name, "true").await {
        // Renamed when complete, so that no test uses an incomplete one.
        let clone = clone_template(&mut admin, &server, &provision, steps).await;
        execute(
            &mut admin,
            format!("ALTER DATABASE {clone} RENAME TO {name}"),
        )
        .await;
        prepare(service, &name);
    }
    unlock(&mut admin).await;
    shared
}

/// Drops the databases of ended processes, so that the disk does not fill up: a clone has several
/// megabytes, a run of all tests thousands of clones.
async fn drop_left_databases(admin: &mut PgConnection) {
    const LEFT: &str = "
        SELECT d.datname::text FROM pg_database d
        WHERE starts_with(d.datname, 'test_') AND NOT EXISTS (
            SELECT FROM pg_stat_activity a WHERE a.pid::text = split_part(d.datname, '_', 2))";
    let left: Vec<String> = sqlx::query_scalar(LEFT)
        .fetch_all(&mut *admin)
        .await
        .expect("the databases");
    for name in left {
        // Fails when another test drops it at the same time, or while a connection still closes.
        let dropped = admin.execute(AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name}")));
        let _ = dropped.await;
    }
}

/// Clones the template. Returns the clone's name, which contains the process ID of `admin`'s backend.
async fn clone_template(
    admin: &mut PgConnection,
    server: &SecretString,
    provision: &Provision,
    steps: &Migrator,
) -> String {
    make_template(admin, server, provision, steps).await;
    let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()")
        .fetch_one(&mut *admin)
        .await
        .expect("the process ID");
    let name = format!("test_{backend}_{}", Uuid::now_v7().simple());
    let clone = format!(
        "CREATE DATABASE {name} TEMPLATE {} STRATEGY FILE_COPY OWNER {}",
        provision.database,
        provision.owner()
    );
    // A template cannot be copied while it has connections.
    let mut tries = 0;
    while let Err(error) = admin.execute(AssertSqlSafe(clone.clone())).await {
        tries += 1;
        assert!(tries < 50, "can't clone the template: {error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let grant = format!("GRANT CONNECT ON DATABASE {name} TO {}", provision.role());
    execute(admin, grant).await;
    name
}

/// A program to run on each new database, with the names of service and database: `deploy/proof/citus`
/// distributes the database.
fn preparation() -> Option<OsString> {
    std::env::var_os("HOURMETER_TEST_PREPARE")
}

fn prepare(service: Service, database: &str) {
    if let Some(program) = preparation() {
        let status = Command::new(program)
            .args([service.name(), database])
            .status();
        assert!(status.expect("the program runs").success(), "{database}");
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

/// The roles of the service, and the template of this schema.
fn provision(service: Service, steps: &Migrator) -> Provision {
    let service_name = service.name().replace('-', "_");
    let version = short_hash(steps.iter().map(|step| &*step.checksum));
    Provision {
        service,
        database: format!("template_{service_name}_{version:012x}"),
        service_password: "test".into(),
        owner_password: "test".into(),
    }
}

/// The first six bytes of the SHA-256 hash.
fn short_hash<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    let bytes = hash.finalize();
    bytes[..6]
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Creates the template if it does not exist.
async fn make_template(
    admin: &mut PgConnection,
    server: &SecretString,
    provision: &Provision,
    steps: &Migrator,
) {
    let name = &provision.database;
    lock(admin).await;
    if !exists(admin, name, "datistemplate").await {
        provision.run(admin).await.expect("roles and database");
        let owner = url_for(server, &provision.owner(), &provision.owner_password, name);
        let migrated = provision.migrate(&owner.expect("a URL"), steps).await;
        migrated.expect("migrations");
        execute(admin, format!("ALTER DATABASE {name} IS_TEMPLATE true")).await;
    }
    unlock(admin).await;
}

/// Serializes the creation of shared databases. The lock is reentrant within a session.
async fn lock(admin: &mut PgConnection) {
    execute(admin, "SELECT pg_advisory_lock(4712)".to_owned()).await;
}

async fn unlock(admin: &mut PgConnection) {
    execute(admin, "SELECT pg_advisory_unlock(4712)".to_owned()).await;
}

/// Whether a database with this name meets the condition.
async fn exists(admin: &mut PgConnection, name: &str, condition: &'static str) -> bool {
    let sql = format!("SELECT 1 FROM pg_database WHERE datname = '{name}' AND {condition}");
    let found = sqlx::query(AssertSqlSafe(sql)).fetch_optional(admin).await;
    found.expect("an answer").is_some()
}

/// Runs a statement that contains no user input.
async fn execute(admin: &mut PgConnection, sql: String) {
    let done = admin.execute(AssertSqlSafe(sql)).await;
    done.expect("the statement runs");
}

/// Creates an in-process client of a service behind its guard, as in the product.
///
/// # Panics
/// When the contracts have no complete policy table.
pub fn backend(service: Service, routes: Routes, clock: Clock) -> Backend {
    let policy = Arc::new(policy_table().expect("a complete policy table"));
    let guard = Guard::new(
        Verifier::new(service, &trusted_issuers()),
        policy.clone(),
        clock,
    );
    client::in_process(guarded(routes, guard), policy)
}

/// An owner of a new company with an active subscription for 15 machines.
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
        second_factor_missing: false,
        stale_after_days: DEFAULT_STALE_AFTER_DAYS,
        device: None,
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

/// A request signed by the gateway for this person.
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

/// A request signed by the gateway for this staff member.
///
/// # Panics
/// When signing fails.
pub fn as_staff<T>(service: Service, staff: &StaffIdentity, message: T) -> tonic::Request<T> {
    as_caller(service, &Caller::Staff(Box::new(staff.clone())), message)
}

/// A request signed by the gateway without a session.
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

/// A request signed by the operator-updates service for a company.
///
/// # Panics
/// When signing fails.
pub fn as_relay<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    as_service(
        Service::OperatorUpdates,
        &RELAY_SECRET,
        service,
        company_id,
        message,
    )
}

/// A request signed by the notifications service for a company.
///
/// # Panics
/// When signing fails.
pub fn as_notifications<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    as_service(
        Service::Notifications,
        &NOTIFICATIONS_SECRET,
        service,
        company_id,
        message,
    )
}

/// A request signed by the accounts service for a company.
///
/// # Panics
/// When signing fails.
pub fn as_accounts<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    as_service(
        Service::Accounts,
        &ACCOUNTS_SECRET,
        service,
        company_id,
        message,
    )
}

/// A request signed by the billing service for a company.
///
/// # Panics
/// When signing fails.
pub fn as_billing<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    as_service(
        Service::Billing,
        &BILLING_SECRET,
        service,
        company_id,
        message,
    )
}

/// A request signed by the equipment service for a company.
///
/// # Panics
/// When signing fails.
pub fn as_equipment<T>(service: Service, company_id: Uuid, message: T) -> tonic::Request<T> {
    as_service(
        Service::Equipment,
        &EQUIPMENT_SECRET,
        service,
        company_id,
        message,
    )
}

/// Builds a request with the caller's signed identity.
pub fn signed<T>(
    signer: &Signer,
    audience: Service,
    caller: &Caller,
    message: T,
) -> Result<tonic::Request<T>, ServiceError> {
    let token = signer.sign(audience, caller)?;
    let mut request = tonic::Request::new(message);
    let value = token
        .parse()
        .map_err(|_| ServiceError::internal("identity is not ASCII"))?;
    request.metadata_mut().insert(IDENTITY_HEADER, value);
    Ok(request)
}

fn as_service<T>(
    name: Service,
    secret: &[u8; 32],
    to: Service,
    company_id: Uuid,
    message: T,
) -> tonic::Request<T> {
    let signer = Signer::new(name.name(), secret).expect("a signer");
    let caller = Caller::Service { name, company_id };
    signed(&signer, to, &caller, message).expect("a signed message")
}

fn as_caller<T>(service: Service, caller: &Caller, message: T) -> tonic::Request<T> {
    let signer = Signer::new("gateway", &GATEWAY_SECRET).expect("a signer");
    signed(&signer, service, caller, message).expect("a signed message")
}
