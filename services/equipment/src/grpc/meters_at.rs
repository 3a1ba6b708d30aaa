//! Meters now and at given times, for checks of operators' updates.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;
use uuid::Uuid;

use super::operator_updates::{MAX_UPDATES, to_message};
use super::{Api, input};
use crate::domain::field_errors::FieldErrors;
use crate::domain::timeline::{MeterAt, meter_at};
use crate::store;
use crate::store::deleted::Deleted;
use crate::store::meter::Meter;

pub async fn get_meters(
    api: &Api,
    request: Request<v1::GetMetersRequest>,
) -> Result<v1::GetMetersResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let now = api.clock.now();
    let queries = request.into_inner().queries;
    input::between("queries", queries.len(), MAX_UPDATES)?;
    let mut errors = FieldErrors::default();
    let queries: Vec<Query> = queries
        .iter()
        .filter_map(|query| Query::read(query, now, &mut errors))
        .collect();
    errors.check()?;
    let ids: Vec<Uuid> = queries.iter().map(|query| query.equipment).collect();

    // One snapshot would need a transaction of its own isolation; a meter that moves meanwhile is
    // published as an event.
    let mut tx = api.database.tenant(tenant).await?;
    let found = store::meter::find_all(&mut tx, tenant, &ids).await?;
    let meters: HashMap<Uuid, Meter> = found
        .into_iter()
        .map(|meter| (meter.subject.id, meter))
        .collect();
    let earlier = meters_before(&mut tx, &queries, &meters).await?;
    let unknown: Vec<Uuid> = ids
        .into_iter()
        .filter(|id| !meters.contains_key(id))
        .collect();
    let deleted = store::deleted::find_all(&mut tx, &unknown).await?;
    let deleted: HashMap<Uuid, Deleted> = deleted
        .into_iter()
        .map(|row| (row.subject.id, row))
        .collect();
    let answer = |query: &Query| {
        let id = query.equipment;
        let Some(meter) = meters.get(&id) else {
            return Some(query.of_deleted(deleted.get(&id)?));
        };
        let at = earlier.get(&(id, query.captured_at)).copied();
        let now = MeterAt {
            dial: meter.dial,
            known_at: Some(meter.known_at),
            next: None,
        };
        Some(query.answer(meter, at.unwrap_or(now)))
    };
    Ok(v1::GetMetersResponse {
        meters: queries.iter().filter_map(answer).collect(),
    })
}

/// The meters at the times of late queries, by machine and time.
async fn meters_before(
    tx: &mut TenantTx,
    queries: &[Query],
    meters: &HashMap<Uuid, Meter>,
) -> Result<HashMap<(Uuid, DateTime<Utc>), MeterAt>, ServiceError> {
    let mut times: BTreeMap<Uuid, Vec<DateTime<Utc>>> = BTreeMap::new();
    for query in queries.iter().filter(|query| query.is_late(meters)) {
        let times = times.entry(query.equipment).or_default();
        times.push(query.captured_at);
    }
    let ids: Vec<Uuid> = times.keys().copied().collect();
    let mut found = HashMap::new();
    for batch in ids.chunks(store::projections::BATCH) {
        for ledger in store::projections::load(tx, batch).await? {
            let steps = ledger.steps();
            for at in times.get(&ledger.id).into_iter().flatten() {
                found.insert((ledger.id, *at), meter_at(&steps, *at));
            }
        }
    }
    Ok(found)
}

struct Query {
    equipment: Uuid,
    requested_at: Option<prost_types::Timestamp>,
    captured_at: DateTime<Utc>,
}

impl Query {
    /// None: the id is malformed, so the machine is unknown.
    fn read(query: &v1::MeterQuery, now: DateTime<Utc>, errors: &mut FieldErrors) -> Option<Self> {
        let at = query.captured_at.as_ref();
        Some(Self {
            equipment: Uuid::try_parse(&query.equipment_id).ok()?,
            captured_at: input::captured_at(at, "capturedAt", now, errors),
            requested_at: query.captured_at,
        })
    }

    fn is_late(&self, meters: &HashMap<Uuid, Meter>) -> bool {
        let meter = meters.get(&self.equipment);
        meter.is_some_and(|meter| self.captured_at < meter.known_at)
    }

    fn answer(&self, meter: &Meter, at: MeterAt) -> v1::MeterAt {
        let state = if meter.retired {
            v1::MachineState::Retired
        } else {
            v1::MachineState::Active
        };
        let before = at.dial.is_read().then_some(at.dial.state.reading());
        v1::MeterAt {
            equipment_id: self.equipment.to_string(),
            captured_at: self.requested_at,
            meter: Some(to_message(meter.clone())),
            reading_before: before.map(Quantity::to_f64),
            before_at: at.known_at.filter(|_| before.is_some()).map(timestamp),
            reading_after: at.next.map(Quantity::to_f64),
            state: state.into(),
        }
    }

    fn of_deleted(&self, deleted: &Deleted) -> v1::MeterAt {
        v1::MeterAt {
            equipment_id: self.equipment.to_string(),
            captured_at: self.requested_at,
            meter: Some(v1::GetMeterResponse {
                equipment_name: deleted.subject.name.clone(),
                unit: deleted.subject.unit.into(),
                fuel: deleted.fuel.into(),
                ..v1::GetMeterResponse::default()
            }),
            state: v1::MachineState::Deleted.into(),
            ..v1::MeterAt::default()
        }
    }
}
