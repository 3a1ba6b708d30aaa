//! Notifications in browsers (Web Push, RFC 8030).

pub mod content;
mod encryption;
mod sender;
mod settings;

pub use self::encryption::BrowserKeys;
pub use self::settings::PushSettings;
