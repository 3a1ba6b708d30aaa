//! Enumerations that are stored by name.

/// Declares enumerations with the text that stores each value: `as_str` writes it, `parse` reads it and
/// returns `None` for an unknown one.
///
/// ```
/// hourmeter_runtime::stored_enum! {
///     pub enum Fuel {
///         Gasoline = "gasoline",
///         Diesel = "diesel",
///     }
/// }
/// assert_eq!(Fuel::parse(Fuel::Diesel.as_str()), Some(Fuel::Diesel));
/// ```
#[macro_export]
macro_rules! stored_enum {
    ($(
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$note:meta])* $value:ident = $text:literal,)+ }
    )+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$note])* $value,)+
        }

        impl $name {
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    )+};
}
