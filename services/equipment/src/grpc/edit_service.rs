//! Correcting recorded services.

use chrono::NaiveDate;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use hourmeter_runtime::identity::Identity;
use hourmeter_runtime::quantity::Quantity;
use tonic::Request;
use uuid::Uuid;

use super::service::{captured_at, out_of_range, read_day, usage_at};
use super::usage::after_known;
use super::void::lock_entry;
use super::{Api, convert, input, keyed_request, manager, parse_id, read};
use crate::domain::field_change::FieldChange;
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{EntryKind, Fact, MarkUsage, MeterMove, StoredEntry, Voiding};
use crate::domain::meter::MeterFact;
use crate::domain::service_text::{service_content, service_differences, service_notes};
use crate::refusals;
use crate::store;
use crate::store::projection_rows::MachineLedger;

#[tracing::instrument(name = "equipment.edit_service", level = "debug", skip_all)]
pub async fn edit_service(
    api: &Api,
    request: Request<v1::EditServiceRequest>,
) -> Result<v1::EditServiceResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "EditService")?;
    let id = parse_id(&request.equipment_id)?;
    let entry = parse_id(&request.entry_id)?;
    let edit = ServiceEdit::read(&request, api.today(&identity))?;

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    store::company::set_time_zone(&mut tx, &identity, api.clock.now()).await?;
    let before = lock_entry(&mut tx, id, entry).await?;
    if before.kind != EntryKind::Service {
        return Err(ServiceError::conflict(refusals::NOT_EDITABLE));
    }
    let after = edit.apply(&before, recorded_on(&before, &identity));
    let differences = service_differences(&before, &after);
    let mut record = before.id;
    if !differences.is_empty() {
        record = after.id;
        store_edit(api, &mut tx, &identity, &before, after, differences).await?;
    }
    let record = store::ledger::find(&mut tx, id, record).await?;
    let response = v1::EditServiceResponse {
        record: record.as_ref().map(convert::history),
        equipment: Some(read::load(api, &mut tx, &identity, id).await?),
    };
    api.finish(tx, response, Some(id)).await
}

struct ServiceEdit {
    cost: FieldChange<Quantity>,
    day: Option<NaiveDate>,
    notes: Option<String>,
}

impl ServiceEdit {
    fn read(request: &v1::EditServiceRequest, today: NaiveDate) -> Result<Self, ServiceError> {
        let mut errors = FieldErrors::default();
        let cost = match request.cost {
            _ if request.clear_cost => FieldChange::Clear,
            cost => input::quantity(cost, "cost", &mut errors)
                .map_or(FieldChange::Keep, FieldChange::Set),
        };
        let notes = request.notes.as_deref();
        let edit = Self {
            cost,
            day: read_day(&request.performed_at, today, &mut errors),
            notes: notes.map(|notes| input::long_text(notes, "notes", &mut errors)),
        };
        errors.check()?;
        Ok(edit)
    }

    /// The edited service, at its old time.
    fn apply(self, before: &StoredEntry, recorded_on: NaiveDate) -> StoredEntry {
        let day = self.day.or(before.performed_on);
        let cost = self.cost.or(before.cost);
        let notes = self.notes.as_deref();
        let notes = notes.unwrap_or_else(|| service_notes(before));
        StoredEntry {
            id: Uuid::now_v7(),
            replaces: Some(before.id),
            cost,
            performed_on: day,
            content: service_content(notes, cost, day.unwrap_or(recorded_on), recorded_on),
            ..before.clone()
        }
    }
}

/// Replaces a service by the edited one, and stores what follows.
async fn store_edit(
    api: &Api,
    tx: &mut TenantTx,
    identity: &Identity,
    before: &StoredEntry,
    mut after: StoredEntry,
    differences: String,
) -> Result<(), ServiceError> {
    let (id, now) = (before.subject.id, api.clock.now());
    let mut ledger = store::projections::load_one(tx, id).await?;
    let marked_before = ledger.marked_by();
    let place = ledger.facts.iter().position(|fact| fact.id == before.id);
    let place = place.ok_or_else(|| ServiceError::internal("a service is no fact"))?;
    let mut fact = ledger.facts.swap_remove(place);
    fact.id = after.id;
    if let Some(day) = after.performed_on
        && after.performed_on != before.performed_on
    {
        let item = read::find(tx, id).await?;
        after.captured_at = if day == recorded_on(before, identity) {
            before.recorded_at
        } else {
            let now = after_known(now, item.known_at);
            captured_at(identity, day, api.today(identity), now)
        };
        let is_earlier = |at| item.unit_since.is_some_and(|since| at <= since);
        if after.reading.is_some()
            && is_earlier(before.captured_at) != is_earlier(after.captured_at)
        {
            return Err(ServiceError::field("performedAt", refusals::WRONG_UNIT));
        }
        move_fact(&mut fact, &ledger, &after, day)?;
    }
    store::voids::insert_replacement(tx, &after, &fact).await?;
    ledger.facts.push(fact);
    let folded = ledger.fold().map_err(|_| out_of_range("performedAt"))?;
    let usage = MeterMove {
        before: ledger.stored.meter.usage,
        after: folded.projection.meter.usage,
    };
    let actor = manager(identity);
    let voiding = Voiding {
        reason: differences,
        undone: false,
        by: actor.name.clone(),
        at: now,
        usage: (usage.before != usage.after).then_some(usage),
        replaced_by: Some(after.id),
    };
    store::voids::insert(tx, id, before.id, actor.id, &voiding).await?;
    store::posting::store(tx, &ledger, &folded, &mut [], &marked_before, (&actor, now)).await
}

/// Moves the fact of a service to the time of the edited one. The ledger is without it.
fn move_fact(
    fact: &mut Fact,
    ledger: &MachineLedger,
    service: &StoredEntry,
    day: NaiveDate,
) -> Result<(), ServiceError> {
    if let Some(reading) = service.reading.filter(|_| fact.meter.is_some()) {
        let meter = ledger.meter_at(service.captured_at);
        let usage = usage_at(&meter, reading, "performedAt")?;
        fact.meter = Some(MeterFact::ServiceReading(reading));
        if let Some((_, MarkUsage::Given(given), _)) = &mut fact.mark {
            *given = Some(usage);
        }
    }
    if let Some((_, _, start)) = &mut fact.mark {
        *start = start.map(|_| day);
    }
    let task = fact.mark.map(|(task, ..)| task);
    fact.service = Some((fact.service.map_or(task, |(task, _)| task), day));
    fact.captured_at = service.captured_at;
    Ok(())
}

fn recorded_on(entry: &StoredEntry, identity: &Identity) -> NaiveDate {
    entry
        .recorded_at
        .with_timezone(&identity.time_zone)
        .date_naive()
}
