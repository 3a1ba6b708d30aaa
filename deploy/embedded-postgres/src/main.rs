//! Runs the embedded PostgreSQL in the foreground; see the crate's README.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use hourmeter_embedded_postgres::{Durability, Error, Options, Server};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

const USAGE: &str = "\
Usage: hourmeter-postgres run --dir DIR [options]

  --dir DIR              where data, password, log and programs are kept
  --fast                 do not wait for the disk (tests)
  --url-file FILE        write the superuser's URL here when ready, remove it at the end
  --package DIR          the @embedded-postgres package or an installation to use
  --max-connections N    default 100";

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}\n\n{usage}", usage = USAGE)]
    Usage(String),
    #[error(transparent)]
    Server(#[from] Error),
    #[error("PostgreSQL exited unexpectedly; see {}", .0.display())]
    Ended(PathBuf),
    #[error("cannot write {}: {source}", path.display())]
    UrlFile { path: PathBuf, source: io::Error },
    #[error("cannot listen for signals: {0}")]
    Signals(io::Error),
}

struct Arguments {
    options: Options,
    url_file: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1);
    let result = parse(arguments).and_then(|arguments| run(&arguments));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("hourmeter-postgres: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments, Failure> {
    if arguments.next().as_deref() != Some("run") {
        return Err(Failure::Usage("the command is `run`".to_owned()));
    }
    let mut options = Options::new("");
    let mut url_file = None;
    while let Some(name) = arguments.next() {
        let mut value = || {
            let missing = || Failure::Usage(format!("{name} needs a value"));
            arguments.next().ok_or_else(missing)
        };
        match name.as_str() {
            "--dir" => options.state_dir = value()?.into(),
            "--fast" => options.durability = Durability::Fast,
            "--url-file" => url_file = Some(value()?.into()),
            "--package" => options.package_dir = Some(value()?.into()),
            "--max-connections" => {
                let number = value()?.parse();
                let wrong = |_| Failure::Usage("--max-connections needs a number".to_owned());
                options.max_connections = number.map_err(wrong)?;
            }
            _ => return Err(Failure::Usage(format!("unknown option {name}"))),
        }
    }
    if options.state_dir.as_os_str().is_empty() {
        return Err(Failure::Usage("--dir is missing".to_owned()));
    }
    Ok(Arguments { options, url_file })
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    // Registered first: a signal during the start stops the server right after it.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(Failure::Signals)?;
    let url_file = arguments.url_file.as_deref();
    // The file promises a running server, so an old one must not be there during the start.
    remove(url_file);
    let mut server = Server::start(&arguments.options)?;
    if let Some(file) = url_file {
        let written = write_whole(file, &server.admin_url("postgres"));
        written.map_err(|source| Failure::UrlFile {
            path: file.to_owned(),
            source,
        })?;
    }
    println!("PostgreSQL is ready on 127.0.0.1:{}", server.port());

    let ended = loop {
        if signals.pending().next().is_some() {
            break false;
        }
        if server.try_wait()?.is_some() {
            break true;
        }
        sleep(Duration::from_millis(50));
    };
    remove(url_file);
    if ended {
        return Err(Failure::Ended(server.log()));
    }
    Ok(server.stop()?)
}

/// Writes a private file that appears with its content.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_added_extension("new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(&unfinished)?.write_all(text.as_bytes())?;
    fs::rename(&unfinished, path)
}

fn remove(file: Option<&Path>) {
    if let Some(file) = file {
        let _missing = fs::remove_file(file);
    }
}
