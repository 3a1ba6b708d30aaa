//! Meter replacement, meter lists and the change marker.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::usage::{after_known, check_expected};
use super::{
    Api, convert, cursor, input, keyed_request, manager, parse_id, person_request, read,
    replacement,
};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Actor, Entry, EntryKind, Subject};
use crate::domain::meter::{MeterFact, MeterState, NewMeter, ReplaceError, replacement_text};
use crate::refusals;
use crate::store;

pub async fn replace_meter(
    api: &Api,
    request: Request<v1::ReplaceMeterRequest>,
) -> Result<v1::ReplaceMeterResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "ReplaceMeter")?;
    let id = parse_id(&request.id)?;
    let now = api.clock.now();
    let replacement_request = ReplacementRequest::read(&request, now)?;

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    store::company::set_time_zone(&mut tx, &identity, now).await?;
    let meter = store::meter::lock(&mut tx, id).await?;
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    check_expected(replacement_request.expected, meter.dial.state)?;
    let at = replacement_request.at;
    let at = if at == now {
        after_known(now, meter.known_at)
    } else {
        at
    };
    if meter.unit_since.is_some_and(|since| at <= since) {
        return Err(ServiceError::field("replacedAt", refusals::WRONG_UNIT));
    }
    let ledger = store::projections::load_one(&mut tx, id).await?;
    let state = ledger.meter_at(at).dial.state;
    let actor = manager(&identity);
    let entry = replacement_request.entry(meter.subject, state, at, actor, now)?;
    let entries = vec![entry];
    store::posting::post_all(&mut tx, ledger, entries, now, |_| out_of_range()).await?;
    let response = v1::ReplaceMeterResponse {
        equipment: Some(read::load(api, &mut tx, &identity, id).await?),
    };
    api.finish(tx, response, Some(id)).await
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
        let reading = input::quantity(request.reading, "reading", &mut errors);
        let replaced_at = request.replaced_at.as_ref();
        let at = input::captured_at(replaced_at, "replacedAt", now, &mut errors);
        let notes = input::long_text(&request.notes, "notes", &mut errors);
        let expected = request.expected_reading;
        let expected = input::quantity(expected, "expectedReading", &mut errors);
        let reading = reading.unwrap_or(new.first);
        if reading < new.first {
            errors.add("reading", refusals::READING_BELOW_START);
        }
        errors.check()?;
        Ok(Self {
            new,
            reading,
            at,
            expected,
            notes,
        })
    }

    /// Builds the ledger entry, checked against the meter at its time.
    fn entry(
        &self,
        subject: Subject,
        state: MeterState,
        at: DateTime<Utc>,
        actor: Actor,
        now: DateTime<Utc>,
    ) -> Result<Entry, ServiceError> {
        let unit = subject.unit;
        self.new.check(unit, state).map_err(|error| match error {
            ReplaceError::NoMeter => ServiceError::conflict(error),
            ReplaceError::EndsBelow(_) => ServiceError::field("finalReading", error),
        })?;
        if !self.new.after(state, self.reading).is_in_range() {
            return Err(out_of_range());
        }
        let replacement = self.new.replacement(state.reading());
        Ok(Entry {
            captured_at: at,
            meter: Some(MeterFact::Replacement(self.new, self.reading)),
            content: replacement_text(&replacement, self.reading, unit, &self.notes),
            ..Entry::new(subject, EntryKind::Meter, actor, now)
        })
    }
}

fn out_of_range() -> ServiceError {
    ServiceError::field("reading", refusals::METER_OUT_OF_RANGE)
}

pub async fn list_meter_segments(
    api: &Api,
    request: Request<v1::ListMeterSegmentsRequest>,
) -> Result<v1::ListMeterSegmentsResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let history = store::meters::history(&mut tx, id).await?;
    let history = history.ok_or_else(ServiceError::not_found)?;
    let segments = history.segments();
    let rows = segments.iter().enumerate().rev();
    Ok(v1::ListMeterSegmentsResponse {
        segments: rows
            .map(|(place, segment)| convert::segment(place + 1, segment))
            .collect(),
    })
}

pub async fn list_meters(
    api: &Api,
    request: Request<v1::ListMetersRequest>,
) -> Result<v1::ListMetersResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let page = cursor::by_name(request.page.as_ref())?;
    let today = api.today(&identity);
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let (after, limit) = (page.after.clone(), page.sql_limit());
    let mut found = store::meters::list(&mut tx, today, after, limit).await?;
    let next = page.cut(&mut found, |meter| (meter.sort_key.clone(), meter.id));
    Ok(v1::ListMetersResponse {
        meters: found.into_iter().map(convert::meter).collect(),
        page: Some(next),
    })
}

pub async fn get_equipment_marker(
    api: &Api,
    request: Request<v1::GetEquipmentMarkerRequest>,
) -> Result<v1::GetEquipmentMarkerResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let marker = store::meters::marker(&mut tx).await?;
    Ok(v1::GetEquipmentMarkerResponse { marker })
}
