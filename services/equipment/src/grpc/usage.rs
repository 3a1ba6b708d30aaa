//! Usage and fuel entered by managers.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::{Api, convert, input, manager, parse_id};
use crate::domain::equipment::{Details, Equipment};
use crate::domain::field_errors::FieldErrors;
use crate::domain::kinds::{EquipmentFuel, FuelKind};
use crate::domain::ledger::{Actor, Entry, EntryKind, Fuel, MeterEffect, MeterMove};
use crate::domain::meter::MeterState;
use crate::domain::usage::{Usage, usage_increase};
use crate::refusals;
use crate::store;
use crate::store::entries::Posted;

#[tracing::instrument(name = "equipment.record_usage", level = "debug", skip_all)]
pub async fn record(
    api: &Api,
    request: Request<v1::RecordUsageRequest>,
) -> Result<v1::RecordUsageResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "RecordUsage")?;
    let request = request.into_inner();
    let id = parse_id(&request.id)?;
    let now = api.clock.now();

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    let tenant = identity.tenant();
    let equipment = loop {
        let item = store::equipment::find(&mut tx, tenant, id).await?;
        let item = item.ok_or_else(ServiceError::not_found)?;
        let mut entry = entry(&request, &item, manager(&identity), now)?;
        let expected = Some(item.version);
        let posted =
            store::entries::post_if_version(&mut tx, tenant, &mut entry, expected, now).await?;
        if let Some(posted) = posted {
            break posted_equipment(item, entry.sequence, posted, now);
        }
        // The row changed since it was read. With the row locked, the next attempt succeeds.
        store::meter::lock(&mut tx, tenant, id).await?;
    };
    let day = api.day(&identity);
    let daily_use = store::forecast::refresh(&mut tx, tenant, id, day.utc_offset).await?;
    let equipment = Equipment {
        daily_use,
        ..equipment
    };
    let response = v1::RecordUsageResponse {
        equipment: Some(convert::equipment(&equipment, &identity, &day)),
    };
    tx.finish(&response).await?;
    api.changed(identity.tenant());
    Ok(response)
}

/// Builds the ledger entry, checked against the equipment.
fn entry(
    request: &v1::RecordUsageRequest,
    item: &Equipment,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<Entry, ServiceError> {
    let before = item.meter();
    let input = read_input(request, before, item.details.fuel)?;
    let after = input
        .change
        .map(|change| before.with_usage(before.usage.plus(change)));
    let mut entry = Entry::new(item.subject(), EntryKind::Usage, actor, now);
    entry.effect = after.map(|_| input.effect);
    entry.usage = after.map(|after| MeterMove {
        before: before.usage,
        after: after.usage,
    });
    let read = after.filter(|_| input.effect == MeterEffect::Reading);
    entry.reading = read.map(MeterState::reading);
    entry.fuel = input.fuel;
    entry.content = input.notes;
    Ok(entry)
}

/// The equipment after an entry was posted.
fn posted_equipment(
    item: Equipment,
    version: i64,
    posted: Posted,
    now: DateTime<Utc>,
) -> Equipment {
    Equipment {
        details: Details {
            current_usage: posted.meter.usage,
            ..item.details
        },
        meter_offset: posted.meter.offset,
        meter_read_at: posted.read_at,
        total_gas: posted.total_gas,
        total_diesel: posted.total_diesel,
        updated_at: now,
        version,
        typical: posted.typical,
        ..item
    }
}

struct UsageInput {
    change: Option<Quantity>,
    effect: MeterEffect,
    fuel: Option<Fuel>,
    notes: String,
}

fn read_input(
    request: &v1::RecordUsageRequest,
    meter: MeterState,
    fuel_type: EquipmentFuel,
) -> Result<UsageInput, ServiceError> {
    let mut errors = FieldErrors::default();
    let default_kind = fuel_type.default_kind();
    let (usage, fuel) = (
        usage(request, &mut errors),
        fuel(request, default_kind, &mut errors),
    );
    let notes = input::long_text(&request.notes, "notes", &mut errors);
    let nothing = request.usage_increase.is_none() && request.reading.is_none() && fuel.is_none();
    if nothing {
        errors.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
    }
    let change = usage.and_then(|usage| {
        let field = match (usage_increase(meter, usage), usage) {
            (Ok(change), _) => return Some(change),
            (Err(error), Usage::Increase(_)) => ("usageIncrease", error),
            (Err(error), Usage::Reading(_)) => ("currentUsage", error),
        };
        errors.add(field.0, field.1);
        None
    });
    errors.check()?;
    let effect = match usage {
        Some(Usage::Increase(_)) => MeterEffect::Increase,
        Some(Usage::Reading(_)) | None => MeterEffect::Reading,
    };
    Ok(UsageInput {
        change,
        effect,
        fuel,
        notes,
    })
}

fn fuel(
    request: &v1::RecordUsageRequest,
    default_kind: FuelKind,
    errors: &mut FieldErrors,
) -> Option<Fuel> {
    input::fuel_added(request.fuel_added, request.fuel_kind, default_kind, errors)
}

/// At most one of increase and reading.
fn usage(request: &v1::RecordUsageRequest, errors: &mut FieldErrors) -> Option<Usage> {
    match (request.usage_increase, request.reading) {
        (Some(_), Some(_)) => {
            errors.add("usageIncrease", refusals::INCREASE_OR_READING);
            None
        }
        (Some(by), None) => {
            // NaN is neither positive nor negative.
            if by.is_nan() || by <= 0.0 {
                errors.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
                return None;
            }
            let by = errors.keep("usageIncrease", Quantity::from_input(by));
            by.map(Usage::Increase)
        }
        (None, Some(reading)) => {
            let reading = errors.keep("currentUsage", Quantity::from_input(reading));
            reading.map(Usage::Reading)
        }
        (None, None) => None,
    }
}
