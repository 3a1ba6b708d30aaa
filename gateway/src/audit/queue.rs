//! The queue of what is to be written down, and the one task that does it.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use hourmeter_proto::accounts::v1::SeenEvent;
use hourmeter_runtime::telemetry::names;
use hourmeter_runtime::text::LoginName;
use secrecy::SecretString;
use uuid::Uuid;

use super::record;
use crate::address::ClientAddress;
use crate::gateway::Gateway;
use crate::server::Background;
use crate::session;

/// What waits at most.
const MOST_WAITING: usize = 1024;
/// What waits at most of senders who are not known: they may be anybody, and any number.
const MOST_STRANGERS: usize = 256;
/// What one call writes at most.
const BATCH: usize = 100;
/// Lines of one company in a minute; of the platform's log, of one kind.
const LINES_A_MINUTE: u32 = 60;
/// Lines of one name in a minute. Whose it is, only accounts knows.
const LINES_OF_A_NAME: u32 = 10;
/// Names in a minute: who makes names up fills the log no faster than this.
const NAMES_A_MINUTE: usize = 100;
/// Lines of one person in a minute, so that nobody hides what others in the company do.
const LINES_OF_PERSON: u32 = 30;
/// Lines of unknown senders at one address in a minute.
const LINES_OF_ADDRESS: u32 = 10;
/// Most addresses with a count of their own in a minute.
const MOST_ADDRESSES: usize = 4096;
/// When a batch that could not be written is tried again.
const TRIES: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// Something to write down.
pub struct Waiting {
    pub event: SeenEvent,
    /// Where it came from.
    pub address: ClientAddress,
    /// Of a session that nobody looked for yet; it tells whose event it is.
    pub token: Option<SecretString>,
}

impl Waiting {
    /// Whether nobody knows who sent it, or not yet.
    fn is_of_stranger(&self) -> bool {
        self.event.company_id.is_empty() && self.event.actor_id.is_empty()
    }
}

/// What waits to be written down.
#[derive(Default)]
pub struct Audit(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// How many of them are of unknown senders.
    strangers: usize,
    working: bool,
    rates: Rates,
    /// What found the queue full.
    lost: u64,
}

impl Audit {
    /// Leaves something to be written down. Waits for nothing and can't fail.
    pub fn note(gateway: &Arc<Gateway>, waiting: Waiting, background: Option<&Background>) {
        let minute = minute(gateway);
        if !gateway.audit.push(waiting, minute) {
            return;
        }
        let work = work(gateway.clone());
        match background {
            Some(background) => background.spawn(work),
            None => drop(tokio::spawn(work)),
        }
    }

    /// Whether there is work and nobody at it.
    fn push(&self, waiting: Waiting, minute: i64) -> bool {
        let mut queue = self.lock();
        let is_stranger = waiting.is_of_stranger();
        if is_stranger && !queue.rates.allow_address(waiting.address, minute) {
            return false;
        }
        // With a token it is not known yet whose rate counts.
        if waiting.token.is_none() && !queue.rates.allow(&waiting.event, minute) {
            return false;
        }
        let is_full = is_stranger && queue.strangers >= MOST_STRANGERS;
        if is_full || queue.waiting.len() >= MOST_WAITING {
            queue.lost += 1;
            names::AUDIT_DROPPED.count(names::NO_LABELS);
            return false;
        }
        queue.strangers += usize::from(is_stranger);
        queue.waiting.push_back(waiting);
        !std::mem::replace(&mut queue.working, true)
    }

    /// What to write next; with nothing left the work is over.
    fn take(&self) -> Option<Vec<Waiting>> {
        let mut queue = self.lock();
        let lost = std::mem::take(&mut queue.lost);
        if lost > 0 {
            tracing::warn!(lost, "the audit queue was full");
        }
        let some = queue.waiting.len().min(BATCH);
        if some == 0 {
            queue.working = false;
            return None;
        }
        let batch: Vec<Waiting> = queue.waiting.drain(..some).collect();
        queue.strangers -= batch.iter().filter(|one| one.is_of_stranger()).count();
        Some(batch)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // What a panic leaves behind is a queue all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn minute(gateway: &Gateway) -> i64 {
    gateway.clock.now().timestamp().div_euclid(60)
}

async fn work(gateway: Arc<Gateway>) {
    while let Some(batch) = gateway.audit.take() {
        // A panic costs its batch, not all that comes after it.
        let written = AssertUnwindSafe(write_down(&gateway, batch)).catch_unwind();
        if written.await.is_err() {
            names::PANICS.count(names::NO_LABELS);
            tracing::error!("writing audit events down panicked");
        }
    }
}

async fn write_down(gateway: &Arc<Gateway>, batch: Vec<Waiting>) {
    let mut events = Vec::with_capacity(batch.len());
    for Waiting {
        mut event, token, ..
    } in batch
    {
        if let Some(token) = token {
            find_out(gateway, &mut event, token).await;
            if !gateway.audit.lock().rates.allow(&event, minute(gateway)) {
                continue;
            }
        }
        events.push(event);
    }
    let count = events.len();
    if count == 0 {
        return;
    }
    for pause in TRIES {
        tokio::time::sleep(pause).await;
        match record(gateway, Uuid::now_v7(), events.clone()).await {
            Ok(()) => return,
            Err(failure) => {
                tracing::warn!(count, kind = ?failure.kind, "audit events were not written");
            }
        }
    }
    names::AUDIT_DROPPED
        .counter(names::NO_LABELS)
        .increment(count as u64);
    tracing::error!(count, "audit events are lost");
}

/// Attributes an event to whomever a token belongs to, if to anybody. A refused request is no use
/// of the session.
async fn find_out(gateway: &Arc<Gateway>, event: &mut SeenEvent, token: SecretString) {
    if let Ok(session) = session::peek(gateway, Uuid::now_v7(), token).await {
        event.scope = session.scope;
        event.company_id = session.company_id;
        event.actor_id = session.user_id;
        event.actor_name = session.display_name;
    }
}

/// How much was noted in this minute.
#[derive(Default)]
struct Rates {
    minute: i64,
    /// By company, and by kind where there is none.
    companies: HashMap<String, u32>,
    /// Refused sign-ins by name.
    names: HashMap<String, u32>,
    persons: HashMap<String, u32>,
    addresses: HashMap<ClientAddress, u32>,
    /// What was too much.
    over: u64,
}

impl Rates {
    fn allow(&mut self, event: &SeenEvent, minute: i64) -> bool {
        self.begin(minute);
        if !event.sign_in_name.is_empty() {
            return self.allow_name(LoginName::read(&event.sign_in_name).key());
        }
        let whose = if event.company_id.is_empty() {
            &event.event
        } else {
            &event.company_id
        };
        let is_within = (event.actor_id.is_empty()
            || is_within(&mut self.persons, &event.actor_id, LINES_OF_PERSON))
            && is_within(&mut self.companies, whose, LINES_A_MINUTE);
        self.over += u64::from(!is_within);
        is_within
    }

    fn allow_name(&mut self, key: String) -> bool {
        if self.names.len() >= NAMES_A_MINUTE && !self.names.contains_key(&key) {
            self.over += 1;
            return false;
        }
        let count = self.names.entry(key).or_default();
        *count += 1;
        let is_within = *count <= LINES_OF_A_NAME;
        self.over += u64::from(!is_within);
        is_within
    }

    /// Whether an unknown sender at this address may be noted.
    fn allow_address(&mut self, address: ClientAddress, minute: i64) -> bool {
        self.begin(minute);
        let is_known = self.addresses.contains_key(&address);
        let is_within = (is_known || self.addresses.len() < MOST_ADDRESSES) && {
            let count = self.addresses.entry(address).or_default();
            *count += 1;
            *count <= LINES_OF_ADDRESS
        };
        self.over += u64::from(!is_within);
        is_within
    }

    /// Begins another minute, and logs what was too much in the last one.
    fn begin(&mut self, minute: i64) {
        if self.minute == minute {
            return;
        }
        if self.over > 0 {
            tracing::warn!(over = self.over, "audit events that were not written down");
        }
        *self = Self {
            minute,
            ..Self::default()
        };
    }
}

/// Counts one more; whether it is within the limit.
fn is_within(counts: &mut HashMap<String, u32>, whose: &str, limit: u32) -> bool {
    let count = counts.entry(whose.to_owned()).or_default();
    *count += 1;
    if *count == limit + 1 {
        tracing::warn!(%whose, "too many audit events to write them all down");
    }
    *count <= limit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(company: &str, word: &str) -> SeenEvent {
        SeenEvent {
            company_id: company.to_owned(),
            event: word.to_owned(),
            ..SeenEvent::default()
        }
    }

    fn address(number: usize) -> ClientAddress {
        let number = u32::try_from(number).expect("a small number");
        let peer = std::net::Ipv4Addr::from(0x0a00_0000 + number).into();
        ClientAddress::find(Some(peer), &http::HeaderMap::new(), &[])
    }

    fn waiting(company: &str, token: Option<&str>) -> Waiting {
        Waiting {
            event: event(company, "permission_denied"),
            address: address(1),
            token: token.map(SecretString::from),
        }
    }

    /// A request with a cookie of ours that no page of ours made.
    fn foreign(number: usize) -> Waiting {
        Waiting {
            address: address(number),
            ..waiting("", Some("token"))
        }
    }

    #[test]
    fn a_company_has_sixty_lines_a_minute() {
        let mut rates = Rates::default();
        let mut allowed = |company, word, minute| {
            let event = event(company, word);
            let tries = (0..70).filter(|_| rates.allow(&event, minute));
            tries.count()
        };
        assert_eq!(allowed("a", "permission_denied", 1), 60);
        assert_eq!(allowed("a", "unknown_object", 1), 0);
        assert_eq!(allowed("b", "unknown_object", 1), 60);
        assert_eq!(allowed("a", "unknown_object", 2), 60);
        // Of the platform's log one kind does not crowd out another.
        assert_eq!(allowed("", "request_refused", 2), 60);
        assert_eq!(allowed("", "sign_in", 2), 60);
    }

    #[test]
    fn a_name_has_ten_lines_a_minute_and_made_up_names_have_a_bound() {
        let mut rates = Rates::default();
        let mut allowed = |name: &str, minute| {
            let event = SeenEvent {
                sign_in_name: name.to_owned(),
                ..event("", "sign_in")
            };
            (0..70).filter(|_| rates.allow(&event, minute)).count()
        };
        assert_eq!(allowed("Acme", 1), 10);
        assert_eq!(allowed(" ACME", 1), 0);
        for made_up in 1..100 {
            assert_eq!(allowed(&made_up.to_string(), 1), 10);
        }
        assert_eq!(allowed("Beta", 1), 0);
        assert_eq!(allowed("Beta", 2), 10);
    }

    #[test]
    fn one_task_works_until_nothing_is_left() {
        let audit = Audit::default();
        assert!(audit.push(waiting("a", None), 1));
        for number in 0..120 {
            assert!(!audit.push(waiting(&number.to_string(), None), 1));
        }
        assert_eq!(audit.take().map(|batch| batch.len()), Some(100));
        assert_eq!(audit.take().map(|batch| batch.len()), Some(21));
        assert!(audit.take().is_none());
        assert!(audit.push(waiting("a", None), 1));
    }

    #[test]
    fn a_person_has_thirty_of_the_lines() {
        let mut rates = Rates::default();
        let mut allowed = |person: &str| {
            let event = SeenEvent {
                actor_id: person.to_owned(),
                ..event("a", "permission_denied")
            };
            (0..70).filter(|_| rates.allow(&event, 1)).count()
        };
        assert_eq!(allowed("x"), 30);
        assert_eq!(allowed("y"), 30);
        assert_eq!(allowed("z"), 0);
    }

    #[test]
    fn a_full_queue_takes_no_more() {
        let audit = Audit::default();
        for number in 0..MOST_WAITING + 10 {
            audit.push(waiting(&number.to_string(), None), 1);
        }
        assert_eq!(audit.lock().waiting.len(), MOST_WAITING);
        assert_eq!(audit.lock().lost, 10);
        let told = hourmeter_runtime::telemetry::metrics_text();
        let line = "hourmeter_audit_dropped_total 10";
        assert!(told.lines().any(|told| told == line), "{told}");
    }

    #[test]
    fn strangers_leave_places_to_companies() {
        let audit = Audit::default();
        for _ in 0..100 {
            audit.push(foreign(1), 1);
        }
        assert_eq!(audit.lock().waiting.len(), 10, "of one address");
        for number in 0..2 * MOST_WAITING {
            audit.push(foreign(number), 1);
        }
        assert_eq!(audit.lock().waiting.len(), MOST_STRANGERS);
        audit.push(waiting("company", None), 1);
        assert_eq!(audit.lock().waiting.len(), MOST_STRANGERS + 1);
        while audit.take().is_some() {}
        audit.push(foreign(5000), 2);
        assert_eq!(audit.lock().waiting.len(), 1);
    }
}
