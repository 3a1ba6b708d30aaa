//! Types and bounds of request fields.

use std::ops::RangeInclusive;

/// The type of a field, for reading and for the OpenAPI document, with the bounds that the services
/// enforce.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Number of characters; up to `usize::MAX`: only the size of the request limits it.
    Text(RangeInclusive<usize>),
    /// A calendar date; of a date-time, the first ten characters.
    Date,
    /// A date-time, RFC 3339.
    Instant,
    Flag,
    Number(Numbers),
    Whole(RangeInclusive<i64>),
    /// One of these whole numbers.
    OneOf(&'static [u32]),
    WireName(Vec<&'static str>),
    /// Number of ids.
    Ids(RangeInclusive<usize>),
    Object(Vec<Field>),
    /// The most objects.
    Objects(Vec<Field>, usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    FromZero,
    /// Above zero.
    Positive,
    FromOne,
    /// From zero, without decimals.
    Whole,
}
