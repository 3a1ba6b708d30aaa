//! Exact quantities: meter readings, fuel, cost.

use std::fmt;

use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgHasArrayType, PgTypeInfo};

use crate::message::Reason;
use crate::refusals;

/// A number of 0 to 1e9 with at most 2 decimals, stored as hundredths so that sums are exact. Sums
/// may exceed the range of inputs. In columns and stored JSON it is the number of hundredths.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx_macros::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Quantity(i64);

impl PgHasArrayType for Quantity {
    fn array_type_info() -> PgTypeInfo {
        i64::array_type_info()
    }
}

impl Quantity {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// Maximum of inputs.
    pub const MAX_INPUT: Self = Self(100_000_000_000);

    /// From hundredths, as stored.
    pub const fn from_hundredths(hundredths: i64) -> Self {
        Self(hundredths)
    }

    /// Hundredths, for storage.
    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// Validates a number from a request.
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
    pub fn from_input(value: f64) -> Result<Self, Reason> {
        if !value.is_finite() {
            return Err(refusals::NOT_A_NUMBER);
        }
        if value < 0.0 {
            return Err(refusals::NUMBER_NEGATIVE);
        }
        if value > Self::MAX_INPUT.to_f64() {
            return Err(refusals::NUMBER_TOO_LARGE);
        }
        // Equal only if the value is the double nearest to a number with two decimals.
        let hundredths = (value * 100.0).round() as i64;
        if (hundredths as f64 / 100.0).to_bits() != (value + 0.0).to_bits() {
            return Err(refusals::NUMBER_TOO_PRECISE);
        }
        Ok(Self(hundredths))
    }

    /// The nearest double; [`Quantity::from_input`] converts it back exactly.
    #[allow(clippy::cast_precision_loss)]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// Whether it has no decimals.
    pub const fn is_whole(self) -> bool {
        self.0 % 100 == 0
    }

    /// Whether it is 0.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Saturating sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Saturating difference, which may be negative.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Quantity {
    /// Without trailing zeros: `12`, `12.5`, `12.05`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, size) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, part) = (size / 100, size % 100);
        match part {
            0 => write!(f, "{sign}{whole}"),
            part if part % 10 == 0 => write!(f, "{sign}{whole}.{}", part / 10),
            part => write!(f, "{sign}{whole}.{part:02}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_is_exact() {
        let tenth = Quantity::from_input(0.1).expect("a quantity");
        let sum = (0..10).fold(Quantity::ZERO, |sum, _| sum.plus(tenth));
        assert_eq!(sum.to_f64().to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn from_input_checks_range_and_decimals() {
        for (value, expected) in [
            (f64::NAN, Err(refusals::NOT_A_NUMBER)),
            (f64::INFINITY, Err(refusals::NOT_A_NUMBER)),
            (-0.01, Err(refusals::NUMBER_NEGATIVE)),
            (-0.0, Ok(0)),
            (0.0, Ok(0)),
            (0.001, Err(refusals::NUMBER_TOO_PRECISE)),
            (4812.55, Ok(481_255)),
            (0.29, Ok(29)),
            (1e9, Ok(100_000_000_000)),
            (999_999_999.99, Ok(99_999_999_999)),
            (1_000_000_000.01, Err(refusals::NUMBER_TOO_LARGE)),
        ] {
            assert_eq!(
                Quantity::from_input(value).map(Quantity::hundredths),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn to_f64_round_trip_is_exact() {
        for hundredths in (0..100_000_000_000).step_by(99_999_937) {
            let quantity = Quantity::from_hundredths(hundredths);
            assert_eq!(Quantity::from_input(quantity.to_f64()), Ok(quantity));
        }
    }

    #[test]
    fn display_omits_trailing_zeros() {
        for (hundredths, text) in [(1200, "12"), (1250, "12.5"), (1205, "12.05"), (-50, "-0.5")] {
            assert_eq!(Quantity::from_hundredths(hundredths).to_string(), text);
        }
    }
}
