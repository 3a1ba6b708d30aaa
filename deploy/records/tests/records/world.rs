//! Five migrated databases with rows of two companies in every table.

use std::collections::BTreeMap;

use hourmeter_records::{Databases, Table, tables};
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::{TestDatabase, database};
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use uuid::Uuid;

/// A value in every credential column; exports must not contain it.
pub const SECRET: &str = "open-sesame";

/// Business names of the two companies, which look like formulas.
pub const NAMES: [&str; 2] = ["=Acme, \"Ltd\"", "=Other"];

pub struct World {
    pub databases: [TestDatabase; 5],
    pub companies: [Uuid; 2],
}

/// Rows by database, table and company; the platform's tables have no company.
pub type Counts = BTreeMap<(String, String, Option<Uuid>), i64>;

const fn migrations(service: Service) -> &'static Migrator {
    match service {
        Service::Accounts => &hourmeter_accounts::MIGRATIONS,
        Service::Equipment => &hourmeter_equipment::MIGRATIONS,
        Service::OperatorUpdates => &hourmeter_operator_updates::MIGRATIONS,
        Service::Billing => &hourmeter_billing::MIGRATIONS,
        Service::Notifications => &hourmeter_notifications::MIGRATIONS,
    }
}

const fn seed(service: Service) -> &'static str {
    match service {
        Service::Accounts => include_str!("seed/accounts.sql"),
        Service::Equipment => include_str!("seed/equipment.sql"),
        Service::OperatorUpdates => include_str!("seed/operator-updates.sql"),
        Service::Billing => include_str!("seed/billing.sql"),
        Service::Notifications => include_str!("seed/notifications.sql"),
    }
}

impl World {
    pub async fn new() -> Self {
        let mut databases = Vec::new();
        for service in Service::ALL {
            databases.push(database(service, migrations(service)).await);
        }
        let databases: [TestDatabase; 5] = databases.try_into().ok().unwrap();
        let world = Self {
            databases,
            companies: [Uuid::now_v7(), Uuid::now_v7()],
        };
        for (company, name) in world.companies.iter().zip(NAMES) {
            world.fill(*company, name).await;
        }
        world
    }

    /// Inserts at least one row of a company into every table.
    async fn fill(&self, company: Uuid, name: &str) {
        let (person, machine) = (Uuid::now_v7(), Uuid::now_v7());
        for service in Service::ALL {
            let sql = seed(service)
                .replace(":company", &format!("'{company}'"))
                .replace(":person", &format!("'{person}'"))
                .replace(":machine", &format!("'{machine}'"))
                .replace(":name", &format!("'{name}'"))
                .replace(":secret", &format!("'{SECRET}'"));
            self.admin(service)
                .await
                .execute(AssertSqlSafe(sql))
                .await
                .unwrap();
        }
    }

    /// Connections as the table owners, as in production.
    pub fn owners(&self) -> Databases {
        Databases::new(self.databases.each_ref().map(|one| one.owner_url.clone()))
    }

    pub fn admins(&self) -> Databases {
        Databases::new(self.databases.each_ref().map(|one| one.admin_url.clone()))
    }

    /// The same with one unreachable database.
    pub fn owners_without(&self, service: Service) -> Databases {
        let mut urls = self.databases.each_ref().map(|one| one.owner_url.clone());
        let place = Service::ALL.iter().position(|of| *of == service).unwrap();
        let wrong = urls[place].expose_secret().replace("test_", "gone_");
        urls[place] = SecretString::from(wrong);
        Databases::new(urls)
    }

    pub async fn admin(&self, service: Service) -> PgConnection {
        let place = Service::ALL.iter().position(|of| *of == service).unwrap();
        connect_admin(&self.databases[place].admin_url)
            .await
            .unwrap()
    }

    pub async fn tables(&self, service: Service) -> Vec<Table> {
        tables(&mut self.admin(service).await).await.unwrap()
    }

    pub async fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for service in Service::ALL {
            let mut admin = self.admin(service).await;
            for table in self.tables(service).await {
                let company = if table.has_company() {
                    "company_id"
                } else {
                    "NULL::uuid"
                };
                let query = format!("SELECT {company}, count(*) FROM {} GROUP BY 1", table.name);
                let found: Vec<(Option<Uuid>, i64)> = sqlx::query_as(AssertSqlSafe(query))
                    .fetch_all(&mut admin)
                    .await
                    .unwrap();
                for (company, rows) in found {
                    let place = (service.name().to_owned(), table.name.clone(), company);
                    counts.insert(place, rows);
                }
            }
        }
        counts
    }
}
