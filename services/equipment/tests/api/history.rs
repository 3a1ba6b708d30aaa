//! `ListHistory`, `ListNotes`, `AddNote`.

use chrono::TimeDelta;
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;
use sqlx::AssertSqlSafe;

use crate::relay::{captured, reading};
use crate::support::{
    World, fold, increase, invalid_fields, named, new_meter, not_found, page, unknown_id,
    unknown_ids, with_usage,
};

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
async fn list_notes_returns_entries_with_text_newest_first() {
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
    // A note does not change the equipment.
    let version = world.get(id).await.unwrap().version;
    world.note(id, "More").await.unwrap();
    assert_eq!(world.get(id).await.unwrap().version, version);
}

#[tokio::test]
async fn add_note_refuses_empty_and_invalid_notes() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    for content in ["", "  \n\t ", "a\0b", "a\u{202e}b", &"x".repeat(5001)] {
        invalid_fields(world.note(&made.id, content).await, &["content"]);
    }
    let typed = |note_type| v1::AddNoteRequest {
        equipment_id: made.id.clone(),
        content: "text".to_owned(),
        r#type: note_type,
    };
    invalid_fields(world.add_note(typed(9)).await, &["type"]);
    assert_eq!(world.notes(&made.id).await.unwrap(), []);
    world.note(&made.id, &"x".repeat(5000)).await.unwrap();
}

#[tokio::test]
async fn list_history_has_each_change_once_with_the_name_of_that_time() {
    let world = World::new().await;
    let made = world.create(new_meter("Old name")).await.unwrap();
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
async fn list_history_pages_and_filters_fuel() {
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
            ..Default::default()
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
    // The second is a key with a time that PostgreSQL can't store.
    for cursor in ["WzFd", TOO_EARLY] {
        let bad = v1::ListHistoryRequest {
            page: Some(page(3, cursor)),
            ..Default::default()
        };
        invalid_fields(world.history_page(bad).await, &["cursor"]);
    }
}

#[tokio::test]
async fn list_history_filters_kinds() {
    use v1::HistoryKind::{Edit, Note, Restoration, Retirement, Service, Usage};

    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    let id = made.id.as_str();
    world.record(usage(id, 1.0, None, "")).await.unwrap();
    world.record(usage(id, 1.0, Some(2.0), "")).await.unwrap();
    let done = v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    world.serviced(done).await.unwrap();
    world.note(id, "Text").await.unwrap();
    world.update(id, named("B"), None).await.unwrap();
    let retired = world.retire(id, "").await.unwrap();
    world.restore(&retired.id).await.unwrap();
    let ask = |kinds: &[i32], equipment: &str, fuel_only| v1::ListHistoryRequest {
        equipment_id: equipment.to_owned(),
        fuel_only,
        kinds: kinds.to_vec(),
        ..Default::default()
    };
    for (kinds, fuel_only, expected) in [
        (&[Usage][..], false, &[Usage, Usage][..]),
        (&[Usage, Usage, Note], false, &[Note, Usage, Usage]),
        (&[Usage, Service], true, &[Usage]),
        (&[Note], true, &[]),
        (&[Service, Edit], false, &[Edit, Service]),
        (
            &[Retirement, Restoration],
            false,
            &[Restoration, Retirement],
        ),
        (&[], true, &[Usage]),
    ] {
        let kinds: Vec<i32> = kinds.iter().map(|kind| (*kind).into()).collect();
        for equipment in [id, ""] {
            let found = world.history_page(ask(&kinds, equipment, fuel_only)).await;
            let found: Vec<_> = found
                .unwrap()
                .records
                .iter()
                .map(v1::HistoryRecord::kind)
                .collect();
            assert_eq!(found, expected, "{kinds:?} {fuel_only}");
        }
    }
    for bad in [0, 8, -1] {
        let answer = world.history_page(ask(&[1, bad], id, false)).await;
        invalid_fields(answer, &["kinds"]);
    }
}

#[tokio::test]
async fn list_history_records_have_every_field() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(100.0),
        ..with_usage("A", 50.0)
    };
    let made = world.create(input).await.unwrap();
    let at = world.clock.now() - TimeDelta::hours(3);
    let late = v1::ApplyOperatorUpdateRequest {
        captured_at: Some(captured(at)),
        fuel_added: 1.5,
        ..reading(&made.id, 60.25)
    };
    world.apply(late).await.unwrap();
    let done = v1::MarkServicedRequest {
        id: made.id.clone(),
        cost: Some(99.5),
        performed_at: "2026-03-04".to_owned(),
        ..Default::default()
    };
    world.serviced(done).await.unwrap();
    let now = Some(captured(world.clock.now()));
    let history = world.history(&made.id).await.unwrap();
    let (service, field) = (&history[0], &history[1]);
    assert_eq!(
        (field.captured_at, field.created_at),
        (Some(captured(at)), now)
    );
    assert_eq!((field.usage, field.reading), (Some(60.25), Some(60.25)));
    assert_eq!((field.from_operator, field.cost), (true, None));
    assert_eq!(field.performed_on, "");
    assert_eq!((service.cost, service.from_operator), (Some(99.5), false));
    assert_eq!(service.person_id, world.owner.user_id.to_string());
    assert_eq!(service.performed_on, "2026-03-04");
    assert_eq!((service.task_name.as_str(), service.reading), ("", None));
}

#[tokio::test]
async fn list_history_has_readings_only_where_the_meter_was_read() {
    let world = World::new().await;
    let made = world.create(with_usage("A", 50.0)).await.unwrap();
    let id = made.id.as_str();
    let newest = async || {
        let history = world.history(id).await.unwrap();
        (history[0].usage, history[0].reading)
    };
    world.record(increase(id, 5.0)).await.unwrap();
    assert_eq!(newest().await, (Some(55.0), None));
    let read = v1::RecordUsageRequest {
        id: id.to_owned(),
        reading: Some(60.0),
        ..Default::default()
    };
    world.record(read).await.unwrap();
    assert_eq!(newest().await, (Some(60.0), Some(60.0)));
    let fuel = v1::RecordUsageRequest {
        id: id.to_owned(),
        fuel_added: Some(5.0),
        ..Default::default()
    };
    world.record(fuel).await.unwrap();
    assert_eq!(newest().await, (None, None));
    world.update(id, with_usage("A", 40.0), None).await.unwrap();
    assert_eq!(newest().await, (Some(40.0), Some(40.0)));
}

/// The plan of a ledger list with the service's own statement.
async fn plan(world: &World, condition: &str) -> String {
    let mut tx = world
        .database
        .database
        .tenant(world.owner.tenant())
        .await
        .unwrap();
    let company = world.owner.company_id;
    let sql = format!(
        "EXPLAIN SELECT *
        FROM (
            SELECT *
            FROM ledger
            WHERE company_id = '{company}'
              AND (recorded_at, id) < ('9999-01-01'::timestamptz, '{company}'::uuid)
              AND {condition}
            ORDER BY recorded_at DESC, id DESC
            LIMIT 50
        ) l
        LEFT JOIN LATERAL (
            SELECT *
            FROM ledger_voids
            WHERE company_id = '{company}'
              AND entry_id = l.id
            LIMIT 1
        ) v ON true
        ORDER BY l.recorded_at DESC, l.id DESC"
    );
    let lines: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql))
        .fetch_all(&mut *tx)
        .await
        .unwrap();
    lines.join("\n")
}

#[tokio::test]
async fn list_history_uses_an_index_with_row_level_security() {
    let world = World::with_own_database().await;
    let made = world.create(named("A")).await.unwrap();
    world
        .record(usage(&made.id, 1.0, Some(1.0), ""))
        .await
        .unwrap();
    // A ledger of some size with voided entries.
    let company = world.owner.company_id;
    world
        .tamper(&format!(
            "INSERT INTO ledger (
                company_id, id, equipment_id, equipment_name, unit, kind, note_type, actor_id,
                actor_name, source, captured_at, recorded_at, fuel, fuel_kind, content
            )
            SELECT
                '{company}', gen_random_uuid(), '{}', 'A', 'hours',
                CASE WHEN n % 50 = 0 THEN 'note' ELSE 'usage' END, 'note', '{company}',
                'X', 'manager', now() + n * interval '1 s', now() + n * interval '1 s',
                CASE WHEN n % 20 = 0 THEN 100 ELSE 0 END,
                CASE WHEN n % 20 = 0 THEN 'gas' END, ''
            FROM generate_series(1, 20000) n;
            INSERT INTO ledger_voids (
                company_id, entry_id, equipment_id, reason, actor_id, actor_name, voided_at
            )
            SELECT company_id, id, equipment_id, 'x', actor_id, 'X', now()
            FROM ledger
            WHERE random() < 0.2;
            ANALYZE ledger, ledger_voids",
            made.id
        ))
        .await;
    for (condition, index) in [
        ("true", "ledger_of_company"),
        ("kind = ANY('{note}')", "ledger_of_company"),
        ("fuel > 0", "ledger_fuel"),
        (&format!("equipment_id = '{}'", made.id), "ledger_of_"),
    ] {
        let plan = plan(&world, condition).await;
        assert!(
            plan.contains(&format!(" using {index}")),
            "{condition}\n{plan}"
        );
        assert!(
            plan.contains("using ledger_voids_once"),
            "{condition}\n{plan}"
        );
        assert!(!plan.contains("Seq Scan"), "{condition}\n{plan}");
    }
    // These rows are not in the projections.
    world.allow_wrong_projections();
}

#[tokio::test]
async fn list_notes_pages_are_contiguous() {
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
async fn history_of_unknown_ids_is_not_found() {
    let world = World::new().await;
    for id in unknown_ids() {
        not_found(world.notes(&id).await);
        not_found(world.note(&id, "text").await);
    }
    not_found(world.history(&unknown_id()).await);
    not_found(world.history("nonsense").await);
    // Retired equipment is read-only.
    let made = world.create(named("A")).await.unwrap();
    world.note(&made.id, "kept").await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    assert_eq!(world.notes(&made.id).await.unwrap().len(), 1);
    assert_eq!(world.history(&made.id).await.unwrap().len(), 2);
    not_found(world.note(&made.id, "text").await);
}
