//! Phones that return from places without a network: each sends its stored entries out of order,
//! some of them twice, and retries until they are acknowledged. Several managers review them
//! meanwhile.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use fastrand::Rng;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::jobs::Order;
use super::world::World;

/// Maximum distance of an entry from its place in time order.
const MAX_DISPLACEMENT: usize = 48;
/// Time between the first attempts of two entries.
const GAP: Duration = Duration::from_millis(5);
/// Concurrent reviewing managers in each of the first companies.
const MANAGERS: [usize; 4] = [0, 0, 1, 1];

/// The entries in sending order.
pub struct Phones {
    world: Arc<World>,
    entries: Vec<Arc<Order>>,
    next: usize,
    /// Stops the managers when dropped.
    _managers: DropGuard,
}

impl Phones {
    /// Creates `count` entries and starts the managers.
    pub fn new(world: &Arc<World>, count: usize, rng: &mut Rng) -> Self {
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let company = rng.usize(..world.companies.len());
            entries.push(Arc::new(world.draft(company, rng).offline_entry()));
        }
        for some in entries.chunks_mut(MAX_DISPLACEMENT) {
            rng.shuffle(some);
        }
        let stop = CancellationToken::new();
        for company in MANAGERS {
            let review = review(world.clone(), company, rng.fork());
            tokio::spawn(stop.clone().run_until_cancelled_owned(review));
        }
        Self {
            world: world.clone(),
            entries,
            next: 0,
            _managers: stop.drop_guard(),
        }
    }

    /// Sends the next entries until all are acknowledged; the fault starts in the middle.
    pub async fn send_during(
        &mut self,
        count: u32,
        rng: &mut Rng,
        fault: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let mut sending = JoinSet::new();
        for number in 0..count {
            let (entry, older) = (self.next, rng.usize(..=self.next));
            let (entry, older) = (self.entries[entry].clone(), self.entries[older].clone());
            self.next += 1;
            let send = send(self.world.clone(), entry, older, rng.fork());
            sending.spawn(async move {
                sleep(GAP * number).await;
                send.await;
            });
        }
        let middle = GAP * (count / 2);
        let fault = async {
            sleep(middle).await;
            fault.await
        };
        tokio::join!(fault, sending.join_all()).0
    }
}

/// Sends an entry, sometimes concurrently from two tabs, and sometimes an older one again.
async fn send(world: Arc<World>, entry: Arc<Order>, older: Arc<Order>, mut rng: Rng) {
    if rng.u8(..100) < 10 {
        // The phone loses its network before it has read the response.
        let signal = Duration::from_millis(rng.u64(..60));
        let _ = timeout(signal, world.gateways.send(&entry.request)).await;
    }
    let deliver = async |order: &Order, mut rng: Rng| {
        world.execute(order, Instant::now(), &mut rng).await;
    };
    if rng.u8(..100) < 5 {
        let (one, other) = (rng.fork(), rng.fork());
        tokio::join!(deliver(&entry, one), deliver(&entry, other));
    } else {
        deliver(&entry, rng.fork()).await;
    }
    if rng.u8(..100) < 10 {
        deliver(&older, rng).await;
    }
}

/// Repeatedly applies some pending submissions of a company.
async fn review(world: Arc<World>, company: usize, mut rng: Rng) {
    loop {
        let mut some = world.pending(company).await;
        some.retain(|_| rng.u8(..100) < 70);
        let order = world.draft(company, &mut rng).apply(some);
        world.execute(&order, Instant::now(), &mut rng).await;
        sleep(Duration::from_millis(rng.u64(500..1000))).await;
    }
}
