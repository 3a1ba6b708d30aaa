//! Every process is killed in turn while operators report and managers apply: nothing that was
//! acknowledged is lost, and nothing counts twice.

mod books;
mod chance;
mod field;
mod fleet;
pub mod installation;
mod phones;
pub mod process;

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::config::Settings;
use hourmeter_runtime::identity::Service;
use tokio_util::sync::CancellationToken;

use chance::Chance;
use field::ENTRIES;
use fleet::{Fleet, Victim};
pub use installation::{Environment, Installation};
use phones::Crowd;
pub use process::quiet_port;

use crate::product::data_folder;

/// Who is killed, in this order.
const VICTIMS: [Victim; 8] = [
    Victim::Service(Service::OperatorUpdates),
    Victim::Service(Service::Equipment),
    Victim::Gateway(0),
    Victim::Service(Service::Accounts),
    Victim::Service(Service::Billing),
    Victim::Connection(Service::OperatorUpdates),
    Victim::Database,
    Victim::Gateway(1),
];
/// Entries to each of them.
const STEP: usize = ENTRIES / VICTIMS.len();
/// How long all of it may take on the busiest machine. Nothing in it is asserted on time.
const PATIENCE: Duration = Duration::from_mins(9);

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_killed_every_entry_counts_once() {
    let drawn = u64::from(getrandom::u32().expect("randomness"));
    let seed = Settings::from_env().or("KILL_SEED", drawn);
    let data = data_folder();
    let all = AssertUnwindSafe(kill_in_turn(data.path(), Chance::new(seed))).catch_unwind();
    match tokio::time::timeout(PATIENCE, all).await {
        Ok(Ok(())) => {}
        failed => {
            let kept = data.keep();
            let logs = kept.display();
            println!("KILL_SEED={seed} draws the same again; what they wrote is in {logs}");
            let panicked = failed.expect("it ends in time").err();
            resume_unwind(panicked.expect("a reason"));
        }
    }
}

async fn kill_in_turn(data: &Path, mut chance: Chance) {
    let mut fleet = Fleet::start(data).await;
    let plan = field::plan(&mut chance, Clock::system().now());
    let companies = field::companies(&fleet.origins()[0]).await;
    let crowd = Crowd::new(plan, companies, fleet.origins());

    let stop = CancellationToken::new();
    let mut storm_chance = chance.fork();
    let managers = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let managers = managers.map(|(company, who)| crowd.manage(company, who, chance.fork(), &stop));
    let everything = async {
        let storm = storm(&mut fleet, &crowd, &mut storm_chance);
        tokio::join!(crowd.report_all(&mut chance), storm);
        stop.cancel();
    };
    tokio::join!(everything, join_all(managers));
    let (troubles, repeats) = (&crowd.troubles, &crowd.repeats);
    println!("{troubles:?} calls failed, {repeats:?} submissions were sent again for it");
    assert!(repeats.load(Ordering::Relaxed) > 0, "no kill was noticed");

    let mut updates = fleet.database(Service::OperatorUpdates).await;
    while books::on_their_way(&mut updates).await > 0 {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let waiting = books::check_submissions(&crowd, &fleet).await;
    println!("{waiting} were waiting in the end");
    for company in 0..crowd.companies.len() {
        crowd.apply_all(company, &mut chance).await;
    }
    let waiting = books::check_submissions(&crowd, &fleet).await;
    assert_eq!(waiting, 0, "all are applied");
    books::check_machines(&crowd, &fleet).await;
    for (file, text) in fleet.logs() {
        assert!(!text.contains("panicked"), "{file}: {text}");
    }
    let found = fleet.stop().await;
    assert_eq!(found, "Companies: 2. Differences: 0.\n");
}

/// Kills each in the middle of its share of the entries. The next but one share begins when it
/// answers again, so that every kill meets entries on their way, however slow the machine is.
async fn storm(fleet: &mut Fleet, crowd: &Crowd, chance: &mut Chance) {
    let mut sent = crowd.sent.subscribe();
    for (number, victim) in VICTIMS.into_iter().enumerate() {
        crowd.allowed.send_replace((number + 2) * STEP);
        let middle = number * STEP + STEP / 2;
        sent.wait_for(|sent| *sent >= middle)
            .await
            .expect("a crowd");
        tokio::time::sleep(Duration::from_millis(chance.up_to(100))).await;
        fleet.kill(victim).await;
        tokio::time::sleep(Duration::from_millis(chance.up_to(400))).await;
        fleet.revive(victim).await;
    }
    crowd.allowed.send_replace(ENTRIES);
}
