//! Commands: managing support staff, resetting passwords and second factors, and re-encrypting sealed
//! copies.
//!
//! The all-in-one process has the same commands on its own database.

mod people;
mod reseal;
mod staff;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;

pub use self::people::{reset_password, reset_second_factor};
pub use self::reseal::reseal;

const USAGE: &str = "usage:
  staff add --name NAME --email EMAIL   adds a member of support staff
  staff list                            lists support staff
  staff reset --email EMAIL             deletes password and sessions, prints a new code
  staff remove --email EMAIL            removes a member of support staff
  password reset --email EMAIL          sets and prints an owner's or manager's temporary password
  second-factor reset --email EMAIL     resets an owner's or manager's second factor
  reseal                                re-encrypts all sealed copies with the active key";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Runs as the role that owns the schema.
    Staff(StaffCommand),
    /// Sets a temporary password for an owner or manager; runs as the service's role.
    ResetPassword { email: String },
    /// Resets the second factor of an owner or manager; runs as the service's role.
    ResetSecondFactor { email: String },
    /// Re-encrypts sealed copies with the active key; runs as the service's role.
    Reseal,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaffCommand {
    Add {
        name: String,
        email: String,
    },
    List,
    /// Deletes password and authenticator, ends all sessions and prints a new enrolment code.
    Reset {
        email: String,
    },
    Remove {
        email: String,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid arguments.
    #[error("{USAGE}")]
    Usage,
    #[error("{0}")]
    Refused(String),
    /// Number of copies that could not be decrypted.
    #[error("{0} sealed copies could not be decrypted and were left unchanged")]
    Broken(usize),
    #[error(transparent)]
    Failed(#[from] ServiceError),
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
    pub const NAMES: [&str; 4] = ["staff", "password", "second-factor", "reseal"];

    pub fn read(name: &str, arguments: &[String]) -> Result<Self, CommandError> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let staff = match (name, arguments.as_slice()) {
            ("reseal", []) => return Ok(Self::Reseal),
            ("password", ["reset", "--email", email]) => {
                return Ok(Self::ResetPassword {
                    email: (*email).to_owned(),
                });
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, CommandError> {
        let mut words = line.split(' ').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Command::read(&name, &words.collect::<Vec<_>>())
    }

    #[test]
    fn command_read_parses_arguments() {
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
        let password = Command::ResetPassword {
            email: "a@b.example".to_owned(),
        };
        let line = "password reset --email a@b.example";
        assert_eq!(read(line).expect("a command"), password);
        let reset = Command::ResetSecondFactor {
            email: "a@b.example".to_owned(),
        };
        let line = "second-factor reset --email a@b.example";
        assert_eq!(read(line).expect("a command"), reset);
        let list = Command::Staff(StaffCommand::List);
        assert_eq!(read("staff list").expect("list"), list);
    }

    #[test]
    fn command_read_rejects_other_arguments_with_usage() {
        for line in [
            "staff",
            "staff add",
            "staff add --name Ana",
            "staff add --name Ana --email a@b.example more",
            "staff list all",
            "staff remove a@b.example",
            "staff reset",
            "reseal now",
            "password",
            "password reset",
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
