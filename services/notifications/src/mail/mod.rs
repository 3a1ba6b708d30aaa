//! Mail to people.

mod content;
mod digest;
mod mailbox;
mod scheduler;
mod sender;
mod settings;
mod sources;
mod transport;

use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Signer;
use hourmeter_runtime::shutdown::BackgroundTasks;

use self::scheduler::Scheduler;
use self::sender::Sender;
pub use self::settings::MailSettings;
pub use self::sources::Backends;
use self::sources::Sources;

/// Starts to queue digests and to send mail.
pub fn start(
    database: &Database,
    clock: &Clock,
    (backends, signer): (Backends, Signer),
    settings: MailSettings,
    background: &BackgroundTasks,
) {
    let sources = Sources::new(backends, signer);
    let scheduler = Scheduler {
        database: database.clone(),
        clock: clock.clone(),
        sources: sources.clone(),
    };
    background.spawn(|stop| scheduler.run(stop));
    let sender = Sender {
        database: database.clone(),
        clock: clock.clone(),
        sources,
        settings,
    };
    background.spawn(|stop| sender.run(stop));
}
