/// Declares an enumeration whose values are stored by name.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $enum:ident { $($(#[$note:meta])* $value:ident = $name:literal,)+ }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum {
            $($(#[$note])* $value,)+
        }

        impl $enum {
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$value),)+
                    _ => None,
                }
            }
        }
    };
}
pub(super) use named;
