//! Fuel of an update.

use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;

stored_enum! {
    pub enum FuelKind {
        Gas = "gas",
        Diesel = "diesel",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    /// 0: none.
    pub added: Quantity,
    pub kind: FuelKind,
    /// It filled the tank.
    pub full: bool,
}

/// Fuel that a manager decided on in place of the reported fuel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecidedFuel {
    /// 0: none.
    pub added: Quantity,
    pub kind: FuelKind,
}

impl Fuel {
    pub fn corrected(self, decided: DecidedFuel) -> Self {
        Self {
            added: decided.added,
            kind: decided.kind,
            full: self.full && !decided.added.is_zero(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuel_kind_round_trips_as_text() {
        for kind in [FuelKind::Gas, FuelKind::Diesel] {
            assert_eq!(FuelKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(FuelKind::parse("steam"), None);
    }
}
