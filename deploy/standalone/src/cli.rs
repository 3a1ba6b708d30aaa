//! Command line.

use anyhow::{Result, bail};
use hourmeter_accounts::Command;
use hourmeter_billing::catalogue;
use hourmeter_equipment::maintenance::Task;

/// Details: `deploy/standalone/README.md`; for `company`, `figures` and `compare`:
/// `deploy/privacy.md` and `deploy/backup.md`.
pub const HELP: &str = "\
Hourmeter, for businesses that own vehicles, machinery and tools.

hourmeter                        everything in one process with an embedded PostgreSQL
hourmeter services               the same with separate processes for the services and the gateway

hourmeter gateway                one process, configured by the environment
hourmeter accounts [COMMAND]
hourmeter equipment [COMMAND]
hourmeter operator-updates [COMMAND]
hourmeter billing [COMMAND]      COMMAND: serve (default), migrate, or one of the service's own
hourmeter notifications [COMMAND]
                                 COMMAND: serve (default) or migrate

hourmeter staff add --name NAME --email EMAIL
hourmeter staff list
hourmeter staff reset --email EMAIL
hourmeter staff remove --email EMAIL
hourmeter password reset --email EMAIL
hourmeter second-factor reset --email EMAIL
hourmeter reseal                 seals operator passwords and authenticator secrets with the active key
hourmeter sync-catalogue         syncs plans and prices to Stripe
hourmeter check-projections [--company UUID]
hourmeter rebuild-projections [--company UUID]

hourmeter company export --company UUID --out FOLDER --reason TEXT
hourmeter company delete --company UUID --confirm \"BUSINESS NAME\" --reason TEXT
    [--dry-run] [--even-if-paying] [--no-wait]
hourmeter figures --out FILE [--mark NAME] [--check]
hourmeter compare BEFORE RESTORED

hourmeter help                   shows this text
hourmeter --version

Settings are read from the environment: HOST, PORT, DATA_DIR, DATABASE_URL, DEMO and more.";

#[derive(Debug, PartialEq, Eq)]
pub enum Invocation {
    Help,
    Version,
    /// A command on the installation that the environment names.
    Work(Work),
}

/// A command on an installation.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// Run everything in this process.
    Everything,
    /// Run each service and the gateway as a separate process.
    Services,
    /// Support staff, passwords, second factors and resealing.
    People(Command),
    /// Maintenance of the equipment service.
    Maintenance(Task),
    /// Sync plans and prices to Stripe.
    Catalogue,
}

impl Invocation {
    /// Parses the arguments of commands that no service handles.
    pub fn read(arguments: &[String]) -> Result<Self> {
        let Some((name, rest)) = arguments.split_first() else {
            return Ok(Self::Work(Work::Everything));
        };
        let name = name.as_str();
        if Command::NAMES.contains(&name) {
            return Ok(Self::Work(Work::People(Command::read(name, rest)?)));
        }
        if Task::COMMANDS.contains(&name) {
            return Ok(Self::Work(Work::Maintenance(Task::read(name, rest)?)));
        }
        let invocation = match name {
            "help" | "--help" | "-h" => return Ok(Self::Help),
            "--version" | "-V" => Self::Version,
            "services" => Self::Work(Work::Services),
            catalogue::COMMAND => Self::Work(Work::Catalogue),
            _ => bail!("unknown command {name}; see `hourmeter help`"),
        };
        if !rest.is_empty() {
            bail!("{name} takes no arguments; see `hourmeter help`");
        }
        Ok(invocation)
    }
}

#[cfg(test)]
mod tests {
    use hourmeter_runtime::identity::Service;

    use super::*;

    fn read(line: &str) -> Result<Invocation> {
        let arguments: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        Invocation::read(&arguments)
    }

    #[test]
    fn read_parses_commands() {
        for (line, expected) in [
            ("", Invocation::Work(Work::Everything)),
            ("services", Invocation::Work(Work::Services)),
            ("sync-catalogue", Invocation::Work(Work::Catalogue)),
            ("help", Invocation::Help),
            ("--help", Invocation::Help),
            ("-h", Invocation::Help),
            ("help staff", Invocation::Help),
            ("--version", Invocation::Version),
            ("reseal", Invocation::Work(Work::People(Command::Reseal))),
        ] {
            assert_eq!(read(line).expect("a command"), expected, "{line}");
        }
        for name in Task::COMMANDS {
            let invocation = read(name).expect("a command");
            assert!(
                matches!(invocation, Invocation::Work(Work::Maintenance(_))),
                "{name}"
            );
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
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn read_explains_errors() {
        let error = |line| read(line).expect_err("nothing").to_string();
        assert!(error("services now").starts_with("services takes no arguments"));
        assert!(error("service").starts_with("unknown command service;"));
    }

    /// The help's lines about commands, without the program name.
    fn lines() -> impl Iterator<Item = &'static str> {
        let lines = HELP.lines();
        lines.filter_map(|line| line.strip_prefix("hourmeter "))
    }

    #[test]
    fn help_lists_every_command() {
        let names = Command::NAMES.iter().chain(&Task::COMMANDS);
        let names = names.chain(&hourmeter_records::Command::NAMES).copied();
        let names = names.chain(Service::ALL.map(Service::name));
        for name in names.chain(["services", "gateway", catalogue::COMMAND]) {
            let is_listed = lines().any(|line| line.split(' ').next() == Some(name));
            assert!(is_listed, "{name}");
        }
        for arguments in [
            "staff add",
            "staff list",
            "staff reset",
            "staff remove",
            "password reset",
            "second-factor reset",
            "company export",
            "company delete",
        ] {
            assert!(
                lines().any(|line| line.starts_with(arguments)),
                "{arguments}"
            );
        }
    }

    #[test]
    fn help_lines_are_valid_commands() {
        for line in lines().filter(|line| line.starts_with("staff")) {
            let invocation = read(line).expect(line);
            assert!(
                matches!(invocation, Invocation::Work(Work::People(_))),
                "{line}"
            );
        }
        for name in Task::COMMANDS {
            let line = format!("{name} --company 01980000-0000-7000-8000-000000000000");
            let invocation = read(&line).expect(name);
            assert!(
                matches!(invocation, Invocation::Work(Work::Maintenance(_))),
                "{name}"
            );
            assert!(lines().any(|help| help == format!("{name} [--company UUID]")));
        }
    }
}
