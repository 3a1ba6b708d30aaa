//! Notes on equipment.

use hourmeter_proto::equipment::v1::{AddNoteRequest, ListNotesRequest, Note, NoteType};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, page};
use super::history::voiding;
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| Admission::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Get, "/api/equipment/{id}/notes"),
            rpc("ListNotes"),
            "Notes on one piece of equipment, newest first",
            notes,
        )
        .query(page)
        .pages("Note", note(Note::default())),
        Route::new(
            (Post, "/api/equipment/{id}/notes"),
            rpc("AddNote"),
            "Adds a note",
            add_note,
        )
        .body(note_body)
        .created("Note", note(Note::default())),
    ]
}

fn note(note: Note) -> Shape {
    let kind = words::note_type(note.r#type());
    Shape::new()
        .id("id", note.id)
        .id("equipmentId", note.equipment_id)
        .text("content", note.content)
        .word("type", kind, words::NOTE_TYPE_WORDS)
        .text("authorName", note.author_name)
        .opt_object("voided", note.voiding, voiding)
        .time("createdAt", note.created_at)
}

async fn notes(call: Call) -> Result<Answer, Refusal> {
    let read = |page| {
        let mut client = call.equipment();
        let request = ListNotesRequest {
            equipment_id: call.id.clone(),
            page: Some(page),
        };
        async move {
            let found = client.list_notes(request).await?.into_inner();
            Ok((found.notes.into_iter().map(note).collect(), found.page))
        }
    };
    lists::answer(call.query(page)?, read).await
}

fn note_body(fields: &mut Fields) -> (String, NoteType) {
    let kind = fields.word("type", words::NOTE_TYPES);
    (fields.required_text("content"), kind.unwrap_or_default())
}

async fn add_note(call: Call) -> Result<Answer, Refusal> {
    let (content, kind) = call.body(note_body)?;
    let request = AddNoteRequest {
        equipment_id: call.id.clone(),
        content,
        r#type: kind.into(),
    };
    let added = call.equipment().add_note(request).await?;
    Answer::created(&note(added.into_inner().note.unwrap_or_default()))
}
