//! Fuel summary and fuel reset.

use chrono::NaiveDate;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::audit::AuditEntry;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;
use uuid::Uuid;

use super::{
    Api, audit_log, convert, input, keyed_request, manager, parse_optional_id, person_request,
};
use crate::domain::consumption::{FuelConsumption, Interval, consumption};
use crate::domain::field_errors::FieldErrors;
use crate::domain::fuel::{Consumption, Summary, summary as add_up};
use crate::domain::months::{day_begins, months};
use crate::store;
use crate::store::consumption::MAX_MEASURED;
use crate::store::fuel::{Selection, Time};

pub async fn get_fuel_summary(
    api: &Api,
    request: Request<v1::GetFuelSummaryRequest>,
) -> Result<v1::GetFuelSummaryResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let (tenant, zone) = (identity.tenant(), identity.time_zone);
    let mut errors = FieldErrors::default();
    let days = input::days(&request.from, &request.to, &zone, &mut errors);
    errors.check()?;
    let equipment = parse_optional_id(&request.equipment_id)?;

    let mut tx = api.database.tenant(tenant).await?;
    if let Some(id) = equipment
        && !store::equipment::exists(&mut tx, tenant, id).await?
    {
        return Err(ServiceError::not_found());
    }
    let period = store::fuel::period(&mut tx).await?;
    let time = match days {
        (None, None) => Time::Period(period.map_or(0, |(number, _)| number)),
        (from, until) => Time::Captured(
            from.unwrap_or(store::BEGINNING_OF_TIME),
            until.unwrap_or(store::END_OF_TIME.0),
        ),
    };
    let selection = Selection { time, equipment };
    let span = store::fuel::span(&mut tx, selection).await?;
    let months = span.map_or_else(Vec::new, |(first, last)| months(first, last, &zone));
    let begins: Vec<_> = months.iter().map(|day| day_begins(*day, &zone)).collect();
    let mut used = store::fuel::used(&mut tx, selection, &begins).await?;
    store::fuel::add_deleted(&mut tx, selection, &begins, &mut used).await?;
    let summary = add_up(used);
    let consumers = &summary.consumers;
    let most = &consumers[..consumers.len().min(MAX_MEASURED)];
    let measured = store::consumption::measured(&mut tx, most).await?;
    let of_machine = |used: &Consumption| {
        let intervals = measured.get(&used.id);
        let intervals = intervals.map_or(&[][..], Vec::as_slice);
        let in_range = |interval: &Interval| selection.includes(interval);
        consumption(intervals, in_range, used.fuel_and_usage())
    };
    let one = equipment.is_some();
    let consumers = consumers.iter().enumerate().map(|(rank, used)| {
        let measured = of_machine(used).filter(|_| rank < MAX_MEASURED);
        consumer(used, measured.map(|of| to_message(&of, one)))
    });
    Ok(v1::GetFuelSummaryResponse {
        by_equipment: consumers.collect(),
        period_began_at: period.map(|(_, began_at)| timestamp(began_at)),
        ..response(&summary, &months)
    })
}

/// Totals and months.
fn response(summary: &Summary, months: &[NaiveDate]) -> v1::GetFuelSummaryResponse {
    let of_months = summary.months.iter().map(|(month, fuel)| v1::MonthFuelUse {
        month: convert::text(months.get(*month).map(|first| first.format("%Y-%m"))),
        gas: fuel.gas.to_f64(),
        diesel: fuel.diesel.to_f64(),
    });
    v1::GetFuelSummaryResponse {
        total: summary.total.total().to_f64(),
        gas: summary.total.gas.to_f64(),
        diesel: summary.total.diesel.to_f64(),
        by_month: of_months.collect(),
        ..v1::GetFuelSummaryResponse::default()
    }
}

fn to_message(found: &FuelConsumption, with_entries: bool) -> v1::FuelConsumption {
    let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
    let (from, to) = found.times.unzip();
    let unusual = found.unusual.iter().filter(|_| with_entries);
    v1::FuelConsumption {
        fuel: found.fuel.to_f64(),
        usage: found.usage.to_f64(),
        fills: number(found.fills),
        excluded: number(found.excluded),
        from: from.map(timestamp),
        to: to.map(timestamp),
        unusual_entry_ids: unusual.map(Uuid::to_string).collect(),
    }
}

fn consumer(used: &Consumption, consumption: Option<v1::FuelConsumption>) -> v1::EquipmentFuelUse {
    let amount = Quantity::to_f64;
    v1::EquipmentFuelUse {
        equipment_id: used.id.to_string(),
        equipment_name: used.name.clone(),
        total: amount(used.fuel.total()),
        gas: amount(used.fuel.gas),
        diesel: amount(used.fuel.diesel),
        per_unit: used.per_unit(),
        unit: used.unit.into(),
        retired: used.retired,
        consumption,
        unit_number: used.unit_number.clone(),
    }
}

pub async fn reset_fuel(
    api: &Api,
    request: Request<v1::ResetFuelRequest>,
) -> Result<v1::ResetFuelResponse, ServiceError> {
    let (identity, key, _) = keyed_request(request, "ResetFuel")?;
    let now = api.clock.now();
    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    // Creating and restoring equipment take this lock too, so none stays in the old period.
    store::company::lock(&mut tx, &identity, now).await?;
    store::fuel::reset(&mut tx, &manager(&identity), now).await?;
    let line = AuditEntry::success(AuditEventType::FuelReset);
    audit_log::record(&mut tx, &identity, &line).await?;
    let response = v1::ResetFuelResponse {};
    api.finish(tx, response, None).await
}
