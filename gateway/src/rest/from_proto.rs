//! Objects of responses, converted from messages of services field by field.
//!
//! ```text
//! objects! {
//!     struct Machine(row: proto::Equipment) {
//!         // From `row.name`; the types decide the conversion: `FromProto<String> for String`.
//!         name: String,
//!         // Null if `row.unit_number` is empty.
//!         unit_number: Option<String>,
//!         // `=`: from another value.
//!         fuel_type: WireName<EquipmentFuel> = row.fuel,
//!         // `=>`: this value, not converted.
//!         is_used: bool => row.current_usage > 0.0,
//!     }
//! }
//! ```
//!
//! The JSON names are in camel case. `Option` is null for an absent `optional` field or message, an
//! empty text, an enum value without a name, and the 0 of a `uint32` that is not `optional`.
//! Without `Option`, an absent message has its default values, and an absent `Instant` is null.
//!
//! The fields are moved out of the message in the order of the object. So later values use single
//! fields (`row.kind`), not methods, which borrow the whole message (`row.kind()`).

use std::collections::{BTreeMap, HashMap};
use std::convert::identity;

use prost_types::Timestamp;

use super::values::{Date, Id, Instant, Number};
use super::wire_enums::{WireEnum, WireName};

/// A value of a response, converted from the value of a message.
pub trait FromProto<P> {
    fn from_proto(value: P) -> Self;
}

/// Declares objects of responses with their conversions from a message and from an `Option` of it.
/// A field is converted from the message's field of the same name or from the value after `=`; the
/// value after `=>` is not converted.
macro_rules! objects {
    (@value $message:ident.$field:ident) => {
        $crate::rest::from_proto::FromProto::from_proto($message.$field)
    };
    (@value $message:ident.$field:ident = $source:expr) => {
        $crate::rest::from_proto::FromProto::from_proto($source)
    };
    (@value $message:ident.$field:ident => $value:expr) => {
        $value
    };
    ($(
        $(#[$attribute:meta])*
        $visibility:vis struct $name:ident($message:ident: $source:ty) {
            $(
                $(#[$field_attribute:meta])*
                $field:ident: $type:ty $(= $from:expr)? $(=> $value:expr)?,
            )*
        }
    )*) => {$(
        #[derive(serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $(#[$attribute])*
        $visibility struct $name {
            $($(#[$field_attribute])* $field: $type,)*
        }

        impl $crate::rest::from_proto::FromProto<$source> for $name {
            fn from_proto($message: $source) -> Self {
                Self {
                    $($field: $crate::rest::from_proto::objects!(
                        @value $message.$field $(= $from)? $(=> $value)?
                    ),)*
                }
            }
        }

        impl $crate::rest::from_proto::FromProto<Option<$source>> for $name {
            fn from_proto(message: Option<$source>) -> Self {
                Self::from_proto(message.unwrap_or_default())
            }
        }

        impl $crate::rest::from_proto::FromProto<Option<$source>> for Option<$name> {
            fn from_proto(message: Option<$source>) -> Self {
                message.map($crate::rest::from_proto::FromProto::from_proto)
            }
        }
    )*};
}

pub(crate) use objects;

/// Conversions by a function: type in messages, type in responses, function.
macro_rules! conversions {
    ($($from:ty => $to:ty: $convert:expr;)*) => {$(
        impl FromProto<$from> for $to {
            fn from_proto(value: $from) -> Self {
                $convert(value)
            }
        }
    )*};
}

conversions! {
    bool => bool: identity;
    i32 => i32: identity;
    u32 => u32: identity;
    u64 => u64: identity;
    String => String: identity;
    Option<i32> => Option<i32>: identity;
    Option<u32> => Option<u32>: identity;
    String => Id: Id;
    String => Date: Date;
    f64 => Number: Number;
    Option<Timestamp> => Instant: Instant::from;
    HashMap<String, String> => BTreeMap<String, String>: BTreeMap::from_iter;
}

impl FromProto<Option<f64>> for Option<Number> {
    fn from_proto(value: Option<f64>) -> Self {
        value.map(Number)
    }
}

impl FromProto<Option<Timestamp>> for Option<Instant> {
    fn from_proto(time: Option<Timestamp>) -> Self {
        time.map(|time| Instant::from(Some(time)))
    }
}

/// Services represent absence in some texts by the empty string.
impl<T: FromProto<String>> FromProto<Option<String>> for Option<T> {
    fn from_proto(text: Option<String>) -> Self {
        text.and_then(Self::from_proto)
    }
}

impl<T: FromProto<String>> FromProto<String> for Option<T> {
    fn from_proto(text: String) -> Self {
        (!text.is_empty()).then(|| T::from_proto(text))
    }
}

/// 0 is absent, as in intervals. A field in which 0 is a value is `u32`, or `optional` in the
/// contract.
impl FromProto<u32> for Option<u32> {
    fn from_proto(number: u32) -> Self {
        (number > 0).then_some(number)
    }
}

impl<T: WireEnum> FromProto<i32> for WireName<T> {
    fn from_proto(number: i32) -> Self {
        Self(T::try_from(number).unwrap_or_default())
    }
}

/// Absent if the value has no name.
impl<T: WireEnum> FromProto<i32> for Option<WireName<T>> {
    fn from_proto(number: i32) -> Self {
        WireName::known(T::try_from(number).unwrap_or_default())
    }
}

impl<P, T: FromProto<P>> FromProto<Vec<P>> for Vec<T> {
    fn from_proto(items: Vec<P>) -> Self {
        items.into_iter().map(T::from_proto).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_text_and_zero_are_absent() {
        assert_eq!(Option::<String>::from_proto(String::new()), None);
        assert_eq!(Option::<String>::from_proto(Some(String::new())), None);
        assert_eq!(
            Option::<String>::from_proto("x".to_owned()).as_deref(),
            Some("x")
        );
        assert_eq!([0, 1].map(Option::<u32>::from_proto), [None, Some(1)]);
        assert_eq!(Option::<u32>::from_proto(Some(0)), Some(0));
    }
}
