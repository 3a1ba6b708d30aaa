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

use super::fields::WireNames;

/// A protobuf enum with names on the wire.
pub trait WireEnum: Copy + PartialEq + 'static {
    /// The names with their values.
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

impl WireEnum for HistoryOrder {
    const NAMES: WireNames<Self> = &[("recorded", Self::Recorded), ("captured", Self::Captured)];
}

impl WireEnum for Language {
    const NAMES: WireNames<Self> = &[("en", Self::English), ("es", Self::Spanish)];
}

impl WireEnum for FuelUnit {
    const NAMES: WireNames<Self> = &[("gallons", Self::Gallons), ("litres", Self::Litres)];
}

impl WireEnum for EquipmentType {
    const NAMES: WireNames<Self> = &[
        ("vehicle", Self::Vehicle),
        ("machinery", Self::Machinery),
        ("tools", Self::Tools),
        ("other", Self::Other),
    ];
    const UNSPECIFIED: &'static str = "other";
}

impl WireEnum for MeterUnit {
    const NAMES: WireNames<Self> = &[
        ("hours", Self::Hours),
        ("miles", Self::Miles),
        ("kilometers", Self::Kilometers),
        ("n/a", Self::NotApplicable),
    ];
    const UNSPECIFIED: &'static str = "n/a";
}

impl WireEnum for EquipmentFuel {
    const NAMES: WireNames<Self> = &[
        ("gasoline", Self::Gasoline),
        ("diesel", Self::Diesel),
        ("n/a", Self::NotApplicable),
    ];
    const UNSPECIFIED: &'static str = "n/a";
}

impl WireEnum for FuelKind {
    const NAMES: WireNames<Self> = &[("gas", Self::Gas), ("diesel", Self::Diesel)];
}

impl WireEnum for ReportedFuel {
    const NAMES: WireNames<Self> = &[("gas", Self::Gas), ("diesel", Self::Diesel)];
}

impl WireEnum for CalendarUnit {
    const NAMES: WireNames<Self> = &[
        ("days", Self::Days),
        ("months", Self::Months),
        ("years", Self::Years),
    ];
    const UNSPECIFIED: &'static str = "months";
}

impl WireEnum for TaskBasis {
    const NAMES: WireNames<Self> = &[
        ("last_done", Self::LastDone),
        ("on_the_mark", Self::OnTheMark),
    ];
    const UNSPECIFIED: &'static str = "last_done";
}

impl WireEnum for TaskSetMode {
    const NAMES: WireNames<Self> = &[
        ("update", Self::Update),
        ("reset", Self::Reset),
        ("remove", Self::Remove),
    ];
}

impl WireEnum for TaskSetStart {
    const NAMES: WireNames<Self> = &[("now", Self::Now), ("last_service", Self::LastService)];
}

impl WireEnum for TaskSetChangeKind {
    const NAMES: WireNames<Self> = &[
        ("same", Self::Same),
        ("added", Self::Added),
        ("changed", Self::Changed),
        ("removed", Self::Removed),
        ("kept", Self::Kept),
    ];
}

impl WireEnum for HistoryKind {
    const NAMES: WireNames<Self> = &[
        ("usage", Self::Usage),
        ("service", Self::Service),
        ("edit", Self::Edit),
        ("retirement", Self::Retirement),
        ("note", Self::Note),
        ("restoration", Self::Restoration),
        ("meter", Self::Meter),
    ];
}

impl WireEnum for MeterChange {
    const NAMES: WireNames<Self> = &[
        ("replaced", Self::Replaced),
        ("rolled_over", Self::RolledOver),
    ];
}

impl WireEnum for NoteType {
    const NAMES: WireNames<Self> = &[
        ("note", Self::Note),
        ("usage_update", Self::UsageUpdate),
        ("maintenance", Self::Maintenance),
    ];
}

impl WireEnum for ServiceStatus {
    const NAMES: WireNames<Self> = &[
        ("good", Self::Good),
        ("approaching_service", Self::ApproachingService),
        ("time_for_service", Self::TimeForService),
        ("overdue", Self::Overdue),
    ];
}

impl WireEnum for OperationalStatus {
    const NAMES: WireNames<Self> = &[
        ("in_use", Self::InUse),
        ("standing", Self::Standing),
        ("in_shop", Self::InShop),
        ("out_of_service", Self::OutOfService),
    ];
}

impl WireEnum for OverallStatus {
    const NAMES: WireNames<Self> = &[
        ("normal", Self::Normal),
        ("approaching", Self::Approaching),
        ("overdue", Self::Overdue),
    ];
}

impl WireEnum for Badge {
    const NAMES: WireNames<Self> = &[
        ("good", Self::Good),
        ("approaching_service", Self::ApproachingService),
        ("time_for_service", Self::TimeForService),
        ("overdue", Self::Overdue),
        ("maintenance_scheduled", Self::MaintenanceScheduled),
        ("maintenance_due_soon", Self::MaintenanceDueSoon),
        ("maintenance_overdue", Self::MaintenanceOverdue),
    ];
}

impl WireEnum for UpdateStatus {
    const NAMES: WireNames<Self> = &[
        ("pending", Self::Pending),
        ("recent", Self::Recent),
        ("applied", Self::Applied),
        ("rejected", Self::Rejected),
        ("taken_back", Self::TakenBack),
    ];
}

impl WireEnum for UndoableDecision {
    const NAMES: WireNames<Self> = &[
        ("application", Self::Application),
        ("rejection", Self::Rejection),
        ("acknowledgement", Self::Acknowledgement),
        ("automatic_application", Self::AutomaticApplication),
    ];
}

impl WireEnum for Role {
    const NAMES: WireNames<Self> = &[
        ("owner", Self::Owner),
        ("manager", Self::Manager),
        ("operator", Self::Operator),
        ("support", Self::Support),
    ];
    const UNSPECIFIED: &'static str = "operator";
}

impl WireEnum for Tier {
    const NAMES: WireNames<Self> = &[
        ("basic", Self::Basic),
        ("professional", Self::Professional),
        ("enterprise", Self::Enterprise),
    ];
}

impl WireEnum for SubscriptionStatus {
    const NAMES: WireNames<Self> = &[
        ("trial", Self::Trial),
        ("active", Self::Active),
        ("paused", Self::Paused),
        ("expired", Self::Expired),
        ("canceled", Self::Canceled),
    ];
    const UNSPECIFIED: &'static str = "expired";
}

impl WireEnum for AccountState {
    const NAMES: WireNames<Self> = &[
        ("trial", Self::Trial),
        ("active", Self::Active),
        ("past_due", Self::PastDue),
        ("paused", Self::Paused),
        ("canceled", Self::Canceled),
        ("expired", Self::Expired),
    ];
}

impl WireEnum for BillingInterval {
    const NAMES: WireNames<Self> = &[("month", Self::Month), ("year", Self::Year)];
}

impl WireEnum for SubscriptionAction {
    const NAMES: WireNames<Self> = &[
        ("checkout", Self::Checkout),
        ("change_plan", Self::ChangePlan),
        ("pause", Self::Pause),
        ("reactivate", Self::Reactivate),
        ("cancel", Self::Cancel),
    ];
}

impl WireEnum for PaymentProvider {
    const NAMES: WireNames<Self> = &[("stripe", Self::Stripe), ("sandbox", Self::Sandbox)];
    const UNSPECIFIED: &'static str = "sandbox";
}

impl WireEnum for SandboxInvoiceStatus {
    const NAMES: WireNames<Self> = &[
        ("paid", Self::Paid),
        ("open", Self::Open),
        ("void", Self::Void),
    ];
    const UNSPECIFIED: &'static str = "void";
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
pub const ORDERS: WireNames<EquipmentOrder> = &[
    ("name", EquipmentOrder::Name),
    ("urgency", EquipmentOrder::Urgency),
    ("usage", EquipmentOrder::Usage),
    ("updated", EquipmentOrder::Updated),
    ("due", EquipmentOrder::Due),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value of the contract except 0 has a name.
    fn check<T: WireEnum + TryFrom<i32>>() {
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
