//! Converts domain enums to and from the numbers of protobuf enums.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::message::Reason;

use crate::domain::kinds::{
    CalendarUnit, EquipmentFuel, EquipmentType, FuelKind, MeterUnit, OperationalStatus,
};
use crate::domain::ledger::NoteType;
use crate::domain::meter::MeterChange;
use crate::domain::rule::Basis;
use crate::domain::status::{Badge, OverallStatus, ServiceStatus};
use crate::domain::task_sets::{Mode, Start};
use crate::refusals::CHOICE_UNKNOWN;
use crate::store::list::Order;

/// Conversions of domain enums and the protobuf enums with values of the same names. In
/// `Domain = Proto { Values } or Default`, an unspecified number is `Default`; without `or`, it is refused with
/// `CHOICE_UNKNOWN`, as an unknown number is.
macro_rules! same_values {
    (@unspecified) => { Err(CHOICE_UNKNOWN) };
    (@unspecified $value:ident) => { Ok(Self::$value) };
    ($($domain:ident = $proto:ident { $($value:ident),+ } $(or $unspecified:ident)?;)+) => {$(
        impl From<$domain> for i32 {
            fn from(value: $domain) -> Self {
                let value = match value {
                    $($domain::$value => v1::$proto::$value),+
                };
                value.into()
            }
        }

        impl TryFrom<i32> for $domain {
            type Error = Reason;

            fn try_from(number: i32) -> Result<Self, Reason> {
                match v1::$proto::try_from(number) {
                    $(Ok(v1::$proto::$value) => Ok(Self::$value),)+
                    Ok(v1::$proto::Unspecified) => same_values!(@unspecified $($unspecified)?),
                    Err(_) => Err(CHOICE_UNKNOWN),
                }
            }
        }
    )+};
}

same_values! {
    Badge = Badge {
        Good, ApproachingService, TimeForService, Overdue,
        MaintenanceScheduled, MaintenanceDueSoon, MaintenanceOverdue
    };
    Basis = TaskBasis { LastDone, OnTheMark } or LastDone;
    CalendarUnit = CalendarUnit { Days, Months, Years } or Months;
    EquipmentFuel = EquipmentFuel { Gasoline, Diesel, NotApplicable } or NotApplicable;
    EquipmentType = EquipmentType { Vehicle, Machinery, Tools, Other };
    FuelKind = FuelKind { Gas, Diesel };
    MeterChange = MeterChange { Replaced, RolledOver };
    MeterUnit = MeterUnit { Hours, Miles, Kilometers, NotApplicable };
    Mode = TaskSetMode { Update, Reset, Remove } or Update;
    NoteType = NoteType { Note, UsageUpdate, Maintenance } or Note;
    OperationalStatus = OperationalStatus { InUse, Standing, InShop, OutOfService };
    Order = EquipmentOrder { Name, Urgency, Usage, Updated, Due } or Name;
    OverallStatus = OverallStatus { Normal, Approaching, Overdue };
    ServiceStatus = ServiceStatus { Good, ApproachingService, TimeForService, Overdue };
    Start = TaskSetStart { Now, LastService } or Now;
}
