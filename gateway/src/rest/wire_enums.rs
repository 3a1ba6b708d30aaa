//! Names of enum values on the wire.

use std::borrow::Cow;

use hourmeter_proto::accounts::v1::{FuelUnit, Language, Role};
use hourmeter_proto::billing::v1::{
    AccountState, BillingInterval, PaymentProvider, SandboxInvoiceStatus, SubscriptionAction,
    SubscriptionStatus, Tier,
};
use hourmeter_proto::equipment::v1::{
    Badge, CalendarUnit, EquipmentFuel, EquipmentOrder, EquipmentType, FuelKind, HistoryKind,
    HistoryOrder, MeterChange, MeterUnit, NoteType, OperationalStatus, OverallStatus,
    ServiceStatus, TaskBasis, TaskSetChangeKind, TaskSetMode, TaskSetStart,
};
use hourmeter_proto::operator_updates::v1::{
    FuelKind as ReportedFuel, UndoableDecision, UpdateStatus,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Names on the wire with their values.
pub type WireNames<T> = &'static [(&'static str, T)];

/// A protobuf enum with names on the wire.
pub trait WireEnum: Copy + Default + PartialEq + TryFrom<i32> + Into<i32> + 'static {
    const NAMES: WireNames<Self>;
    /// The name of a value without one.
    const UNSPECIFIED: &'static str = Self::NAMES[0].0;
}

/// Serializes an enum value as its name.
pub struct WireName<T>(pub T);

impl<T: WireEnum> WireName<T> {
    /// The value, if it has a name.
    pub fn known(value: T) -> Option<Self> {
        word_of(value).map(|_| Self(value))
    }

    pub fn of(word: &str) -> Option<Self> {
        let known = T::NAMES.iter().find(|(known, _)| *known == word);
        known.map(|(_, value)| Self(*value))
    }
}

fn word_of<T: WireEnum>(value: T) -> Option<&'static str> {
    let known = T::NAMES.iter().find(|(_, known)| *known == value);
    known.map(|(word, _)| *word)
}

impl<T: WireEnum> Serialize for WireName<T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(word_of(self.0).unwrap_or(T::UNSPECIFIED))
    }
}

impl<T: WireEnum> JsonSchema for WireName<T> {
    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = T::NAMES.iter().map(|(word, _)| *word).collect();
        json_schema!({"type": "string", "enum": words})
    }
}

/// Names the values of enums. A value without a name, such as 0 or one of a later release, gets the
/// first name or the one after `unspecified`.
macro_rules! wire_enums {
    ($($type:ident $((unspecified: $unspecified:literal))? {
        $($value:ident = $name:literal),* $(,)?
    })*) => {$(
        impl WireEnum for $type {
            const NAMES: WireNames<Self> = &[$(($name, Self::$value)),*];
            $(const UNSPECIFIED: &'static str = $unspecified;)?
        }
    )*};
}

wire_enums! {
    HistoryOrder { Recorded = "recorded", Captured = "captured" }
    Language { English = "en", Spanish = "es" }
    FuelUnit { Gallons = "gallons", Litres = "litres" }

    EquipmentType (unspecified: "other") {
        Vehicle = "vehicle",
        Machinery = "machinery",
        Tools = "tools",
        Other = "other",
    }

    MeterUnit (unspecified: "n/a") {
        Hours = "hours",
        Miles = "miles",
        Kilometers = "kilometers",
        NotApplicable = "n/a",
    }

    EquipmentFuel (unspecified: "n/a") {
        Gasoline = "gasoline",
        Diesel = "diesel",
        NotApplicable = "n/a",
    }

    FuelKind { Gas = "gas", Diesel = "diesel" }
    ReportedFuel { Gas = "gas", Diesel = "diesel" }

    CalendarUnit (unspecified: "months") {
        Days = "days",
        Months = "months",
        Years = "years",
    }

    TaskBasis (unspecified: "last_done") {
        LastDone = "last_done",
        OnTheMark = "on_the_mark",
    }

    TaskSetMode {
        Update = "update",
        Reset = "reset",
        Remove = "remove",
    }

    TaskSetStart { Now = "now", LastService = "last_service" }

    TaskSetChangeKind {
        Same = "same",
        Added = "added",
        Changed = "changed",
        Removed = "removed",
        Kept = "kept",
    }

    HistoryKind {
        Usage = "usage",
        Service = "service",
        Edit = "edit",
        Retirement = "retirement",
        Note = "note",
        Restoration = "restoration",
        Meter = "meter",
    }

    MeterChange { Replaced = "replaced", RolledOver = "rolled_over" }

    NoteType {
        Note = "note",
        UsageUpdate = "usage_update",
        Maintenance = "maintenance",
    }

    ServiceStatus {
        Good = "good",
        ApproachingService = "approaching_service",
        TimeForService = "time_for_service",
        Overdue = "overdue",
    }

    OperationalStatus {
        InUse = "in_use",
        Standing = "standing",
        InShop = "in_shop",
        OutOfService = "out_of_service",
    }

    OverallStatus {
        Normal = "normal",
        Approaching = "approaching",
        Overdue = "overdue",
    }

    Badge {
        Good = "good",
        ApproachingService = "approaching_service",
        TimeForService = "time_for_service",
        Overdue = "overdue",
        MaintenanceScheduled = "maintenance_scheduled",
        MaintenanceDueSoon = "maintenance_due_soon",
        MaintenanceOverdue = "maintenance_overdue",
    }

    UpdateStatus {
        Pending = "pending",
        Recent = "recent",
        Applied = "applied",
        Rejected = "rejected",
        TakenBack = "taken_back",
    }

    UndoableDecision {
        Application = "application",
        Rejection = "rejection",
        Acknowledgement = "acknowledgement",
        AutomaticApplication = "automatic_application",
    }

    Role (unspecified: "operator") {
        Owner = "owner",
        Manager = "manager",
        Operator = "operator",
        Support = "support",
    }

    Tier {
        Basic = "basic",
        Professional = "professional",
        Enterprise = "enterprise",
    }

    SubscriptionStatus (unspecified: "expired") {
        Trial = "trial",
        Active = "active",
        Paused = "paused",
        Expired = "expired",
        Canceled = "canceled",
    }

    AccountState {
        Trial = "trial",
        Active = "active",
        PastDue = "past_due",
        Paused = "paused",
        Canceled = "canceled",
        Expired = "expired",
    }

    BillingInterval { Month = "month", Year = "year" }

    SubscriptionAction {
        Checkout = "checkout",
        ChangePlan = "change_plan",
        Pause = "pause",
        Reactivate = "reactivate",
        Cancel = "cancel",
    }

    PaymentProvider (unspecified: "sandbox") {
        Stripe = "stripe",
        Sandbox = "sandbox",
    }

    SandboxInvoiceStatus (unspecified: "void") {
        Paid = "paid",
        Open = "open",
        Void = "void",
    }

    EquipmentOrder {
        Name = "name",
        Urgency = "urgency",
        Usage = "usage",
        Updated = "updated",
        Due = "due",
    }
}

/// Filters accept the short names of URLs and the names of responses.
pub const STATUS_FILTERS: WireNames<ServiceStatus> = &[
    ("all", ServiceStatus::Unspecified),
    ("good", ServiceStatus::Good),
    ("approaching", ServiceStatus::ApproachingService),
    ("approaching_service", ServiceStatus::ApproachingService),
    ("due", ServiceStatus::TimeForService),
    ("time_for_service", ServiceStatus::TimeForService),
    ("overdue", ServiceStatus::Overdue),
];
pub const TYPE_FILTERS: WireNames<EquipmentType> = &[
    ("all", EquipmentType::Unspecified),
    ("vehicle", EquipmentType::Vehicle),
    ("machinery", EquipmentType::Machinery),
    ("tools", EquipmentType::Tools),
    ("other", EquipmentType::Other),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value of the contract except 0 has a name.
    fn check<T: WireEnum>() {
        let values = (1..100).filter_map(|number| T::try_from(number).ok());
        assert!(values.map(word_of).all(|word| word.is_some()));
        assert!(WireName::<T>::of(T::UNSPECIFIED).is_some());
    }

    #[test]
    fn every_value_has_a_name() {
        check::<EquipmentType>();
        check::<MeterUnit>();
        check::<EquipmentFuel>();
        check::<FuelKind>();
        check::<ReportedFuel>();
        check::<CalendarUnit>();
        check::<TaskBasis>();
        check::<HistoryKind>();
        check::<MeterChange>();
        check::<NoteType>();
        check::<ServiceStatus>();
        check::<OperationalStatus>();
        check::<OverallStatus>();
        check::<Badge>();
        check::<UpdateStatus>();
        check::<Role>();
        check::<Tier>();
        check::<SubscriptionStatus>();
        check::<AccountState>();
        check::<BillingInterval>();
        check::<SubscriptionAction>();
        check::<PaymentProvider>();
        check::<SandboxInvoiceStatus>();
    }
}
