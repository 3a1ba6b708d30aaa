//! `Message`: the text of an error for users, as a code with parameters and an English sentence.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

/// A stable code and its English sentence. Names in braces are parameters: `Must be at most {max}.`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// In capitals; clients translate it.
    pub code: &'static str,
    /// Shown if the client has no translation of the code.
    pub sentence: &'static str,
}

impl Reason {
    /// Builds the message with one parameter.
    pub fn with(self, name: &str, value: impl fmt::Display) -> Message {
        Message::from(self).with(name, value)
    }
}

/// An error message for users. Dereferences to the English sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// [`Reason::code`]; empty if the sender gave none.
    pub code: Cow<'static, str>,
    /// The sentence with parameter values.
    pub text: Cow<'static, str>,
    /// Parameter values by name.
    pub parameters: BTreeMap<String, String>,
}

impl Message {
    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        self.text = self.text.replace(&format!("{{{name}}}"), &value).into();
        self.parameters.insert(name.to_owned(), value);
        self
    }
}

impl From<Reason> for Message {
    fn from(reason: Reason) -> Self {
        Self {
            code: reason.code.into(),
            text: reason.sentence.into(),
            parameters: BTreeMap::new(),
        }
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self.text == *other
    }
}

/// Declares the error messages of a crate: a constant for each code, and the list `ALL`.
#[macro_export]
macro_rules! refusals {
    ($($code:ident: $sentence:literal,)+) => {
        $(
            #[doc = $sentence]
            pub const $code: $crate::message::Reason = $crate::message::Reason {
                code: stringify!($code),
                sentence: $sentence,
            };
        )+

        /// All messages of this crate.
        pub const ALL: &[$crate::message::Reason] = &[$($code),+];
    };
}
