//! Enumerations, with the text that stores each value.

use hourmeter_runtime::stored_enum;
use serde::{Deserialize, Serialize};

stored_enum! {
    pub enum EquipmentType {
        Vehicle = "vehicle",
        Machinery = "machinery",
        Tools = "tools",
        Other = "other",
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MeterUnit {
        Hours = "hours",
        Miles = "miles",
        Kilometers = "kilometers",
        NotApplicable = "n/a",
    }

    pub enum EquipmentFuel {
        Gasoline = "gasoline",
        Diesel = "diesel",
        NotApplicable = "n/a",
    }
}

impl EquipmentFuel {
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

stored_enum! {
    /// Whether equipment works. Only the meters of equipment in use have to be read regularly.
    #[derive(Default)]
    pub enum OperationalStatus {
        #[default]
        InUse = "in_use",
        Standing = "standing",
        InShop = "in_shop",
        OutOfService = "out_of_service",
    }
}

impl OperationalStatus {
    pub const fn is_usable(self) -> bool {
        matches!(self, Self::InUse | Self::Standing)
    }
}

stored_enum! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FuelKind {
        Gas = "gas",
        Diesel = "diesel",
    }

    pub enum CalendarUnit {
        Days = "days",
        Months = "months",
        Years = "years",
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
        for status in [
            OperationalStatus::InUse,
            OperationalStatus::Standing,
            OperationalStatus::InShop,
            OperationalStatus::OutOfService,
        ] {
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
