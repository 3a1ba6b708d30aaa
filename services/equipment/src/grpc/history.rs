use std::collections::HashMap;

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, cursor, input, parse_optional_id, person_request};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{EntryKind, NoteType};
use crate::refusals;
use crate::store;
use crate::store::ledger::Selection;

pub async fn list_history(
    api: &Api,
    request: Request<v1::ListHistoryRequest>,
) -> Result<v1::ListHistoryResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let equipment = parse_optional_id(&request.equipment_id)?;
    let mut errors = FieldErrors::default();
    let selection = Selection {
        equipment,
        fuel_only: request.fuel_only,
        notes_only: false,
        kinds: kinds(&request.kinds, &mut errors),
        by_capture: by_capture(&request, &mut errors),
        times: input::days(&request.from, &request.to, &identity.time_zone, &mut errors),
        person: person(&request.person_id, &mut errors),
    };
    errors.check()?;
    let mut page = cursor::by_time(request.page.as_ref())?;

    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    if let Some(id) = equipment
        && !store::equipment::exists(&mut reads, tenant, id).await?
    {
        return Err(ServiceError::not_found());
    }
    let mut found = store::ledger::list(&mut reads, &selection, &mut page).await?;
    let mut groups = HashMap::new();
    if selection.fuel_only || equipment.is_some() {
        let ids: Vec<Uuid> = found.iter().map(|entry| entry.subject.id).collect();
        groups = store::groups::by_equipment(&mut reads, &ids).await?;
    }
    reads.done();
    let next = page.cut(&mut found, |record| selection.key(record));
    let records = found.iter().map(|entry| v1::HistoryRecord {
        group: groups.get(&entry.subject.id).cloned(),
        ..convert::history(entry)
    });
    Ok(v1::ListHistoryResponse {
        records: records.collect(),
        page: Some(next),
    })
}

/// Fuel is sorted by its capture unless an order is given.
fn by_capture(request: &v1::ListHistoryRequest, errors: &mut FieldErrors) -> bool {
    match v1::HistoryOrder::try_from(request.order) {
        Ok(v1::HistoryOrder::Unspecified) => request.fuel_only,
        Ok(v1::HistoryOrder::Recorded) => false,
        Ok(v1::HistoryOrder::Captured) => true,
        Err(_) => {
            errors.add("order", refusals::CHOICE_UNKNOWN);
            false
        }
    }
}

/// None: everyone.
fn person(text: &str, errors: &mut FieldErrors) -> Option<Uuid> {
    if text.is_empty() {
        return None;
    }
    input::id(text, "personId", errors)
}

/// The stored values of the kinds to filter by.
fn kinds(wanted: &[i32], errors: &mut FieldErrors) -> Vec<&'static str> {
    let word = |value: &i32| {
        let kind = match v1::HistoryKind::try_from(*value).ok()? {
            v1::HistoryKind::Unspecified => return None,
            v1::HistoryKind::Usage => EntryKind::Usage,
            v1::HistoryKind::Service => EntryKind::Service,
            v1::HistoryKind::Edit => EntryKind::Edit,
            v1::HistoryKind::Retirement => EntryKind::Retirement,
            // All note types are stored as the same kind.
            v1::HistoryKind::Note => EntryKind::Note(NoteType::Note),
            v1::HistoryKind::Restoration => EntryKind::Restoration,
            v1::HistoryKind::Meter => EntryKind::Meter,
        };
        Some(kind.as_str())
    };
    let read: Option<Vec<_>> = wanted.iter().map(word).collect();
    let read = errors.keep("kinds", read.ok_or(refusals::CHOICE_UNKNOWN));
    read.unwrap_or_default()
}
