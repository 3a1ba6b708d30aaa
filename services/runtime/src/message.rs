//! `Message`: what a refusal says, as a code with parameters and as an English sentence.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

/// The stable code of a refusal and its English sentence. Names in braces are parameters:
/// `Must be at most {max}.`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// In capitals; clients find their own text by it.
    pub code: &'static str,
    /// For a person, where a client has no text for the code.
    pub sentence: &'static str,
}

impl Reason {
    /// The message with one parameter.
    pub fn with(self, name: &str, value: impl fmt::Display) -> Message {
        Message::from(self).with(name, value)
    }
}

/// What a refusal says. Dereferences to the English sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// [`Reason::code`]; empty when the sender gave none.
    pub code: Cow<'static, str>,
    /// The sentence with its parameters filled in.
    pub text: Cow<'static, str>,
    /// Values by the names in braces.
    pub parameters: BTreeMap<String, String>,
}

impl Message {
    /// The message with one more parameter.
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

impl PartialEq<Reason> for Message {
    fn eq(&self, other: &Reason) -> bool {
        self.code == other.code
    }
}

/// Declares the refusals of a crate: each a constant named like its code, and `ALL` of them.
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

        /// All of them, for the texts of clients.
        pub const ALL: &[$crate::message::Reason] = &[$($code),+];
    };
}
