#![doc = include_str!("../README.md")]

use hourmeter_proto::equipment::v1::digest_service_server::DigestServiceServer;
use hourmeter_proto::equipment::v1::equipment_service_server::EquipmentServiceServer;
use hourmeter_proto::equipment::v1::staff_service_server::StaffServiceServer;
use hourmeter_proto::equipment::v1::task_set_service_server::TaskSetServiceServer;
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

/// Fits 200 updates with the longest notes. The gateway limits people's requests to less.
const MAX_REQUEST_BYTES: usize = 12 * 1024 * 1024;

pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx_macros::migrate!();

/// The service's RPCs. The caller adds authentication.
pub fn routes(database: Database, clock: Clock, events: Events) -> Routes {
    let api = grpc::Api::new(database, clock, events);
    let task_sets = TaskSetServiceServer::new(api.clone());
    let staff = StaffServiceServer::new(api.clone());
    let digest = DigestServiceServer::new(api.clone());
    let server = EquipmentServiceServer::new(api).max_decoding_message_size(MAX_REQUEST_BYTES);
    Routes::new(server)
        .add_service(task_sets)
        .add_service(staff)
        .add_service(digest)
}
