//! File operations with errors that name the operation and the path.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context as _, Result};

pub(crate) trait IoContext<T> {
    fn path_context(self, action: &str, path: &Path) -> Result<T>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn path_context(self, action: &str, path: &Path) -> Result<T> {
        self.with_context(|| format!("cannot {action} {}", path.display()))
    }
}

pub(crate) fn read_if_exists(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        text => Ok(Some(text.path_context("read", file)?)),
    }
}

/// Removes a directory that may not exist.
pub(crate) fn remove_dir(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result.path_context("remove", dir),
    }
}

/// Files that only their owner may read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}
