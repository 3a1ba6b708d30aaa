//! Command line.

use anyhow::{Result, bail};
use hourmeter_accounts::Command;
use hourmeter_billing::catalogue;
use hourmeter_equipment::maintenance::Task;

/// Details: `deploy/standalone/README.md`; for `company`, `figures` and `compare`:
/// `deploy/privacy.md` and `deploy/backup.md`.
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
hourmeter second-factor reset --email EMAIL
hourmeter reseal                 seals operator passwords and authenticator secrets with the active key
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

#[derive(Debug, PartialEq, Eq)]
pub enum Asked {
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
    /// Support staff, second factors and resealing.
    People(Command),
    /// Maintenance of the equipment service.
    Maintenance(Task),
    /// Sync plans and prices to Stripe.
    Catalogue,
}

impl Asked {
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
        let asked = match name {
            "help" | "--help" | "-h" => return Ok(Self::Help),
            "--version" | "-V" => Self::Version,
            "services" => Self::Work(Work::Services),
            catalogue::COMMAND => Self::Work(Work::Catalogue),
            _ => bail!("unknown command \"{name}\"; \"hourmeter help\" tells what there is"),
        };
        if !rest.is_empty() {
            bail!("\"{name}\" takes nothing after it; \"hourmeter help\" tells what there is");
        }
        Ok(asked)
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
            ("", Asked::Work(Work::Everything)),
            ("services", Asked::Work(Work::Services)),
            ("sync-catalogue", Asked::Work(Work::Catalogue)),
            ("help", Asked::Help),
            ("--help", Asked::Help),
            ("-h", Asked::Help),
            ("help staff", Asked::Help),
            ("--version", Asked::Version),
            ("reseal", Asked::Work(Work::People(Command::Reseal))),
        ] {
            assert_eq!(read(line).expect("a command"), asked, "{line}");
        }
        for name in Task::COMMANDS {
            let asked = read(name).expect("a command");
            assert!(matches!(asked, Asked::Work(Work::Maintenance(_))), "{name}");
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
    fn what_is_wrong_is_said() {
        let told = |line| read(line).expect_err("nothing").to_string();
        assert!(told("services now").starts_with("\"services\" takes nothing after it"));
        assert!(told("service").starts_with("unknown command \"service\""));
    }

    /// The help's lines about commands, without the program name.
    fn lines() -> impl Iterator<Item = &'static str> {
        let lines = HELP.lines();
        lines.filter_map(|line| line.strip_prefix("hourmeter "))
    }

    #[test]
    fn the_help_names_every_command() {
        let names = Command::NAMES.iter().chain(&Task::COMMANDS);
        let names = names.chain(&hourmeter_records::Command::NAMES).copied();
        let names = names.chain(Service::ALL.map(Service::name));
        for name in names.chain(["services", "gateway", catalogue::COMMAND]) {
            let told = lines().any(|line| line.split(' ').next() == Some(name));
            assert!(told, "{name}");
        }
        for words in [
            "staff add",
            "staff list",
            "staff reset",
            "staff remove",
            "second-factor reset",
            "company export",
            "company delete",
        ] {
            assert!(lines().any(|line| line.starts_with(words)), "{words}");
        }
    }

    #[test]
    fn what_the_help_says_is_understood() {
        for line in lines().filter(|line| line.starts_with("staff")) {
            let asked = read(line).expect(line);
            assert!(matches!(asked, Asked::Work(Work::People(_))), "{line}");
        }
        for name in Task::COMMANDS {
            let line = format!("{name} --company 01980000-0000-7000-8000-000000000000");
            let asked = read(&line).expect(name);
            assert!(matches!(asked, Asked::Work(Work::Maintenance(_))), "{name}");
            assert!(lines().any(|told| told == format!("{name} [--company UUID]")));
        }
    }
}
