//! Complete bodies of the equipment calls.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::product::{Product, id, masked};

fn expected(changes: &Value) -> Value {
    let mut row = json!({
        "id": "<id>", "userId": "<id>", "name": "Excavator 320", "type": "machinery",
        "serialNumber": null, "unitNumber": null, "unit": "hours", "currentUsage": 100, "threshold": null,
        "fuelType": "diesel", "alertThreshold": 20, "serviceInterval": 250,
        "lastServiceUsage": 100, "totalFuelUsed": 0, "totalGasUsed": 0, "totalDieselUsed": 0,
        "hasScheduledMaintenance": false, "maintenanceStartDate": null,
        "maintenanceInterval": null, "maintenanceIntervalUnit": "months",
        "nextMaintenanceDate": null, "serviceParts": [], "description": null,
        "dateAdded": "<time>", "lastUpdated": "<time>", "serviceStatus": "good",
        "overallStatus": "normal", "badge": "good", "usagePercent": 0,
        "daysUntilMaintenance": null, "critical": false, "severelyCritical": false,
        "lifespanPercent": null, "lifespanAlert": false, "nextServiceDueUsage": 350,
        "remainingUsage": 250, "urgentTask": null, "moreTasks": 0, "missedRounds": 0,
        "snoozedTasks": [], "version": 1,
    });
    let meter = json!({
        "meterReading": 100, "meterReadAt": "<time>", "usualDailyUse": null, "usualFill": null,
        "group": null, "operationalStatus": "in_use", "meterAgeDays": 0, "stale": false, "projectedDueDate": null,
        "projectedDueEarliest": null, "projectedDueLatest": null, "projectedDueTask": null,
        "missedTask": null,
    });
    let fields = row.as_object_mut().expect("an object");
    fields.extend(meter.as_object().expect("an object").clone());
    for (name, value) in changes.as_object().expect("an object") {
        assert!(row.get(name).is_some(), "{name}");
        row[name] = value.clone();
    }
    row
}

#[tokio::test]
async fn equipment_has_every_field() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let row = owner.machine("Excavator 320").await;
    let row = json!({"version": row["version"], "row": masked(&row)});
    assert_eq!(row["row"], expected(&json!({"version": row["version"]})));

    let count = owner.get("/api/equipment/count").await.expect(200);
    assert_eq!(count, json!({"count": 1, "limit": 15}));
    let list = owner.get("/api/equipment").await.expect(200);
    assert_eq!(masked(&list[0]), row["row"]);
}

#[tokio::test]
async fn patch_sets_and_clears_fields() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let row = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&row));
    let change = json!({
        "serialNumber": "CAT-1", "unitNumber": "EX-7", "group": " Crew North ", "threshold": 1000.5,
        "hasScheduledMaintenance": true,
        "maintenanceStartDate": "2020-01-31T10:00:00.000Z", "maintenanceInterval": 1,
        "maintenanceIntervalUnit": "months", "nextMaintenanceDate": "2099-01-01",
        "description": "Yellow", "version": row["version"], "unknown": {"deep": [1]},
    });
    let changed = owner.patch(&path, change.clone()).await.expect(200);
    assert_eq!(changed["serialNumber"], "CAT-1");
    assert_eq!(changed["unitNumber"], "EX-7");
    assert_eq!(changed["group"], "Crew North");
    assert_eq!(changed["threshold"], 1000.5);
    assert_eq!(changed["maintenanceStartDate"], "2020-01-31");
    assert_eq!(changed["nextMaintenanceDate"], "2020-02-29");
    assert_eq!(changed["badge"], "maintenance_overdue");
    assert_eq!(changed["overallStatus"], "overdue");
    assert!(changed["version"].as_u64() > row["version"].as_u64());

    let stale = owner.patch(&path, change).await;
    assert_eq!(stale.error(409), "STALE");

    for (field, text) in [
        ("threshold", "Must be 1 or more."),
        (
            "maintenanceInterval",
            "Must be a whole number of 1 or more.",
        ),
    ] {
        let zero = owner.patch(&path, json!({field: 0})).await;
        assert_eq!(zero.expect(400)["fields"][field], text);
    }
    let unchanged = owner.get(&path).await.expect(200);
    assert_eq!(unchanged, changed);

    let clear = json!({
        "serialNumber": null, "unitNumber": null, "group": null, "threshold": null,
        "hasScheduledMaintenance": false,
        "description": null, "name": null,
    });
    let cleared = owner.patch(&path, clear).await.expect(200);
    let version = &cleared["version"];
    assert_eq!(masked(&cleared), expected(&json!({"version": version})));
}

#[tokio::test]
async fn patch_accepts_a_fetched_row() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let premium = product.professional(&owner);
    let path = |row: &Value| format!("/api/equipment/{}", id(row));
    let plain = owner.machine("Plain").await;
    let replaced = owner.machine("Replaced").await;
    let meter = json!({"kind": "replaced", "finalReading": 5000, "startReading": 0, "reading": 50});
    let meters = format!("{}/replace-meter", path(&replaced));
    owner.post_as(&meters, meter).await.expect(200);
    let body = json!({
        "name": "Scheduled", "type": "vehicle", "unit": "miles", "meterReading": 10.25,
        "fuelType": "gasoline", "hasScheduledMaintenance": true, "threshold": 1000.5,
        "maintenanceStartDate": "2020-01-31", "maintenanceInterval": 1, "unitNumber": "V-1",
        "group": "Site 12",
        "serialNumber": "S-1", "description": "Two\nlines",
        "serviceParts": [{"part": "Filter", "partNumber": "F-1", "qty": 2}, {"part": "Belt"}],
    });
    let scheduled = premium.post_as("/api/equipment", body).await.expect(201);
    let tool = json!({"name": "Tool", "type": "tools", "unit": "n/a", "lastServiceUsage": null});
    let tool = owner.post_as("/api/equipment", tool).await.expect(201);
    let unread = json!({
        "name": "Unread", "type": "machinery", "unit": "hours", "serviceInterval": 250,
    });
    let unread = owner.post_as("/api/equipment", unread).await.expect(201);
    assert_eq!(
        json!([unread["meterReading"], unread["meterReadAt"]]),
        json!([0, null])
    );
    for row in [plain, replaced, scheduled, tool, unread] {
        let row = owner.get(&path(&row)).await.expect(200);
        // Also without the plan that the parts were entered with.
        for person in [&premium, &owner] {
            assert_eq!(
                person.patch(&path(&row), row.clone()).await.expect(200),
                row
            );
        }
    }
}

#[tokio::test]
async fn post_of_a_fetched_row_that_was_never_read_is_never_read() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = json!({"name": "Unread", "type": "machinery", "unit": "hours"});
    let made = owner.post_as("/api/equipment", body).await.expect(201);
    let mut row = owner
        .get(&format!("/api/equipment/{}", id(&made)))
        .await
        .expect(200);
    let copy = owner
        .post_as("/api/equipment", row.clone())
        .await
        .expect(201);
    assert_eq!(copy["meterReadAt"], Value::Null);
    // Another value is a reading.
    row["meterReading"] = json!(12);
    row["currentUsage"] = json!(12);
    let read = owner.post_as("/api/equipment", row).await.expect(201);
    assert_ne!(read["meterReadAt"], Value::Null);
}

#[tokio::test]
async fn parts_need_a_name() {
    let product = Product::new().await;
    let owner = product.professional(&product.owner("Acme").await);
    let path = format!("/api/equipment/{}", id(&owner.machine("A").await));
    for nameless in [json!({"partNumber": "F-1"}), json!({"part": " ", "qty": 2})] {
        let body = json!({"serviceParts": [{"part": "Filter"}, nameless]});
        let refused = owner.patch(&path, body).await.expect(400);
        assert_eq!(
            refused["fields"]["serviceParts[1].part"],
            "Part name is required"
        );
    }
    let body = json!({"serviceParts": [{"part": ""}, {"part": "Filter"}, {}]});
    let row = owner.patch(&path, body).await.expect(200);
    assert_eq!(row["serviceParts"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn patch_clears_what_null_and_empty_text_clear() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let row = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&row));
    assert_eq!(row["lastServiceUsage"], 100);
    for empty in [json!(null), json!("")] {
        let body = json!({"lastServiceUsage": 50, "serviceInterval": 200, "threshold": 900});
        owner.patch(&path, body).await.expect(200);
        let body = json!({"lastServiceUsage": empty});
        let cleared = owner.patch(&path, body).await.expect(200);
        assert_eq!(cleared["lastServiceUsage"], Value::Null);
        assert_eq!(cleared["usagePercent"], 50);
        let body = json!({
            "serviceInterval": empty, "threshold": empty, "maintenanceInterval": empty,
            "maintenanceStartDate": empty,
        });
        let cleared = owner.patch(&path, body).await.expect(200);
        let fields = ["serviceInterval", "threshold", "usagePercent"].map(|name| &cleared[name]);
        assert_eq!(json!(fields), json!([0, null, null]));
    }
    // At creation both are the same as omitted.
    let body = json!({
        "name": "Copy", "type": "machinery", "unit": "hours", "currentUsage": 7,
        "serviceInterval": 250, "lastServiceUsage": null, "maintenanceInterval": "",
        "threshold": "", "maintenanceStartDate": "",
    });
    let copy = owner.post_as("/api/equipment", body).await.expect(201);
    assert_eq!(copy["lastServiceUsage"], 7);
}

#[tokio::test]
async fn list_filters_by_operational_status_age_and_projected_due_date() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let shop = owner.machine("In shop").await;
    let path = format!("/api/equipment/{}", id(&shop));
    let change = json!({"operationalStatus": "in_shop", "version": shop["version"]});
    let changed = owner.patch(&path, change).await.expect(200);
    assert_eq!(changed["operationalStatus"], "in_shop");
    let overdue = owner.machine("Overdue").await;
    let path = format!("/api/equipment/{}/usage", id(&overdue));
    let used = owner.patch(&path, json!({"usageIncrease": 300})).await;
    let used = used.expect(200);
    let today = &used["projectedDueDate"];
    assert!(today.is_string());
    assert_eq!(&used["projectedDueLatest"], today);
    assert_eq!(used["projectedDueTask"]["name"], Value::Null);
    assert_eq!(used["projectedDueTask"]["byCalendar"], false);
    assert_eq!(used["projectedDueTask"]["remainingUsage"], 0);

    for (query, names) in [
        ("operationalStatus=in_shop", &["In shop"][..]),
        ("stale=true", &[]),
        ("stale=false&order=due", &["Overdue", "In shop"]),
        ("dueWithin=0", &["Overdue"]),
    ] {
        let rows = owner
            .get(&format!("/api/equipment?{query}"))
            .await
            .expect(200);
        let found: Vec<_> = rows.as_array().expect("a list").iter().collect();
        let found: Vec<_> = found.iter().map(|row| row["name"].as_str()).collect();
        let names: Vec<_> = names.iter().map(|name| Some(*name)).collect();
        assert_eq!(found, names, "{query}");
    }
    for query in ["operationalStatus=broken", "stale=perhaps", "dueWithin=-1"] {
        let refused = owner.get(&format!("/api/equipment?{query}")).await;
        assert_eq!(refused.status.as_u16(), 400, "{query}");
    }
}

#[tokio::test]
async fn lists_filter_and_page() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for name in ["bravo", "Alpha", "Charlie"] {
        owner.machine(name).await;
    }
    let names = |list: &Value| -> Vec<String> {
        let rows = list.as_array().expect("a list").iter();
        rows.map(|row| row["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = owner.get("/api/equipment").await;
    assert_eq!(names(&all.expect(200)), ["Alpha", "bravo", "Charlie"]);
    assert_eq!(all.header("x-next-cursor"), "");
    let first = owner.get("/api/equipment?limit=2").await;
    assert_eq!(names(&first.expect(200)), ["Alpha", "bravo"]);
    let cursor = first.header("x-next-cursor");
    let rest = owner
        .get(&format!("/api/equipment?limit=2&cursor={cursor}"))
        .await;
    assert_eq!(names(&rest.expect(200)), ["Charlie"]);
    assert_eq!(rest.header("x-next-cursor"), "");

    for (query, found) in [
        ("status=good", 3),
        ("status=all&type=machinery", 3),
        ("status=approaching", 0),
        ("status=approaching_service", 0),
        ("status=due", 0),
        ("status=time_for_service", 0),
        ("status=overdue", 0),
        ("type=vehicle", 0),
        ("search=ALPH", 1),
        ("order=&descending=", 3),
        ("status=&type=&search=", 3),
    ] {
        let list = owner.get(&format!("/api/equipment?{query}")).await;
        assert_eq!(names(&list.expect(200)).len(), found, "{query}");
    }
    let in_order = async |query: &str| {
        let list = owner.get(&format!("/api/equipment?{query}")).await;
        names(&list.expect(200))
    };
    let alpha = format!("/api/equipment/{}/usage", id(&all.json()[0]));
    let usage = json!({"usageIncrease": 250});
    owner.patch(&alpha, usage).await.expect(200);
    // The same as a whole and as a page.
    for (query, expected) in [
        ("order=usage", ["bravo", "Charlie", "Alpha"]),
        ("order=usage&descending=true", ["Alpha", "bravo", "Charlie"]),
        ("order=urgency", ["Alpha", "bravo", "Charlie"]),
        (
            "order=urgency&descending=true",
            ["bravo", "Charlie", "Alpha"],
        ),
        (
            "order=updated&descending=true",
            ["Alpha", "bravo", "Charlie"],
        ),
    ] {
        assert_eq!(in_order(query).await, expected, "{query}");
        let page = in_order(&format!("{query}&limit=3")).await;
        assert_eq!(page, expected, "{query}");
    }
    for (query, field) in [
        ("status=fine", "status"),
        ("type=boat", "type"),
        ("order=size", "order"),
        ("order=Name", "order"),
        ("descending=yes", "descending"),
        ("descending=1", "descending"),
        ("limit=x", "limit"),
        ("limit=-1", "limit"),
        ("limit=501", "limit"),
        ("limit=1&cursor=zzz", "cursor"),
    ] {
        let reply = owner.get(&format!("/api/equipment?{query}")).await;
        assert!(reply.expect(400)["fields"][field].is_string(), "{query}");
    }
}

#[tokio::test]
async fn usage_accepts_three_forms() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = format!("/api/equipment/{}/usage", id(&owner.machine("A").await));
    for (body, usage, fuel) in [
        (json!({"usageIncrease": 0.1}), 100.1, 0.0),
        (json!({"additionalUsage": 0.2}), 100.3, 0.0),
        (json!({"currentUsage": 101}), 101.0, 0.0),
        (json!({"fuelAdded": 5, "fuelType": "gas"}), 101.0, 5.0),
    ] {
        let row = owner.patch(&path, body.clone()).await.expect(200);
        assert_eq!(row["currentUsage"].as_f64(), Some(usage), "{body}");
        assert_eq!(row["totalGasUsed"].as_f64(), Some(fuel), "{body}");
    }
    for (body, field) in [
        (
            json!({"usageIncrease": 1, "currentUsage": 200}),
            "currentUsage",
        ),
        (json!({"currentUsage": 100}), "currentUsage"),
        (json!({"usageIncrease": "1"}), "usageIncrease"),
        (json!({"usageIncrease": 0.001}), "usageIncrease"),
        (
            json!({"usageIncrease": 1, "fuelType": "petrol"}),
            "fuelType",
        ),
    ] {
        let reply = owner.patch(&path, body.clone()).await;
        assert!(
            reply.expect(400)["fields"][field].is_string(),
            "{body}: {}",
            reply.text()
        );
    }
}

#[tokio::test]
async fn history_is_sorted_and_filtered() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let (machine, other) = (owner.machine("A").await, owner.machine("B").await);
    let usage = format!("/api/equipment/{}/usage", id(&machine));
    let entered = owner.patch(&usage, json!({"usageIncrease": 1})).await;
    entered.expect(200);
    product
        .clock
        .set(product.clock.now() + TimeDelta::minutes(1));
    let captured = product.clock.now() - TimeDelta::days(2);
    let report = json!({
        "equipmentId": id(&machine), "fuelAdded": 5, "fuelType": "diesel", "capturedAt": captured,
    });
    let report = operator.post_as("/api/operator-updates", report).await;
    let report = report.expect(201);
    let apply = format!("/api/operator-updates/{}/apply", id(&report));
    owner.post_as(&apply, json!({})).await.expect(200);
    let day = captured.with_timezone(&chrono_tz::America::Mexico_City);
    let day = day.format("from=%Y-%m-%d&to=%Y-%m-%d");
    let people = owner.get("/api/employees").await.expect(200);
    let person = |role: &str| {
        let people = people.as_array().expect("a list").iter();
        let found = people.clone().find(|person| person["role"] == role);
        id(found.expect("a person"))
    };
    let (mine, theirs) = (person("owner"), person("operator"));
    let (one, two) = (id(&machine), id(&other));
    // The fuel of each entry.
    let cases: [(String, &[f64]); 9] = [
        (String::new(), &[5.0, 0.0]),
        ("order=recorded".to_owned(), &[5.0, 0.0]),
        ("order=captured".to_owned(), &[0.0, 5.0]),
        (format!("order=captured&{day}"), &[5.0]),
        (format!("order=recorded&{day}"), &[]),
        (format!("personId={mine}"), &[0.0]),
        (format!("personId={theirs}"), &[5.0]),
        (format!("equipmentId={one}"), &[5.0, 0.0]),
        (format!("equipmentId={two}"), &[]),
    ];
    for (query, expected) in cases {
        for paging in ["", "&limit=10"] {
            let path = format!("/api/equipment-history?{query}{paging}");
            let found = owner.get(&path).await.expect(200);
            let rows = found.as_array().expect("a list").iter();
            let fuel: Vec<_> = rows.filter_map(|row| row["fuelAdded"].as_f64()).collect();
            assert_eq!(fuel, expected, "{query}{paging}");
        }
    }
    let first = "/api/equipment-history?order=captured&limit=1";
    let cursor = owner.get(first).await.header("x-next-cursor").to_owned();
    let next = owner.get(&format!("{first}&cursor={cursor}")).await;
    assert_eq!(next.expect(200)[0]["fuelAdded"], 5);
    let history = format!("/api/equipment/{one}/history");
    for (query, field) in [
        ("order=newest", "order"),
        ("from=x", "from"),
        ("from=2026-01-02&to=2026-01-01", "from"),
        ("personId=x", "personId"),
    ] {
        for path in ["/api/equipment-history", &history] {
            let refused = owner.get(&format!("{path}?limit=1&{query}")).await;
            assert!(refused.expect(400)["fields"][field].is_string(), "{query}");
        }
    }
}

#[tokio::test]
async fn notes_history_and_exports_have_every_field() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    let note = json!({"content": "Check the boom", "type": "maintenance"});
    let note = owner
        .post_as(&format!("{path}/notes"), note)
        .await
        .expect(201);
    let expected_note = json!({
        "id": "<id>", "equipmentId": "<id>", "content": "Check the boom",
        "type": "maintenance", "authorName": "Olivia Owner", "voided": null,
        "createdAt": "<time>",
    });
    assert_eq!(masked(&note), expected_note);
    let notes = owner.get(&format!("{path}/notes")).await.expect(200);
    assert_eq!(notes, json!([note]));

    let usage =
        json!({"usageIncrease": 2.5, "fuelAdded": 10, "fuelType": "diesel", "notes": "Tank"});
    owner
        .patch(&format!("{path}/usage"), usage)
        .await
        .expect(200);
    let history = owner.get("/api/equipment-history?limit=1").await;
    assert_ne!(history.header("x-next-cursor"), "");
    let history = history.expect(200);
    let expected_record = json!({
        "id": "<id>", "equipmentId": "<id>", "equipmentName": "Excavator 320", "kind": "usage",
        "type": "update", "noteType": "usage_update", "operatorName": "Olivia Owner", "usage": 102.5,
        "fuelAdded": 10, "fuelType": "diesel", "fullFill": false, "content": "Tank", "createdAt": "<time>",
        "fromOperator": false, "reading": null, "unit": "hours", "taskName": null, "performedOn": null,
        "cost": null, "notes": null, "replaces": null, "meterReplacement": null, "voided": null, "correction": null, "capturedAt": "<time>",
        "usageBefore": 100, "fuelPeriod": 0,
    });
    assert_eq!(masked(&history), json!([expected_record]));
    let one = owner.get(&format!("{path}/history")).await.expect(200);
    let all = owner.get("/api/equipment-history/export").await.expect(200);
    assert_eq!(one, all);
    let types: Vec<_> = all
        .as_array()
        .expect("a list")
        .iter()
        .map(|r| &r["type"])
        .collect();
    assert_eq!(types, ["update", "note"]);

    let fuel = owner.get("/api/fuel-usage/export").await.expect(200);
    let expected_fuel = json!([{
        "date": "<time>", "equipmentId": "<id>", "equipmentName": "Excavator 320", "group": null,
        "operatorName": "Olivia Owner", "fuelType": "diesel", "fuelAdded": 10, "fullFill": false, "notes": "Tank", "period": 0,
    }]);
    assert_eq!(masked(&fuel), expected_fuel);

    let retired = owner
        .post_as(&format!("{path}/retire"), json!({}))
        .await
        .expect(200);
    let expected_retired = json!({
        "id": "<id>", "originalEquipmentId": "<id>", "userId": "<id>", "name": "Excavator 320",
        "type": "machinery", "serialNumber": null, "unitNumber": null, "group": null, "unit": "hours", "finalUsage": 102.5,
        "threshold": null, "fuelType": "diesel", "serviceInterval": 250, "lastServiceUsage": 100,
        "totalFuelUsed": 10, "totalGasUsed": 0, "totalDieselUsed": 10, "description": null,
        "retirementNotes": null, "retiredBy": "Olivia Owner", "originalDateAdded": "<time>",
        "retiredAt": "<time>",
    });
    assert_eq!(masked(&retired), expected_retired);
}

#[tokio::test]
async fn list_filters_by_group() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (name, group) in [
        ("Loader", json!("Site 12")),
        ("Truck", json!(null)),
        ("Saw", json!("")),
    ] {
        let body = json!({"name": name, "type": "other", "unit": "n/a", "group": group});
        let made = owner.post_as("/api/equipment", body).await.expect(201);
        let stored = if name == "Loader" { group } else { json!(null) };
        assert_eq!(made["group"], stored);
    }
    for (query, expected) in [
        ("?group=Site%2012", json!(["Loader"])),
        ("?group=Site", json!([])),
        ("?ungrouped=true", json!(["Saw", "Truck"])),
        ("?group=&ungrouped=false", json!(["Loader", "Saw", "Truck"])),
    ] {
        let found = owner
            .get(&format!("/api/equipment{query}"))
            .await
            .expect(200);
        let rows = found.as_array().expect("a list").iter();
        let names: Vec<&Value> = rows.map(|row| &row["name"]).collect();
        assert_eq!(json!(names), expected, "{query}");
    }
}

#[tokio::test]
async fn saved_equipment_warns_of_duplicates() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let first = owner.machine("Loader").await;
    assert!(first.get("warnings").is_none());
    let again = owner.machine("loader").await;
    assert_eq!(
        again["warnings"],
        json!([{
            "field": "name", "code": "SAME_NAME",
            "message": "There is already equipment named Loader.", "parameters": {"name": "Loader"},
        }])
    );
    let path = format!("/api/equipment/{}", id(&again));
    let renamed = owner.patch(&path, json!({"name": "LOADER"})).await;
    assert_eq!(renamed.expect(200)["warnings"][0]["code"], "SAME_NAME");
}
