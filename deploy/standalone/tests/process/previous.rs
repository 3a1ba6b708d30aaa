//! The last release's processes with this release's schema, as during a rolling update.

mod journey;

use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use hourmeter_lab::{Environment, Installation, Process, TIMEOUT, free_port, root, start_database};
use hourmeter_runtime::identity::Service;
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;

use crate::hourmeter;
use journey::journey;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Release {
    /// Built by `deploy/build-previous-release` from the commit in `deploy/previous-release`.
    Last,
    This,
}

impl Release {
    fn start(self, data: &Path, name: &str, port: u16, settings: Environment) -> Result<Process> {
        let this = hourmeter();
        let last = root().join("target/previous/bin/hourmeter");
        let program = match self {
            Self::This => this.path(),
            Self::Last => &last,
        };
        assert!(program.exists(), "run deploy/build-previous-release first");
        Process::start(program, &[name], port, settings, data)
    }

    /// Whether the release has the service.
    fn has(self, service: Service) -> bool {
        let statements = format!("deploy/released/{}.json", service.name());
        self == Self::This || root().join(statements).exists()
    }
}

/// The services of some release.
struct Services {
    installation: Installation,
    running: Vec<Process>,
}

impl Services {
    async fn start(
        release: impl Fn(Service) -> Release,
        data: &Path,
        database_port: u16,
    ) -> Result<Self> {
        let installation = Installation::read(data, database_port, 1)?;
        let mut running = Vec::new();
        for service in Service::ALL.into_iter().filter(|of| release(*of).has(*of)) {
            let port = installation.port(service, 0)?;
            let mut settings = installation.of_service(service, 0)?;
            // Three sets of services share one server.
            settings.push(("MAX_CONNECTIONS".to_owned(), "6".to_owned()));
            running.push(release(service).start(data, service.name(), port, settings)?);
        }
        for process in &running {
            until(&process.program, async || {
                let address = (Ipv4Addr::LOCALHOST, process.port);
                TcpStream::connect(address).await.is_ok()
            })
            .await;
        }
        Ok(Self {
            installation,
            running,
        })
    }

    /// A gateway of some release in front of them.
    async fn gateway(&self, release: Release, data: &Path) -> Result<Process> {
        let port = free_port()?;
        let settings = self.installation.of_gateway(port)?;
        let gateway = release.start(data, "gateway", port, settings)?;
        until(&gateway.program, async || {
            let answer = reqwest::get(format!("{}/readyz", origin(&gateway))).await;
            answer.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
        Ok(gateway)
    }
}

fn origin(gateway: &Process) -> String {
    format!("http://127.0.0.1:{}", gateway.port)
}

async fn until(program: &Path, is_ready: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_ready().await {
        assert!(begun.elapsed() < TIMEOUT, "{}", program.display());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn previous_release_works_with_this_schema() -> Result<()> {
    let data = hourmeter().installation().await?;
    let data = data.path();
    let (server, _) = start_database(data, false, 100, free_port()?).await?;
    let old = Services::start(|_| Release::Last, data, server.port()).await?;
    let old_gateway = old.gateway(Release::Last, data).await?;
    // First, the databases are migrated.
    journey("Old Works", &[origin(&old_gateway)]).await;

    // Then services are updated, then gateways: an old gateway calls new services.
    let new = Services::start(|_| Release::This, data, server.port()).await?;
    let between = new.gateway(Release::Last, data).await?;
    journey("Half Works", &[origin(&between)]).await;
    let new_gateway = new.gateway(Release::This, data).await?;
    // Meanwhile a call may reach either release and finds the other one's writes.
    let (first, second) = (origin(&old_gateway), origin(&new_gateway));
    journey("Mixed Works", &[first.clone(), second.clone()]).await;
    journey("Other Works", &[second, origin(&between), first]).await;

    // Services are updated one after the other, a callee before its callers.
    let caller = |service| match service {
        Service::OperatorUpdates => Release::Last,
        _ => Release::This,
    };
    let partly = Services::start(caller, data, server.port()).await?;
    let before = partly.gateway(Release::Last, data).await?;
    journey("Partly Works", &[origin(&before)]).await;

    let services = [old, new, partly].into_iter().flat_map(|all| all.running);
    let gateways = [old_gateway, between, new_gateway, before];
    for mut process in gateways.into_iter().chain(services) {
        process.stop().await?;
        let log = process.output()?;
        assert!(
            !log.contains("ERROR"),
            "{}: {log}",
            process.program.display()
        );
    }
    spawn_blocking(move || server.stop()).await?
}
