//! The queue of audit events, and its rates.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hourmeter_proto::accounts::v1::SeenEvent;
use hourmeter_runtime::telemetry::names;
use hourmeter_runtime::text::LoginName;
use secrecy::SecretString;

use crate::address::ClientAddress;

const CAPACITY: usize = 1024;
/// Capacity for events of unknown senders, of which there may be any number.
const UNKNOWN_CAPACITY: usize = 256;
/// Events of one call to accounts.
const BATCH: usize = 100;
/// Events a minute of one company; without a company, of one kind.
const COMPANY_LIMIT: u32 = 60;
/// Events a minute of one sign-in name.
const NAME_LIMIT: u32 = 10;
/// Sign-in names a minute, which bounds events of invented names.
const MAX_NAMES: usize = 100;
/// Events a minute of one person, so that no one hides the events of others in the company.
const PERSON_LIMIT: u32 = 30;
/// Events a minute of unknown senders at one address.
const ADDRESS_LIMIT: u32 = 10;
/// Addresses that are counted in a minute.
const MAX_ADDRESSES: usize = 4096;

pub struct QueuedEvent {
    pub event: SeenEvent,
    pub address: ClientAddress,
    /// Token of a session that is not resolved yet.
    pub token: Option<SecretString>,
}

impl QueuedEvent {
    /// Whether the sender is unknown, or not known yet.
    fn has_unknown_sender(&self) -> bool {
        self.event.company_id.is_empty() && self.event.actor_id.is_empty()
    }
}

/// Audit events on their way to accounts.
#[derive(Default)]
pub struct AuditQueue(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    events: VecDeque<QueuedEvent>,
    /// Queued events of unknown senders.
    unknown: usize,
    is_writing: bool,
    rates: Rates,
    /// Events that found the queue full.
    dropped: u64,
}

impl AuditQueue {
    /// Queues an event. Returns whether the writer must be started.
    pub fn push(&self, queued: QueuedEvent, minute: i64) -> bool {
        let mut queue = self.lock();
        let is_unknown = queued.has_unknown_sender();
        if is_unknown && !queue.rates.allow_address(queued.address, minute) {
            return false;
        }
        // With a token, the company is not known yet.
        if queued.token.is_none() && !queue.rates.allow(&queued.event, minute) {
            return false;
        }
        let is_full = is_unknown && queue.unknown >= UNKNOWN_CAPACITY;
        if is_full || queue.events.len() >= CAPACITY {
            queue.dropped += 1;
            names::AUDIT_DROPPED.count(names::NO_LABELS);
            return false;
        }
        queue.unknown += usize::from(is_unknown);
        queue.events.push_back(queued);
        !std::mem::replace(&mut queue.is_writing, true)
    }

    /// The next batch; `None` marks the writer as idle.
    pub fn take(&self) -> Option<Vec<QueuedEvent>> {
        let mut queue = self.lock();
        let dropped = std::mem::take(&mut queue.dropped);
        if dropped > 0 {
            tracing::warn!(dropped, "audit queue full, events dropped");
        }
        let count = queue.events.len().min(BATCH);
        if count == 0 {
            queue.is_writing = false;
            return None;
        }
        let batch: Vec<QueuedEvent> = queue.events.drain(..count).collect();
        queue.unknown -= batch.iter().filter(|one| one.has_unknown_sender()).count();
        Some(batch)
    }

    /// Whether an event, attributed since it was queued, is within the limits.
    pub fn allow(&self, event: &SeenEvent, minute: i64) -> bool {
        self.lock().rates.allow(event, minute)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // The queue is valid after any panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts of the current minute.
#[derive(Default)]
struct Rates {
    minute: i64,
    /// By company; without a company, by kind.
    companies: HashMap<String, u32>,
    names: HashMap<String, u32>,
    persons: HashMap<String, u32>,
    addresses: HashMap<ClientAddress, u32>,
    dropped: u64,
}

impl Rates {
    fn allow(&mut self, event: &SeenEvent, minute: i64) -> bool {
        self.begin(minute);
        let is_within = if event.sign_in_name.is_empty() {
            let counter = if event.company_id.is_empty() {
                &event.event
            } else {
                &event.company_id
            };
            (event.actor_id.is_empty()
                || is_within(&mut self.persons, &event.actor_id, PERSON_LIMIT))
                && is_within(&mut self.companies, counter, COMPANY_LIMIT)
        } else {
            let name = LoginName::read(&event.sign_in_name).key();
            is_among_first(&mut self.names, name, MAX_NAMES, NAME_LIMIT)
        };
        self.dropped += u64::from(!is_within);
        is_within
    }

    /// Whether an event of an unknown sender at this address is within the limit.
    fn allow_address(&mut self, address: ClientAddress, minute: i64) -> bool {
        self.begin(minute);
        let is_within = is_among_first(&mut self.addresses, address, MAX_ADDRESSES, ADDRESS_LIMIT);
        self.dropped += u64::from(!is_within);
        is_within
    }

    /// Resets the counts in a new minute and logs the dropped events.
    fn begin(&mut self, minute: i64) {
        if self.minute == minute {
            return;
        }
        if self.dropped > 0 {
            tracing::warn!(
                dropped = self.dropped,
                "audit rate limit: events dropped in the last minute"
            );
        }
        *self = Self {
            minute,
            ..Self::default()
        };
    }
}

/// Counts one event of one of at most `max_keys` keys. Returns whether it is within the limit.
fn is_among_first<K: Eq + Hash>(
    counts: &mut HashMap<K, u32>,
    key: K,
    max_keys: usize,
    limit: u32,
) -> bool {
    if counts.len() >= max_keys && !counts.contains_key(&key) {
        return false;
    }
    let count = counts.entry(key).or_default();
    *count += 1;
    *count <= limit
}

/// Counts one event. Returns whether it is within the limit.
fn is_within(counts: &mut HashMap<String, u32>, counter: &str, limit: u32) -> bool {
    let count = counts.entry(counter.to_owned()).or_default();
    *count += 1;
    if *count == limit + 1 {
        tracing::warn!(%counter, "audit rate limit reached, dropping events");
    }
    *count <= limit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(company: &str, event_type: &str) -> SeenEvent {
        SeenEvent {
            company_id: company.to_owned(),
            event: event_type.to_owned(),
            ..SeenEvent::default()
        }
    }

    fn address(number: usize) -> ClientAddress {
        let number = u32::try_from(number).expect("a small number");
        let peer = std::net::Ipv4Addr::from(0x0a00_0000 + number).into();
        ClientAddress::find(Some(peer), &http::HeaderMap::new(), &[])
    }

    fn waiting(company: &str, token: Option<&str>) -> QueuedEvent {
        QueuedEvent {
            event: event(company, "permission_denied"),
            address: address(1),
            token: token.map(SecretString::from),
        }
    }

    /// A cross-site request with a session cookie.
    fn cross_site(number: usize) -> QueuedEvent {
        QueuedEvent {
            address: address(number),
            ..waiting("", Some("token"))
        }
    }

    #[test]
    fn allow_limits_company_to_60_a_minute() {
        let mut rates = Rates::default();
        let mut allowed = |company, event_type, minute| {
            let event = event(company, event_type);
            let tries = (0..70).filter(|_| rates.allow(&event, minute));
            tries.count()
        };
        assert_eq!(allowed("a", "permission_denied", 1), 60);
        assert_eq!(allowed("a", "unknown_object", 1), 0);
        assert_eq!(allowed("b", "unknown_object", 1), 60);
        assert_eq!(allowed("a", "unknown_object", 2), 60);
        // Without a company, kinds have separate limits.
        assert_eq!(allowed("", "request_refused", 2), 60);
        assert_eq!(allowed("", "sign_in", 2), 60);
    }

    #[test]
    fn allow_limits_name_to_10_a_minute_and_the_number_of_names() {
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
        for invented in 1..100 {
            assert_eq!(allowed(&invented.to_string(), 1), 10);
        }
        assert_eq!(allowed("Beta", 1), 0);
        assert_eq!(allowed("Beta", 2), 10);
    }

    #[test]
    fn push_starts_one_writer_until_the_queue_is_empty() {
        let audit = AuditQueue::default();
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
    fn allow_limits_person_to_30_a_minute() {
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
    fn push_drops_events_when_the_queue_is_full() {
        let audit = AuditQueue::default();
        for number in 0..CAPACITY + 10 {
            audit.push(waiting(&number.to_string(), None), 1);
        }
        assert_eq!(audit.lock().events.len(), CAPACITY);
        assert_eq!(audit.lock().dropped, 10);
        let text = hourmeter_runtime::telemetry::metrics_text();
        let line = "hourmeter_audit_dropped_total 10";
        assert!(text.lines().any(|found| found == line), "{text}");
    }

    #[test]
    fn push_limits_events_of_unknown_senders() {
        let audit = AuditQueue::default();
        for _ in 0..100 {
            audit.push(cross_site(1), 1);
        }
        assert_eq!(audit.lock().events.len(), 10, "of one address");
        for number in 0..2 * CAPACITY {
            audit.push(cross_site(number), 1);
        }
        assert_eq!(audit.lock().events.len(), UNKNOWN_CAPACITY);
        audit.push(waiting("company", None), 1);
        assert_eq!(audit.lock().events.len(), UNKNOWN_CAPACITY + 1);
        while audit.take().is_some() {}
        audit.push(cross_site(5000), 2);
        assert_eq!(audit.lock().events.len(), 1);
    }
}
