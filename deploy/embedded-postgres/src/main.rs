//! Runs the embedded PostgreSQL in the foreground; see the crate's README.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hourmeter_embedded_postgres::{Durability, Options, Server};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

const USAGE: &str = "\
Usage: hourmeter-postgres run --dir DIR [options]

  --dir DIR              where data, password, log and programs are kept
  --fast                 do not wait for the disk (tests)
  --url-file FILE        write the superuser's URL here when ready, remove it at the end
  --package DIR          the @embedded-postgres package or an installation to use
  --max-connections N    default 100";

struct Arguments {
    options: Options,
    url_file: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = parse(std::env::args().skip(1));
    match arguments.and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hourmeter-postgres: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Arguments> {
    if arguments.next().as_deref() != Some("run") {
        bail!("the command is `run`\n\n{USAGE}");
    }
    let mut options = Options::new("");
    let mut url_file = None;
    while let Some(name) = arguments.next() {
        let mut value = || {
            let missing = || format!("{name} needs a value\n\n{USAGE}");
            arguments.next().with_context(missing)
        };
        match name.as_str() {
            "--dir" => options.state_dir = value()?.into(),
            "--fast" => options.durability = Durability::Fast,
            "--url-file" => url_file = Some(value()?.into()),
            "--package" => options.package_dir = Some(value()?.into()),
            "--max-connections" => {
                let number = value()?.parse().ok();
                let wrong = || format!("{name} needs a number\n\n{USAGE}");
                options.max_connections = number.with_context(wrong)?;
            }
            _ => bail!("unknown option {name}\n\n{USAGE}"),
        }
    }
    if options.state_dir.as_os_str().is_empty() {
        bail!("--dir is missing\n\n{USAGE}");
    }
    Ok(Arguments { options, url_file })
}

fn run(arguments: &Arguments) -> Result<()> {
    // Registered first: a signal during the start stops the server right after it.
    let mut signals =
        Signals::new([SIGTERM, SIGINT, SIGHUP]).context("cannot listen for signals")?;
    let url_file = arguments.url_file.as_deref();
    // Readers of the file expect a running server, so an old file is removed before the start.
    remove(url_file);
    let mut server = Server::start(&arguments.options)?;
    if let Some(file) = url_file {
        let written = write_whole(file, &server.admin_url("postgres"));
        written.with_context(|| format!("cannot write {}", file.display()))?;
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
        bail!(
            "PostgreSQL exited unexpectedly; see {}",
            server.log().display()
        );
    }
    server.stop()
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
