//! Creation of the roles and databases of the services on a server.

use futures::future::BoxFuture;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::Migrator;
use sqlx::{ConnectOptions as _, Executor as _, PgConnection};

use super::{migrate, parse_url, run, service_role};
use crate::error::ServiceError;
use crate::identity::Service;

/// The roles and the database of one service on a server.
#[derive(Clone, Debug)]
pub struct Provision {
    /// The service.
    pub service: Service,
    /// Name of the database.
    pub database: String,
    /// Password of the service's role.
    pub service_password: SecretString,
    /// Password of the owner role, which runs migrations.
    pub owner_password: SecretString,
}

impl Provision {
    /// The service's role: owns no table and is subject to row-level security.
    pub fn role(&self) -> String {
        service_role(self.service)
    }

    /// The role that owns the tables and runs migrations.
    pub fn owner(&self) -> String {
        format!("{}_owner", self.role())
    }

    /// Creates or updates roles and database, as a superuser. May run repeatedly and concurrently.
    pub fn run<'a>(
        &'a self,
        admin: &'a mut PgConnection,
    ) -> BoxFuture<'a, Result<(), ServiceError>> {
        Box::pin(async move {
            let (role, owner, database) = (self.role(), self.owner(), &self.database);
            // Roles are server-wide; two processes may create them at the same time.
            admin.execute("SELECT pg_advisory_lock(4711)").await?;
            let result = async {
                create_role(admin, "tenant_lookup", "NOLOGIN").await?;
                create_role(admin, &role, "LOGIN").await?;
                create_role(admin, &owner, "LOGIN").await?;
                set_password(admin, &role, &self.service_password).await?;
                set_password(admin, &owner, &self.owner_password).await?;
                run(admin, format!("GRANT tenant_lookup TO {owner}")).await?;
                let sql = "SELECT 1 FROM pg_database WHERE datname = $1";
                if !exists(admin, sql, database).await? {
                    run(admin, format!("CREATE DATABASE {database} OWNER {owner}")).await?;
                    let revoke = format!("REVOKE ALL ON DATABASE {database} FROM PUBLIC");
                    run(admin, revoke).await?;
                }
                let grant = format!("GRANT CONNECT ON DATABASE {database} TO {role}");
                run(admin, grant).await?;
                close_own_databases(admin).await
            }
            .await;
            admin.execute("SELECT pg_advisory_unlock(4711)").await?;
            result
        })
    }

    /// Brings the schema up to date, as the owner role.
    pub async fn migrate(
        &self,
        owner_url: &SecretString,
        steps: &Migrator,
    ) -> Result<(), ServiceError> {
        migrate(self.service, owner_url, steps).await
    }
}

/// Connects with a superuser's URL.
pub async fn connect_admin(url: &SecretString) -> Result<PgConnection, ServiceError> {
    let options = parse_url(url)?;
    Ok(options.disable_statement_logging().connect().await?)
}

/// Builds a URL of the same server for another role and database, with the same `plan_cache_mode`.
pub fn url_for(
    url: &SecretString,
    role: &str,
    password: &SecretString,
    database: &str,
) -> Result<SecretString, ServiceError> {
    let options = parse_url(url)?;
    let socket = options.get_socket().and_then(|path| path.to_str());
    let host = socket.map(|path| path.replace('/', "%2F"));
    let host = host.unwrap_or_else(|| options.get_host().to_owned());
    let port = options.get_port();
    let password = password.expose_secret();
    let own = options.get_options().unwrap_or_default();
    let mode = own.split_once("plan_cache_mode=");
    let mode = mode.and_then(|(_, mode)| mode.split(' ').next());
    let mode = mode.map(|mode| format!("?options[plan_cache_mode]={mode}"));
    let mode = mode.unwrap_or_default();
    Ok(format!("postgres://{role}:{password}@{host}:{port}/{database}{mode}").into())
}

/// Revokes public access to the server's own databases.
async fn close_own_databases(admin: &mut PgConnection) -> Result<(), ServiceError> {
    let open: Vec<String> = sqlx::query_scalar(
        "SELECT datname::text
        FROM pg_database
        WHERE datname IN ('postgres', 'template1')
          AND has_database_privilege('public', oid, 'CONNECT')",
    )
    .fetch_all(&mut *admin)
    .await?;
    for database in open {
        let revoke = format!("REVOKE CONNECT, TEMPORARY ON DATABASE {database} FROM PUBLIC");
        run(admin, revoke).await?;
    }
    Ok(())
}

async fn create_role(admin: &mut PgConnection, name: &str, kind: &str) -> Result<(), ServiceError> {
    if exists(admin, "SELECT 1 FROM pg_roles WHERE rolname = $1", name).await? {
        return Ok(());
    }
    let rights = "NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE";
    run(admin, format!("CREATE ROLE {name} {kind} {rights}")).await
}

async fn exists(
    admin: &mut PgConnection,
    sql: &'static str,
    name: &str,
) -> Result<bool, ServiceError> {
    let found = sqlx::query(sql).bind(name).fetch_optional(admin).await?;
    Ok(found.is_some())
}

async fn set_password(
    admin: &mut PgConnection,
    role: &str,
    password: &SecretString,
) -> Result<(), ServiceError> {
    let quoted = password.expose_secret().replace('\'', "''");
    run(admin, format!("ALTER ROLE {role} PASSWORD '{quoted}'")).await
}
