//! Notes: ledger entries with text.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::idempotency::Outcome;
use tonic::Request;

use super::{Api, convert, cursor, input, keyed_request, manager, parse_id, person_request};
use crate::domain::field_errors::FieldErrors;
use crate::domain::ledger::{Entry, EntryKind, NoteType, StoredEntry, Subject};
use crate::refusals;
use crate::store;
use crate::store::ledger::Selection;

pub async fn list_notes(
    api: &Api,
    request: Request<v1::ListNotesRequest>,
) -> Result<v1::ListNotesResponse, ServiceError> {
    let (identity, request) = person_request(request)?;
    let id = parse_id(&request.equipment_id)?;
    let mut page = cursor::by_time(request.page.as_ref())?;

    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    if !store::equipment::exists(&mut reads, tenant, id).await? {
        return Err(ServiceError::not_found());
    }
    let selection = Selection {
        equipment: Some(id),
        notes_only: true,
        ..Selection::default()
    };
    let mut found = store::ledger::list(&mut reads, &selection, &mut page).await?;
    reads.done();
    let next = page.cut(&mut found, |record| (record.recorded_at, record.id));
    Ok(v1::ListNotesResponse {
        notes: found.iter().map(convert::note).collect(),
        page: Some(next),
    })
}

pub async fn add_note(
    api: &Api,
    request: Request<v1::AddNoteRequest>,
) -> Result<v1::AddNoteResponse, ServiceError> {
    let (identity, key, request) = keyed_request(request, "AddNote")?;
    let id = parse_id(&request.equipment_id)?;
    let mut errors = FieldErrors::default();
    let content = input::long_text(&request.content, "content", &mut errors);
    if content.is_empty() {
        errors.add("content", refusals::NOTE_MISSING);
    }
    let note_type = input::choice(Some(request.r#type), "type", &mut errors);
    errors.check()?;

    let mut tx = match api.begin(&identity, key).await? {
        Outcome::New(tx) => tx,
        Outcome::Repeat(response) => return Ok(response),
    };
    let kind = EntryKind::Note(note_type.unwrap_or(NoteType::Note));
    let (subject, actor) = (Subject::unloaded(id), manager(&identity));
    let mut entry = Entry {
        content,
        ..Entry::new(subject, kind, actor, api.clock.now())
    };
    if !store::entries::insert(&mut tx, &mut entry, Some(0)).await? {
        return Err(ServiceError::not_found());
    }
    let response = v1::AddNoteResponse {
        note: Some(convert::note(&StoredEntry::from(entry))),
    };
    api.finish(tx, response, Some(id)).await
}
