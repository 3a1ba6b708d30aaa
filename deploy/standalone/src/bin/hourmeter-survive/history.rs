//! Every write that was sent, and what was answered to it.

use std::sync::{Mutex, MutexGuard};

use uuid::Uuid;

/// What kind of write it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line in a machine's ledger, by the office.
    Entry,
    /// An operator's submission.
    Submission,
}

/// What is known of a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// Not whether it took effect.
    #[default]
    Unknown,
    /// That it did.
    Acknowledged,
    /// That it did not.
    Refused,
}

/// One write.
#[derive(Clone, Debug)]
pub struct Write {
    /// Number of the company.
    pub company: usize,
    /// Number of the machine in the company.
    pub machine: usize,
    /// What kind.
    pub kind: Kind,
    /// Its text, which no other has.
    pub mark: String,
    /// What it adds to the meter, or the reading it reports, hundredths.
    pub usage: Option<i64>,
    /// Fuel, hundredths; 0: none.
    pub fuel: i64,
    /// What is known of it.
    pub fate: Fate,
    /// Of a submission, once acknowledged.
    pub id: Option<Uuid>,
    /// Of a submission: whether a manager was told that it took effect.
    pub applied: bool,
}

/// All of them, in the order in which they were first sent.
#[derive(Default)]
pub struct History(Mutex<Vec<Write>>);

impl History {
    /// Adds one that is about to be sent; `make` is given the text that it alone has. Answers its
    /// number, and that text.
    pub fn begin(&self, make: impl FnOnce(String) -> Write) -> (usize, String) {
        let mut writes = self.lock();
        let number = writes.len();
        let mark = format!("write {number}");
        writes.push(make(mark.clone()));
        (number, mark)
    }

    /// Notes what was answered. Once acknowledged, it stays so.
    pub fn note(&self, number: usize, fate: Fate) {
        if let Some(write) = self.lock().get_mut(number)
            && write.fate != Fate::Acknowledged
        {
            write.fate = fate;
        }
    }

    /// Notes under which id a submission was stored. True: as before, or for the first time.
    pub fn note_id(&self, number: usize, id: Uuid) -> bool {
        let mut writes = self.lock();
        let Some(write) = writes.get_mut(number) else {
            return false;
        };
        *write.id.get_or_insert(id) == id
    }

    /// Notes that a submission took effect.
    pub fn note_applied(&self, number: usize) {
        if let Some(write) = self.lock().get_mut(number) {
            write.applied = true;
        }
    }

    /// Whether a manager was told that a submission took effect.
    pub fn is_applied(&self, number: usize) -> bool {
        self.lock().get(number).is_some_and(|write| write.applied)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Write> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Write>> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
