//! What the command line asks for.

use anyhow::{Result, bail};
use hourmeter_accounts::Command;
use hourmeter_billing::catalogue;
use hourmeter_equipment::maintenance::Task;

/// What `hourmeter help` says; `deploy/standalone/README.md` says more of each.
pub const HELP: &str = "\
Hourmeter, for businesses that own vehicles, machinery and tools.

hourmeter                        everything in one process, with a PostgreSQL of its own
hourmeter services               the same, every service and the gateway as a process of its own

hourmeter gateway                one process, which the environment tells all it needs to know
hourmeter accounts [COMMAND]
hourmeter equipment [COMMAND]
hourmeter operator-updates [COMMAND]
hourmeter billing [COMMAND]      COMMAND: serve (default), migrate, or one of the service's own

hourmeter staff add --name NAME --email EMAIL
hourmeter staff list
hourmeter staff reset --email EMAIL
hourmeter staff remove --email EMAIL
hourmeter reseal                 seals passwords and codes with the active key
hourmeter sync-catalogue         makes plans and prices at the payment provider
hourmeter check-projections [--company UUID]
hourmeter rebuild-projections [--company UUID]

hourmeter company export --company UUID --out FOLDER --reason TEXT
hourmeter company delete --company UUID --confirm \"BUSINESS NAME\" --reason TEXT
    [--dry-run] [--even-if-paying] [--no-wait]
hourmeter figures --out FILE [--mark NAME] [--check]
hourmeter compare BEFORE RESTORED

hourmeter help                   this
hourmeter --version

Settings are read from the environment: HOST, PORT, DATA_DIR, DATABASE_URL, DEMO and more.";

/// What is to be done with the installation that the environment names.
#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
    /// To run everything in this process.
    Everything,
    /// To run every service and the gateway as a process of its own.
    Services,
    /// A command about people.
    People(Command),
    /// A maintenance task of the equipment service.
    Maintenance(Task),
    /// To make plans and prices at the payment provider.
    Catalogue,
    /// How it is used.
    Help,
    /// Which version it is.
    Version,
}

impl Asked {
    /// Reads arguments that are no other process's.
    pub fn read(arguments: &[String]) -> Result<Self> {
        let Some((name, rest)) = arguments.split_first() else {
            return Ok(Self::Everything);
        };
        let name = name.as_str();
        if Command::NAMES.contains(&name) {
            return Ok(Self::People(Command::read(name, rest)?));
        }
        if Task::COMMANDS.contains(&name) {
            return Ok(Self::Maintenance(Task::read(name, rest)?));
        }
        match (name, rest) {
            ("services", []) => Ok(Self::Services),
            (catalogue::COMMAND, []) => Ok(Self::Catalogue),
            ("help" | "--help" | "-h", _) => Ok(Self::Help),
            ("--version" | "-V", []) => Ok(Self::Version),
            ("services" | catalogue::COMMAND | "--version" | "-V", _) => {
                bail!("\"{name}\" takes nothing after it; \"hourmeter help\" tells what there is")
            }
            _ => bail!("unknown command \"{name}\"; \"hourmeter help\" tells what there is"),
        }
    }
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::identity::Service;

    use super::*;

    fn read(line: &str) -> Result<Asked> {
        let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        Asked::read(&arguments)
    }

    #[test]
    fn words_are_commands() {
        for (line, asked) in [
            ("", Asked::Everything),
            ("services", Asked::Services),
            ("sync-catalogue", Asked::Catalogue),
            ("help", Asked::Help),
            ("--help", Asked::Help),
            ("-h", Asked::Help),
            ("help staff", Asked::Help),
            ("--version", Asked::Version),
            ("reseal", Asked::People(Command::Reseal)),
        ] {
            assert_eq!(read(line).expect("a command"), asked, "{line}");
        }
        for name in Task::COMMANDS {
            let asked = read(name).expect("a command");
            assert!(matches!(asked, Asked::Maintenance(_)), "{name}");
        }
        for wrong in [
            "service",
            "Services",
            "services now",
            "sync-catalogue x",
            "--version x",
            "staff",
            "reseal x",
            "check-projections x",
            "-x",
        ] {
            let told = read(wrong).expect_err("nothing").to_string();
            assert!(
                told.contains(wrong.split(' ').next().unwrap_or_default()),
                "{told}"
            );
        }
    }

    #[test]
    fn the_help_names_every_command() {
        let names = Command::NAMES.iter().chain(&Task::COMMANDS);
        let names = names.chain(&hourmeter_records::Command::NAMES).copied();
        let names = names.chain(Service::ALL.map(Service::name));
        for name in names.chain(["services", "gateway", catalogue::COMMAND]) {
            let told = HELP.lines().any(|line| {
                let rest = line.strip_prefix("hourmeter ");
                rest.and_then(|rest| rest.split(' ').next()) == Some(name)
            });
            assert!(told, "{name}");
        }
    }
}
