#![doc = include_str!("../README.md")]

mod fact;
mod grpc;
mod mail;
mod process;
pub mod refusals;
mod retention;
mod store;

use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsServiceServer;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

pub use self::mail::MailSettings;
pub use self::process::process;

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// Starts the service, without authentication, and its background tasks. Without `mail`, it sends none.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    (accounts, signer): (Backend, Signer),
    mail: Option<MailSettings>,
    background: &BackgroundTasks,
) -> Routes {
    background.spawn(|stop| retention::run(database.clone(), stop));
    if let Some(mail) = mail.clone() {
        let sender = mail::Sender::new(database.clone(), clock.clone(), accounts, signer, mail);
        background.spawn(|stop| sender.run(stop));
    }
    let api = grpc::Api {
        database,
        clock,
        events,
        mail,
    };
    let server = NotificationsServiceServer::new(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
}
