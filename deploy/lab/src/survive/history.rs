//! All writes sent and their responses.

use std::sync::Mutex;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::lock;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// An entry of the office in a machine's ledger.
    #[default]
    Entry,
    Submission,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It may have taken effect.
    #[default]
    Unknown,
    Acknowledged,
    Rejected,
}

#[derive(Clone, Debug, Default)]
pub struct Write {
    pub company: usize,
    pub machine: usize,
    pub kind: Kind,
    pub mark: String,
    /// Added usage or reported reading, in hundredths.
    pub usage: Option<i64>,
    pub fuel: i64,
    /// For entries of offline phones.
    pub captured_at: Option<DateTime<Utc>>,
    pub outcome: WriteOutcome,
    /// Of an acknowledged submission.
    pub id: Option<Uuid>,
    /// Whether a response confirmed that the submission took effect.
    pub applied: bool,
}

/// The index of the write with a mark.
pub fn index_of(mark: &str) -> Option<usize> {
    mark.strip_prefix("write ")?.parse().ok()
}

/// In the order in which they were first sent.
#[derive(Default)]
pub struct History(Mutex<Vec<Write>>);

impl History {
    /// Adds a write that is about to be sent. Returns its index and mark.
    pub fn begin(&self, mut write: Write) -> (usize, String) {
        let mut writes = lock(&self.0);
        let index = writes.len();
        let mark = format!("write {index}");
        write.mark.clone_from(&mark);
        writes.push(write);
        (index, mark)
    }

    /// Records a response. An acknowledged write stays acknowledged.
    pub fn record(&self, index: usize, outcome: WriteOutcome) {
        let write = &mut lock(&self.0)[index];
        if write.outcome != WriteOutcome::Acknowledged {
            write.outcome = outcome;
        }
    }

    /// Records a submission's id; false if it had another one.
    pub fn record_id(&self, index: usize, id: Uuid) -> bool {
        *lock(&self.0)[index].id.get_or_insert(id) == id
    }

    pub fn record_applied(&self, index: usize) {
        lock(&self.0)[index].applied = true;
    }

    pub fn is_applied(&self, index: usize) -> bool {
        lock(&self.0)[index].applied
    }

    pub fn len(&self) -> usize {
        lock(&self.0).len()
    }

    pub fn all(&self) -> Vec<Write> {
        lock(&self.0).clone()
    }
}
