//! Enumerations, with the text that stores each value.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquipmentType {
    Vehicle,
    Machinery,
    Tools,
    Other,
}

impl EquipmentType {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vehicle => "vehicle",
            Self::Machinery => "machinery",
            Self::Tools => "tools",
            Self::Other => "other",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Vehicle, Self::Machinery, Self::Tools, Self::Other]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeterUnit {
    Hours,
    Miles,
    Kilometers,
    NotApplicable,
}

impl MeterUnit {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hours => "hours",
            Self::Miles => "miles",
            Self::Kilometers => "kilometers",
            Self::NotApplicable => "n/a",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [
            Self::Hours,
            Self::Miles,
            Self::Kilometers,
            Self::NotApplicable,
        ]
        .into_iter()
        .find(|unit| unit.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquipmentFuel {
    Gasoline,
    Diesel,
    NotApplicable,
}

impl EquipmentFuel {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gasoline => "gasoline",
            Self::Diesel => "diesel",
            Self::NotApplicable => "n/a",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Gasoline, Self::Diesel, Self::NotApplicable]
            .into_iter()
            .find(|fuel| fuel.as_str() == text)
    }

    /// None: not specified.
    pub const fn kind(self) -> Option<FuelKind> {
        match self {
            Self::Gasoline => Some(FuelKind::Gas),
            Self::Diesel => Some(FuelKind::Diesel),
            Self::NotApplicable => None,
        }
    }

    /// The kind of fuel entries that name none.
    pub fn default_kind(self) -> FuelKind {
        self.kind().unwrap_or(FuelKind::Gas)
    }
}

/// Whether equipment works. Only the meters of equipment in use have to be read regularly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OperationalStatus {
    #[default]
    InUse,
    Standing,
    InShop,
    OutOfService,
}

impl OperationalStatus {
    pub const ALL: [Self; 4] = [
        Self::InUse,
        Self::Standing,
        Self::InShop,
        Self::OutOfService,
    ];

    /// Whether the equipment works.
    pub const fn is_usable(self) -> bool {
        matches!(self, Self::InUse | Self::Standing)
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InUse => "in_use",
            Self::Standing => "standing",
            Self::InShop => "in_shop",
            Self::OutOfService => "out_of_service",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FuelKind {
    Gas,
    Diesel,
}

impl FuelKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gas => "gas",
            Self::Diesel => "diesel",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Gas, Self::Diesel]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarUnit {
    Days,
    Months,
    Years,
}

impl CalendarUnit {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Months => "months",
            Self::Years => "years",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Days, Self::Months, Self::Years]
            .into_iter()
            .find(|unit| unit.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_round_trip_as_text() {
        for kind in [
            EquipmentType::Vehicle,
            EquipmentType::Machinery,
            EquipmentType::Tools,
            EquipmentType::Other,
        ] {
            assert_eq!(EquipmentType::parse(kind.as_str()), Some(kind));
        }
        for unit in [
            MeterUnit::Hours,
            MeterUnit::Miles,
            MeterUnit::Kilometers,
            MeterUnit::NotApplicable,
        ] {
            assert_eq!(MeterUnit::parse(unit.as_str()), Some(unit));
        }
        for fuel in [
            EquipmentFuel::Gasoline,
            EquipmentFuel::Diesel,
            EquipmentFuel::NotApplicable,
        ] {
            assert_eq!(EquipmentFuel::parse(fuel.as_str()), Some(fuel));
        }
        for status in OperationalStatus::ALL {
            assert_eq!(OperationalStatus::parse(status.as_str()), Some(status));
        }
        for kind in [FuelKind::Gas, FuelKind::Diesel] {
            assert_eq!(FuelKind::parse(kind.as_str()), Some(kind));
        }
        for unit in [
            CalendarUnit::Days,
            CalendarUnit::Months,
            CalendarUnit::Years,
        ] {
            assert_eq!(CalendarUnit::parse(unit.as_str()), Some(unit));
        }
    }
}
