//! `ListEquipment`, `GetEquipment`, `GetSummary`.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};
use uuid::Uuid;

use crate::support::{
    CallResult, World, fold, invalid_fields, named, not_found, page, parts, refused, unknown_ids,
    with_usage,
};

/// Usage in percent of an interval of 100.
pub fn used(name: &str, percent: f64) -> v1::EquipmentInput {
    v1::EquipmentInput {
        service_interval: Some(100.0),
        last_service_usage: Some(0.0),
        ..with_usage(name, percent)
    }
}

fn unlimited(world: &World) -> Identity {
    let mut who = world.owner.clone();
    who.entitlements.equipment_limit = -1;
    who.entitlements.parts_entry = true;
    who
}

pub async fn fleet(world: &World, inputs: impl IntoIterator<Item = v1::EquipmentInput>) {
    let who = unlimited(world);
    for input in inputs {
        world.create_as(&who, input).await.unwrap();
    }
}

#[tokio::test]
async fn list_sorts_by_name_ignoring_case() {
    let world = World::new().await;
    assert_eq!(world.names().await, [""; 0]);
    fleet(
        &world,
        ["delta", "Bravo", "alpha", "Charlie", "BRAVO"].map(named),
    )
    .await;
    let all = v1::ListEquipmentRequest::default();
    let (names, next) = world.list(all).await.unwrap();
    let names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(names, ["alpha", "bravo", "bravo", "charlie", "delta"]);
    assert_eq!(next, "");
}

#[tokio::test]
async fn list_pages_are_contiguous() {
    let world = World::new().await;
    let names: Vec<String> = (0..23)
        .map(|number| format!("Twin {}", number % 3))
        .collect();
    fleet(&world, names.iter().map(|name| named(name))).await;
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let request = v1::ListEquipmentRequest {
            page: Some(page(5, &cursor)),
            ..Default::default()
        };
        let request = as_person(Service::Equipment, &world.owner, request);
        let answer = fold(world.client().list_equipment(request).await).unwrap();
        seen.extend(
            answer
                .equipment
                .into_iter()
                .map(|item| (item.name, item.id)),
        );
        cursor = answer.page.unwrap().next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    let mut expected = seen.clone();
    expected.sort();
    expected.dedup();
    assert_eq!(seen, expected);
    assert_eq!(seen.len(), 23);
}

async fn search(world: &World, text: &str) -> CallResult<Vec<String>> {
    let request = v1::ListEquipmentRequest {
        search: text.to_owned(),
        ..Default::default()
    };
    Ok(world.list(request).await?.0)
}

#[tokio::test]
async fn list_searches_name_and_serial_number_literally() {
    let world = World::new().await;
    let serial = v1::EquipmentInput {
        serial_number: Some("VIN_77%x".to_owned()),
        ..named("Truck")
    };
    fleet(&world, [serial, named("100% Loader"), named("Ñandú \\ 2")]).await;
    for (text, expected) in [
        ("load", vec!["100% Loader"]),
        ("LOAD", vec!["100% Loader"]),
        ("vin_7", vec!["Truck"]),
        ("vin-7", vec![]),
        ("%", vec!["100% Loader", "Truck"]),
        ("_", vec!["Truck"]),
        ("\\", vec!["Ñandú \\ 2"]),
        ("ñandú", vec!["Ñandú \\ 2"]),
        ("  truck  ", vec!["Truck"]),
        ("nandu", vec!["Ñandú \\ 2"]),
        ("LÓAD", vec!["100% Loader"]),
        ("", vec!["100% Loader", "Ñandú \\ 2", "Truck"]),
        ("' OR 1=1 --", vec![]),
        ("77 tru", vec!["Truck"]),
        ("truck loader", vec![]),
    ] {
        assert_eq!(search(&world, text).await.unwrap(), expected, "{text:?}");
    }
    invalid_fields(search(&world, "a\0").await, &["search"]);
    invalid_fields(search(&world, &"a".repeat(201)).await, &["search"]);
}

#[tokio::test]
async fn list_filters_by_type_and_status() {
    let world = World::new().await;
    let tool = v1::EquipmentInput {
        r#type: Some(v1::EquipmentType::Tools.into()),
        ..used("c due", 100.0)
    };
    fleet(
        &world,
        [
            used("a good", 79.99),
            used("b soon", 80.0),
            tool,
            used("d late", 110.0),
        ],
    )
    .await;
    fleet(&world, [used("e late", 150.0), named("f plain")]).await;
    let ask = |status: i32, kind: i32, limit: u32| v1::ListEquipmentRequest {
        status,
        r#type: kind,
        page: Some(page(limit, "")),
        ..Default::default()
    };
    for (status, kind, expected) in [
        (1, 0, vec!["a good", "f plain"]),
        (2, 0, vec!["b soon"]),
        (3, 0, vec!["c due"]),
        (4, 0, vec!["d late", "e late"]),
        (0, 3, vec!["c due"]),
        (3, 3, vec!["c due"]),
        (4, 3, vec![]),
        (0, 1, vec![]),
    ] {
        for limit in [0, 500] {
            let (names, next) = world.list(ask(status, kind, limit)).await.unwrap();
            assert_eq!(
                (names, next.as_str()),
                (
                    expected.clone().into_iter().map(str::to_owned).collect(),
                    ""
                )
            );
        }
    }
    let (names, next) = world.list(ask(4, 0, 1)).await.unwrap();
    assert_eq!(names, ["d late"]);
    let second = v1::ListEquipmentRequest {
        page: Some(page(1, &next)),
        ..ask(4, 0, 1)
    };
    let (names, next) = world.list(second).await.unwrap();
    assert_eq!((names, next.as_str()), (vec!["e late".to_owned()], ""));
    for (status, kind, field) in [(5, 0, "status"), (-1, 0, "status"), (0, 5, "type")] {
        invalid_fields(world.list(ask(status, kind, 0)).await, &[field]);
    }
}

#[tokio::test]
async fn list_refuses_invalid_pages() {
    let world = World::new().await;
    // The third is a key with a character that PostgreSQL can't store.
    for (limit, cursor, field) in [
        (501, "", "limit"),
        (2, "nonsense", "cursor"),
        (
            2,
            "WyJcdTAwMDAiLCIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDAiXQ",
            "cursor",
        ),
    ] {
        let request = v1::ListEquipmentRequest {
            page: Some(page(limit, cursor)),
            ..Default::default()
        };
        invalid_fields(world.list(request).await, &[field]);
    }
}

#[tokio::test]
async fn list_rows_equal_the_items() {
    let world = World::new().await;
    let with_parts = |name: &str, rows: &[&str]| v1::EquipmentInput {
        service_parts: Some(parts(rows)),
        ..used(name, 80.0)
    };
    fleet(
        &world,
        [
            with_parts("a", &["A1", "A2"]),
            named("b"),
            with_parts("c", &["C1"]),
        ],
    )
    .await;
    let request = as_person(
        Service::Equipment,
        &world.owner,
        v1::ListEquipmentRequest::default(),
    );
    let answer = fold(world.client().list_equipment(request).await).unwrap();
    for row in answer.equipment {
        assert_eq!(world.get(&row.id).await.unwrap(), row);
        let count = match row.name.as_str() {
            "a" => 2,
            "b" => 0,
            _ => 1,
        };
        assert_eq!(row.service_parts.len(), count);
    }
}

#[tokio::test]
async fn summary_counts_by_status() {
    let world = World::new().await;
    let scheduled = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-03-08".to_owned()),
        maintenance_interval: Some(1),
        maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
        ..named("late by calendar")
    };
    fleet(
        &world,
        [
            used("a", 10.0),
            used("b", 85.0),
            used("c", 105.0),
            scheduled,
        ],
    )
    .await;
    fleet(&world, [used("d", 111.0), named("gone")]).await;
    let gone = world.list(v1::ListEquipmentRequest {
        search: "gone".to_owned(),
        ..Default::default()
    });
    assert_eq!(gone.await.unwrap().0.len(), 1);
    let request = as_person(Service::Equipment, &world.owner, v1::GetSummaryRequest {});
    let summary = fold(world.client().get_summary(request).await).unwrap();
    let expected = v1::GetSummaryResponse {
        stale: 0,
        groups: Vec::new(),
        total: 6,
        good: 2,
        approaching_service: 1,
        time_for_service: 1,
        overdue: 2,
        due_this_week: Some(4),
        out_of_service: Some(0),
        equipment_limit: 15,
    };
    assert_eq!(summary, expected);
}

#[tokio::test]
async fn summary_uses_the_company_time_zone() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-03-09".to_owned()),
        maintenance_interval: Some(2),
        maintenance_interval_unit: Some(v1::CalendarUnit::Days.into()),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    assert_eq!(made.days_until_maintenance, Some(1));
    let mut away = operator_of(&world.owner);
    away.time_zone = chrono_tz::Pacific::Kiritimati;
    let message = v1::GetEquipmentRequest { id: made.id };
    let request = as_person(Service::Equipment, &away, message);
    let seen = fold(world.client().get_equipment(request).await).unwrap();
    assert_eq!(seen.equipment.unwrap().days_until_maintenance, Some(0));
}

#[tokio::test]
async fn list_excludes_retired_equipment() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    world.retire(&made.id, "").await.unwrap();
    assert_eq!(world.names().await, [""; 0]);
    refused(
        world.get(&made.id).await,
        Kind::NotFound,
        "EQUIPMENT_RETIRED",
    );
    for id in unknown_ids() {
        not_found(world.get(&id).await);
    }
}

#[tokio::test]
async fn list_finds_the_longest_names() {
    let world = World::new().await;
    // Letters of four bytes without repetition, so that compression does not shrink them.
    let letters = |count: u32, from: u32| -> String {
        let letters = (0..count).map(|at| char::from_u32(from + at * 7 % 991));
        letters.map(Option::unwrap).collect()
    };
    let (name, serial) = (letters(200, 0x20_000), letters(100, 0x2_0800));
    let longest = v1::EquipmentInput {
        serial_number: Some(serial.clone()),
        ..named(&name)
    };
    world.create(longest).await.unwrap();
    for text in [name.clone(), serial] {
        assert_eq!(search(&world, &text).await.unwrap(), [name.as_str()]);
    }
}

#[tokio::test]
async fn list_accepts_letters_with_longer_lower_case() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    // The last one has four bytes in both cases.
    for letter in ["Ⱥ", "İ", "ẞ", "\u{1f69c}", "\u{10400}"] {
        let name = letter.repeat(200);
        let input = v1::EquipmentInput {
            serial_number: Some(letter.repeat(100)),
            ..named(&name)
        };
        world.update(&made.id, input.clone(), None).await.unwrap();
        let new = world.create(input).await.unwrap();
        let both = [name.as_str(), name.as_str()];
        assert_eq!(search(&world, &letter.repeat(150)).await.unwrap(), both);
        world.delete(&new.id).await.unwrap();
    }
}

#[tokio::test]
async fn list_filters_by_ids_of_the_company() {
    let world = World::new().await;
    let ax = world.create(named("Ax")).await.unwrap();
    let bar = world.create(named("Bar")).await.unwrap();
    world.create(named("Saw")).await.unwrap();
    let foreign = world.create_as(&owner(), named("Foreign")).await;
    let with = |ids: Vec<String>| v1::ListEquipmentRequest {
        ids,
        ..v1::ListEquipmentRequest::default()
    };
    let request = vec![bar.id, foreign.unwrap().id, "nonsense".to_owned(), ax.id];
    let (names, _) = world.list(with(request)).await.unwrap();
    assert_eq!(names, ["Ax", "Bar"]);
    let (names, _) = world.list(with(vec!["nonsense".to_owned()])).await.unwrap();
    assert_eq!(names, [""; 0], "unknown ids are not all");

    let many = |count| with(vec![Uuid::now_v7().to_string(); count]);
    assert!(world.list(many(500)).await.is_ok());
    let refused = world.list(many(501)).await.unwrap_err();
    assert_eq!(refused.fields[0].0, "ids");
}
