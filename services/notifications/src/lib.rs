#![doc = include_str!("../README.md")]

mod fact;
mod grpc;
mod process;
mod retention;
mod store;

use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsServiceServer;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::process::process;

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// Starts the service, without authentication, and its background task.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    background: &BackgroundTasks,
) -> Routes {
    background.spawn(|stop| retention::run(database.clone(), stop));
    let api = grpc::Api {
        database,
        clock,
        events,
    };
    let server = NotificationsServiceServer::new(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
}
