//! Orders of `ListEquipment`, their cursors, and the number of matches.

use hourmeter_proto::equipment::v1;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::testing::as_person;

use crate::list::{fleet, used};
use crate::support::{World, fold, invalid_fields, named, page};

async fn whole(world: &World, message: v1::ListEquipmentRequest) -> v1::ListEquipmentResponse {
    let request = as_person(Service::Equipment, &world.owner, message);
    fold(world.client().list_equipment(request).await).unwrap()
}

fn ordered(order: v1::EquipmentOrder, descending: bool) -> v1::ListEquipmentRequest {
    v1::ListEquipmentRequest {
        order: order.into(),
        descending,
        ..Default::default()
    }
}

/// Names in an order, read as a whole and in pages of two, which must be equal.
async fn names_in(world: &World, order: v1::EquipmentOrder, descending: bool) -> Vec<String> {
    let ask = ordered(order, descending);
    let (names, _) = world.list(ask.clone()).await.unwrap();
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = v1::ListEquipmentRequest {
            page: Some(page(2, &cursor)),
            ..ask.clone()
        };
        let (part, next) = world.list(part).await.unwrap();
        paged.extend(part);
        cursor = next;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(paged, names, "{order:?} {descending}");
    names
}

#[tokio::test]
async fn list_sorts_names_in_natural_order() {
    let world = World::new().await;
    let expected = [
        "Árbol 3",
        "arbol 12",
        "ñandú",
        "Nivel",
        "Truck 2",
        "truck 10",
        "Truck 10 B",
        "Zanja",
    ];
    for at in [7, 2, 6, 5, 0, 4, 3, 1] {
        world.create(named(expected[at])).await.unwrap();
    }
    let mut reversed = expected;
    reversed.reverse();
    for order in [v1::EquipmentOrder::Name, v1::EquipmentOrder::Usage] {
        assert_eq!(names_in(&world, order, false).await, expected);
    }
    let names = names_in(&world, v1::EquipmentOrder::Name, true).await;
    assert_eq!(names, reversed);
}

#[tokio::test]
async fn list_sorts_by_every_order_in_both_directions() {
    use v1::EquipmentOrder::{Name, Unspecified, Updated, Urgency, Usage};

    let world = World::new().await;
    for input in [
        used("b late", 110.0),
        used("C good", 5.5),
        used("a soon", 80.0),
        used("e good", 5.5),
        used("D late", 200.0),
        used("f due", 100.0),
    ] {
        fleet(&world, [input]).await;
        world.later(chrono::TimeDelta::microseconds(1));
    }
    for (order, descending, expected) in [
        (
            Unspecified,
            false,
            ["a soon", "b late", "C good", "D late", "e good", "f due"],
        ),
        (
            Name,
            false,
            ["a soon", "b late", "C good", "D late", "e good", "f due"],
        ),
        (
            Name,
            true,
            ["f due", "e good", "D late", "C good", "b late", "a soon"],
        ),
        (
            Urgency,
            false,
            ["b late", "D late", "f due", "a soon", "C good", "e good"],
        ),
        (
            Urgency,
            true,
            ["C good", "e good", "a soon", "f due", "b late", "D late"],
        ),
        (
            Usage,
            false,
            ["C good", "e good", "a soon", "f due", "b late", "D late"],
        ),
        (
            Usage,
            true,
            ["D late", "b late", "f due", "a soon", "C good", "e good"],
        ),
        (
            Updated,
            false,
            ["b late", "C good", "a soon", "e good", "D late", "f due"],
        ),
        (
            Updated,
            true,
            ["f due", "D late", "e good", "a soon", "C good", "b late"],
        ),
    ] {
        assert_eq!(
            names_in(&world, order, descending).await,
            expected,
            "{order:?} {descending}"
        );
    }
    for order in [99, -1] {
        let request = v1::ListEquipmentRequest {
            order,
            ..Default::default()
        };
        invalid_fields(world.list(request).await, &["order"]);
    }
}

#[tokio::test]
async fn cursor_of_another_order_or_direction_is_refused() {
    use v1::EquipmentOrder::{Name, Updated, Urgency, Usage};

    let world = World::new().await;
    fleet(&world, ["a", "b", "c"].map(named)).await;
    let all = || {
        [Name, Urgency, Usage, Updated]
            .into_iter()
            .flat_map(|order| [(order, false), (order, true)])
    };
    for (order, descending) in all() {
        let first = v1::ListEquipmentRequest {
            page: Some(page(1, "")),
            ..ordered(order, descending)
        };
        let cursor = world.list(first).await.unwrap().1;
        for (other, direction) in all() {
            let next = v1::ListEquipmentRequest {
                page: Some(page(1, &cursor)),
                ..ordered(other, direction)
            };
            let answer = world.list(next).await;
            if (other, direction) == (order, descending) {
                assert_eq!(answer.unwrap().0.len(), 1);
            } else {
                invalid_fields(answer, &["cursor"]);
            }
        }
    }
}

/// `["updated",false,-99999999999999999,"","00000000-0000-4000-8000-000000000000"]`: before year 1.
const TOO_EARLY: &str = "WyJ1cGRhdGVkIixmYWxzZSwtOTk5OTk5OTk5OTk5OTk5OTksIiIsIjAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMCJd";
/// The same with the largest number.
const NEVER: &str = "WyJ1cGRhdGVkIixmYWxzZSw5MjIzMzcyMDM2ODU0Nzc1ODA3LCIiLCIwMDAwMDAwMC0wMDAwLTQwMDAtODAwMC0wMDAwMDAwMDAwMDAiXQ";
/// `["usage",false,9223372036854775807,"","00000000-0000-4000-8000-000000000000"]`
const BEYOND_ANY_METER: &str = "WyJ1c2FnZSIsZmFsc2UsOTIyMzM3MjAzNjg1NDc3NTgwNywiIiwiMDAwMDAwMDAtMDAwMC00MDAwLTgwMDAtMDAwMDAwMDAwMDAwIl0";

#[tokio::test]
async fn cursor_with_made_up_keys_is_harmless() {
    use v1::EquipmentOrder::{Updated, Usage};

    let world = World::new().await;
    fleet(&world, ["a", "b"].map(named)).await;
    let ask = |order, cursor| v1::ListEquipmentRequest {
        page: Some(page(1, cursor)),
        ..ordered(order, false)
    };
    for cursor in [TOO_EARLY, NEVER, "WzFd", "nonsense"] {
        invalid_fields(world.list(ask(Updated, cursor)).await, &["cursor"]);
    }
    let (names, _) = world.list(ask(Usage, BEYOND_ANY_METER)).await.unwrap();
    assert!(names.is_empty());
}

#[tokio::test]
async fn list_first_page_has_the_number_of_matches() {
    let world = World::new().await;
    assert_eq!(
        whole(&world, v1::ListEquipmentRequest::default())
            .await
            .matching,
        Some(0)
    );
    fleet(
        &world,
        [
            used("a late", 150.0),
            used("b late", 120.0),
            named("c"),
            named("d late"),
        ],
    )
    .await;
    let ask = |status: i32, search: &str, limit: u32, cursor: &str| v1::ListEquipmentRequest {
        status,
        search: search.to_owned(),
        page: Some(page(limit, cursor)),
        ..Default::default()
    };
    for (status, search, matching) in [
        (0, "", 4),
        (4, "", 2),
        (1, "", 2),
        (0, "LATE", 3),
        (4, "b la", 1),
        (2, "", 0),
    ] {
        for limit in [0, 1, 2, 4, 500] {
            let answer = whole(&world, ask(status, search, limit, "")).await;
            assert_eq!(
                answer.matching,
                Some(matching),
                "{status} {search:?} {limit}"
            );
        }
    }
    let first = whole(&world, ask(0, "", 1, "")).await;
    let cursor = first.page.unwrap().next_cursor;
    for limit in [0, 1] {
        let second = whole(&world, ask(0, "", limit, &cursor)).await;
        assert_eq!(second.matching, None);
        assert_eq!(second.equipment[0].name, "b late");
    }
}

/// A company of 3,000 machines among 500 small ones, in a vacuumed table.
async fn fill_companies(world: &World) {
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let fill = "INSERT INTO equipment (
            company_id, id, name, kind, unit, initial_usage, current_usage, alert_threshold, fuel,
            description, added_at, updated_at
        )
        SELECT company.id, gen_random_uuid(), 'Machine ' || number, 'tools', 'hours', 0, 0, 20,
            'n/a', '', now(), now()
        FROM (
            SELECT $1 AS id, 3000 AS size
            UNION ALL
            SELECT gen_random_uuid(), 10
            FROM generate_series(1, 500)
        ) company, generate_series(1, company.size) number
        ORDER BY random()";
    let fill = sqlx::query(fill).bind(world.owner.company_id);
    fill.execute(&mut admin).await.unwrap();
    world.vacuum().await;
}

#[tokio::test]
async fn list_selects_and_counts_by_index_only_scans() {
    let world = World::with_own_database().await;
    fill_companies(&world).await;
    let first = |message: v1::ListEquipmentRequest| v1::ListEquipmentRequest {
        page: Some(page(20, "")),
        ..message
    };
    let late = v1::ListEquipmentRequest {
        status: v1::ServiceStatus::Overdue.into(),
        ..Default::default()
    };
    let typed = v1::ListEquipmentRequest {
        r#type: v1::EquipmentType::Tools.into(),
        search: "MACHINE 29".to_owned(),
        ..ordered(v1::EquipmentOrder::Name, true)
    };
    let urgent = ordered(v1::EquipmentOrder::Urgency, false);
    for (message, matching) in [
        (v1::ListEquipmentRequest::default(), 3000),
        (late, 0),
        (typed, 159),
        (urgent, 3000),
    ] {
        let answer = whole(&world, first(message)).await;
        assert_eq!(answer.matching, Some(matching));
    }
    let request = as_person(Service::Equipment, &world.owner, v1::GetSummaryRequest {});
    let summary = fold(world.client().get_summary(request).await).unwrap();
    assert_eq!((summary.total, summary.good), (3000, 3000));
    world.marker().await;

    // Sessions report their statistics when they end.
    world.database.database.close().await;
    let mut admin = connect_admin(&world.database.admin_url).await.unwrap();
    let counted = "SELECT
            sum(i.idx_scan)::bigint,
            sum(i.idx_tup_fetch)::bigint,
            (SELECT seq_scan FROM pg_stat_user_tables t WHERE t.relname = 'equipment')
        FROM pg_stat_user_indexes i
        WHERE i.indexrelname IN ('equipment_with_status', 'equipment_versions')";
    let before_settling: i64 = 1;
    for _ in 0..50 {
        let (scans, fetched, whole): (i64, i64, i64) =
            sqlx::query_as(counted).fetch_one(&mut admin).await.unwrap();
        assert!(
            fetched == 0 && whole <= before_settling,
            "{fetched} {whole}"
        );
        if scans >= 9 {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the index was not used by all of them");
}
