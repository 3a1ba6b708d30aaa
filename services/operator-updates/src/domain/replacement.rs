//! Meters that end with a reading.

use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::stored_enum;

/// The end of one meter and the start of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replacement {
    pub change: MeterChange,
    /// Final reading of the old meter. None: its current reading.
    pub final_reading: Option<Quantity>,
    /// Start reading of the new meter.
    pub start_reading: Quantity,
}

stored_enum! {
    pub enum MeterChange {
        Replaced = "replaced",
        /// It passed its highest value and started at 0.
        RolledOver = "rolled_over",
    }
}
