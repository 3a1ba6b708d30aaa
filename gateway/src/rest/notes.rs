//! Notes on equipment.

use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::{self as proto, AddNoteRequest, ListNotesRequest, NoteType};
use hourmeter_runtime::identity::Service::Equipment as EquipmentService;

use super::call::Call;
use super::fields::{Fields, page};
use super::from_proto::{FromProto as _, objects};
use super::history::Voiding;
use super::lists;
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant};
use super::wire_enums::{WireEnum as _, WireName};

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let rpc = |method| AccessRule::Rpc(EquipmentService, method);
    vec![
        rpc("ListNotes")
            .at(Get, "/api/equipment/{id}/notes")
            .query(page, notes)
            .summary("Notes on one piece of equipment, newest first")
            .pages::<Note>(),
        rpc("AddNote")
            .at(Post, "/api/equipment/{id}/notes")
            .body(note_body, add_note)
            .summary("Adds a note")
            .created::<Note>(),
    ]
}

objects! {
    struct Note(note: proto::Note) {
        id: Id,
        equipment_id: Id,
        content: String,
        r#type: WireName<NoteType>,
        author_name: String,
        voided: Option<Voiding> = note.voiding,
        created_at: Instant,
    }
}

async fn notes(call: Call, page: PageRequest) -> RestResult {
    lists::respond(call, page, |call, page| async move {
        let request = ListNotesRequest {
            equipment_id: call.id(),
            page: Some(page),
        };
        let found = call.equipment().list_notes(request).await?.into_inner();
        Ok((Vec::<Note>::from_proto(found.notes), found.page))
    })
    .await
}

fn note_body(fields: &mut Fields) -> (String, NoteType) {
    let kind = fields.word("type", NoteType::NAMES);
    (fields.required_text("content"), kind.unwrap_or_default())
}

async fn add_note(call: Call, (content, kind): (String, NoteType)) -> RestResult {
    let request = AddNoteRequest {
        equipment_id: call.id(),
        content,
        r#type: kind.into(),
    };
    let added = call.equipment().add_note(request).await?;
    RestResponse::created(&Note::from_proto(added.into_inner().note))
}
