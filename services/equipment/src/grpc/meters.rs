//! Meter replacement, meter lists and the change marker.

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;

use super::{Api, convert, cursor, id, input, manager, read, replacement};
use crate::domain::due::Deadlines;
use crate::domain::ledger::{Actor, Entry, EntryKind, MeterEffect, MeterMove};
use crate::domain::meter::{self as domain, NewMeter, ReplaceError};
use crate::domain::problems::Problems;
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
    let id = id(&request.id)?;
    let (company, now) = (identity.company_id, api.clock.now());
    let asked = Asked::read(&request, now)?;

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(answer) => return Ok(answer),
    };
    let meter = store::meter::lock(&mut tx, company, id).await?;
    let meter = meter.ok_or_else(ServiceError::not_found)?;
    let mut entry = asked.entry(meter, manager(&identity), now)?;
    store::entries::book(&mut tx, company, &mut entry, now).await?;
    let answer = v1::ReplaceMeterResponse {
        equipment: Some(read::whole(api, &mut tx, &identity, id).await?),
    };
    tx.finish(&answer).await?;
    api.changed(identity.company_id);
    Ok(answer)
}

struct Asked {
    new: NewMeter,
    reading: Quantity,
    at: DateTime<Utc>,
    expected: Option<Quantity>,
    notes: String,
}

impl Asked {
    fn read(request: &v1::ReplaceMeterRequest, now: DateTime<Utc>) -> Result<Self, ServiceError> {
        let mut problems = Problems::default();
        let told = request.replacement.unwrap_or_default();
        let new = replacement::read(&told, "", &mut problems);
        let reading = request.reading.map(Quantity::from_input).transpose();
        let reading = problems.keep("reading", reading).flatten();
        let replaced_at = request.replaced_at.as_ref();
        let at = input::captured_at(replaced_at, "replacedAt", now, &mut problems);
        let notes = input::long_text(&request.notes, "notes", &mut problems);
        let expected = request.expected_reading.map(Quantity::from_input);
        let expected = problems.keep("expectedReading", expected.transpose());
        let reading = reading.unwrap_or(new.first);
        if reading < new.first {
            problems.add("reading", refusals::READING_BELOW_START);
        }
        problems.check()?;
        Ok(Self {
            new,
            reading,
            at,
            expected: expected.flatten(),
            notes,
        })
    }

    /// Builds the ledger entry. The caller has locked the meter.
    fn entry(&self, meter: Meter, actor: Actor, now: DateTime<Utc>) -> Result<Entry, Failure> {
        let (stand, unit) = (meter.stand, meter.subject.unit);
        if self.expected.is_some_and(|seen| seen != stand.reading()) {
            let message = refusals::METER_CHANGED_MEANWHILE;
            return Err(ServiceError::new(Kind::Stale, message).with_reason("STALE"));
        }
        let replaced = domain::replace(unit, stand, self.new, self.reading);
        let (replacement, after) = replaced.map_err(refused)?;
        if meter.read_at.is_some_and(|read_at| self.at < read_at) {
            let message = refusals::METER_READ_LATER;
            return Err(ServiceError::field("replacedAt", message));
        }
        Ok(Entry {
            captured_at: self.at,
            usage: Some(MeterMove {
                before: stand.usage,
                after: after.usage,
            }),
            effect: Some(MeterEffect::Replacement(replacement)),
            reading: Some(self.reading),
            content: domain::told(&replacement, self.reading, unit, &self.notes),
            ..Entry::new(meter.subject, EntryKind::Meter, actor, now)
        })
    }
}

fn refused(error: ReplaceError) -> ServiceError {
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
    let id = id(&request.into_inner().equipment_id)?;
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = identity.company_id;
    let life = store::meters::life(&mut tx, company, id).await?;
    let life = life.ok_or_else(ServiceError::not_found)?;
    let segments = domain::segments(life.added_at, life.initial, life.endings, life.now);
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
    let day = Deadlines::of(api.today(&identity));
    let mut tx = api.database.tenant(identity.tenant()).await?;
    let company = identity.company_id;
    let (after, limit) = (page.after.clone(), page.sql_limit());
    let mut found = store::meters::list(&mut tx, company, day, after, limit).await?;
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
    let marker = store::meters::marker(&mut tx, identity.company_id).await?;
    Ok(v1::GetEquipmentMarkerResponse { marker })
}
