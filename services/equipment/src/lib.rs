#![doc = include_str!("../README.md")]

use hourmeter_proto::equipment::v1::equipment_service_server::EquipmentServiceServer;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use tonic::service::Routes;

mod domain;
mod grpc;
pub mod maintenance;
mod process;
pub mod refusals;
mod store;

pub use process::process;

/// The largest request: 500 submissions with the longest notes. What comes from people is limited
/// by the gateway, to less.
const LARGEST_REQUEST: usize = 12 * 1024 * 1024;

/// The schema of this service's database.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx_macros::migrate!();

/// The service's RPCs, without the guard that every process puts before them.
pub fn routes(database: Database, clock: Clock, events: Events) -> Routes {
    let api = grpc::Api::new(database, clock, events);
    let server = EquipmentServiceServer::new(api).max_decoding_message_size(LARGEST_REQUEST);
    Routes::new(server)
}
