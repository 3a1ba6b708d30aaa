//! What is done from the command line: support staff, and moving sealed copies to another key.
//!
//! The all-in-one process has the same commands on its own database.

mod reseal;
mod second_factor;
mod staff;

use futures::future::BoxFuture;
use std::io::Write;

use hourmeter_runtime::db::{Database, connect_admin};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use secrecy::SecretString;

use crate::passwords::{PasswordSettings, Passwords};
use crate::secrets::{Keyring, Peppers};

const USAGE: &str = "usage:
  staff add --name NAME --email EMAIL   adds a member of support staff
  staff list                            lists them
  staff reset --email EMAIL             lets one enrol again; password and sessions end
  staff remove --email EMAIL            removes one
  second-factor reset --email EMAIL     takes an owner's or manager's second factor away
  reseal                                seals all copies with the active key";

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// About support staff; runs as the role that owns the schema.
    Staff(StaffCommand),
    /// Takes the second factor of an owner or manager away; runs as the service's own role.
    ResetSecondFactor {
        /// Whose.
        email: String,
    },
    /// Moves sealed copies to the active key; runs as the service's own role.
    Reseal,
}

/// What to do about support staff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaffCommand {
    /// Adds a person.
    Add {
        /// Name for audit logs.
        name: String,
        /// To sign in with.
        email: String,
    },
    /// Lists all.
    List,
    /// Takes a person's password and authenticator away, ends all sessions, and shows another
    /// enrolment code.
    Reset {
        /// Whose.
        email: String,
    },
    /// Removes a person with all sessions.
    Remove {
        /// Whose.
        email: String,
    },
}

/// Why a command did not end well.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The arguments are not understood.
    #[error("{USAGE}")]
    Usage,
    /// What was asked for can't be done, and why.
    #[error("{0}")]
    Refused(String),
    /// Copies that stay where they are.
    #[error("{0} sealed copies do not open and were left as they are")]
    Broken(usize),
    /// The database, or a secret, failed.
    #[error(transparent)]
    Failed(#[from] ServiceError),
    /// The report could not be written.
    #[error("writing the report")]
    Report(#[from] std::io::Error),
}

impl From<Message> for CommandError {
    fn from(message: Message) -> Self {
        Self::Refused(message.text.into_owned())
    }
}

impl From<sqlx::Error> for CommandError {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Command {
    /// The first words of all commands.
    pub const NAMES: [&str; 3] = ["staff", "second-factor", "reseal"];

    /// Reads a command with its arguments.
    pub fn read(name: &str, arguments: &[String]) -> Result<Self, CommandError> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let staff = match (name, arguments.as_slice()) {
            ("reseal", []) => return Ok(Self::Reseal),
            ("second-factor", ["reset", "--email", email]) => {
                return Ok(Self::ResetSecondFactor {
                    email: (*email).to_owned(),
                });
            }
            (
                "staff",
                ["add", "--name", name, "--email", email]
                | ["add", "--email", email, "--name", name],
            ) => StaffCommand::Add {
                name: (*name).to_owned(),
                email: (*email).to_owned(),
            },
            ("staff", ["list"]) => StaffCommand::List,
            ("staff", ["reset", "--email", email]) => StaffCommand::Reset {
                email: (*email).to_owned(),
            },
            ("staff", ["remove", "--email", email]) => StaffCommand::Remove {
                email: (*email).to_owned(),
            },
            _ => return Err(CommandError::Usage),
        };
        Ok(Self::Staff(staff))
    }
}

impl StaffCommand {
    /// Does it on the database of `owner_url`, the role that owns the schema, and writes what the
    /// person at the terminal needs to know. An enrolment code is written this once, and works once.
    pub fn run<'a>(
        &'a self,
        owner_url: &'a SecretString,
        peppers: &'a Peppers,
        keyring: &'a Keyring,
        passwords: PasswordSettings,
        out: &'a mut (dyn Write + Send),
    ) -> BoxFuture<'a, Result<(), CommandError>> {
        Box::pin(async move {
            let mut owner = connect_admin(owner_url).await?;
            let passwords = Passwords::new(passwords, peppers.clone());
            staff::run(self, &mut owner, &passwords, keyring, out).await
        })
    }
}

/// Takes the second factor of the owner or manager with this e-mail away, with all sessions. Safe
/// while the product runs.
pub fn reset_second_factor<'a>(
    database: &'a Database,
    email: &'a str,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), CommandError>> {
    Box::pin(async move { second_factor::reset(database, email, out).await })
}

/// Seals every copy that another key has sealed with the active one, and writes how many there
/// were and are. Safe while the product runs, and to run again after it was interrupted.
pub fn reseal<'a>(
    database: &'a Database,
    keyring: &'a Keyring,
    out: &'a mut (dyn Write + Send),
) -> BoxFuture<'a, Result<(), CommandError>> {
    Box::pin(async move { reseal::run(database, keyring, out).await })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, CommandError> {
        let mut words = line.split(' ').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Command::read(&name, &words.collect::<Vec<_>>())
    }

    #[test]
    fn commands_are_read() {
        let add = Command::Staff(StaffCommand::Add {
            name: "Ana".to_owned(),
            email: "a@b.example".to_owned(),
        });
        for line in [
            "staff add --name Ana --email a@b.example",
            "staff add --email a@b.example --name Ana",
        ] {
            assert_eq!(read(line).expect(line), add);
        }
        assert_eq!(read("reseal").expect("reseal"), Command::Reseal);
        let reset = Command::ResetSecondFactor {
            email: "a@b.example".to_owned(),
        };
        let line = "second-factor reset --email a@b.example";
        assert_eq!(read(line).expect("a command"), reset);
        let list = Command::Staff(StaffCommand::List);
        assert_eq!(read("staff list").expect("list"), list);
    }

    #[test]
    fn anything_else_is_answered_with_the_usage() {
        for line in [
            "staff",
            "staff add",
            "staff add --name Ana",
            "staff add --name Ana --email a@b.example more",
            "staff list all",
            "staff remove a@b.example",
            "staff reset",
            "reseal now",
            "second-factor",
            "second-factor reset",
            "second-factor reset a@b.example",
            "serve",
        ] {
            let error = read(line).expect_err(line);
            assert!(error.to_string().starts_with("usage:"), "{line}");
        }
    }
}
