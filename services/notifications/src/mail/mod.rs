//! Mail to people.

mod content;
mod mailbox;
mod sender;
mod settings;
mod transport;

pub use self::sender::Sender;
pub use self::settings::MailSettings;
