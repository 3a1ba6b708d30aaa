#![doc = include_str!("../README.md")]

use hourmeter_proto::equipment::v1::equipment_service_server::EquipmentServiceServer;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::server::max_message_bytes;
use tonic::service::Routes;

mod domain;
mod grpc;
pub mod maintenance;
mod store;

/// The schema of this service's database.
pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!();

/// The service's RPCs, without the guard that every process puts before them.
pub fn routes(database: Database, clock: Clock) -> Routes {
    let api = grpc::Api::new(database, clock);
    let server = EquipmentServiceServer::new(api).max_decoding_message_size(max_message_bytes());
    Routes::new(server)
}
