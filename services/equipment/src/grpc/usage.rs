//! Usage and fuel entered by managers.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::{Api, convert, id, input, manager};
use crate::domain::equipment::{Body, Equipment};
use crate::domain::kinds::{EquipmentFuel, FuelKind};
use crate::domain::ledger::{Actor, Entry, EntryKind, Fuel, MeterEffect, MeterMove};
use crate::domain::meter::Stand;
use crate::domain::problems::Problems;
use crate::domain::usage::{Usage, increase};
use crate::refusals;
use crate::store;
use crate::store::entries::Booked;

#[tracing::instrument(name = "equipment.record_usage", level = "debug", skip_all)]
pub async fn record(
    api: &Api,
    request: Request<v1::RecordUsageRequest>,
) -> Result<v1::RecordUsageResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "RecordUsage")?;
    let request = request.into_inner();
    let id = id(&request.id)?;
    let now = api.clock.now();

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let company = identity.company_id;
    let equipment = loop {
        let item = store::equipment::find(&mut tx, company, id).await?;
        let item = item.ok_or_else(ServiceError::not_found)?;
        let mut entry = entry(&request, &item, manager(&identity), now)?;
        let expected = Some(item.version);
        let booked = store::entries::book_if(&mut tx, company, &mut entry, expected, now).await?;
        if let Some(booked) = booked {
            break after(item, entry.sequence, booked, now);
        }
        // The row changed since it was read. With the row locked, the next attempt succeeds.
        store::meter::lock(&mut tx, company, id).await?;
    };
    let today = api.today(&identity);
    let answer = v1::RecordUsageResponse {
        equipment: Some(convert::equipment(&equipment, &identity, today)),
    };
    tx.finish(&answer).await?;
    api.changed(identity.company_id);
    Ok(answer)
}

/// Builds the ledger entry, checked against the equipment.
fn entry(
    request: &v1::RecordUsageRequest,
    item: &Equipment,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<Entry, ServiceError> {
    let before = item.stand();
    let entered = entered(request, before, item.body.fuel)?;
    let after = entered
        .change
        .map(|change| before.at(before.usage.plus(change)));
    let mut entry = Entry::new(item.subject(), EntryKind::Usage, actor, now);
    entry.effect = after.map(|_| entered.effect);
    entry.usage = after.map(|after| MeterMove {
        before: before.usage,
        after: after.usage,
    });
    let read = after.filter(|_| entered.effect == MeterEffect::Reading);
    entry.reading = read.map(Stand::reading);
    entry.fuel = entered.fuel;
    entry.content = entered.notes;
    Ok(entry)
}

/// The equipment after an entry was posted.
fn after(item: Equipment, version: i64, booked: Booked, now: DateTime<Utc>) -> Equipment {
    Equipment {
        body: Body {
            current_usage: booked.stand.usage,
            ..item.body
        },
        meter_offset: booked.stand.offset,
        meter_read_at: booked.read_at,
        total_gas: booked.total_gas,
        total_diesel: booked.total_diesel,
        updated_at: now,
        version,
        usual: booked.usual,
        ..item
    }
}

struct Entered {
    change: Option<Quantity>,
    effect: MeterEffect,
    fuel: Option<Fuel>,
    notes: String,
}

fn entered(
    request: &v1::RecordUsageRequest,
    stand: Stand,
    fuel_type: EquipmentFuel,
) -> Result<Entered, ServiceError> {
    let mut problems = Problems::default();
    let usual = fuel_type.usual_kind();
    let (usage, fuel) = (
        usage(request, &mut problems),
        fuel(request, usual, &mut problems),
    );
    let notes = input::long_text(&request.notes, "notes", &mut problems);
    let nothing = request.usage_increase.is_none() && request.reading.is_none() && fuel.is_none();
    if nothing {
        problems.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
    }
    let change = usage.and_then(|usage| {
        let field = match (increase(stand, usage), usage) {
            (Ok(change), _) => return Some(change),
            (Err(error), Usage::Increase(_)) => ("usageIncrease", error),
            (Err(error), Usage::Reading(_)) => ("currentUsage", error),
        };
        problems.add(field.0, field.1);
        None
    });
    problems.check()?;
    let effect = match usage {
        Some(Usage::Increase(_)) => MeterEffect::Increase,
        Some(Usage::Reading(_)) | None => MeterEffect::Reading,
    };
    Ok(Entered {
        change,
        effect,
        fuel,
        notes,
    })
}

fn fuel(
    request: &v1::RecordUsageRequest,
    usual: FuelKind,
    problems: &mut Problems,
) -> Option<Fuel> {
    input::fuel_added(request.fuel_added, request.fuel_kind, usual, problems)
}

/// At most one of increase and reading.
fn usage(request: &v1::RecordUsageRequest, problems: &mut Problems) -> Option<Usage> {
    match (request.usage_increase, request.reading) {
        (Some(_), Some(_)) => {
            problems.add("usageIncrease", refusals::INCREASE_OR_READING);
            None
        }
        (Some(by), None) => {
            // NaN is neither positive nor negative.
            if by.is_nan() || by <= 0.0 {
                problems.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
                return None;
            }
            let by = problems.keep("usageIncrease", Quantity::from_input(by));
            by.map(Usage::Increase)
        }
        (None, Some(reading)) => {
            let reading = problems.keep("currentUsage", Quantity::from_input(reading));
            reading.map(Usage::Reading)
        }
        (None, None) => None,
    }
}
