//! Meter replacement, meter lists and the change marker.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::{Api, convert, cursor, input, manager, parse_id, read, replacement};
use crate::domain::due::StatusDates;
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Actor, Entry, EntryKind, MeterEffect, MeterMove};
use crate::domain::meter::{self as domain, NewMeter, ReplaceError};
use crate::refusals;
use crate::store;
use crate::store::meter::Meter;

pub async fn replace(
    api: &Api,
    request: Request<v1::ReplaceMeterRequest>,
) -> Result<v1::ReplaceMeterResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "ReplaceMeter")?;
    let request = request.into_inner();
    let id = parse_id(&request.id)?;
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let replacement_request = ReplacementRequest::read(&request, now)?;

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    let meter = store::meter::lock(&mut tx, tenant, id).await?;
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    let mut entry = replacement_request.entry(meter, manager(&identity), now)?;
    store::entries::post(&mut tx, tenant, &mut entry, now).await?;
    let response = v1::ReplaceMeterResponse {
        equipment: Some(read::load(api, &mut tx, &identity, id).await?),
    };
    tx.finish(&response).await?;
    api.changed(identity.tenant());
    Ok(response)
}

struct ReplacementRequest {
    new: NewMeter,
    reading: Quantity,
    at: DateTime<Utc>,
    expected: Option<Quantity>,
    notes: String,
}

impl ReplacementRequest {
    fn read(request: &v1::ReplaceMeterRequest, now: DateTime<Utc>) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let reported = request.replacement.unwrap_or_default();
        let new = replacement::read(&reported, "", &mut errors);
        let reading = request.reading.map(Quantity::from_input).transpose();
        let reading = errors.keep("reading", reading).flatten();
        let replaced_at = request.replaced_at.as_ref();
        let at = input::captured_at(replaced_at, "replacedAt", now, &mut errors);
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let expected = request.expected_reading.map(Quantity::from_input);
        let expected = errors.keep("expectedReading", expected.transpose());
        let reading = reading.unwrap_or(new.first);
        if reading < new.first {
            errors.add("reading", refusals::READING_BELOW_START);
        }
        errors.check()?;
        Ok(Self {
            new,
            reading,
            at,
            expected: expected.flatten(),
            notes,
        })
    }

    /// Builds the ledger entry. The caller has locked the meter.
    fn entry(&self, meter: Meter, actor: Actor, now: DateTime<Utc>) -> Result<Entry, ServiceError> {
        let (state, unit) = (meter.state, meter.subject.unit);
        if self.expected.is_some_and(|seen| seen != state.reading()) {
            let message = refusals::METER_CHANGED_MEANWHILE;
            return Err(ServiceError::new(Kind::Stale, message).with_reason("STALE"));
        }
        let replaced = domain::replace(unit, state, self.new, self.reading);
        let (replacement, after) = replaced.map_err(replace_error)?;
        if meter.read_at.is_some_and(|read_at| self.at < read_at) {
            let message = refusals::METER_READ_LATER;
            return Err(ServiceError::field("replacedAt", message));
        }
        Ok(Entry {
            captured_at: self.at,
            usage: Some(MeterMove {
                before: state.usage,
                after: after.usage,
            }),
            effect: Some(MeterEffect::Replacement(replacement)),
            reading: Some(self.reading),
            content: domain::replacement_text(&replacement, self.reading, unit, &self.notes),
            ..Entry::new(meter.subject, EntryKind::Meter, actor, now)
        })
    }
}

fn replace_error(error: ReplaceError) -> ServiceError {
    match error {
        ReplaceError::NoMeter => replacement::no_meter(),
        ReplaceError::EndsBelow(shown) => {
            ServiceError::field("finalReading", replacement::ends_below(shown))
        }
        ReplaceError::OutOfRange => ServiceError::field("reading", refusals::METER_OUT_OF_RANGE),
    }
}

pub async fn segments(
    api: &Api,
    request: Request<v1::ListMeterSegmentsRequest>,
) -> Result<v1::ListMeterSegmentsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let id = parse_id(&request.into_inner().equipment_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let tenant = identity.tenant();
    let history = store::meters::history(&mut tx, tenant, id).await?;
    let history = history.ok_or_else(ServiceError::not_found)?;
    let segments = domain::segments(
        history.added_at,
        history.initial,
        history.ends,
        history.current,
    );
    let rows = segments.iter().enumerate().rev();
    Ok(v1::ListMeterSegmentsResponse {
        segments: rows
            .map(|(place, segment)| convert::segment(place + 1, segment))
            .collect(),
    })
}

pub async fn list(
    api: &Api,
    request: Request<v1::ListMetersRequest>,
) -> Result<v1::ListMetersResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let page = cursor::by_name(request.into_inner().page.as_ref())?;
    let day = StatusDates::on(api.today(&identity));
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let tenant = identity.tenant();
    let (after, limit) = (page.after.clone(), page.sql_limit());
    let mut found = store::meters::list(&mut tx, tenant, day, after, limit).await?;
    let next = page.cut(&mut found, |meter| (meter.sort_key.clone(), meter.id));
    Ok(v1::ListMetersResponse {
        meters: found.into_iter().map(convert::meter).collect(),
        page: Some(next),
    })
}

pub async fn marker(
    api: &Api,
    request: Request<v1::GetEquipmentMarkerRequest>,
) -> Result<v1::GetEquipmentMarkerResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let marker = store::meters::marker(&mut tx, identity.tenant()).await?;
    Ok(v1::GetEquipmentMarkerResponse { marker })
}
