//! Commands and their arguments.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use hourmeter_equipment::maintenance::{Mode, Task};
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use uuid::Uuid;

use crate::compare::compare;
use crate::databases::{Databases, RecordsError};
use crate::delete::{Deletion, OPEN_CALLS_WAIT, delete, delete_due, unfinished};
use crate::export::{Export, export};
use crate::figures::{Figures, figures};
use crate::mark::{Mark, Snapshot};
use crate::relay::deliveries;

const USAGE: &str = "usage:
  company export --company UUID --out FOLDER --reason TEXT
      writes everything kept of a company as CSV and JSON
  company delete --company UUID --confirm \"BUSINESS NAME\" --reason TEXT
      [--dry-run] [--even-if-paying] [--no-wait]
      removes a company from all databases
  company delete-due
      removes companies whose owners requested it seven days ago or earlier
  company unfinished
      lists companies whose deletion has not gone through all databases
  figures --out FILE [--mark NAME] [--check]
      writes rows, sums and digests of every company; with --mark at one moment that gets NAME in
      the server's log; with --check also folds every ledger and compares deliveries
  compare BEFORE RESTORED
      compares two files of figures";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Export(Export),
    Delete(Deletion),
    DeleteDue,
    Unfinished,
    Figures {
        out: PathBuf,
        /// Restore point in the WAL, for a product that is writing.
        mark: Option<Mark>,
        /// Also checks ledgers and deliveries.
        check: bool,
    },
    Compare {
        before: PathBuf,
        restored: PathBuf,
    },
}

/// Flags with values, each at most once; switches have an empty value.
struct Flags<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Flags<'a> {
    fn read(arguments: &[&'a str]) -> Option<Self> {
        const SWITCHES: [&str; 4] = ["--dry-run", "--even-if-paying", "--no-wait", "--check"];
        let mut found: Vec<(&str, &str)> = Vec::new();
        let mut rest = arguments.iter();
        while let Some(flag) = rest.next() {
            let is_new = !found.iter().any(|(name, _)| name == flag);
            if !flag.starts_with("--") || !is_new {
                return None;
            }
            let value = if SWITCHES.contains(flag) {
                ""
            } else {
                rest.next()?
            };
            found.push((flag, value));
        }
        Some(Self(found))
    }

    fn value(&mut self, name: &str) -> Option<&'a str> {
        let place = self.0.iter().position(|(flag, _)| *flag == name)?;
        Some(self.0.remove(place).1)
    }

    fn has_flag(&mut self, name: &str) -> bool {
        self.value(name).is_some()
    }
}

impl Command {
    /// First words of all commands.
    pub const NAMES: [&str; 3] = ["company", "figures", "compare"];

    pub fn read(name: &str, arguments: &[String]) -> Result<Self, RecordsError> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Self::parse(name, &arguments).ok_or(RecordsError::Usage(USAGE))
    }

    fn parse(name: &str, arguments: &[&str]) -> Option<Self> {
        if let ("compare", [before, restored]) = (name, arguments) {
            return Some(Self::Compare {
                before: before.into(),
                restored: restored.into(),
            });
        }
        let (what, rest) = match (name, arguments) {
            ("company", [what, rest @ ..]) => (*what, rest),
            ("figures", rest) => ("figures", rest),
            _ => return None,
        };
        let mut flags = Flags::read(rest)?;
        let command = match what {
            "export" => Self::Export(Export {
                company: Uuid::try_parse(flags.value("--company")?).ok()?,
                out: flags.value("--out")?.into(),
                reason: reason(&mut flags)?,
            }),
            "delete" => Self::Delete(Deletion {
                company: Uuid::try_parse(flags.value("--company")?).ok()?,
                confirm: flags.value("--confirm")?.to_owned(),
                reason: reason(&mut flags)?,
                dry_run: flags.has_flag("--dry-run"),
                even_if_paying: flags.has_flag("--even-if-paying"),
                only_due: false,
                wait: (!flags.has_flag("--no-wait")).then_some(OPEN_CALLS_WAIT),
            }),
            "delete-due" => Self::DeleteDue,
            "unfinished" => Self::Unfinished,
            "figures" => Self::Figures {
                out: flags.value("--out")?.into(),
                mark: match flags.value("--mark") {
                    Some(name) => Some(Mark::parse(name)?),
                    None => None,
                },
                check: flags.has_flag("--check"),
            },
            _ => return None,
        };
        flags.0.is_empty().then_some(command)
    }

    pub const fn needs_databases(&self) -> bool {
        !matches!(self, Self::Compare { .. })
    }

    pub async fn run(
        &self,
        databases: Option<&Databases>,
        out: &mut (dyn Write + Send),
    ) -> Result<(), RecordsError> {
        let databases = || {
            databases.ok_or_else(|| RecordsError::Refused("no databases are configured".to_owned()))
        };
        match self {
            Self::Compare { before, restored } => {
                let before: Figures = read(before)?.parse()?;
                compare(&before, &read(restored)?.parse()?, out)?;
            }
            Self::Export(what) => {
                for (file, rows) in export(databases()?, what).await? {
                    writeln!(out, "{file:40} {rows:>10} rows")?;
                }
                writeln!(out, "Written to {}.", what.out.display())?;
            }
            Self::Delete(deletion) => {
                delete(databases()?, deletion, out).await?;
            }
            Self::DeleteDue => {
                let refused = delete_due(databases()?, Some(OPEN_CALLS_WAIT), out).await?;
                if refused > 0 {
                    let text = format!("{refused} companies are not deleted");
                    return Err(RecordsError::Refused(text));
                }
            }
            Self::Unfinished => {
                let open = unfinished(databases()?).await?;
                for (company, decided_at) in &open {
                    writeln!(out, "{company} deleted since {}", decided_at.to_rfc3339())?;
                }
                writeln!(out, "Unfinished deletions: {}.", open.len())?;
            }
            Self::Figures {
                out: file,
                mark,
                check,
            } => {
                let databases = databases()?;
                let mut snapshot = match mark {
                    Some(mark) => Snapshot::at(databases, mark).await?,
                    None => Snapshot::now(databases).await?,
                };
                let figures = figures(&mut snapshot).await?;
                fs::write(file, figures.to_string())?;
                writeln!(out, "Written to {}.", file.display())?;
                if mark.is_some() {
                    let held = snapshot.held.as_millis();
                    writeln!(out, "Writers were blocked for at most {held} ms.")?;
                }
                if *check {
                    check_ledgers(databases, &mut snapshot, out).await?;
                }
            }
        }
        Ok(())
    }
}

/// Checks every ledger, and deliveries between databases.
async fn check_ledgers(
    databases: &Databases,
    snapshot: &mut Snapshot,
    out: &mut (dyn Write + Send),
) -> Result<(), RecordsError> {
    let deliveries = deliveries(snapshot).await?;
    let (lost, undecided) = (deliveries.lost.len(), deliveries.undecided.len());
    for (found, what) in [
        (deliveries.lost, "marked as applied, but not in equipment"),
        (deliveries.undecided, "applied, but not marked as applied"),
    ] {
        for (company, update) in found {
            writeln!(out, "company {company}, submission {update}: {what}")?;
        }
    }
    writeln!(
        out,
        "Submissions in delivery: {}. Lost: {lost}. Applied but unconfirmed: {undecided}.",
        deliveries.under_way,
    )?;
    let task = Task {
        mode: Mode::Check,
        company: None,
    };
    let database = Database::connect(databases.url(Service::Equipment), 2)?;
    let folded = task.run(&database, out).await;
    database.close().await;
    folded?;
    match lost + undecided {
        0 => Ok(()),
        wrong => Err(RecordsError::Differs(wrong)),
    }
}

fn reason(flags: &mut Flags<'_>) -> Option<String> {
    let text = flags.value("--reason")?;
    // Long enough to be meaningful, short enough for one line.
    let is_fine = (10..=500).contains(&text.chars().count());
    (is_fine && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

fn read(path: &Path) -> Result<String, RecordsError> {
    fs::read_to_string(path).map_err(|error| {
        RecordsError::Refused(format!("{} can't be read: {error}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Command> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest: Vec<&str> = rest.split_whitespace().collect();
        Command::parse(name, &rest)
    }

    #[test]
    fn read_accepts_complete_commands_only() {
        let id = "01890000-0000-7000-8000-000000000001";
        for fine in [
            format!("company export --company {id} --out x --reason requested-by-owner"),
            format!("company export --reason requested-by-owner --out x --company {id}"),
            format!("company delete --company {id} --confirm A --reason requested-by-owner"),
            format!(
                "company delete --company {id} --confirm A --reason requested-by-owner --dry-run"
            ),
            "company unfinished".to_owned(),
            "company delete-due".to_owned(),
            "figures --out x".to_owned(),
            "figures --out x --mark drill_1 --check".to_owned(),
            "compare a b".to_owned(),
        ] {
            assert!(parse(&fine).is_some(), "{fine}");
        }
        for wrong in [
            "company".to_owned(),
            format!("company unfinished --company {id}"),
            "company export --out x --reason requested-by-owner".to_owned(),
            format!("company export --company {id} --out x"),
            format!("company export --company {id} --out x --reason short"),
            format!("company export --company {id} --reason requested-by-owner"),
            "company export --company 7 --out x --reason requested-by-owner".to_owned(),
            format!("company export --company {id} --out x --out y --reason requested-by-owner"),
            format!("company export --company {id} --out x --reason requested-by-owner --dry-run"),
            format!("company delete --company {id} --reason requested-by-owner"),
            format!("company delete --company {id} --confirm A"),
            format!("company delete --company {id} --confirm A --reason short"),
            format!("company delete --company {id} --confirm A --reason requested-by-owner extra"),
            "figures".to_owned(),
            "figures --out x --mark a'b".to_owned(),
            "compare a".to_owned(),
            "compare a b c".to_owned(),
        ] {
            assert!(parse(&wrong).is_none(), "{wrong}");
        }
    }
}
