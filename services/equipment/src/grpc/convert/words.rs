//! Converts domain enums to protobuf enums.

use hourmeter_proto::equipment::v1;

use crate::domain::kinds::{
    CalendarUnit, EquipmentFuel, EquipmentType, FuelKind, MeterUnit, OperationalStatus,
};
use crate::domain::ledger::{EntryKind, NoteType};
use crate::domain::meter::MeterChange;
use crate::domain::rule::{Basis, UsageWarning};
use crate::domain::status::{Badge, OverallStatus, ServiceStatus};

pub const fn equipment_type(kind: EquipmentType) -> v1::EquipmentType {
    match kind {
        EquipmentType::Vehicle => v1::EquipmentType::Vehicle,
        EquipmentType::Machinery => v1::EquipmentType::Machinery,
        EquipmentType::Tools => v1::EquipmentType::Tools,
        EquipmentType::Other => v1::EquipmentType::Other,
    }
}

pub const fn meter_unit(unit: MeterUnit) -> v1::MeterUnit {
    match unit {
        MeterUnit::Hours => v1::MeterUnit::Hours,
        MeterUnit::Miles => v1::MeterUnit::Miles,
        MeterUnit::Kilometers => v1::MeterUnit::Kilometers,
        MeterUnit::NotApplicable => v1::MeterUnit::NotApplicable,
    }
}

pub const fn operational_status(status: OperationalStatus) -> v1::OperationalStatus {
    match status {
        OperationalStatus::InUse => v1::OperationalStatus::InUse,
        OperationalStatus::Standing => v1::OperationalStatus::Standing,
        OperationalStatus::InShop => v1::OperationalStatus::InShop,
        OperationalStatus::OutOfService => v1::OperationalStatus::OutOfService,
    }
}

pub const fn equipment_fuel(fuel: EquipmentFuel) -> v1::EquipmentFuel {
    match fuel {
        EquipmentFuel::Gasoline => v1::EquipmentFuel::Gasoline,
        EquipmentFuel::Diesel => v1::EquipmentFuel::Diesel,
        EquipmentFuel::NotApplicable => v1::EquipmentFuel::NotApplicable,
    }
}

pub const fn fuel_kind(kind: FuelKind) -> v1::FuelKind {
    match kind {
        FuelKind::Gas => v1::FuelKind::Gas,
        FuelKind::Diesel => v1::FuelKind::Diesel,
    }
}

pub const fn calendar_unit(unit: CalendarUnit) -> v1::CalendarUnit {
    match unit {
        CalendarUnit::Days => v1::CalendarUnit::Days,
        CalendarUnit::Months => v1::CalendarUnit::Months,
        CalendarUnit::Years => v1::CalendarUnit::Years,
    }
}

pub const fn basis(basis: Basis) -> v1::TaskBasis {
    match basis {
        Basis::LastDone => v1::TaskBasis::LastDone,
        Basis::OnTheMark => v1::TaskBasis::OnTheMark,
    }
}

/// Percentage and usage of a warning.
pub fn warning(warning: Option<UsageWarning>) -> (Option<u32>, Option<f64>) {
    match warning {
        None => (None, None),
        Some(UsageWarning::Percent(left)) => (Some(left), None),
        Some(UsageWarning::Units(left)) => (None, Some(left.to_f64())),
    }
}

pub const fn service_status(status: ServiceStatus) -> v1::ServiceStatus {
    match status {
        ServiceStatus::Good => v1::ServiceStatus::Good,
        ServiceStatus::ApproachingService => v1::ServiceStatus::ApproachingService,
        ServiceStatus::TimeForService => v1::ServiceStatus::TimeForService,
        ServiceStatus::Overdue => v1::ServiceStatus::Overdue,
    }
}

pub const fn overall_status(status: OverallStatus) -> v1::OverallStatus {
    match status {
        OverallStatus::Normal => v1::OverallStatus::Normal,
        OverallStatus::Approaching => v1::OverallStatus::Approaching,
        OverallStatus::Overdue => v1::OverallStatus::Overdue,
    }
}

pub const fn badge(badge: Badge) -> v1::Badge {
    match badge {
        Badge::Good => v1::Badge::Good,
        Badge::ApproachingService => v1::Badge::ApproachingService,
        Badge::TimeForService => v1::Badge::TimeForService,
        Badge::Overdue => v1::Badge::Overdue,
        Badge::MaintenanceScheduled => v1::Badge::MaintenanceScheduled,
        Badge::MaintenanceDueSoon => v1::Badge::MaintenanceDueSoon,
        Badge::MaintenanceOverdue => v1::Badge::MaintenanceOverdue,
    }
}

pub const fn note_type(note_type: NoteType) -> v1::NoteType {
    match note_type {
        NoteType::Note => v1::NoteType::Note,
        NoteType::UsageUpdate => v1::NoteType::UsageUpdate,
        NoteType::Maintenance => v1::NoteType::Maintenance,
    }
}

pub const fn meter_change(change: MeterChange) -> v1::MeterChange {
    match change {
        MeterChange::Replaced => v1::MeterChange::Replaced,
        MeterChange::RolledOver => v1::MeterChange::RolledOver,
    }
}

pub const fn history_kind(kind: EntryKind) -> v1::HistoryKind {
    match kind {
        EntryKind::Usage => v1::HistoryKind::Usage,
        EntryKind::Service => v1::HistoryKind::Service,
        EntryKind::Note(_) => v1::HistoryKind::Note,
        EntryKind::Edit => v1::HistoryKind::Edit,
        EntryKind::Retirement => v1::HistoryKind::Retirement,
        EntryKind::Restoration => v1::HistoryKind::Restoration,
        EntryKind::Meter => v1::HistoryKind::Meter,
    }
}
