//! Mail to people.

mod content;
mod digest;
mod flagged;
mod mailbox;
mod plan;
#[cfg(test)]
mod samples_tests;
mod scheduler;
mod security;
mod sender;
mod settings;
mod transport;

pub use self::scheduler::Scheduler;
pub use self::settings::MailSettings;
