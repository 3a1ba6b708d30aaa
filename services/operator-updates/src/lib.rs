#![doc = include_str!("../README.md")]

mod backlog;
mod changes;
mod delivery;
mod delivery_trace;
mod domain;
mod equipment;
mod grpc;
mod judge;
mod process;
pub mod refusals;
mod relay;
mod store;
mod tasks;

use std::sync::Arc;

use hourmeter_proto::operator_updates::v1::digest_service_server::DigestServiceServer;
use hourmeter_proto::operator_updates::v1::operator_updates_service_server::OperatorUpdatesServiceServer;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::facts::start_facts;
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::process::process;

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// The service's RPCs, without authentication, and its background tasks. Call it in a tokio
/// runtime.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    equipment: Backend,
    notifications: Backend,
    signer: Signer,
    background: &BackgroundTasks,
) -> Routes {
    start_facts::<store::facts::Facts>(
        Service::OperatorUpdates,
        database.clone(),
        notifications,
        signer.clone(),
        background,
    );
    let equipment = equipment::Equipment::new(equipment, signer);
    let deliveries = Arc::new(delivery::Deliveries::new(
        database.clone(),
        equipment.clone(),
        events.clone(),
    ));
    background.spawn(|stop| backlog::watch(database.clone(), stop));
    background.spawn(|stop| relay::run(deliveries.clone(), stop));
    let (judge, notices) = judge::Judge::new(
        database.clone(),
        events.clone(),
        equipment.clone(),
        deliveries.clone(),
    );
    background.spawn(|stop| judge::run(judge.clone(), notices, stop));
    let api = Arc::new(grpc::Api {
        database,
        clock,
        events,
        equipment,
        deliveries,
        judge,
    });
    let digest = DigestServiceServer::from_arc(api.clone());
    let server = OperatorUpdatesServiceServer::from_arc(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes())).add_service(digest)
}
