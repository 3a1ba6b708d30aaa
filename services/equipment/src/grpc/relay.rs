//! What the operator-updates service calls.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use hourmeter_runtime::text::{Lines, clean};
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, id, input};
use crate::domain::fields;
use crate::domain::kinds::FuelKind;
use crate::domain::ledger::{Actor, Entry, EntryKind, Fuel, MeterEffect, MeterMove, Source};
use crate::domain::problems::Problems;
use crate::domain::usage::{Effect, FieldReading, effect};
use crate::store;
use crate::store::applied::Outcome;
use crate::store::meter::{Meter, Posting};

/// `GetMeter`.
pub async fn get_meter(
    api: &Api,
    request: Request<v1::GetMeterRequest>,
) -> Result<v1::GetMeterResponse, Failure> {
    let tenant = Caller::service(&request)?;
    let id = id(&request.into_inner().equipment_id)?;
    let mut tx = api.database.tenant(tenant).await?;
    let meter = store::meter::find(&mut tx, tenant.company_id(), id).await?;
    let meter = meter.ok_or_else(Failure::not_found)?;
    Ok(v1::GetMeterResponse {
        equipment_name: meter.subject.name,
        current_usage: meter.usage.to_f64(),
        unit: convert::meter_unit(meter.subject.unit).into(),
        fuel: convert::equipment_fuel(meter.fuel).into(),
        meter_read_at: meter.read_at.map(convert::timestamp),
    })
}

/// `ApplyOperatorUpdate`.
pub async fn apply(
    api: &Api,
    request: Request<v1::ApplyOperatorUpdateRequest>,
) -> Result<v1::ApplyOperatorUpdateResponse, Failure> {
    let tenant = Caller::service(&request)?;
    let request = request.into_inner();
    let now = api.clock.now();
    let submission = Submission::read(&request, now)?;
    let equipment = id(&request.equipment_id)?;

    let mut tx = api.database.tenant(tenant).await?;
    let company = tenant.company_id();
    // The row lock comes first, so that of several repeats all but the first see what it did.
    let meter = store::meter::lock(&mut tx, company, equipment).await?;
    if let Some(outcome) = store::applied::find(&mut tx, company, submission.id).await? {
        return Ok(response(outcome, true));
    }
    let meter = meter.ok_or_else(Failure::not_found)?;
    let mut entry = submission.entry(&meter, now)?;
    let posting = Posting {
        change: entry.usage.map(|moved| moved.after.minus(moved.before)),
        read_at: entry.usage.map(|_| entry.captured_at),
        fuel: entry.fuel,
    };
    entry.sequence = store::meter::post(&mut tx, company, equipment, posting, now).await?;
    store::ledger::insert(&mut tx, company, &entry).await?;
    let outcome = entry.usage;
    store::applied::insert(&mut tx, company, submission.id, equipment, outcome, now).await?;
    tx.commit().await?;
    Ok(response(outcome, false))
}

fn response(outcome: Outcome, repeated: bool) -> v1::ApplyOperatorUpdateResponse {
    v1::ApplyOperatorUpdateResponse {
        usage_before: outcome.map(|moved| moved.before.to_f64()),
        usage_after: outcome.map(|moved| moved.after.to_f64()),
        repeated,
    }
}

/// An operator's submission, decided.
struct Submission {
    id: Uuid,
    operator: Actor,
    reading: Option<FieldReading>,
    fuel: Option<Fuel>,
    /// The fuel's kind was not said, so it is the equipment's own.
    usual_fuel: bool,
    notes: String,
    captured_at: DateTime<Utc>,
}

impl Submission {
    fn read(request: &v1::ApplyOperatorUpdateRequest, now: DateTime<Utc>) -> Result<Self, Failure> {
        let mut problems = Problems::default();
        let mut uuid = |text: &str, field: &str| {
            let read = Uuid::try_parse(text).map_err(|_| "Is not an id.");
            problems.keep(field, read).unwrap_or_default()
        };
        let id = uuid(&request.update_id, "updateId");
        let operator_id = uuid(&request.operator_id, "operatorId");
        let name = clean(&request.operator_name, fields::PERSON_NAME, Lines::One);
        let name = problems.keep("operatorName", name).unwrap_or_default();
        let reading = request.reading.map(Quantity::from_input).transpose();
        let reading = problems.keep("newUsage", reading).flatten();
        let (amount, kind) = (Some(request.fuel_added), request.fuel_kind);
        let fuel = input::fuel_added(amount, kind, FuelKind::Gas, &mut problems);
        let notes = input::long_text(&request.notes, "notes", &mut problems);
        let captured_at = input::captured_at(request.captured_at.as_ref(), now, &mut problems);
        if reading.is_none() && fuel.is_none() && notes.is_empty() {
            problems.add("newUsage", "Enter a usage, fuel or notes.");
        }
        problems.check()?;
        let replace = request.replace_meter;
        Ok(Self {
            id,
            operator: Actor {
                id: operator_id,
                name,
                source: Source::Operator,
            },
            reading: reading.map(|reading| FieldReading {
                reading,
                captured_at,
                replace,
            }),
            fuel,
            usual_fuel: kind == i32::from(v1::FuelKind::Unspecified),
            notes,
            captured_at,
        })
    }

    /// What the ledger says about it, once it is clear what it does to the meter.
    fn entry(&self, meter: &Meter, now: DateTime<Utc>) -> Result<Entry, Failure> {
        let subject = meter.subject.clone();
        let operator = self.operator.clone();
        let fuel = self.fuel.map(|fuel| Fuel {
            kind: if self.usual_fuel {
                meter.fuel.usual_kind()
            } else {
                fuel.kind
            },
            ..fuel
        });
        let usage = self.moved(meter)?;
        Ok(Entry {
            captured_at: self.captured_at,
            usage,
            effect: usage.map(|_| MeterEffect::Reading),
            reading: self.reading.map(|field| field.reading),
            fuel,
            content: self.notes.clone(),
            update_id: Some(self.id),
            ..Entry::new(subject, EntryKind::Usage, operator, now)
        })
    }

    fn moved(&self, meter: &Meter) -> Result<Option<MeterMove>, Failure> {
        let Some(field) = self.reading else {
            return Ok(None);
        };
        match effect(meter.usage, meter.read_at, field) {
            Effect::Moves(change) => Ok(Some(MeterMove {
                before: meter.usage,
                after: meter.usage.plus(change),
            })),
            Effect::Untouched => Ok(None),
            Effect::BelowCurrent => Err(below_current(meter)),
        }
    }
}

fn below_current(meter: &Meter) -> Failure {
    let message = format!(
        "The reading is below the current usage of {} {}.",
        meter.usage,
        meter.subject.unit.word()
    );
    Failure::new(Kind::Conflict, message).with_reason("BELOW_CURRENT")
}
