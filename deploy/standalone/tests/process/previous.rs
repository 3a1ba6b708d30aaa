//! The last release's processes on the schema of this one: while a new release is rolled out, both
//! work on the same data.

mod journey;

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use hourmeter_embedded_postgres::{Durability, Options, Server};
use hourmeter_runtime::identity::Service;
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;

use crate::kill::installation::{Environment, Installation};
use crate::kill::process::{Process, quiet_port};
use crate::product::{PATIENCE, command, data_folder, package, root};
use journey::journey;

/// Which programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Release {
    /// What `deploy/previous-release` names, built by `deploy/build-previous-release`.
    Last,
    /// What is tested.
    This,
}

impl Release {
    fn start(self, data: &Path, name: &'static str, port: u16, settings: Environment) -> Process {
        if self == Self::This {
            return Process::start(data, name, port, settings);
        }
        let built = root().join("target/previous/bin");
        let program = built.join(format!("hourmeter-{name}"));
        assert!(program.exists(), "run deploy/build-previous-release first");
        Process::start_program(data, program, None, port, settings)
    }
}

/// Four services, each of some release.
struct Services {
    installation: Installation,
    running: Vec<Process>,
}

impl Services {
    async fn start(release: impl Fn(Service) -> Release, data: &Path, database_port: u16) -> Self {
        let installation = Installation::read(data, database_port);
        let start = |service: Service| {
            let port = installation.port(service);
            let mut settings = installation.of_service(service);
            // Three times four share the connections of one server.
            settings.push(("MAX_CONNECTIONS".to_owned(), "6".to_owned()));
            release(service).start(data, service.name(), port, settings)
        };
        let running: Vec<_> = Service::ALL.map(start).into();
        for process in &running {
            until(&process.program, async || {
                let address = (Ipv4Addr::LOCALHOST, process.port);
                TcpStream::connect(address).await.is_ok()
            })
            .await;
        }
        Self {
            installation,
            running,
        }
    }

    /// A gateway of some release in front of them.
    async fn gateway(&self, release: Release, data: &Path) -> Process {
        let port = quiet_port();
        let settings = self.installation.of_gateway(port);
        let gateway = release.start(data, "gateway", port, settings);
        until(&gateway.program, async || {
            let answer = reqwest::get(format!("{}/readyz", origin(&gateway))).await;
            answer.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
        gateway
    }
}

fn origin(gateway: &Process) -> String {
    format!("http://127.0.0.1:{}", gateway.port)
}

async fn until(program: &Path, is_ready: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_ready().await {
        assert!(begun.elapsed() < PATIENCE, "{}", program.display());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Databases that this release migrated, on a server that is running.
async fn prepare(data: &Path) -> Server {
    let prepared = command(data, 0).args(["staff", "list"]).output().await;
    let prepared = prepared.expect("it runs");
    assert!(prepared.status.success(), "{prepared:?}");
    let mut options = Options::new(data.join("postgres"));
    options.package_dir = Some(package());
    options.durability = Durability::Fast;
    let server = spawn_blocking(move || Server::start(&options)).await;
    server.expect("a task").expect("a database server")
}

#[tokio::test]
async fn the_last_release_works_on_this_schema_and_beside_this_one() {
    let data = data_folder();
    let data = data.path();
    let server = prepare(data).await;
    let old = Services::start(|_| Release::Last, data, server.port()).await;
    let old_gateway = old.gateway(Release::Last, data).await;
    // The databases are migrated first.
    journey("Old Works", &[origin(&old_gateway)]).await;

    // Then services go over, then gateways: an old gateway calls new services.
    let new = Services::start(|_| Release::This, data, server.port()).await;
    let between = new.gateway(Release::Last, data).await;
    journey("Half Works", &[origin(&between)]).await;
    let new_gateway = new.gateway(Release::This, data).await;
    // Meanwhile a call may meet either release, and finds what the other one wrote.
    let (first, second) = (origin(&old_gateway), origin(&new_gateway));
    journey("Mixed Works", &[first.clone(), second.clone()]).await;
    journey("Other Works", &[second, origin(&between), first]).await;

    // Whatever calls may be newer than what it calls: each service goes over on its own, and one may
    // have to go back.
    let caller = |service| match service {
        Service::OperatorUpdates => Release::This,
        _ => Release::Last,
    };
    let back = Services::start(caller, data, server.port()).await;
    let before = back.gateway(Release::This, data).await;
    journey("Back Works", &[origin(&before)]).await;

    let services = [old, new, back].into_iter().flat_map(|all| all.running);
    let gateways = [old_gateway, between, new_gateway, before];
    for mut process in gateways.into_iter().chain(services) {
        process.stop().await;
        let log = std::fs::read_to_string(&process.log).expect("a log");
        assert!(
            !log.contains("ERROR"),
            "{}: {log}",
            process.program.display()
        );
    }
    let stopped = spawn_blocking(move || server.stop()).await;
    stopped.expect("a task").expect("the database stops");
}
