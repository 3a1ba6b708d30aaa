#![doc = include_str!("../README.md")]

pub mod agreed;
pub mod catalogue;
pub mod domain;
mod event_retention;
mod grpc;
mod process;
pub mod provider;
pub mod refusals;
mod scheduler;
mod settings;
mod store;
pub mod webhook;

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::grpc::Billing;
pub use self::process::process;
pub use self::settings::{BillingSettings, PaymentSettings, StripeSettings};

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// Starts the service, without authentication, and its background jobs.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    settings: BillingSettings,
    background: &BackgroundTasks,
) -> Result<Routes, ServiceError> {
    let billing = Billing::new(database, clock, events, settings)?;
    background.spawn(|stop| event_retention::run(billing.clone(), stop));
    background.spawn(|stop| scheduler::run(billing.clone(), stop));
    Ok(billing.routes())
}
