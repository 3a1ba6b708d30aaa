#![doc = include_str!("../README.md")]

mod commands;
mod domain;
mod grpc;
mod passwords;
mod process;
pub mod refusals;
mod secrets;
mod store;
mod usernames;

use std::sync::Arc;

use hourmeter_proto::accounts::v1::accounts_service_server::AccountsServiceServer;
use hourmeter_proto::accounts::v1::contacts_service_server::ContactsServiceServer;
use hourmeter_proto::accounts::v1::staff_service_server::StaffServiceServer;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::facts::start_facts;
use hourmeter_runtime::identity::{Service, Signer};
use hourmeter_runtime::server::max_message_bytes;
use hourmeter_runtime::shutdown::BackgroundTasks;
use tonic::service::Routes;

pub use commands::{
    Command, CommandError, StaffCommand, reseal, reset_password, reset_second_factor,
};
pub use passwords::PasswordSettings;
pub use process::process;
pub use secrets::{
    DecoySecret, Keyring, Peppers, SealError, Sealed, Secrets, SecretsError, generate_key_file,
};
pub use usernames::{hash_released_usernames, start_username_hashing};

pub static MIGRATIONS: sqlx::migrate::Migrator = sqlx_macros::migrate!();

/// Starts to send security events to the notifications service.
pub fn start_security_events(
    database: Database,
    notifications: Backend,
    signer: Signer,
    background: &BackgroundTasks,
) {
    start_facts::<store::security_events::SecurityEvents>(
        Service::Accounts,
        database,
        notifications,
        signer,
        background,
    );
}

/// The RPCs without the access policy; wrap them with `runtime::server::guarded`.
pub fn routes(
    database: Database,
    clock: Clock,
    secrets: Secrets,
    passwords: PasswordSettings,
) -> Routes {
    let api = Arc::new(grpc::Api::new(database, clock, secrets, passwords));
    let staff = StaffServiceServer::from_arc(api.clone());
    let contacts = ContactsServiceServer::from_arc(api.clone());
    let server = AccountsServiceServer::from_arc(api);
    Routes::new(server.max_decoding_message_size(max_message_bytes()))
        .add_service(staff.max_decoding_message_size(max_message_bytes()))
        .add_service(contacts.max_decoding_message_size(max_message_bytes()))
}
