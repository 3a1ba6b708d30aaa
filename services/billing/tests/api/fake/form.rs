//! Strict parser of form parameters: unknown ones are rejected, as by Stripe.

use std::collections::BTreeMap;

use super::response::{Refused, invalid};

/// Parameters by their full name such as `items[0][price]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    pub fn read(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        Self(
            pairs
                .map(|(name, value)| (decode(name), decode(value)))
                .collect(),
        )
    }

    /// Removes a parameter, so that [`Form::finish`] finds unknown ones.
    pub fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }

    pub fn required(&mut self, name: &str) -> Result<String, Refused> {
        let value = self.take(name).filter(|value| !value.is_empty());
        value.ok_or_else(|| {
            let sentence = format!("Missing required param: {name}.");
            invalid(400, "parameter_missing", name, &sentence)
        })
    }

    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, Refused> {
        let value = self.take(name);
        let flag = value.map(|value| value.parse().map_err(|_| bad(name, &value)));
        flag.transpose()
    }

    pub fn number(&mut self, name: &str) -> Result<Option<i64>, Refused> {
        let value = self.take(name);
        let number = value.map(|value| value.parse().map_err(|_| bad(name, &value)));
        number.transpose()
    }

    /// Takes a parameter that must have one of the `known` values.
    pub fn word(&mut self, name: &str, known: &[&str]) -> Result<Option<String>, Refused> {
        let Some(word) = self.take(name) else {
            return Ok(None);
        };
        if known.contains(&word.as_str()) {
            return Ok(Some(word));
        }
        Err(bad(name, &word))
    }

    pub fn map(&mut self, name: &str) -> BTreeMap<String, String> {
        let prefix = format!("{name}[");
        let taken = self.0.extract_if(.., |key, _| key.starts_with(&prefix));
        taken
            .map(|(key, value)| {
                let inner = key[prefix.len()..].trim_end_matches(']');
                (inner.to_owned(), value)
            })
            .collect()
    }

    /// Fails if parameters are left.
    pub fn finish(self) -> Result<(), Refused> {
        let Some(name) = self.0.into_keys().next() else {
            return Ok(());
        };
        let sentence = format!("Received unknown parameter: {name}");
        Err(invalid(400, "parameter_unknown", &name, &sentence))
    }
}

fn bad(name: &str, value: &str) -> Refused {
    let sentence = format!("Invalid {name}: {value}");
    invalid(400, "parameter_invalid_string_blank", name, &sentence)
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let hex = std::str::from_utf8(&rest[..2]).unwrap();
                bytes.push(u8::from_str_radix(hex, 16).unwrap());
                rest = &rest[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).unwrap()
}
