#![doc = include_str!("../README.md")]

mod accounts;
mod cli;
mod databases;
mod demo;
mod processes;
mod product;
mod records;
mod secrets;
mod settings;

use std::fmt::Display;
use std::fs::File;
use std::io::stdout;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use hourmeter_billing::catalogue;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::db::Database;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::process;
use hourmeter_runtime::telemetry::{self, LogFormat};
use tokio::net::TcpListener;

use crate::cli::{Invocation, Work};
use crate::databases::Databases;
use crate::product::Product;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// Faster than the system's allocator for many small allocations on many threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    process::exit_code(start().await.map_err(Into::into))
}

async fn start() -> Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = process::arguments();
    if let Some((name, rest)) = arguments.split_first() {
        if let Some(ended) = one_process(name, rest).await {
            return ended.map_err(anyhow::Error::from_boxed);
        }
        if records::Command::NAMES.contains(&name.as_str()) {
            return records::run(&records::Command::read(name, rest)?).await;
        }
    }
    match Invocation::read(&arguments)? {
        Invocation::Help => print_line(cli::HELP),
        Invocation::Version => print_line(concat!("hourmeter ", env!("CARGO_PKG_VERSION"))),
        Invocation::Work(work) => with_installation(work).await?,
    }
    Ok(())
}

async fn with_installation(work: Work) -> Result<()> {
    let settings = StandaloneSettings::read(Settings::from_env())?;
    match work {
        Work::Everything => settings.common.start_telemetry("all", LogFormat::Plain)?,
        _ => telemetry::start(settings.common.log(), LogFormat::Plain, None),
    }
    let lock_file = lock_data_dir(&settings.data_dir)?;
    let secrets = || {
        if lock_file.is_none() {
            let shown = settings.data_dir.display();
            bail!("another Hourmeter is running on {shown}; stop it, or choose another DATA_DIR");
        }
        Secrets::load_or_create(&settings.data_dir)
    };
    match work {
        Work::Everything => run(&settings, &secrets()?).await,
        Work::Services => processes::run(&settings, &secrets()?).await,
        Work::People(command) => accounts::run(&settings, &command, lock_file.is_none()).await,
        Work::Maintenance(task) => {
            let work = async |database: &Database| Ok(task.run(database, &mut stdout()).await?);
            on_database(&settings, &secrets()?, Service::Equipment, work).await
        }
        Work::Catalogue => {
            let payments = &settings.billing.payments;
            let work = async |database: &Database| {
                Ok(catalogue::run(payments, database, &mut stdout()).await?)
            };
            on_database(&settings, &secrets()?, Service::Billing, work).await
        }
    }
}

/// Runs the gateway or one service with settings from the environment. `None` for another name.
async fn one_process(name: &str, arguments: &[String]) -> Option<process::ProcessResult> {
    if name == "gateway" {
        return Some(match arguments.first() {
            None => hourmeter_gateway::process().await,
            Some(other) => Err(format!("gateway takes no arguments, got {other}").into()),
        });
    }
    let service = Service::ALL
        .into_iter()
        .find(|known| known.name() == name)?;
    Some(match service {
        Service::Accounts => hourmeter_accounts::process(arguments).await,
        Service::Equipment => hourmeter_equipment::process(arguments).await,
        Service::OperatorUpdates => hourmeter_operator_updates::process(arguments).await,
        Service::Billing => hourmeter_billing::process(arguments).await,
        Service::Notifications => hourmeter_notifications::process(arguments).await,
    })
}

/// Runs a command on a service's database while nothing else runs on it.
async fn on_database(
    settings: &StandaloneSettings,
    secrets: &Secrets,
    service: Service,
    work: impl AsyncFnOnce(&Database) -> Result<()>,
) -> Result<()> {
    let on_server = async |databases: &Databases| {
        let database = databases.connect(service)?;
        let result = work(&database).await;
        database.close().await;
        result
    };
    Databases::run(settings, secrets, on_server).await
}

/// Runs everything in this process until SIGTERM or Ctrl-C.
async fn run(settings: &StandaloneSettings, secrets: &Secrets) -> Result<()> {
    // Bind first, so that a taken port is reported before the database starts.
    let (host, port) = (settings.host, settings.port);
    let listener = TcpListener::bind((host, port)).await.with_context(|| {
        format!("failed to listen on port {port} of {host}; choose another with PORT")
    })?;
    let stop = settings.common.shutdown_on_signal();
    let due = stop.draining();
    let work = async |databases: &Databases| {
        if settings.demo {
            demo::fill_once(settings, databases, secrets, due).await?;
        }
        let clock = Clock::system();
        let product = Product::assemble(settings, databases, secrets, &clock, due)?;
        let router = product.gateway(settings, secrets, &clock)?;
        let router = hourmeter_gateway::unready_on_shutdown(stop.requested().clone(), router);
        let stop_requested = stop.requested().clone();
        let ready = hourmeter_gateway::ready_once_reached(router.clone(), stop_requested);
        let _admin = settings.common.open_admin(ready).await?;
        announce(settings);
        let served = tokio::select! {
            served = hourmeter_gateway::serve(listener, router, stop.clone()) => served,
            never = records::delete_due_companies(settings) => match never {},
        };
        due.cancel();
        product.close().await;
        telemetry::stop().await;
        served.context("the server failed")
    };
    Databases::run(settings, secrets, work).await
}

fn announce(settings: &StandaloneSettings) {
    print_line(format_args!(
        "Hourmeter is ready at {}\nData folder: {}\nPayments: {}\nStop with Ctrl-C.",
        settings.address,
        settings.data_dir.display(),
        settings.payments()
    ));
}

#[expect(clippy::print_stdout, reason = "output for the person at the terminal")]
fn print_line(what: impl Display) {
    println!("{what}");
}

/// Ensures that one process uses the data folder. `None` if another one has the lock.
fn lock_data_dir(data_dir: &Path) -> Result<Option<File>> {
    let shown = data_dir.display();
    make_reachable(data_dir).with_context(|| {
        format!("failed to create the data folder {shown}; choose another with DATA_DIR")
    })?;
    let lock = File::create(data_dir.join("lock"))
        .with_context(|| format!("failed to write to the data folder {shown}"))?;
    Ok(lock.try_lock().is_ok().then_some(lock))
}

/// Creates a folder and its missing parents. For root they get mode 755 regardless of the umask,
/// since the database runs as another user.
fn make_reachable(folder: &Path) -> Result<()> {
    let missing = folder.ancestors().take_while(|above| !above.exists());
    let missing: Vec<_> = missing.map(Path::to_owned).collect();
    std::fs::create_dir_all(folder)?;
    if rustix::process::geteuid().is_root() {
        for made in missing {
            std::fs::set_permissions(made, std::fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
