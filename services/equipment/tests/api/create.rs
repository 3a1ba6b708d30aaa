use hourmeter_proto::equipment::v1;
use hourmeter_runtime::error::Kind;
use hourmeter_runtime::identity::{Entitlements, Identity, Service};
use hourmeter_runtime::testing::{self, as_person};

use crate::support::{World, fold, invalid_fields, named, parts, refused, with_usage};

pub fn with_plan(owner: &Identity, equipment_limit: i32, parts_entry: bool) -> Identity {
    Identity {
        entitlements: Entitlements {
            equipment_limit,
            parts_entry,
            ..owner.entitlements.clone()
        },
        ..owner.clone()
    }
}

#[tokio::test]
async fn create_minimal_gets_the_documented_defaults() {
    let world = World::new().await;
    let made = world.create(named("  Loader  ")).await.unwrap();
    let expected = v1::Equipment {
        id: made.id.clone(),
        owner_id: world.owner.owner_id.to_string(),
        name: "Loader".to_owned(),
        r#type: v1::EquipmentType::Machinery.into(),
        unit: v1::MeterUnit::Hours.into(),
        fuel: v1::EquipmentFuel::NotApplicable.into(),
        alert_threshold: 20,
        last_service_usage: Some(0.0),
        maintenance_interval_unit: v1::CalendarUnit::Months.into(),
        version: 1,
        date_added: made.date_added,
        last_updated: made.date_added,
        service_status: v1::ServiceStatus::Good.into(),
        overall_status: v1::OverallStatus::Normal.into(),
        badge: v1::Badge::Good.into(),
        operational_status: v1::OperationalStatus::InUse.into(),
        meter_age_days: Some(0),
        ..Default::default()
    };
    assert_eq!(made, expected);
    assert_eq!(
        made.date_added.unwrap().seconds,
        world.clock.now().timestamp()
    );
    assert_eq!(world.get(&made.id).await.unwrap(), made);
    assert_eq!(world.history(&made.id).await.unwrap(), []);
}

#[tokio::test]
async fn create_stores_every_field() {
    let world = World::new().await;
    let who = with_plan(&world.owner, 15, true);
    let input = v1::EquipmentInput {
        serial_number: Some(" VIN-1 ".to_owned()),
        current_usage: Some(4812.55),
        threshold: Some(10_000.0),
        fuel: Some(v1::EquipmentFuel::Diesel.into()),
        alert_threshold: Some(25),
        service_interval: Some(250.0),
        last_service_usage: Some(4600.5),
        has_scheduled_maintenance: Some(true),
        maintenance_start_date: Some("2026-01-31T23:00:00-05:00".to_owned()),
        maintenance_interval: Some(1),
        service_parts: Some(v1::ServiceParts {
            parts: vec![
                v1::ServicePart {
                    part: "Oil filter".to_owned(),
                    part_number: Some("OF-1".to_owned()),
                    quantity: Some(2),
                },
                v1::ServicePart::default(),
                v1::ServicePart {
                    part: "Belt".to_owned(),
                    part_number: Some(String::new()),
                    quantity: None,
                },
            ],
        }),
        description: Some("Yard 2\r\nkeys at the gate".to_owned()),
        ..named("Excavator")
    };
    let made = world.create_as(&who, input).await.unwrap();
    assert_eq!(made.serial_number.as_deref(), Some("VIN-1"));
    assert_eq!(made.maintenance_start_date, "2026-01-31");
    assert_eq!(made.next_maintenance_date, "2026-02-28");
    assert_eq!(made.days_until_maintenance, Some(-10));
    assert_eq!(made.usage_percent, Some(84.82));
    assert_eq!(made.lifespan_percent, Some(48.12));
    assert_eq!(made.next_service_due_usage, Some(4850.5));
    assert_eq!(made.remaining_usage, Some(37.95));
    assert_eq!(made.service_status(), v1::ServiceStatus::Overdue);
    assert_eq!(made.badge(), v1::Badge::ApproachingService);
    assert!(made.critical && made.severely_critical);
    assert_eq!(made.description, "Yard 2\nkeys at the gate");
    let stored: Vec<_> = made
        .service_parts
        .iter()
        .map(|row| (row.part.as_str(), row.part_number.as_deref(), row.quantity))
        .collect();
    assert_eq!(
        stored,
        [("Oil filter", Some("OF-1"), Some(2)), ("Belt", None, None)]
    );
    assert_eq!(world.get(&made.id).await.unwrap(), made);
}

#[tokio::test]
async fn create_interval_counts_from_current_usage_by_default() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        service_interval: Some(250.0),
        ..with_usage("A", 1000.5)
    };
    let made = world.create(input.clone()).await.unwrap();
    assert_eq!(made.last_service_usage, Some(1000.5));
    let input = v1::EquipmentInput {
        last_service_usage: Some(0.0),
        ..input
    };
    let made = world.create(input).await.unwrap();
    assert_eq!(made.last_service_usage, Some(0.0));
}

#[tokio::test]
async fn create_ignores_the_schedule_if_it_is_off() {
    let world = World::new().await;
    let input = v1::EquipmentInput {
        has_scheduled_maintenance: Some(false),
        maintenance_start_date: Some("2026-01-31".to_owned()),
        maintenance_interval: Some(1),
        ..named("A")
    };
    let made = world.create(input).await.unwrap();
    assert_eq!(made.maintenance_start_date, "");
    assert_eq!(
        (
            made.maintenance_interval,
            made.next_maintenance_date.as_str()
        ),
        (0, "")
    );
}

#[tokio::test]
async fn create_reports_all_missing_fields() {
    let world = World::new().await;
    let failure = invalid_fields(
        world.create(v1::EquipmentInput::default()).await,
        &["name", "type", "unit"],
    );
    assert_eq!(failure.message, "Name is required");
    let scheduled = v1::EquipmentInput {
        has_scheduled_maintenance: Some(true),
        ..named("A")
    };
    let failure = invalid_fields(
        world.create(scheduled).await,
        &["maintenanceStartDate", "maintenanceInterval"],
    );
    assert_eq!(
        failure.fields[0].1,
        "Maintenance start date is required when scheduled maintenance is enabled"
    );
    assert_eq!(
        failure.fields[1].1,
        "Maintenance interval is required when scheduled maintenance is enabled"
    );
}

type Edit = fn(&mut v1::EquipmentInput);

/// Each way in which one field can be invalid.
pub const WRONG: &[(&str, Edit)] = &[
    ("name", |input| input.name = Some("  ".to_owned())),
    ("name", |input| input.name = Some("x".repeat(201))),
    ("name", |input| input.name = Some("a\u{7}b".to_owned())),
    ("name", |input| input.name = Some("a\nb".to_owned())),
    ("type", |input| input.r#type = Some(0)),
    ("type", |input| input.r#type = Some(5)),
    ("type", |input| input.r#type = Some(-1)),
    ("unit", |input| input.unit = Some(0)),
    ("unit", |input| input.unit = Some(99)),
    ("serialNumber", |input| {
        input.serial_number = Some("1".repeat(101));
    }),
    ("serialNumber", |input| {
        input.serial_number = Some("a\0".to_owned());
    }),
    ("currentUsage", |input| input.current_usage = Some(-0.01)),
    ("currentUsage", |input| input.current_usage = Some(f64::NAN)),
    ("currentUsage", |input| {
        input.current_usage = Some(f64::INFINITY);
    }),
    ("currentUsage", |input| input.current_usage = Some(0.001)),
    ("currentUsage", |input| {
        input.current_usage = Some(1_000_000_000.01);
    }),
    ("threshold", |input| input.threshold = Some(0.99)),
    ("threshold", |input| input.threshold = Some(-1.0)),
    ("threshold", |input| input.threshold = Some(1.001)),
    ("threshold", |input| input.threshold = Some(f64::NAN)),
    ("fuelType", |input| input.fuel = Some(4)),
    ("alertThreshold", |input| input.alert_threshold = Some(0)),
    ("alertThreshold", |input| input.alert_threshold = Some(12)),
    ("alertThreshold", |input| input.alert_threshold = Some(30)),
    ("serviceInterval", |input| {
        input.service_interval = Some(0.5);
    }),
    ("serviceInterval", |input| {
        input.service_interval = Some(-1.0);
    }),
    ("serviceInterval", |input| {
        input.service_interval = Some(f64::NAN);
    }),
    ("serviceInterval", |input| {
        input.service_interval = Some(2e9);
    }),
    ("lastServiceUsage", |input| {
        input.last_service_usage = Some(-1.0);
    }),
    ("lastServiceUsage", |input| {
        input.last_service_usage = Some(1.234);
    }),
    ("maintenanceStartDate", |input| {
        input.maintenance_start_date = Some("soon".to_owned());
    }),
    ("maintenanceStartDate", |input| {
        scheduled(input, "1899-12-31", 1);
    }),
    ("maintenanceStartDate", |input| {
        scheduled(input, "2201-01-01", 1);
    }),
    ("maintenanceStartDate", |input| {
        scheduled(input, "2026-02-30", 1);
    }),
    ("maintenanceStartDate", |input| scheduled(input, "", 1)),
    ("maintenanceInterval", |input| {
        scheduled(input, "2026-01-01", 0);
    }),
    ("maintenanceInterval", |input| {
        scheduled(input, "2026-01-01", 2100);
    }),
    ("maintenanceInterval", |input| {
        scheduled(input, "2026-01-01", u32::MAX);
    }),
    ("maintenanceIntervalUnit", |input| {
        input.maintenance_interval_unit = Some(9);
    }),
    ("description", |input| {
        input.description = Some("x".repeat(5001));
    }),
    ("description", |input| {
        input.description = Some("a\u{202e}b".to_owned());
    }),
    ("serviceParts[0].part", |input| {
        input.service_parts = Some(parts(&["a\tb"]));
    }),
    ("serviceParts[1].part", |input| {
        input.service_parts = Some(parts(&["a", &"b".repeat(101)]));
    }),
    ("serviceParts[0].qty", |input| {
        let mut rows = parts(&["a"]);
        rows.parts[0].quantity = Some(0);
        input.service_parts = Some(rows);
    }),
    ("serviceParts[0].partNumber", |input| {
        let mut rows = parts(&["a"]);
        rows.parts[0].part_number = Some("1".repeat(101));
        input.service_parts = Some(rows);
    }),
    ("serviceParts", |input| {
        input.service_parts = Some(parts(&["a"; 101]));
    }),
];

fn scheduled(input: &mut v1::EquipmentInput, start: &str, interval: u32) {
    input.has_scheduled_maintenance = Some(true);
    input.maintenance_start_date = Some(start.to_owned());
    input.maintenance_interval = Some(interval);
}

#[tokio::test]
async fn create_invalid_fields_store_nothing() {
    let world = World::new().await;
    let who = with_plan(&world.owner, 15, true);
    for (field, edit) in WRONG {
        let mut input = named("A");
        edit(&mut input);
        invalid_fields(world.create_as(&who, input).await, &[field]);
    }
    assert_eq!(world.names().await, [""; 0]);
}

#[tokio::test]
async fn create_accepts_boundaries() {
    let world = World::new().await;
    let who = with_plan(&world.owner, -1, true);
    let edits: &[Edit] = &[
        |input| input.name = Some("ñ".repeat(200)),
        |input| input.serial_number = Some("1".repeat(100)),
        |input| input.current_usage = Some(1e9),
        |input| input.threshold = Some(1.0),
        |input| input.threshold = Some(0.0),
        |input| input.fuel = Some(0),
        |input| input.alert_threshold = Some(10),
        |input| input.service_interval = Some(1e9),
        |input| input.description = Some("x".repeat(5000)),
        |input| input.unit = Some(v1::MeterUnit::NotApplicable.into()),
        |input| scheduled(input, "1900-01-01", 1),
        |input| scheduled(input, "2200-11-30", 1),
        |input| input.service_parts = Some(parts(&["a"; 100])),
        |input| input.service_parts = Some(parts(&["", "  "])),
    ];
    for edit in edits {
        let mut input = named("A");
        edit(&mut input);
        world.create_as(&who, input).await.unwrap();
    }
}

#[tokio::test]
async fn create_parts_need_the_plan_feature() {
    let world = World::new().await;
    let input = |names: &[&str]| v1::EquipmentInput {
        service_parts: Some(parts(names)),
        ..named("A")
    };
    let answer = world.create(input(&["Filter"])).await;
    refused(answer, Kind::Forbidden, "FEATURE_NOT_IN_PLAN");
    world.create(input(&["", " "])).await.unwrap();
    let who = with_plan(&world.owner, 15, true);
    world.create_as(&who, input(&["Filter"])).await.unwrap();
}

#[tokio::test]
async fn create_beyond_the_limit_is_refused_with_the_limit() {
    let world = World::new().await;
    let two = with_plan(&world.owner, 2, false);
    world.create_as(&two, named("A")).await.unwrap();
    world.create_as(&two, named("B")).await.unwrap();
    let answer = world.create_as(&two, named("C")).await;
    let failure = refused(answer, Kind::Forbidden, "EQUIPMENT_LIMIT_REACHED");
    assert_eq!(
        failure.message,
        "You have reached your plan's limit of 2 pieces of equipment. \
         Upgrade your plan or remove equipment to add more."
    );
    // Limits are per company; negative is unlimited; 0 allows none.
    let other = testing::owner();
    world.create_as(&other, named("A")).await.unwrap();
    let unlimited = with_plan(&world.owner, -1, false);
    world.create_as(&unlimited, named("C")).await.unwrap();
    let none = with_plan(&testing::owner(), 0, false);
    let answer = world.create_as(&none, named("A")).await;
    refused(answer, Kind::Forbidden, "EQUIPMENT_LIMIT_REACHED");
}

#[tokio::test]
async fn create_concurrently_keeps_the_limit() {
    let world = World::new().await;
    for number in 0..14 {
        world
            .create(named(&format!("Machine {number}")))
            .await
            .unwrap();
    }
    world.warm_up().await;
    let racing = (0..8).map(|number| world.create(named(&format!("Racer {number}"))));
    let answers = futures::future::join_all(racing).await;
    let (passed, failed): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(passed.len(), 1);
    for answer in failed {
        refused(answer, Kind::Forbidden, "EQUIPMENT_LIMIT_REACHED");
    }
    assert_eq!(world.names().await.len(), 15);
}

#[tokio::test]
async fn create_and_update_warn_of_duplicates_among_active_equipment() {
    let world = World::new().await;
    let input = |name: &str, serial: &str| v1::EquipmentInput {
        serial_number: Some(serial.to_owned()),
        ..named(name)
    };
    let retired = world.create(input("Loader", "A1")).await.unwrap();
    world.retire(&retired.id, "").await.unwrap();
    let first = world.create(input("Loader", "A1")).await.unwrap();
    let create = async |input| {
        let message = v1::CreateEquipmentRequest {
            equipment: Some(input),
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        fold(world.client().create_equipment(request).await).unwrap()
    };
    let change = async |id: &str, input| {
        let message = v1::UpdateEquipmentRequest {
            id: id.to_owned(),
            equipment: Some(input),
            expected_version: None,
        };
        let request = as_person(Service::Equipment, &world.owner, message);
        let answer = fold(world.client().update_equipment(request).await).unwrap();
        let codes = answer.warnings.into_iter().map(|warning| warning.code);
        codes.collect::<Vec<_>>()
    };
    let made = create(input("loader", "a1")).await;
    let shown: Vec<_> = made
        .warnings
        .iter()
        .map(|warning| (warning.field.as_str(), warning.message.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("name", "There is already equipment named Loader."),
            ("serialNumber", "Loader has the same number.")
        ]
    );
    assert_eq!(made.warnings[1].parameters["name"], "Loader");
    let id = made.equipment.unwrap().id;
    assert!(change(&id, input("loader", "a1")).await.is_empty());
    assert!(change(&id, input("Digger", "B2")).await.is_empty());
    let both = ["SAME_NAME", "SAME_SERIAL_NUMBER"];
    assert_eq!(change(&id, input("LOADER", "A1")).await, both);
    assert!(change(&first.id, named("Crane")).await.is_empty());
}
