//! Every write that was sent, and what was answered.

use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// What kind of write it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// An entry in a machine's ledger, by the office.
    #[default]
    Entry,
    /// An operator's submission.
    Submission,
}

/// What is known of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It may have taken effect.
    #[default]
    Unknown,
    Acknowledged,
    Rejected,
}

/// One write.
#[derive(Clone, Debug, Default)]
pub struct Write {
    /// Index of the company.
    pub company: usize,
    /// Index of the machine in the company.
    pub machine: usize,
    pub kind: Kind,
    /// Its unique text.
    pub mark: String,
    /// What it adds to the meter, or the reading it reports, in hundredths.
    pub usage: Option<i64>,
    /// Fuel in hundredths.
    pub fuel: i64,
    /// Of an entry that an offline phone kept for later.
    pub captured_at: Option<DateTime<Utc>>,
    pub outcome: WriteOutcome,
    /// Of a submission, once acknowledged.
    pub id: Option<Uuid>,
    /// Of a submission: whether a manager was answered that it took effect.
    pub applied: bool,
}

/// The index of the write with a mark.
pub fn index_of(mark: &str) -> Option<usize> {
    mark.strip_prefix("write ")?.parse().ok()
}

/// All writes in the order in which they were first sent.
#[derive(Default)]
pub struct History(Mutex<Vec<Write>>);

impl History {
    /// Adds a write that is about to be sent; its index, and the mark it gets.
    pub fn begin(&self, mut write: Write) -> (usize, String) {
        let mut writes = self.lock();
        let index = writes.len();
        let mark = format!("write {index}");
        write.mark.clone_from(&mark);
        writes.push(write);
        (index, mark)
    }

    /// Records what was answered. An acknowledged write stays so.
    pub fn record(&self, index: usize, outcome: WriteOutcome) {
        let write = &mut self.lock()[index];
        if write.outcome != WriteOutcome::Acknowledged {
            write.outcome = outcome;
        }
    }

    /// Records the id of a submission; false if it had another one before.
    pub fn record_id(&self, index: usize, id: Uuid) -> bool {
        *self.lock()[index].id.get_or_insert(id) == id
    }

    /// Records that a submission took effect.
    pub fn record_applied(&self, index: usize) {
        self.lock()[index].applied = true;
    }

    /// Whether a manager was answered that a submission took effect.
    pub fn is_applied(&self, index: usize) -> bool {
        self.lock()[index].applied
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    pub fn all(&self) -> Vec<Write> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Write>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
