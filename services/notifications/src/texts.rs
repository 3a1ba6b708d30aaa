//! Texts in the reader's language.

use chrono::{DateTime, Locale, Utc};
use chrono_tz::Tz;
use hourmeter_proto::accounts::v1::{Contact, Language};

/// Texts in Spanish (true) or English.
#[derive(Clone, Copy)]
pub struct Texts(pub bool);

impl Texts {
    pub fn of(contact: &Contact) -> Self {
        Self(contact.language() == Language::Spanish)
    }

    pub fn pick<T>(self, english: T, spanish: T) -> T {
        if self.0 { spanish } else { english }
    }

    pub fn more(self, left: usize) -> String {
        self.pick(format!("and {left} more"), format!("y {left} más"))
    }

    /// Empty for a flag of a newer release.
    pub fn flag(self, flag: &str) -> &'static str {
        let (english, spanish) = match flag {
            "below_meter" => ("below the meter", "menor que el horómetro"),
            "contradicts" => ("contradicts another reading", "contradice otra lectura"),
            "jump" => ("far above the usual use", "muy por encima de lo habitual"),
            "fuel_high" => ("more fuel than usual", "más combustible de lo habitual"),
            "wrong_fuel" => ("another kind of fuel", "otro tipo de combustible"),
            "wrong_unit" => (
                "another unit than the meter's",
                "otra unidad que la del medidor",
            ),
            "repeated" => ("reported twice", "reportado dos veces"),
            "refused" => ("could not be applied", "no se pudo aplicar"),
            "removed_device" => ("from a removed phone", "desde un teléfono retirado"),
            "removed_person" => ("from a removed person", "de una persona dada de baja"),
            _ => ("", ""),
        };
        self.pick(english, spanish)
    }

    /// A day and a time, such as "Nov 2, 2:05 am".
    pub fn time(self, at: DateTime<Utc>, zone: Tz) -> String {
        // The Spanish locale has no halves of the day.
        let time = at.with_timezone(&zone).format("%-I:%M %P");
        format!("{}, {time}", self.day(at, zone))
    }

    /// A day, such as "Nov 2".
    pub fn day(self, at: DateTime<Utc>, zone: Tz) -> String {
        let (format, locale) = self.pick(("%b %-d", Locale::en_US), ("%-d %b", Locale::es_MX));
        let local = at.with_timezone(&zone);
        local.format_localized(format, locale).to_string()
    }
}

/// A number with the word for one, or for others.
pub fn counted(count: u32, [one, others]: [&str; 2]) -> String {
    format!("{count} {}", if count == 1 { one } else { others })
}
