//! Notes: ledger entries with text.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::{Key, Outcome, begin};
use hourmeter_runtime::identity::Caller;
use tonic::Request;

use super::{Api, convert, cursor, input, manager, parse_id};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, NoteType, StoredEntry, Subject};
use crate::refusals;
use crate::store;
use crate::store::ledger::Selection;

pub async fn list(
    api: &Api,
    request: Request<v1::ListNotesRequest>,
) -> Result<v1::ListNotesResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let request = request.into_inner();
    let id = parse_id(&request.equipment_id)?;
    let mut page = cursor::by_time(request.page.as_ref())?;

    let mut reads = api.database.read(identity.tenant()).await?;
    let tenant = identity.tenant();
    if !store::equipment::exists(&mut reads, tenant, id).await? {
        return Err(ServiceError::not_found());
    }
    let selection = Selection {
        equipment: Some(id),
        notes_only: true,
        ..Selection::default()
    };
    let mut found = store::ledger::list(&mut reads, tenant, &selection, &mut page).await?;
    reads.done();
    let next = page.cut(&mut found, |record| (record.recorded_at, record.id));
    Ok(v1::ListNotesResponse {
        notes: found.iter().map(convert::note).collect(),
        page: Some(next),
    })
}

pub async fn add(
    api: &Api,
    request: Request<v1::AddNoteRequest>,
) -> Result<v1::AddNoteResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let key = Key::read(&request, "AddNote")?;
    let request = request.into_inner();
    let id = parse_id(&request.equipment_id)?;
    let mut errors = FieldErrors::default();
    let content = input::long_text(&request.content, "content", &mut errors);
    if content.is_empty() {
        errors.add("content", refusals::NOTE_MISSING);
    }
    let note_type = input::note_type(request.r#type, &mut errors).unwrap_or(NoteType::Note);
    errors.check()?;
    let now = api.clock.now();

    let tx = api.database.tenant(identity.tenant()).await?;
    let mut tx = match begin(tx, &identity, key, now).await? {
        Outcome::New(work) => work,
        Outcome::Repeat(response) => return Ok(response),
    };
    let tenant = identity.tenant();
    let kind = EntryKind::Note(note_type);
    let mut entry = Entry::new(Subject::unloaded(id), kind, manager(&identity), now);
    entry.content = content;
    if !store::entries::insert(&mut tx, tenant, &mut entry, Some(0)).await? {
        return Err(ServiceError::not_found());
    }
    let response = v1::AddNoteResponse {
        note: Some(convert::note(&StoredEntry::from(entry))),
    };
    tx.finish(&response).await?;
    api.machine_changed(tenant, id);
    Ok(response)
}
