//! Usage and fuel entered by managers.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::message::Reason;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, input, keyed_request, manager, parse_id, read, stale};
use crate::domain::equipment::{Details, Equipment};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Actor, Entry, EntryKind, Fuel, MeterMove};
use crate::domain::meter::{MeterFact, MeterState};
use crate::domain::timeline::{Dial, MeterAt};
use crate::domain::usage::check;
use crate::refusals;
use crate::store;
use crate::store::entries::Posted;

#[tracing::instrument(name = "equipment.record_usage", level = "debug", skip_all)]
pub async fn record_usage(
    api: &Api,
    request: Request<v1::RecordUsageRequest>,
) -> Result<v1::RecordUsageResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "RecordUsage")?;
    let id = parse_id(&request.id)?;
    let now = api.clock.now();

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let (equipment, entry_id) = loop {
        let item = read::find(&mut tx, id).await?;
        let usage = UsageInput::read(&request, &item, now)?;
        if usage.needs_fold(&item, identity.time_zone) {
            store::company::set_time_zone(&mut tx, &identity, now).await?;
            let entry_id = post_with_fold(&mut tx, &identity, id, usage, now).await?;
            break (read::find(&mut tx, id).await?, entry_id);
        }
        let mut entry = usage.entry(&item, &latest(&item), manager(&identity), now)?;
        let (used, expected) = (&item.daily_use, Some(item.version));
        let posted = store::entries::post_if_version(&mut tx, &mut entry, used, expected, now);
        if let Some(posted) = posted.await? {
            break (posted_equipment(item, &entry, posted, now), entry.id);
        }
        // The row changed since it was read. With the row locked, the next attempt succeeds. The
        // company's row is locked first, as everywhere.
        store::company::set_time_zone(&mut tx, &identity, now).await?;
        store::meter::lock(&mut tx, id).await?;
    };
    let equipment = convert::equipment(&equipment, &identity, &api.day(&identity));
    let response = v1::RecordUsageResponse {
        equipment: Some(equipment),
        entry_ids: vec![entry_id.to_string()],
    };
    api.finish(tx, response, Some(id)).await
}

/// Posts usage whose effect depends on the other facts of the machine; returns the entry's id.
async fn post_with_fold(
    tx: &mut TenantTx,
    identity: &Identity,
    id: Uuid,
    usage: UsageInput,
    now: DateTime<Utc>,
) -> Result<Uuid, ServiceError> {
    let item = read::lock(tx, id).await?;
    let ledger = store::projections::load_one(tx, id).await?;
    let meter = ledger.meter_at(usage.captured_at(&item));
    let entry = usage.entry(&item, &meter, manager(identity), now)?;
    let entry_id = entry.id;
    let out_of_range = |_| ServiceError::field(usage.field, refusals::CURRENT_USAGE_TOO_LARGE);
    store::posting::post_all(tx, ledger, vec![entry], now, out_of_range).await?;
    Ok(entry_id)
}

/// The meter now.
const fn latest(item: &Equipment) -> MeterAt {
    MeterAt {
        dial: item.dial(),
        known_at: Some(item.known_at),
        next: None,
    }
}

/// The equipment after an entry was posted.
fn posted_equipment(
    item: Equipment,
    entry: &Entry,
    posted: Posted,
    now: DateTime<Utc>,
) -> Equipment {
    Equipment {
        details: Details {
            current_usage: posted.usage,
            ..item.details
        },
        meter_read_at: posted.read_at,
        known_at: entry.meter.map_or(item.known_at, |_| entry.captured_at),
        total_gas: posted.total_gas,
        total_diesel: posted.total_diesel,
        updated_at: now,
        version: entry.sequence,
        daily_use: posted.daily_use,
        usual_fill: posted.usual_fill,
        ..item
    }
}

/// Usage as entered, before the meter at its time is known.
struct UsageInput {
    /// Given without reading and usage.
    increase: Option<Quantity>,
    reading: Option<Quantity>,
    /// Life-to-date.
    usage: Option<Quantity>,
    /// Name of the usage in errors.
    field: &'static str,
    /// None: now.
    captured_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
    expected: Option<Quantity>,
    fuel: Option<Fuel>,
    notes: String,
}

impl UsageInput {
    /// Collects the errors of single fields.
    fn read(
        request: &v1::RecordUsageRequest,
        item: &Equipment,
        now: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let default_kind = item.details.fuel.default_kind();
        let reading = input::quantity(request.reading, "meterReading", &mut errors);
        let usage = input::quantity(request.current_usage, "currentUsage", &mut errors);
        let increase = increase(request, &mut errors);
        let field = match (request.usage_increase, reading, usage) {
            (Some(_), ..) => "usageIncrease",
            (None, Some(_), None) => "meterReading",
            (None, ..) => "currentUsage",
        };
        let fill = (request.fuel_kind, request.full_fill);
        let fuel = input::fuel_added(request.fuel_added, fill, default_kind, &mut errors);
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let expected = request.expected_reading;
        let expected = input::quantity(expected, "expectedReading", &mut errors);
        let captured_at = request.captured_at.as_ref();
        let captured_at = captured_at.and_then(|at| input::time(at, "capturedAt", &mut errors));
        if captured_at.is_some_and(|at| at > now) {
            errors.add("capturedAt", refusals::DATE_IN_FUTURE);
        }
        let nothing = request.usage_increase.is_none()
            && request.reading.is_none()
            && request.current_usage.is_none()
            && fuel.is_none();
        if nothing {
            errors.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
        }
        errors.check()?;
        Ok(Self {
            increase,
            reading,
            usage,
            field,
            captured_at,
            now,
            expected,
            fuel,
            notes,
        })
    }

    fn captured_at(&self, item: &Equipment) -> DateTime<Utc> {
        match self.captured_at {
            Some(at) => at,
            None if self.states_meter() => after_known(self.now, item.known_at),
            None => self.now,
        }
    }

    /// Whether other facts follow it, it is the first reading, or the days of use are in another
    /// time zone than the company's.
    fn needs_fold(&self, item: &Equipment, zone: Tz) -> bool {
        let late = !item.dial().is_read() || self.captured_at(item) <= item.known_at;
        let moved = item.daily_use.zone != Some(zone);
        (late || moved) && self.states_meter()
    }

    const fn states_meter(&self) -> bool {
        self.increase.is_some() || self.reading.is_some() || self.usage.is_some()
    }

    /// Fails if reading and usage disagree. None: it states nothing about the meter.
    fn meter_fact(&self, dial: Dial) -> Result<Option<MeterFact>, Reason> {
        if let Some(by) = self.increase {
            return Ok(Some(MeterFact::Increase(by)));
        }
        let of_usage = |usage| dial.state.with_usage(usage).reading();
        match (self.reading, self.usage.map(of_usage)) {
            (Some(reading), Some(by_usage)) if reading != by_usage => {
                Err(refusals::USAGE_OR_METER_READING)
            }
            (reading, by_usage) => Ok(reading.or(by_usage).map(MeterFact::Reading)),
        }
    }

    /// Builds the ledger entry, checked against the meter at its time.
    fn entry(
        &self,
        item: &Equipment,
        meter: &MeterAt,
        actor: Actor,
        now: DateTime<Utc>,
    ) -> Result<Entry, ServiceError> {
        check_expected(self.expected, item.dial().state)?;
        let mut errors = FieldErrors::default();
        let captured_at = self.captured_at(item);
        let before = meter.dial.state;
        let fact = self.meter_fact(meter.dial);
        let fact = errors.keep("meterReading", fact).flatten();
        if fact.is_some() && item.unit_since.is_some_and(|since| captured_at <= since) {
            errors.add("capturedAt", refusals::WRONG_UNIT);
        }
        if let Some(Err(error)) = fact.map(|fact| check(meter, fact)) {
            errors.add(self.field, error);
        }
        errors.check()?;
        let after = fact.map(|fact| meter.dial.after(captured_at, fact).state);
        Ok(Entry {
            captured_at,
            meter: fact,
            usage: after.map(|after| MeterMove {
                before: before.usage,
                after: after.usage,
            }),
            fuel: self.fuel,
            content: self.notes.clone(),
            ..Entry::new(item.subject(), EntryKind::Usage, actor, now)
        })
    }
}

/// The time of an entry made now, which is after all known facts.
pub fn after_known(now: DateTime<Utc>, known_at: DateTime<Utc>) -> DateTime<Utc> {
    now.max(known_at + TimeDelta::microseconds(1))
}

/// Checks that the meter shows what the person saw.
pub fn check_expected(expected: Option<Quantity>, state: MeterState) -> Result<(), ServiceError> {
    if expected.is_none_or(|seen| seen == state.reading()) {
        return Ok(());
    }
    Err(stale(refusals::METER_CHANGED_MEANWHILE))
}

/// Above 0. None: not given.
fn increase(request: &v1::RecordUsageRequest, errors: &mut FieldErrors) -> Option<Quantity> {
    let by = request.usage_increase?;
    if request.reading.or(request.current_usage).is_some() {
        errors.add("usageIncrease", refusals::INCREASE_OR_READING);
        None
    } else if by.is_nan() || by <= 0.0 {
        // NaN is neither positive nor negative.
        errors.add("usageIncrease", refusals::USAGE_INCREASE_INVALID);
        None
    } else {
        errors.keep("usageIncrease", Quantity::from_input(by))
    }
}
