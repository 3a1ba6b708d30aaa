//! The meter over time: facts in the order of their capture, and what each does to the meter.

use chrono::{DateTime, Utc};
use hourmeter_runtime::quantity::Quantity;
use uuid::Uuid;

use super::initial_state::InitialState;
use super::ledger::Fact;
use super::meter::{MeterFact, MeterState};

/// A meter at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dial {
    pub state: MeterState,
    /// When it was last read. None: never.
    pub read_at: Option<DateTime<Utc>>,
}

impl Dial {
    pub const fn is_read(self) -> bool {
        self.read_at.is_some()
    }

    /// Applies a fact. Increases of a meter that was never read add nothing.
    #[must_use]
    pub fn after(self, at: DateTime<Utc>, fact: MeterFact) -> Self {
        let state = self.state;
        let after = match fact {
            MeterFact::Increase(by) if self.is_read() => {
                let state = state.with_usage(state.usage.plus(by));
                return Self { state, ..self };
            }
            MeterFact::Increase(_) => return self,
            MeterFact::Reading(reading) => state.with_reading(reading),
            MeterFact::ServiceReading(reading) => {
                let shown = state.with_reading(reading);
                if self.is_read() && shown.usage < state.usage {
                    return self;
                }
                shown
            }
            MeterFact::Usage(usage) => state.with_usage(usage),
            MeterFact::NewUnit(Some(state)) => state,
            MeterFact::NewUnit(None) => return Self::default(),
            MeterFact::Replacement(new, reading) => new.after(state, reading),
        };
        Self {
            state: after,
            read_at: Some(at),
        }
    }

    /// Usage that an interval can count from. None: the meter was never read.
    pub fn usage(self) -> Option<Quantity> {
        self.is_read().then_some(self.state.usage)
    }
}

/// What one fact does to the meter.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    pub at: DateTime<Utc>,
    /// None: the initial state.
    pub fact: Option<&'a Fact>,
    pub before: Dial,
    pub after: Dial,
}

impl Step<'_> {
    fn meter(&self) -> Option<MeterFact> {
        self.fact.and_then(|fact| fact.meter)
    }

    /// Whether the meter begins here: its first reading, or the first one in another unit.
    pub fn is_baseline(&self) -> bool {
        let first = !self.before.is_read() && self.after.is_read();
        first || matches!(self.meter(), Some(MeterFact::NewUnit(_)))
    }

    /// The state before; a meter that begins here has not risen.
    pub fn state_before(&self) -> MeterState {
        if self.is_baseline() {
            self.after.state
        } else {
            self.before.state
        }
    }

    /// Whether it states a reading or ends the meter.
    fn shows_meter(&self) -> bool {
        match self.meter() {
            Some(fact) => fact.increase().is_none(),
            None => self.fact.is_none() && self.before != self.after,
        }
    }

    /// What the meter in use before showed at this step, if known.
    fn reading_of_old_meter(&self) -> Option<Quantity> {
        match self.meter() {
            Some(MeterFact::NewUnit(_)) => None,
            Some(MeterFact::Replacement(new, _)) => new.last,
            _ => Some(self.after.state.reading()),
        }
    }

    /// Use of the machine. None: the entry shows none.
    pub fn rise(&self) -> Option<Quantity> {
        match self.meter()? {
            MeterFact::Replacement(..) | MeterFact::NewUnit(_) => None,
            _ => {
                let rise = self.after.state.usage.minus(self.state_before().usage);
                Some(rise.max(Quantity::ZERO))
            }
        }
    }
}

/// Order of capture. At one instant: readings before increases, then the lower value. A service
/// without a reading is before both, because facts that arrive after it leave its mark as it is.
fn order(fact: &Fact) -> (DateTime<Utc>, u8, Quantity, Uuid) {
    let (rank, value) = match fact.meter {
        None if fact.service.is_some() => (0, Quantity::ZERO),
        Some(MeterFact::Replacement(_, reading)) => (2, reading),
        Some(MeterFact::Increase(by)) => (3, by),
        Some(MeterFact::Usage(usage)) => (1, usage),
        Some(fact) => (1, fact.reading().unwrap_or_default()),
        None => (4, Quantity::ZERO),
    };
    (fact.captured_at, rank, value, fact.id)
}

/// Applies facts in the order of their capture. Their order in `facts` does not matter.
pub fn steps<'a>(initial: &InitialState, facts: &'a [Fact]) -> Vec<Step<'a>> {
    let mut facts: Vec<&Fact> = facts.iter().collect();
    facts.sort_by_cached_key(|fact| order(fact));
    let (earlier, later) =
        facts.split_at(facts.partition_point(|fact| fact.captured_at < initial.added_at));
    let added = std::iter::once(None);
    let in_order = earlier.iter().map(|fact| Some(*fact)).chain(added);
    let in_order = in_order.chain(later.iter().map(|fact| Some(*fact)));
    let unit_changes: Vec<&Fact> = facts
        .iter()
        .filter(|fact| matches!(fact.meter, Some(MeterFact::NewUnit(_))))
        .copied()
        .collect();
    let mut dial = Dial::default();
    let step = |fact: Option<&'a Fact>| {
        let before = dial;
        let at = fact.map_or(initial.added_at, |fact| fact.captured_at);
        dial = match fact {
            None if initial.read => Dial {
                state: initial.meter,
                read_at: Some(at),
            },
            None => before,
            Some(fact) if is_of_next_unit(fact, &unit_changes) => before,
            Some(fact) => fact.meter.map_or(before, |meter| before.after(at, meter)),
        };
        Step {
            at,
            fact,
            before,
            after: dial,
        }
    };
    in_order.map(step).collect()
}

/// Whether an entry in the unit after the next change of unit was captured before that change. It
/// says nothing about the meter of that time.
fn is_of_next_unit(fact: &Fact, unit_changes: &[&Fact]) -> bool {
    let next = unit_changes.partition_point(|change| order(change) <= order(fact));
    let next = unit_changes.get(next);
    next.is_some_and(|change| change.unit == fact.unit)
}

/// The meter at a time, and its next known reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterAt {
    pub dial: Dial,
    /// When the last fact up to then was captured.
    pub known_at: Option<DateTime<Utc>>,
    /// The first later reading of the meter in use at that time.
    pub next: Option<Quantity>,
}

/// Returns the final reading of the meter in use at `at`, from all steps of a machine. None: it was not
/// replaced, or the reading is not known.
pub fn final_reading(steps: &[Step<'_>], at: DateTime<Utc>) -> Option<Quantity> {
    let later = &steps[steps.partition_point(|step| step.at < at)..];
    let replacements = later.iter().filter_map(|step| step.meter()?.new_meter());
    replacements.take(1).find_map(|new| new.last)
}

/// Returns the meter after all facts captured up to `at`, from all steps of a machine.
pub fn meter_at(steps: &[Step<'_>], at: DateTime<Utc>) -> MeterAt {
    let (known, later) = steps.split_at(steps.partition_point(|step| step.at <= at));
    let dial = known.last().map(|step| step.after).unwrap_or_default();
    let moving = |step: &&Step<'_>| step.after != step.before;
    let shows = later.iter().find(|step| step.shows_meter());
    MeterAt {
        dial,
        known_at: known.iter().rev().find(moving).map(|step| step.at),
        next: shows.and_then(Step::reading_of_old_meter),
    }
}
