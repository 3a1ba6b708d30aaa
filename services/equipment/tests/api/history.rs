//! `ListHistory`, `ListNotes`, `AddNote`.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::support::{World, fold, made_up, named, nameless, page, unknown, wrong};

/// `["-200000-01-01T00:00:00Z", "00000000-0000-0000-0000-000000000000"]`
const TOO_EARLY: &str = concat!(
    "WyItMjAwMDAwLTAxLTAxVDAwOjAwOjAwWiIsICIwMDAwMDAwMC0wMDAwLTAw",
    "MDAtMDAwMC0wMDAwMDAwMDAwMDAiXQ"
);

fn usage(id: &str, by: f64, fuel: Option<f64>, notes: &str) -> v1::RecordUsageRequest {
    v1::RecordUsageRequest {
        id: id.to_owned(),
        usage_increase: Some(by),
        fuel_added: fuel,
        notes: notes.to_owned(),
        ..Default::default()
    }
}

#[tokio::test]
async fn notes_are_entries_with_text_newest_first() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    let note = world.note(id, " First\nline ").await.unwrap();
    assert_eq!(
        (note.content.as_str(), note.r#type()),
        ("First\nline", v1::NoteType::Note)
    );
    assert_eq!(
        (note.equipment_id.as_str(), note.author_name.as_str()),
        (id, "Olivia Owner")
    );
    world.record(usage(id, 1.0, None, "")).await.unwrap();
    world
        .record(usage(id, 1.0, Some(2.0), "Long day"))
        .await
        .unwrap();
    let done = |notes: &str| v1::MarkServicedRequest {
        id: id.to_owned(),
        notes: notes.to_owned(),
        ..Default::default()
    };
    world.serviced(done("")).await.unwrap();
    world.serviced(done("Oil")).await.unwrap();
    let typed = v1::AddNoteRequest {
        equipment_id: id.to_owned(),
        content: "Belt worn".to_owned(),
        r#type: v1::NoteType::Maintenance.into(),
    };
    world.add_note(typed).await.unwrap();
    world.update(id, named("B"), None).await.unwrap();
    let notes = world.notes(id).await.unwrap();
    let seen: Vec<_> = notes
        .iter()
        .map(|note| (note.content.as_str(), note.r#type()))
        .collect();
    assert_eq!(
        seen,
        [
            ("Belt worn", v1::NoteType::Maintenance),
            ("Oil", v1::NoteType::Maintenance),
            ("Long day", v1::NoteType::UsageUpdate),
            ("First\nline", v1::NoteType::Note),
        ]
    );
    assert_eq!(notes[3], note);
    // A note is no change of the equipment.
    let version = world.get(id).await.unwrap().version;
    world.note(id, "More").await.unwrap();
    assert_eq!(world.get(id).await.unwrap().version, version);
}

#[tokio::test]
async fn empty_and_bad_notes_are_refused() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    for content in ["", "  \n\t ", "a\0b", "a\u{202e}b", &"x".repeat(5001)] {
        wrong(world.note(&made.id, content).await, &["content"]);
    }
    let typed = |note_type| v1::AddNoteRequest {
        equipment_id: made.id.clone(),
        content: "text".to_owned(),
        r#type: note_type,
    };
    wrong(world.add_note(typed(9)).await, &["type"]);
    assert_eq!(world.notes(&made.id).await.unwrap(), []);
    world.note(&made.id, &"x".repeat(5000)).await.unwrap();
}

#[tokio::test]
async fn history_tells_each_change_once_with_the_name_of_the_time() {
    let world = World::new().await;
    let made = world.create(named("Old name")).await.unwrap();
    let id = made.id.as_str();
    world.record(usage(id, 5.0, None, "")).await.unwrap();
    world.later(TimeDelta::seconds(1));
    world.update(id, named("New name"), None).await.unwrap();
    world.later(TimeDelta::seconds(1));
    world.note(id, "Text").await.unwrap();
    let retired = world.retire(id, "Worn out").await.unwrap();
    world.restore(&retired.id).await.unwrap();
    let history = world.history(id).await.unwrap();
    let seen: Vec<_> = history
        .iter()
        .map(|record| {
            let name = record.equipment_name.as_str();
            (record.kind(), name, record.usage, record.content.as_str())
        })
        .collect();
    assert_eq!(
        seen,
        [
            (v1::HistoryKind::Restoration, "New name", Some(5.0), ""),
            (
                v1::HistoryKind::Retirement,
                "New name",
                Some(5.0),
                "Worn out"
            ),
            (v1::HistoryKind::Note, "New name", None, "Text"),
            (
                v1::HistoryKind::Edit,
                "New name",
                None,
                "Name: Old name → New name"
            ),
            (v1::HistoryKind::Usage, "Old name", Some(5.0), ""),
        ]
    );
    assert_eq!(world.history("").await.unwrap(), history);
}

#[tokio::test]
async fn pages_and_the_fuel_filter() {
    let world = World::new().await;
    let a = world.create(named("A")).await.unwrap();
    let b = world.create(named("B")).await.unwrap();
    for number in 0..4 {
        let fuel = (number % 2 == 0).then_some(1.5);
        world.record(usage(&a.id, 1.0, fuel, "")).await.unwrap();
        world.record(usage(&b.id, 1.0, fuel, "")).await.unwrap();
        world.later(TimeDelta::seconds(i64::from(number % 2)));
    }
    for (equipment_id, fuel_only, count) in [
        ("", false, 8),
        ("", true, 4),
        (a.id.as_str(), false, 4),
        (a.id.as_str(), true, 2),
    ] {
        let ask = |limit, cursor: &str| v1::ListHistoryRequest {
            equipment_id: equipment_id.to_owned(),
            page: Some(page(limit, cursor)),
            fuel_only,
        };
        let all = world.history_page(ask(0, "")).await.unwrap();
        assert_eq!(all.records.len(), count);
        assert!(all.records.is_sorted_by_key(|record| {
            let at = record.created_at.unwrap();
            std::cmp::Reverse((at.seconds, at.nanos, record.id.clone()))
        }));
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let part = world.history_page(ask(3, &cursor)).await.unwrap();
            seen.extend(part.records);
            cursor = part.page.unwrap().next_cursor;
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(seen, all.records);
    }
    // The second is a key with a time that a database can't hold.
    for cursor in ["WzFd", TOO_EARLY] {
        let bad = v1::ListHistoryRequest {
            page: Some(page(3, cursor)),
            ..Default::default()
        };
        wrong(world.history_page(bad).await, &["cursor"]);
    }
}

#[tokio::test]
async fn notes_come_in_pages() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    for number in 0..5 {
        world
            .note(&made.id, &format!("Note {number}"))
            .await
            .unwrap();
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let message = v1::ListNotesRequest {
            equipment_id: made.id.clone(),
            page: Some(page(2, &cursor)),
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let part = fold(world.client().list_notes(request).await).unwrap();
        seen.extend(part.notes);
        cursor = part.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, world.notes(&made.id).await.unwrap());
    assert_eq!(seen.len(), 5);
}

#[tokio::test]
async fn unknown_ids_are_not_found() {
    let world = World::new().await;
    for id in nameless() {
        unknown(world.notes(&id).await);
        unknown(world.note(&id, "text").await);
    }
    unknown(world.history(&made_up()).await);
    unknown(world.history("nonsense").await);
    // Retired: readable, and closed for writing.
    let made = world.create(named("A")).await.unwrap();
    world.note(&made.id, "kept").await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    assert_eq!(world.notes(&made.id).await.unwrap().len(), 1);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 2);
    unknown(world.note(&made.id, "text").await);
}
