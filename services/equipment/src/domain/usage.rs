//! How entries move a meter.

use chrono::{DateTime, NaiveDate, Utc};
use hourmeter_runtime::quantity::Quantity;

use super::calendar::{LAST_DAY, next_date};
use super::equipment::{Schedule, ServiceTask};

/// What a person reads about an increase that is not one.
pub const INCREASE_MESSAGE: &str = "Please enter a valid positive number for usage increase.";

/// A manager's usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Adds to the meter.
    Increase(Quantity),
    /// What the meter shows.
    Reading(Quantity),
}

/// Why a manager's usage is refused. `Display` is the text for the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageError {
    /// A reading below the meter.
    BelowMeter(Quantity),
    /// The meter would pass what a meter can show.
    TooLarge,
}

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BelowMeter(meter) => {
                write!(f, "The reading is below the current usage of {meter}.")
            }
            Self::TooLarge => f.write_str("The current usage must be at most 1,000,000,000."),
        }
    }
}

/// What a manager's usage adds to the meter.
pub fn increase(meter: Quantity, usage: Usage) -> Result<Quantity, UsageError> {
    let after = match usage {
        Usage::Increase(by) => meter.plus(by),
        Usage::Reading(reading) if reading < meter => return Err(UsageError::BelowMeter(meter)),
        Usage::Reading(reading) => reading,
    };
    if after > Quantity::MAX_INPUT {
        return Err(UsageError::TooLarge);
    }
    Ok(after.minus(meter))
}

/// An operator's reading of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldReading {
    /// What it showed.
    pub reading: Quantity,
    /// When.
    pub captured_at: DateTime<Utc>,
    /// A manager gave it: it counts though it is late or below the meter.
    pub replace: bool,
}

/// What an operator's reading does to a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The meter changes by so much, which may be 0 or less.
    Moves(Quantity),
    /// It came late.
    Untouched,
    /// It is below the meter, and nobody has decided on that.
    BelowCurrent,
}

/// Decides what an operator's reading does. A late one, captured before the meter's last reading,
/// leaves the meter even when it is above: what was read or corrected since is newer. Only a
/// reading that a manager gave is stronger.
pub fn effect(meter: Quantity, last_read: Option<DateTime<Utc>>, field: FieldReading) -> Effect {
    let late = last_read.is_some_and(|last_read| field.captured_at < last_read);
    if field.replace {
        Effect::Moves(field.reading.minus(meter))
    } else if late {
        Effect::Untouched
    } else if field.reading < meter {
        Effect::BelowCurrent
    } else {
        Effect::Moves(field.reading.minus(meter))
    }
}

/// The task after a service: usage counts from the meter, the schedule from the day it was done.
pub fn serviced(task: ServiceTask, meter: Quantity, day: NaiveDate) -> ServiceTask {
    let restart = |schedule: Schedule| Schedule {
        start: day,
        // A service must not fail for a date nobody will see.
        next: next_date(day, schedule.interval, schedule.unit).unwrap_or(LAST_DAY),
        ..schedule
    };
    ServiceTask {
        last_usage: Some(meter),
        schedule: task.schedule.map(restart),
        ..task
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::kinds::CalendarUnit;

    fn quantity(value: f64) -> Quantity {
        Quantity::from_input(value).unwrap()
    }

    #[test]
    fn readings_go_up_and_increases_add() {
        let meter = quantity(100.0);
        let by = |usage| increase(meter, usage);
        assert_eq!(by(Usage::Increase(quantity(0.1))), Ok(quantity(0.1)));
        assert_eq!(by(Usage::Reading(quantity(100.0))), Ok(Quantity::ZERO));
        assert_eq!(by(Usage::Reading(quantity(100.01))), Ok(quantity(0.01)));
        assert_eq!(
            by(Usage::Reading(quantity(99.99))),
            Err(UsageError::BelowMeter(meter))
        );
        let room = Quantity::MAX_INPUT.minus(meter);
        assert_eq!(by(Usage::Increase(room)), Ok(room));
        assert_eq!(
            by(Usage::Increase(room.plus(quantity(0.01)))),
            Err(UsageError::TooLarge)
        );
    }

    #[test]
    fn field_readings_at_every_boundary() {
        let last: DateTime<Utc> = "2026-03-10T08:00:00Z".parse().unwrap();
        let earlier = last - chrono::TimeDelta::microseconds(1);
        for (reading, captured_at, replace, expected) in [
            (101.0, last, false, Effect::Moves(quantity(1.0))),
            (100.0, last, false, Effect::Moves(Quantity::ZERO)),
            (99.99, last, false, Effect::BelowCurrent),
            (
                99.99,
                last,
                true,
                Effect::Moves(Quantity::from_hundredths(-1)),
            ),
            (101.0, earlier, false, Effect::Untouched),
            (101.0, earlier, true, Effect::Moves(quantity(1.0))),
            (100.0, earlier, false, Effect::Untouched),
            (99.99, earlier, false, Effect::Untouched),
            (
                99.99,
                earlier,
                true,
                Effect::Moves(Quantity::from_hundredths(-1)),
            ),
        ] {
            let field = FieldReading {
                reading: quantity(reading),
                captured_at,
                replace,
            };
            let found = effect(quantity(100.0), Some(last), field);
            assert_eq!(found, expected, "{reading} {captured_at} {replace}");
        }
        let first = FieldReading {
            reading: quantity(7.0),
            captured_at: DateTime::UNIX_EPOCH,
            replace: false,
        };
        let found = effect(Quantity::ZERO, None, first);
        assert_eq!(
            found,
            Effect::Moves(quantity(7.0)),
            "never read, never late"
        );
    }

    #[test]
    fn a_service_restarts_both_rules() {
        let day: NaiveDate = "2026-01-31".parse().unwrap();
        let task = ServiceTask {
            interval: quantity(250.0),
            last_usage: None,
            schedule: Some(Schedule {
                start: "2025-01-01".parse().unwrap(),
                interval: 1,
                unit: CalendarUnit::Months,
                next: "2025-02-01".parse().unwrap(),
            }),
        };
        let after = serviced(task, quantity(12.0), day);
        assert_eq!(after.last_usage, Some(quantity(12.0)));
        let schedule = after.schedule.unwrap();
        assert_eq!(schedule.start, day);
        assert_eq!(schedule.next.to_string(), "2026-02-28");
    }
}
