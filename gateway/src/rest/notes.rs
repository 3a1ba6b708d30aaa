//! Notes on equipment.

use hourmeter_proto::equipment::v1::{self as proto, AddNoteRequest, ListNotesRequest, NoteType};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;
use schemars::JsonSchema;
use serde::Serialize;

use super::call::Call;
use super::fields::{Fields, page};
use super::history::Voiding;
use super::lists;
use super::response::RestResponse;
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant, all};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        Route::new(
            (Get, "/api/equipment/{id}/notes"),
            rpc("ListNotes"),
            "Notes on one piece of equipment, newest first",
            notes,
        )
        .query(page)
        .pages::<Note>(),
        Route::new(
            (Post, "/api/equipment/{id}/notes"),
            rpc("AddNote"),
            "Adds a note",
            add_note,
        )
        .body(note_body)
        .created::<Note>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Note {
    id: Id,
    equipment_id: Id,
    content: String,
    r#type: WireName<NoteType>,
    author_name: String,
    voided: Option<Voiding>,
    created_at: Instant,
}

impl From<proto::Note> for Note {
    fn from(note: proto::Note) -> Self {
        Self {
            r#type: WireName(note.r#type()),
            id: Id(note.id),
            equipment_id: Id(note.equipment_id),
            content: note.content,
            author_name: note.author_name,
            voided: note.voiding.map(Voiding::from),
            created_at: note.created_at.into(),
        }
    }
}

async fn notes(call: Call) -> Result<RestResponse, ApiError> {
    let page = call.query(page)?;
    let session = call.session();
    let read = move |page| {
        let mut client = call.equipment();
        let request = ListNotesRequest {
            equipment_id: call.id.clone(),
            page: Some(page),
        };
        async move {
            let found = client.list_notes(request).await?.into_inner();
            Ok((all::<_, Note>(found.notes), found.page))
        }
    };
    lists::respond(session, page, read).await
}

fn note_body(fields: &mut Fields) -> (String, NoteType) {
    let kind = fields.word("type", NoteType::NAMES);
    (fields.required_text("content"), kind.unwrap_or_default())
}

async fn add_note(call: Call) -> Result<RestResponse, ApiError> {
    let (content, kind) = call.body(note_body)?;
    let request = AddNoteRequest {
        equipment_id: call.id.clone(),
        content,
        r#type: kind.into(),
    };
    let added = call.equipment().add_note(request).await?;
    RestResponse::created(&Note::from(added.into_inner().note.unwrap_or_default()))
}
