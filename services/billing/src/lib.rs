#![doc = include_str!("../README.md")]

pub mod agreed;
mod domain;
mod grpc;
mod store;

use hourmeter_proto::billing::v1::billing_service_server::BillingServiceServer;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::server::max_message_bytes;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

/// The service's schema.
pub static MIGRATIONS: Migrator = sqlx::migrate!();

/// What a deployment decides about billing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillingSettings {
    /// Length of the free trial in days, 1 to 365.
    pub trial_days: u32,
}

/// The service, without a guard.
pub fn routes(database: Database, clock: Clock, settings: BillingSettings) -> Routes {
    let service = grpc::Billing {
        database,
        clock,
        settings,
    };
    let server = BillingServiceServer::new(service);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
}
