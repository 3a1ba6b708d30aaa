//! Words on the wire and the enums they stand for.

use hourmeter_proto::accounts::v1::Role;
use hourmeter_proto::billing::v1::{
    BillingInterval, PaymentProvider, SandboxInvoiceStatus, SubscriptionAction, SubscriptionStatus,
    Tier,
};
use hourmeter_proto::equipment::v1::{
    Badge, CalendarUnit, EquipmentFuel, EquipmentOrder, EquipmentType, FuelKind, HistoryKind,
    MeterChange, MeterUnit, NoteType, OverallStatus, ServiceStatus,
};
use hourmeter_proto::operator_updates::v1::{FuelKind as ReportedFuel, UpdateStatus};

use super::fields::Words;

pub const TYPES: Words<EquipmentType> = &[
    ("vehicle", EquipmentType::Vehicle),
    ("machinery", EquipmentType::Machinery),
    ("tools", EquipmentType::Tools),
    ("other", EquipmentType::Other),
];
pub const UNITS: Words<MeterUnit> = &[
    ("hours", MeterUnit::Hours),
    ("miles", MeterUnit::Miles),
    ("kilometers", MeterUnit::Kilometers),
    ("n/a", MeterUnit::NotApplicable),
];
pub const FUELS: Words<EquipmentFuel> = &[
    ("gasoline", EquipmentFuel::Gasoline),
    ("diesel", EquipmentFuel::Diesel),
    ("n/a", EquipmentFuel::NotApplicable),
];
pub const FUEL_KINDS: Words<FuelKind> = &[("gas", FuelKind::Gas), ("diesel", FuelKind::Diesel)];
pub const REPORTED_FUELS: Words<ReportedFuel> =
    &[("gas", ReportedFuel::Gas), ("diesel", ReportedFuel::Diesel)];
pub const CALENDAR_UNITS: Words<CalendarUnit> = &[
    ("days", CalendarUnit::Days),
    ("months", CalendarUnit::Months),
    ("years", CalendarUnit::Years),
];
pub const METER_CHANGES: Words<MeterChange> = &[
    ("replaced", MeterChange::Replaced),
    ("rolled_over", MeterChange::RolledOver),
];
pub const NOTE_TYPES: Words<NoteType> = &[
    ("note", NoteType::Note),
    ("usage_update", NoteType::UsageUpdate),
    ("maintenance", NoteType::Maintenance),
];
/// Filters take the short words of addresses as well as the long ones of answers.
pub const STATUS_FILTERS: Words<ServiceStatus> = &[
    ("all", ServiceStatus::Unspecified),
    ("good", ServiceStatus::Good),
    ("approaching", ServiceStatus::ApproachingService),
    ("approaching_service", ServiceStatus::ApproachingService),
    ("due", ServiceStatus::TimeForService),
    ("time_for_service", ServiceStatus::TimeForService),
    ("overdue", ServiceStatus::Overdue),
];
pub const TYPE_FILTERS: Words<EquipmentType> = &[
    ("all", EquipmentType::Unspecified),
    ("vehicle", EquipmentType::Vehicle),
    ("machinery", EquipmentType::Machinery),
    ("tools", EquipmentType::Tools),
    ("other", EquipmentType::Other),
];
pub const ORDERS: Words<EquipmentOrder> = &[
    ("name", EquipmentOrder::Name),
    ("urgency", EquipmentOrder::Urgency),
    ("usage", EquipmentOrder::Usage),
    ("updated", EquipmentOrder::Updated),
];
pub const UPDATE_STATUSES: Words<UpdateStatus> = &[
    ("pending", UpdateStatus::Pending),
    ("recent", UpdateStatus::Recent),
    ("applied", UpdateStatus::Applied),
    ("rejected", UpdateStatus::Rejected),
];

pub const TIERS: Words<Tier> = &[
    ("basic", Tier::Basic),
    ("professional", Tier::Professional),
    ("enterprise", Tier::Enterprise),
];
pub const INTERVALS: Words<BillingInterval> = &[
    ("month", BillingInterval::Month),
    ("year", BillingInterval::Year),
];

pub const TYPE_WORDS: &[&str] = &["vehicle", "machinery", "tools", "other"];
pub const UNIT_WORDS: &[&str] = &["hours", "miles", "kilometers", "n/a"];
pub const FUEL_WORDS: &[&str] = &["gasoline", "diesel", "n/a"];
pub const FUEL_KIND_WORDS: &[&str] = &["gas", "diesel"];
pub const CALENDAR_UNIT_WORDS: &[&str] = &["days", "months", "years"];
pub const METER_CHANGE_WORDS: &[&str] = &["replaced", "rolled_over"];
pub const NOTE_TYPE_WORDS: &[&str] = &["note", "usage_update", "maintenance"];
pub const RECORD_WORDS: &[&str] = &["update", "note"];
pub const SERVICE_STATUS_WORDS: &[&str] =
    &["good", "approaching_service", "time_for_service", "overdue"];
pub const OVERALL_STATUS_WORDS: &[&str] = &["normal", "approaching", "overdue"];
pub const BADGE_WORDS: &[&str] = &[
    "good",
    "approaching_service",
    "time_for_service",
    "overdue",
    "maintenance_scheduled",
    "maintenance_due_soon",
    "maintenance_overdue",
];
pub const UPDATE_STATUS_WORDS: &[&str] = &["pending", "recent", "applied", "rejected"];
pub const ROLE_WORDS: &[&str] = &["owner", "manager", "operator", "support"];
pub const TIER_WORDS: &[&str] = &["basic", "professional", "enterprise"];
pub const SUBSCRIPTION_WORDS: &[&str] = &["trial", "active", "paused", "expired", "canceled"];
pub const INTERVAL_WORDS: &[&str] = &["month", "year"];
pub const ACTION_WORDS: &[&str] = &["checkout", "change_plan", "pause", "reactivate", "cancel"];
pub const PROVIDER_WORDS: &[&str] = &["stripe", "sandbox"];
pub const INVOICE_WORDS: &[&str] = &["paid", "open", "void"];

pub const fn equipment_type(value: EquipmentType) -> &'static str {
    match value {
        EquipmentType::Vehicle => "vehicle",
        EquipmentType::Machinery => "machinery",
        EquipmentType::Tools => "tools",
        EquipmentType::Other | EquipmentType::Unspecified => "other",
    }
}

pub const fn unit(value: MeterUnit) -> &'static str {
    match value {
        MeterUnit::Hours => "hours",
        MeterUnit::Miles => "miles",
        MeterUnit::Kilometers => "kilometers",
        MeterUnit::NotApplicable | MeterUnit::Unspecified => "n/a",
    }
}

pub const fn fuel(value: EquipmentFuel) -> &'static str {
    match value {
        EquipmentFuel::Gasoline => "gasoline",
        EquipmentFuel::Diesel => "diesel",
        EquipmentFuel::NotApplicable | EquipmentFuel::Unspecified => "n/a",
    }
}

pub const fn fuel_kind(value: FuelKind) -> Option<&'static str> {
    match value {
        FuelKind::Gas => Some("gas"),
        FuelKind::Diesel => Some("diesel"),
        FuelKind::Unspecified => None,
    }
}

pub const fn reported_fuel(value: ReportedFuel) -> &'static str {
    match value {
        ReportedFuel::Gas | ReportedFuel::Unspecified => "gas",
        ReportedFuel::Diesel => "diesel",
    }
}

pub const fn calendar_unit(value: CalendarUnit) -> &'static str {
    match value {
        CalendarUnit::Days => "days",
        CalendarUnit::Months | CalendarUnit::Unspecified => "months",
        CalendarUnit::Years => "years",
    }
}

pub const fn meter_change(value: MeterChange) -> Option<&'static str> {
    match value {
        MeterChange::Replaced => Some("replaced"),
        MeterChange::RolledOver => Some("rolled_over"),
        MeterChange::Unspecified => None,
    }
}

pub const fn note_type(value: NoteType) -> &'static str {
    match value {
        NoteType::Note | NoteType::Unspecified => "note",
        NoteType::UsageUpdate => "usage_update",
        NoteType::Maintenance => "maintenance",
    }
}

/// Type and note type of a history record.
pub const fn record(kind: HistoryKind, note: NoteType) -> (&'static str, &'static str) {
    match kind {
        HistoryKind::Usage | HistoryKind::Meter => ("update", "usage_update"),
        HistoryKind::Service => ("note", "maintenance"),
        HistoryKind::Note => ("note", note_type(note)),
        HistoryKind::Edit
        | HistoryKind::Retirement
        | HistoryKind::Restoration
        | HistoryKind::Unspecified => ("note", "note"),
    }
}

pub const fn service_status(value: ServiceStatus) -> &'static str {
    match value {
        ServiceStatus::Good | ServiceStatus::Unspecified => "good",
        ServiceStatus::ApproachingService => "approaching_service",
        ServiceStatus::TimeForService => "time_for_service",
        ServiceStatus::Overdue => "overdue",
    }
}

pub const fn overall_status(value: OverallStatus) -> &'static str {
    match value {
        OverallStatus::Normal | OverallStatus::Unspecified => "normal",
        OverallStatus::Approaching => "approaching",
        OverallStatus::Overdue => "overdue",
    }
}

pub const fn badge(value: Badge) -> &'static str {
    match value {
        Badge::Good | Badge::Unspecified => "good",
        Badge::ApproachingService => "approaching_service",
        Badge::TimeForService => "time_for_service",
        Badge::Overdue => "overdue",
        Badge::MaintenanceScheduled => "maintenance_scheduled",
        Badge::MaintenanceDueSoon => "maintenance_due_soon",
        Badge::MaintenanceOverdue => "maintenance_overdue",
    }
}

pub const fn update_status(value: UpdateStatus) -> &'static str {
    match value {
        UpdateStatus::Pending | UpdateStatus::Unspecified => "pending",
        UpdateStatus::Recent => "recent",
        UpdateStatus::Applied => "applied",
        UpdateStatus::Rejected => "rejected",
    }
}

pub const fn role(value: Role) -> &'static str {
    match value {
        Role::Owner => "owner",
        Role::Manager => "manager",
        Role::Operator | Role::Unspecified => "operator",
        Role::Support => "support",
    }
}

pub const fn tier(value: Tier) -> &'static str {
    match value {
        Tier::Basic | Tier::Unspecified => "basic",
        Tier::Professional => "professional",
        Tier::Enterprise => "enterprise",
    }
}

pub const fn subscription_status(value: SubscriptionStatus) -> &'static str {
    match value {
        SubscriptionStatus::Trial => "trial",
        SubscriptionStatus::Active => "active",
        SubscriptionStatus::Paused => "paused",
        SubscriptionStatus::Expired | SubscriptionStatus::Unspecified => "expired",
        SubscriptionStatus::Canceled => "canceled",
    }
}

pub fn interval(value: &str) -> Option<&'static str> {
    INTERVAL_WORDS.iter().copied().find(|word| *word == value)
}

pub const fn billing_interval(value: BillingInterval) -> &'static str {
    match value {
        BillingInterval::Month | BillingInterval::Unspecified => "month",
        BillingInterval::Year => "year",
    }
}

pub const fn subscription_action(value: SubscriptionAction) -> Option<&'static str> {
    match value {
        SubscriptionAction::Checkout => Some("checkout"),
        SubscriptionAction::ChangePlan => Some("change_plan"),
        SubscriptionAction::Pause => Some("pause"),
        SubscriptionAction::Reactivate => Some("reactivate"),
        SubscriptionAction::Cancel => Some("cancel"),
        SubscriptionAction::Unspecified => None,
    }
}

pub const fn payment_provider(value: PaymentProvider) -> &'static str {
    match value {
        PaymentProvider::Stripe => "stripe",
        PaymentProvider::Sandbox | PaymentProvider::Unspecified => "sandbox",
    }
}

pub const fn invoice_status(value: SandboxInvoiceStatus) -> &'static str {
    match value {
        SandboxInvoiceStatus::Paid => "paid",
        SandboxInvoiceStatus::Open => "open",
        SandboxInvoiceStatus::Void | SandboxInvoiceStatus::Unspecified => "void",
    }
}
