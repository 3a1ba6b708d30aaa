//! Reads numbers.

use std::ops::RangeInclusive;
use std::str::FromStr as _;

use hourmeter_runtime::message::Message;
use hourmeter_runtime::refusals as shared;
use serde_json::Value;

use super::Fields;
use super::kind::{FieldKind, Numbers};
use crate::refusals;

/// The largest whole number that is exact in JSON.
const LARGEST_WHOLE: i64 = 9_007_199_254_740_991;

impl FieldKind {
    fn allows(&self, whole: u32) -> bool {
        match self {
            Self::Whole(range) => range.contains(&whole.into()),
            Self::OneOf(words) => words.contains(&whole),
            _ => true,
        }
    }
}

impl Fields<'_> {
    pub fn number(&mut self, name: &'static str) -> Option<f64> {
        self.number_or(name, shared::NOT_A_NUMBER)
    }

    /// Like `number`, with its own error message.
    pub fn number_or(&mut self, name: &'static str, message: impl Into<Message>) -> Option<f64> {
        self.number_of(name, Numbers::FromZero, message)
    }

    /// A number whose service accepts only `numbers`.
    pub fn number_of(
        &mut self,
        name: &'static str,
        numbers: Numbers,
        message: impl Into<Message>,
    ) -> Option<f64> {
        self.note(name, FieldKind::Number(numbers), false);
        let value = self.value(name)?;
        let number = value.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            self.wrong(name, message);
        }
        number
    }

    pub fn whole<T: TryFrom<i64>>(&mut self, name: &'static str) -> Option<T> {
        let fits = |most: &i64| T::try_from(*most).is_ok();
        let most = [LARGEST_WHOLE, u32::MAX.into()].into_iter().find(fits);
        self.whole_in(name, 0..=most.unwrap_or_default())
    }

    /// A whole number whose service accepts only those in the range.
    pub fn whole_in<T: TryFrom<i64>>(
        &mut self,
        name: &'static str,
        range: RangeInclusive<i64>,
    ) -> Option<T> {
        self.whole_of(name, FieldKind::Whole(range), refusals::NOT_WHOLE_FROM_ZERO)
    }

    /// A whole number of this kind, with its own error message.
    pub fn whole_of<T: TryFrom<i64>>(
        &mut self,
        name: &'static str,
        kind: FieldKind,
        message: impl Into<Message>,
    ) -> Option<T> {
        self.note(name, kind, false);
        let value = self.value(name)?;
        let whole = if self.all_strings {
            // No query has a negative number.
            value
                .as_str()
                .and_then(|text| u64::from_str(text).ok())
                .and_then(|whole| i64::try_from(whole).ok())
        } else {
            as_whole(value)
        };
        let whole = whole.and_then(|whole| T::try_from(whole).ok());
        if whole.is_none() {
            self.wrong(name, message);
        }
        whole
    }

    /// A required whole number in the range.
    pub fn required_whole_in(&mut self, name: &'static str, range: RangeInclusive<i64>) -> u32 {
        let message = shared::BETWEEN
            .with("min", range.start())
            .with("max", range.end());
        self.required_whole(name, message, &FieldKind::Whole(range))
    }

    /// A required whole number of this kind.
    pub fn required_whole(
        &mut self,
        name: &'static str,
        message: impl Into<Message>,
        kind: &FieldKind,
    ) -> u32 {
        let message = message.into();
        let there = self.value(name).is_some();
        let whole = self.whole_of(name, kind.clone(), message.clone());
        if let Some(field) = self.seen.last_mut() {
            field.required = true;
        }
        match whole {
            Some(whole) if !kind.allows(whole) => self.wrong(name, message),
            None if !there => self.wrong(name, message),
            _ => {}
        }
        whole.unwrap_or_default()
    }
}

/// 12 and 12.0 are the same JSON number to many clients.
#[expect(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and in range just before"
)]
fn as_whole(value: &Value) -> Option<i64> {
    const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
    let whole = value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let whole = number.fract() == 0.0 && number.abs() < EXACT_BELOW;
        whole.then_some(number as i64)
    });
    whole.filter(|whole| (-LARGEST_WHOLE..=LARGEST_WHOLE).contains(whole))
}
