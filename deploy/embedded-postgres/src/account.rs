//! The unprivileged account that runs the server when the launcher is root.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::files::IoContext;

/// `nobody` on nearly every system; it need not be listed in the user database.
const NOBODY: Ids = Ids {
    uid: 65534,
    gid: 65534,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ids {
    uid: u32,
    gid: u32,
}

/// The account of the server: the current user, or another one for root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account(Option<Ids>);

impl Account {
    /// Root hands over to the owner of existing data, else to `postgres`, else to `nobody`.
    pub fn choose(data: &Path) -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self(None);
        }
        let owner = fs::metadata(data).ok().map(|data| Ids {
            uid: data.uid(),
            gid: data.gid(),
        });
        let owner = owner.filter(|owner| owner.uid != 0);
        let postgres = || find_user(&fs::read_to_string("/etc/passwd").ok()?, "postgres");
        Self(Some(owner.or_else(postgres).unwrap_or(NOBODY)))
    }

    pub fn apply(self, command: &mut Command) {
        if let Some(ids) = self.0 {
            command.uid(ids.uid).gid(ids.gid);
        }
    }

    pub fn own(self, path: &Path) -> Result<()> {
        match self.0 {
            Some(ids) => {
                chown(path, Some(ids.uid), Some(ids.gid)).path_context("change owner of", path)
            }
            None => Ok(()),
        }
    }

    /// Creates `dir` and its parents, open for the account to enter.
    pub fn create_dir_all(self, dir: &Path) -> Result<()> {
        if dir.is_dir() {
            return Ok(());
        }
        if let Some(parent) = dir.parent() {
            self.create_dir_all(parent)?;
        }
        fs::create_dir(dir).path_context("create", dir)?;
        if self.0.is_some() {
            let open = fs::Permissions::from_mode(0o755);
            fs::set_permissions(dir, open).path_context("open", dir)?;
        }
        Ok(())
    }

    /// Checks that the account may enter `dir` and everything above it, as far as that exists.
    pub fn check_reach(self, dir: &Path) -> Result<()> {
        let Some(ids) = self.0 else { return Ok(()) };
        for ancestor in dir.ancestors() {
            let found = match fs::metadata(ancestor) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.path_context("inspect", ancestor)?,
            };
            let needed = match (found.uid() == ids.uid, found.gid() == ids.gid) {
                (true, _) => 0o100,
                (false, true) => 0o010,
                (false, false) => 0o001,
            };
            if found.mode() & needed == 0 {
                bail!(
                    "PostgreSQL does not run as root, and the account it runs under instead (uid {}) \
                     may not enter {}. Choose a directory that others can enter, such as \
                     /var/lib/hourmeter",
                    ids.uid,
                    ancestor.display()
                );
            }
        }
        Ok(())
    }
}

fn find_user(users: &str, name: &str) -> Option<Ids> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next()? != name {
            return None;
        }
        let mut numbers = fields.skip(1).map(str::parse);
        Some(Ids {
            uid: numbers.next()?.ok()?,
            gid: numbers.next()?.ok()?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup_matches_whole_user_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\n\
                     postgresql:x:7:8::/:/bin/sh\n\
                     postgres:x:101:104:,,,:/var/lib/postgresql:/bin/sh\n";
        let postgres = Ids { uid: 101, gid: 104 };
        assert_eq!(find_user(users, "postgres"), Some(postgres));
        assert_eq!(find_user(users, "nobody"), None);
    }
}
