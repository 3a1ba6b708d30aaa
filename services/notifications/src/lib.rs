#![doc = include_str!("../README.md")]

mod changes;
mod fact;
mod grpc;
mod input;
mod mail;
mod operators;
mod outbox;
mod payment;
mod process;
mod push;
pub mod refusals;
mod retention;
mod rounds;
mod schedule;
mod settings;
mod silent_phones;
mod sms;
mod sources;
mod store;
mod texts;
mod watch;
mod web_client;

use std::sync::Arc;

use hourmeter_proto::notifications::v1::digest_service_server::DigestServiceServer;
use hourmeter_proto::notifications::v1::notifications_service_server::NotificationsServiceServer;
use hourmeter_proto::notifications::v1::push_service_server::PushServiceServer;
use hourmeter_proto::notifications::v1::settings_service_server::SettingsServiceServer;
use hourmeter_proto::notifications::v1::sms_service_server::SmsServiceServer;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::events::Events;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use sqlx::migrate::Migrator;
use tonic::service::Routes;

use self::mail::Scheduler;
use self::outbox::Sender;
use self::sources::{Groups, Sources};

pub use self::mail::MailSettings;
pub use self::process::process;
pub use self::push::PushSettings;
pub use self::sms::SmsSettings;
pub use self::sources::Backends;

pub static MIGRATIONS: Migrator = sqlx_macros::migrate!();

/// The ways to reach people outside of the product. None: not configured.
#[derive(Clone, Debug, Default)]
pub struct Channels {
    pub mail: Option<MailSettings>,
    pub push: Option<PushSettings>,
    pub sms: Option<SmsSettings>,
}

/// Starts the service, without authentication. Call [`start_channels`] too, so that it sends something.
pub fn start(
    database: Database,
    clock: Clock,
    events: Events,
    (equipment, signer): (Backend, Signer),
    channels: Channels,
    background: &BackgroundTasks,
) -> Routes {
    background.spawn(|stop| retention::run(database.clone(), stop));
    let api = Arc::new(grpc::Api {
        database,
        clock,
        events,
        channels,
        groups: Groups::new(equipment, signer),
    });
    let digest = DigestServiceServer::from_arc(api.clone());
    let push = PushServiceServer::from_arc(api.clone());
    let settings = SettingsServiceServer::from_arc(api.clone());
    let sms = SmsServiceServer::from_arc(api.clone());
    let server = NotificationsServiceServer::from_arc(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
        .add_service(digest.max_decoding_message_size(max_message_bytes()))
        .add_service(push.max_decoding_message_size(max_message_bytes()))
        .add_service(settings.max_decoding_message_size(max_message_bytes()))
        .add_service(sms.max_decoding_message_size(max_message_bytes()))
}

/// Starts to notify operators, to queue digests, and to send what is queued.
pub fn start_channels(
    database: &Database,
    clock: &Clock,
    events: Events,
    (backends, signer): (Backends, Signer),
    channels: Channels,
    background: &BackgroundTasks,
) {
    let operators = Sender {
        database: database.clone(),
        clock: clock.clone(),
        sources: Sources::new(backends, signer),
        via: events,
    };
    if let Some(settings) = channels.mail {
        let scheduler = Scheduler {
            database: database.clone(),
            clock: clock.clone(),
            sources: operators.sources.clone(),
        };
        background.spawn(|stop| scheduler.run(stop));
        let mail = operators.with(settings);
        background.spawn(|stop| mail.run(stop));
    }
    if let Some(settings) = channels.push {
        let push = operators.with(settings);
        background.spawn(|stop| push.run(stop));
    }
    if let Some(settings) = channels.sms {
        let sms = operators.with(settings);
        background.spawn(|stop| sms.run(stop));
    }
    background.spawn(|stop| operators.run(stop));
}
