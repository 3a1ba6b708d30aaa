#![doc = include_str!("../README.md")]

mod fact;
mod grpc;
mod mail;
mod process;
pub mod refusals;
mod retention;
mod schedule;
mod store;

use std::sync::Arc;

use hourmeter_proto::notifications::v1::digest_service_server::DigestServiceServer;
use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsServiceServer;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::mail::{Backends, MailSettings, start as start_mail};
pub use self::process::process;

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// Starts the service, without authentication. Without `mail`, it refuses to queue any; with it, call
/// [`start_mail`] too.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    mail: Option<MailSettings>,
    background: &BackgroundTasks,
) -> Routes {
    background.spawn(|stop| retention::run(database.clone(), stop));
    let api = Arc::new(grpc::Api {
        database,
        clock,
        events,
        mail,
    });
    let digest = DigestServiceServer::from_arc(api.clone());
    let server = NotificationsServiceServer::from_arc(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
        .add_service(digest.max_decoding_message_size(max_message_bytes()))
}
