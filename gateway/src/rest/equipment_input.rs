//! Reads the inputs of equipment.

use hourmeter_proto::equipment::v1::{
    CalendarUnit, EquipmentFuel, EquipmentInput, EquipmentOrder, EquipmentType, FuelKind,
    ListEquipmentRequest, MarkServicedRequest, MeterUnit, OperationalStatus, RecordUsageRequest,
    ServicePart, ServiceParts,
};

use super::fields::kind::{FieldKind, Numbers};
use super::fields::{Fields, LONGEST_TEXT, page};
use super::tasks::{calendar_interval, interval};
use super::wire_enums;
use crate::refusals;
use hourmeter_runtime::refusals as shared;

/// The form's task and the others of a machine.
const MOST_TASKS: usize = 51;

pub fn list_query(fields: &mut Fields) -> ListEquipmentRequest {
    let status = fields.word("status", wire_enums::STATUS_FILTERS);
    let kind = fields.word("type", wire_enums::TYPE_FILTERS);
    let operational = fields.enum_value::<OperationalStatus>("operationalStatus");
    let order = fields.enum_value::<EquipmentOrder>("order");
    let group = fields.text_in("group", 0..=60);
    // An empty value in a query counts as omitted.
    let ungrouped = fields.flag("ungrouped").unwrap_or_default();
    ListEquipmentRequest {
        status: status.unwrap_or_default().into(),
        r#type: kind.unwrap_or_default().into(),
        search: fields.text_in("search", 0..=200).unwrap_or_default(),
        page: Some(page(fields)),
        order: order.unwrap_or_default(),
        descending: fields.flag("descending").unwrap_or_default(),
        ids: Vec::new(),
        stale: fields.flag("stale"),
        operational_status: operational.unwrap_or_default(),
        due_within_days: fields.whole("dueWithin"),
        group: if ungrouped {
            Some(String::new())
        } else {
            group
        },
        with_tasks: false,
    }
}

/// The fields of new equipment; null is the same as omitted.
pub fn creation(fields: &mut Fields) -> EquipmentInput {
    let common = common(fields);
    EquipmentInput {
        serial_number: fields.text_in("serialNumber", 0..=100),
        unit_number: fields.text_in("unitNumber", 0..=50),
        group: fields.text_in("group", 0..=60),
        threshold: fields.unless_empty("threshold", lifespan),
        service_interval: fields.unless_empty("serviceInterval", interval),
        last_service_usage: fields.unless_empty("lastServiceUsage", Fields::number),
        maintenance_start_date: fields.date("maintenanceStartDate"),
        maintenance_interval: fields.unless_empty("maintenanceInterval", calendar_interval),
        service_parts: fields
            .objects("serviceParts", 100, part)
            .map(|parts| ServiceParts { parts }),
        description: fields.text("description"),
        ..common
    }
}

/// A change of equipment with the expected version; null clears optional fields.
pub fn change(fields: &mut Fields) -> (EquipmentInput, Option<u64>) {
    let common = common(fields);
    let parts = fields.objects("serviceParts", 100, part);
    let parts = parts.or_else(|| fields.cleared("serviceParts").then(Vec::new));
    let input = EquipmentInput {
        serial_number: fields.clearable_text("serialNumber", 100),
        unit_number: fields.clearable_text("unitNumber", 50),
        group: fields.clearable_text("group", 60),
        threshold: fields.clearable("threshold", lifespan),
        service_interval: fields.clearable("serviceInterval", interval),
        last_service_usage: fields.unless_empty("lastServiceUsage", Fields::number),
        clear_last_service_usage: fields.cleared("lastServiceUsage"),
        maintenance_start_date: fields.clearable("maintenanceStartDate", Fields::date),
        maintenance_interval: fields.clearable("maintenanceInterval", calendar_interval),
        service_parts: parts.map(|parts| ServiceParts { parts }),
        description: fields.clearable_text("description", LONGEST_TEXT),
        ..common
    };
    (input, fields.whole("version"))
}

/// Rejects 0, which the service reads as "clear"; here only null clears.
fn lifespan(fields: &mut Fields, name: &'static str) -> Option<f64> {
    let lifespan = fields.number_of(name, Numbers::FromOne, shared::NOT_A_NUMBER);
    if lifespan == Some(0.0) {
        fields.wrong(name, shared::NUMBER_BELOW_ONE);
    }
    lifespan
}

/// The 0 of a fetched row whose meter was never read is not a reading.
fn meter_reading(fields: &mut Fields) -> Option<f64> {
    let reading = fields.number("meterReading");
    let is_read = !fields.cleared("meterReadAt");
    reading.filter(|reading| is_read || *reading != 0.0)
}

fn common(fields: &mut Fields) -> EquipmentInput {
    // Ignored: the server computes the date.
    fields.text("nextMaintenanceDate");
    EquipmentInput {
        name: fields.text_in("name", 1..=200),
        r#type: fields.enum_value::<EquipmentType>("type"),
        unit: fields.enum_value::<MeterUnit>("unit"),
        operational_status: fields.enum_value::<OperationalStatus>("operationalStatus"),
        current_usage: fields.number("currentUsage"),
        meter_reading: meter_reading(fields),
        fuel: fields.enum_value::<EquipmentFuel>("fuelType"),
        alert_threshold: fields.whole_of(
            "alertThreshold",
            FieldKind::OneOf(&[10, 15, 20, 25]),
            shared::ALERT_THRESHOLD_UNKNOWN,
        ),
        has_scheduled_maintenance: fields.flag("hasScheduledMaintenance"),
        maintenance_interval_unit: fields.enum_value::<CalendarUnit>("maintenanceIntervalUnit"),
        ..EquipmentInput::default()
    }
}

fn part(fields: &mut Fields) -> ServicePart {
    ServicePart {
        part: fields.text_in("part", 0..=100).unwrap_or_default(),
        part_number: fields.text_in("partNumber", 0..=100),
        quantity: fields.whole_of(
            "qty",
            FieldKind::Whole(1..=1_000_000_000),
            shared::QUANTITY_TOO_SMALL,
        ),
    }
}

/// A manager's usage entry, in one of its three documented forms; the last one also or instead with
/// what the meter shows.
pub fn usage(fields: &mut Fields) -> RecordUsageRequest {
    let increase = |fields: &mut Fields, name| {
        fields.number_of(name, Numbers::Positive, shared::USAGE_INCREASE_INVALID)
    };
    let forms = ["usageIncrease", "additionalUsage", "currentUsage"];
    let reading = fields.number("meterReading");
    let amounts = [
        increase(fields, forms[0]),
        increase(fields, forms[1]),
        fields.number(forms[2]),
    ];
    let usage = amounts[2].or(reading);
    let given = [amounts[0], amounts[1], usage].into_iter().zip(forms);
    let second = given.filter(|(value, _)| value.is_some()).nth(1);
    if let Some((_, name)) = second {
        fields.wrong(name, refusals::USAGE_IN_SEVERAL_FORMS);
    }
    let [increase, additional, current_usage] = amounts;
    let fuel = fields.enum_value::<FuelKind>("fuelType");
    RecordUsageRequest {
        usage_increase: increase.or(additional),
        reading,
        current_usage,
        fuel_added: fields.number("fuelAdded"),
        fuel_kind: fuel.unwrap_or_default(),
        notes: fields.text("notes").unwrap_or_default(),
        expected_reading: fields.number("expectedReading"),
        captured_at: fields.instant("capturedAt"),
        full_fill: fields.flag("fullFill").unwrap_or_default(),
        ..RecordUsageRequest::default()
    }
}

pub fn service(fields: &mut Fields) -> MarkServicedRequest {
    MarkServicedRequest {
        notes: fields.text("notes").unwrap_or_default(),
        cost: fields.number("cost"),
        performed_at: fields.date("performedAt").unwrap_or_default(),
        meter: fields.number("meter"),
        task_ids: fields.optional_ids("taskIds", MOST_TASKS),
        expected_reading: fields.number("expectedReading"),
        ..MarkServicedRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fields::read;
    use super::*;
    use crate::api_error::ApiError;

    fn from<T>(value: Value, reader: impl Fn(&mut Fields) -> T) -> Result<T, ApiError> {
        let Value::Object(values) = value else {
            panic!("not an object");
        };
        read(&values, false, reader)
    }

    #[test]
    fn change_clears_null_fields() {
        let nulls = json!({
            "serialNumber": null, "threshold": null, "maintenanceInterval": null,
            "maintenanceStartDate": null, "serviceParts": null, "description": null,
            "serviceInterval": null, "lastServiceUsage": null, "name": null, "version": null,
        });
        let (input, version) = from(nulls.clone(), change).expect("a change");
        let cleared = EquipmentInput {
            serial_number: Some(String::new()),
            threshold: Some(0.0),
            maintenance_interval: Some(0),
            maintenance_start_date: Some(String::new()),
            service_parts: Some(ServiceParts { parts: Vec::new() }),
            description: Some(String::new()),
            service_interval: Some(0.0),
            clear_last_service_usage: true,
            ..EquipmentInput::default()
        };
        assert_eq!((input, version), (cleared, None));
        let created = from(nulls, creation).expect("a creation");
        assert_eq!(created, EquipmentInput::default());
    }

    #[test]
    fn change_and_creation_accept_empty_text_as_empty() {
        let empty = json!({
            "threshold": "", "maintenanceInterval": "", "serviceInterval": "",
            "lastServiceUsage": "",
        });
        let (input, _) = from(empty.clone(), change).expect("a change");
        let cleared = EquipmentInput {
            threshold: Some(0.0),
            maintenance_interval: Some(0),
            service_interval: Some(0.0),
            clear_last_service_usage: true,
            ..EquipmentInput::default()
        };
        assert_eq!(input, cleared);
        let created = from(empty, creation).expect("a creation");
        assert_eq!(created, EquipmentInput::default());
    }

    #[test]
    fn change_and_creation_reject_zero() {
        for zero in [json!(0), json!(-0.0), json!(0.0)] {
            let body = json!({"threshold": zero, "maintenanceInterval": zero});
            for refused in [
                from(body.clone(), change).map(drop),
                from(body.clone(), creation).map(drop),
            ] {
                let Err(ApiError::Service(failure)) = refused else {
                    panic!("{body} was accepted");
                };
                let fields: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
                assert_eq!(fields, ["threshold", "maintenanceInterval"], "{body}");
            }
        }
        let valid = json!({"threshold": 1, "maintenanceInterval": 1});
        let (input, _) = from(valid, change).expect("a change");
        assert_eq!(
            (input.threshold, input.maintenance_interval),
            (Some(1.0), Some(1))
        );
    }

    #[test]
    fn usage_rejects_several_forms() {
        let one = from(json!({"additionalUsage": 1.5}), usage).expect("a usage");
        assert_eq!(one.usage_increase, Some(1.5));
        let reading = from(json!({"currentUsage": 10}), usage).expect("a usage");
        assert_eq!(
            (reading.current_usage, reading.usage_increase),
            (Some(10.0), None)
        );
        let two = json!({"usageIncrease": 1, "currentUsage": 10});
        let Err(ApiError::Service(failure)) = from(two, usage) else {
            panic!("two forms were accepted");
        };
        assert_eq!(failure.fields[0].0, "currentUsage");
    }
}
