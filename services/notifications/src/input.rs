//! Checks of requests.

use std::fmt::Display;
use std::ops::RangeInclusive;

use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::refusals;

pub fn between<N: Copy + Display + PartialOrd>(
    field: &str,
    number: N,
    range: RangeInclusive<N>,
) -> Result<(), ServiceError> {
    if range.contains(&number) {
        return Ok(());
    }
    let text = refusals::BETWEEN.with("min", range.start());
    Err(ServiceError::field(field, text.with("max", range.end())))
}
