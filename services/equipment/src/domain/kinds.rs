//! The closed lists, with the word each value is stored as.

/// What kind of thing a piece of equipment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquipmentType {
    /// Cars, trucks.
    Vehicle,
    /// Excavators, loaders.
    Machinery,
    /// Compressors, saws.
    Tools,
    /// Anything else.
    Other,
}

impl EquipmentType {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Vehicle => "vehicle",
            Self::Machinery => "machinery",
            Self::Tools => "tools",
            Self::Other => "other",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Vehicle, Self::Machinery, Self::Tools, Self::Other]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// What the meter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterUnit {
    /// Engine hours.
    Hours,
    /// Miles.
    Miles,
    /// Kilometers.
    Kilometers,
    /// No meter.
    NotApplicable,
}

impl MeterUnit {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hours => "hours",
            Self::Miles => "miles",
            Self::Kilometers => "kilometers",
            Self::NotApplicable => "n/a",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [
            Self::Hours,
            Self::Miles,
            Self::Kilometers,
            Self::NotApplicable,
        ]
        .into_iter()
        .find(|unit| unit.word() == word)
    }
}

/// What a piece of equipment runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquipmentFuel {
    /// Gasoline.
    Gasoline,
    /// Diesel.
    Diesel,
    /// Electric, hand tools.
    NotApplicable,
}

impl EquipmentFuel {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gasoline => "gasoline",
            Self::Diesel => "diesel",
            Self::NotApplicable => "n/a",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Gasoline, Self::Diesel, Self::NotApplicable]
            .into_iter()
            .find(|fuel| fuel.word() == word)
    }

    /// What is taken to be in the tank when an entry does not say.
    pub const fn usual_kind(self) -> FuelKind {
        match self {
            Self::Diesel => FuelKind::Diesel,
            Self::Gasoline | Self::NotApplicable => FuelKind::Gas,
        }
    }
}

/// What was put in the tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuelKind {
    /// Gasoline.
    Gas,
    /// Diesel.
    Diesel,
}

impl FuelKind {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gas => "gas",
            Self::Diesel => "diesel",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Gas, Self::Diesel]
            .into_iter()
            .find(|kind| kind.word() == word)
    }
}

/// Unit of a calendar interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarUnit {
    /// Days.
    Days,
    /// Months.
    Months,
    /// Years.
    Years,
}

impl CalendarUnit {
    /// The stored word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Months => "months",
            Self::Years => "years",
        }
    }

    /// Reads the stored word.
    pub fn read(word: &str) -> Option<Self> {
        [Self::Days, Self::Months, Self::Years]
            .into_iter()
            .find(|unit| unit.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for kind in [
            EquipmentType::Vehicle,
            EquipmentType::Machinery,
            EquipmentType::Tools,
            EquipmentType::Other,
        ] {
            assert_eq!(EquipmentType::read(kind.word()), Some(kind));
        }
        for unit in [
            MeterUnit::Hours,
            MeterUnit::Miles,
            MeterUnit::Kilometers,
            MeterUnit::NotApplicable,
        ] {
            assert_eq!(MeterUnit::read(unit.word()), Some(unit));
        }
        for fuel in [
            EquipmentFuel::Gasoline,
            EquipmentFuel::Diesel,
            EquipmentFuel::NotApplicable,
        ] {
            assert_eq!(EquipmentFuel::read(fuel.word()), Some(fuel));
        }
        for kind in [FuelKind::Gas, FuelKind::Diesel] {
            assert_eq!(FuelKind::read(kind.word()), Some(kind));
        }
        for unit in [
            CalendarUnit::Days,
            CalendarUnit::Months,
            CalendarUnit::Years,
        ] {
            assert_eq!(CalendarUnit::read(unit.word()), Some(unit));
        }
    }
}
