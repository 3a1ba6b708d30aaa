//! Service tasks, voided entries and single rows of the archive.

use serde_json::{Value, json};

use crate::product::{Browser, Product, id, masked};

async fn excavator() -> (Product, Browser, String) {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    (product, owner, format!("/api/equipment/{}", id(&machine)))
}

fn task(changes: &Value) -> Value {
    let mut row = json!({
        "id": "<id>", "equipmentId": "<id>", "name": "Grease", "fromForm": false,
        "usageInterval": 50, "lastDoneUsage": 100, "lastDoneOn": null,
        "calendarInterval": null, "calendarUnit": "months", "nextDueDate": null,
        "status": "good", "usagePercent": 0, "nextDueUsage": 150, "remainingUsage": 50,
        "daysUntilDue": null, "basis": "last_done", "firstDueUsage": null, "firstDueDate": null,
        "warningPercent": null, "warningUsage": null, "warningDays": null, "missedRounds": 0,
        "snooze": null, "projectedDueDate": null, "projectedByCalendar": false,
    });
    for (name, value) in changes.as_object().expect("an object") {
        assert!(row.get(name).is_some(), "{name}");
        row[name] = value.clone();
    }
    row
}

#[tokio::test]
async fn tasks_can_be_created_changed_completed_and_deleted() {
    let (_product, owner, path) = excavator().await;
    let tasks = format!("{path}/service-tasks");
    let form = json!({
        "name": null, "fromForm": true, "usageInterval": 250, "nextDueUsage": 350,
        "remainingUsage": 250,
    });
    let all = owner.get(&tasks).await.expect(200);
    assert_eq!(masked(&all), json!([task(&form)]));

    let body = json!({"name": "Grease", "usageInterval": 50});
    let grease = owner.post_as(&tasks, body).await.expect(201);
    assert_eq!(masked(&grease), task(&json!({})));
    assert_eq!(
        path,
        format!(
            "/api/equipment/{}",
            grease["equipmentId"].as_str().expect("an id")
        )
    );
    assert_eq!(owner.get(&path).await.expect(200)["moreTasks"], 1);

    let usage = json!({"usageIncrease": 45});
    let row = owner
        .patch(&format!("{path}/usage"), usage)
        .await
        .expect(200);
    assert_eq!(row["serviceStatus"], "approaching_service");
    let urgent = json!({
        "id": grease["id"], "name": "Grease", "status": "approaching_service",
        "nextDueUsage": 150, "remainingUsage": 5, "daysUntilDue": null,
    });
    assert_eq!(row["urgentTask"], urgent);

    let one = format!("{tasks}/{}", id(&grease));
    let change =
        json!({"calendarInterval": 2, "calendarUnit": "years", "lastDoneOn": "2026-11-01"});
    let changed = owner.patch(&one, change).await.expect(200);
    assert_eq!(
        [
            &changed["name"],
            &changed["nextDueDate"],
            &changed["calendarUnit"]
        ],
        ["Grease", "2028-11-01", "years"]
    );
    assert_eq!(changed["calendarInterval"], 2);
    let cleared = owner.patch(&one, json!({"calendarInterval": null})).await;
    let cleared = cleared.expect(200);
    assert_eq!(
        [&cleared["calendarInterval"], &cleared["nextDueDate"]],
        [&json!(null); 2]
    );

    let done = json!({"notes": "All nipples", "cost": 12.5, "meter": 146});
    let done = owner
        .post_as(&format!("{one}/done"), done)
        .await
        .expect(200);
    assert_eq!(
        [&done["lastDoneUsage"], &done["nextDueUsage"]],
        [&json!(146), &json!(196)]
    );
    assert_eq!(owner.get(&path).await.expect(200)["currentUsage"], 146);
    let history = owner.get(&format!("{path}/history")).await.expect(200);
    let service = history.as_array().expect("a list").iter();
    let service = service.filter(|row| row["taskName"] == "Grease");
    let service: Vec<_> = service.collect();
    assert_eq!(service.len(), 1, "{history}");
    assert_eq!(
        [&service[0]["cost"], &service[0]["noteType"]],
        [&json!(12.5), &json!("maintenance")]
    );
    assert!(service[0]["performedOn"].is_string());

    assert_eq!(owner.delete(&one).await.status, 204);
    assert_eq!(owner.delete(&one).await.status, 404);
    let left = owner.get(&tasks).await.expect(200);
    assert_eq!(left.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn tasks_have_rules_and_can_be_snoozed() {
    let (_product, owner, path) = excavator().await;
    let tasks = format!("{path}/service-tasks");
    // The meter shows 100.
    let body = json!({
        "name": "Grease", "usageInterval": 50, "basis": "on_the_mark", "warningUsage": 5,
    });
    let grease = owner.post_as(&tasks, body).await.expect(201);
    let expected = json!({
        "basis": "on_the_mark", "firstDueUsage": 150, "warningUsage": 5, "lastDoneUsage": null,
    });
    assert_eq!(masked(&grease), task(&expected));
    let one = format!("{tasks}/{}", id(&grease));
    let first = json!({"firstDueUsage": 25, "warningUsage": null, "warningPercent": 10});
    let late = owner.patch(&one, first).await.expect(200);
    assert_eq!(
        [
            &late["status"],
            &late["nextDueUsage"],
            &late["missedRounds"],
            &late["warningPercent"],
            &late["warningUsage"]
        ],
        [
            &json!("overdue"),
            &json!(25),
            &json!(1),
            &json!(10),
            &json!(null)
        ]
    );
    let again = owner.patch(&one, late.clone()).await.expect(200);
    assert_eq!(again, late);

    let snooze = json!({"untilUsage": 120, "reason": "Parts ordered"});
    let snoozed = owner
        .post_as(&format!("{one}/snooze"), snooze)
        .await
        .expect(200);
    assert_eq!(
        [
            &snoozed["snooze"]["untilUsage"],
            &snoozed["snooze"]["untilDate"],
            &snoozed["snooze"]["reason"],
            &snoozed["status"]
        ],
        [
            &json!(120),
            &json!(null),
            &json!("Parts ordered"),
            &json!("good")
        ]
    );
    let machine = owner.get(&path).await.expect(200);
    assert_eq!(machine["serviceStatus"], "good");
    assert_eq!(machine["snoozedTasks"][0]["name"], "Grease");
    assert_eq!(machine["snoozedTasks"][0]["untilUsage"], 120);
    for (body, field) in [
        (json!({"untilUsage": 130}), "reason"),
        (json!({"reason": "Later"}), "untilDate"),
        (json!({"reason": "Later", "untilUsage": 100}), "untilUsage"),
    ] {
        let refused = owner
            .post_as(&format!("{one}/snooze"), body)
            .await
            .expect(400);
        assert!(refused["fields"][field].is_string(), "{refused}");
    }
    let woken = owner.post_as(&format!("{one}/wake"), json!({})).await;
    assert_eq!(woken.expect(200)["snooze"], json!(null));
    let machine = owner.get(&path).await.expect(200);
    assert_eq!(
        ["serviceStatus", "missedRounds", "missedTask"].map(|name| &machine[name]),
        [&json!("overdue"), &json!(1), &json!("Grease")]
    );
}

#[tokio::test]
async fn form_task_takes_a_rule_and_leaves_the_rest_to_the_form() {
    let (_product, owner, path) = excavator().await;
    let tasks = format!("{path}/service-tasks");
    let form = owner.get(&tasks).await.expect(200)[0].clone();
    let one = format!("{tasks}/{}", id(&form));
    let change = owner.patch(&one, json!({"name": "Mine"})).await;
    assert_eq!(change.error(409), "FORM_TASK");
    assert_eq!(owner.delete(&one).await.error(409), "FORM_TASK");
    let rule = json!({"basis": "on_the_mark", "firstDueUsage": 400, "warningUsage": 5});
    let ruled = owner.patch(&one, rule).await.expect(200);
    assert_eq!(
        [
            &ruled["basis"],
            &ruled["nextDueUsage"],
            &ruled["warningUsage"]
        ],
        [&json!("on_the_mark"), &json!(400), &json!(5)]
    );
    let machine = owner.get(&path).await.expect(200);
    assert_eq!(machine["nextServiceDueUsage"], 400);
    let again = owner.patch(&one, ruled.clone()).await.expect(200);
    assert_eq!(again, ruled);
    let done = owner.post_as(&format!("{one}/done"), json!({})).await;
    assert_eq!(done.expect(200)["fromForm"], true);
}

#[tokio::test]
async fn invalid_tasks_return_field_errors() {
    let (_product, owner, path) = excavator().await;
    let tasks = format!("{path}/service-tasks");
    for (body, field) in [
        (json!({"usageInterval": 50}), "name"),
        (json!({"name": "", "usageInterval": 50}), "name"),
        (json!({"name": "A", "usageInterval": -1}), "usageInterval"),
        (json!({"name": "A", "usageInterval": 0.5}), "usageInterval"),
        (
            json!({"name": "A", "calendarInterval": 0}),
            "calendarInterval",
        ),
        (
            json!({"name": "A", "calendarInterval": 1.5}),
            "calendarInterval",
        ),
        (
            json!({"name": "A", "calendarInterval": 1, "calendarUnit": "weeks"}),
            "calendarUnit",
        ),
        (
            json!({"name": "A", "calendarInterval": 1, "lastDoneOn": "soon"}),
            "lastDoneOn",
        ),
        (
            json!({"name": "A", "usageInterval": 50, "basis": "never"}),
            "basis",
        ),
        (
            json!({"name": "A", "usageInterval": 50, "warningPercent": 100}),
            "warningPercent",
        ),
        (
            json!({"name": "A", "usageInterval": 50, "warningUsage": 50}),
            "warningUsage",
        ),
        (
            json!({"name": "A", "calendarInterval": 1, "warningDays": 1.5}),
            "warningDays",
        ),
        (
            json!({"name": "A", "calendarInterval": 1, "firstDueDate": "soon"}),
            "firstDueDate",
        ),
    ] {
        let reply = owner.post_as(&tasks, body.clone()).await;
        let error = reply.expect(400);
        assert!(error["fields"][field].is_string(), "{body}: {error}");
    }
    let left = owner.get(&tasks).await.expect(200);
    assert_eq!(left.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn voided_entry_stays_and_no_longer_counts() {
    let (_product, owner, path) = excavator().await;
    let usage =
        json!({"usageIncrease": 1000, "fuelAdded": 10, "fuelType": "diesel", "notes": "Typo"});
    owner
        .patch(&format!("{path}/usage"), usage)
        .await
        .expect(200);
    let history = format!("{path}/history");
    let entry = owner.get(&history).await.expect(200)[0].clone();
    let void = format!("{history}/{}/void", id(&entry));
    for reason in [json!({}), json!({"reason": " "}), json!({"reason": null})] {
        let refused = owner.post_as(&void, reason).await.expect(400);
        assert!(refused["fields"]["reason"].is_string(), "{refused}");
    }
    let voided = owner
        .post_as(&void, json!({"reason": "One nought too many"}))
        .await;
    let voided = voided.expect(200);
    let expected = json!({
        "reason": "One nought too many", "by": "Olivia Owner", "at": "<time>",
        "usageBefore": 1100, "usageAfter": 100, "replacedBy": null,
        "undone": false,
    });
    assert_eq!(masked(&voided["voided"]), expected);
    assert_eq!(voided["id"], entry["id"]);
    let again = owner.post_as(&void, json!({"reason": "Twice"})).await;
    assert_eq!(again.error(409), "ALREADY_VOIDED");

    let row = owner.get(&path).await.expect(200);
    assert_eq!(
        [&row["currentUsage"], &row["totalFuelUsed"]],
        [&json!(100), &json!(0)]
    );
    // Voided fuel is not exported; the history keeps all entries.
    assert_eq!(
        owner.get("/api/fuel-usage/export").await.expect(200),
        json!([])
    );
    let all = owner.get("/api/equipment-history/export").await.expect(200);
    assert_eq!(all[0], voided);
    let notes = owner.get(&format!("{path}/notes")).await.expect(200);
    assert_eq!(notes[0]["voided"], voided["voided"]);
}

#[tokio::test]
async fn writes_are_undone_by_the_returned_ids() {
    let (_product, owner, path) = excavator().await;
    let tasks = format!("{path}/service-tasks");
    let grease = json!({"name": "Grease", "usageInterval": 50});
    let grease = owner.post_as(&tasks, grease).await.expect(201);
    let before = owner.get(&tasks).await.expect(200);
    let usage = json!({"usageIncrease": 30, "fuelAdded": 10, "fuelType": "diesel"});
    let used = owner.patch(&format!("{path}/usage"), usage).await;
    let reset = format!("{path}/reset-service");
    let both = json!({"taskIds": [before[0]["id"], grease["id"]]});
    let serviced = owner.patch(&reset, both).await;
    let done = format!("{tasks}/{}/done", id(&grease));
    let done = owner.post_as(&done, json!({})).await;
    let note = json!({"content": "Squeaks"});
    let note = owner.post_as(&format!("{path}/notes"), note).await;
    let mut entries = vec![note.expect(201)["id"].clone()];
    for (reply, count) in [(done, 1), (serviced, 2), (used, 1)] {
        let ids = reply.expect(200)["entryIds"].clone();
        let ids = ids.as_array().expect("a list");
        assert_eq!(ids.len(), count);
        entries.extend(ids.iter().cloned());
    }
    for entry in &entries {
        let entry = entry.as_str().expect("an id");
        let void = format!("{path}/history/{entry}/void");
        owner
            .post_as(&void, json!({"reason": "Undone"}))
            .await
            .expect(200);
    }
    assert_eq!(owner.get(&tasks).await.expect(200), before);
    let row = owner.get(&path).await.expect(200);
    assert_eq!(
        ["currentUsage", "totalFuelUsed"].map(|name| &row[name]),
        [100, 0]
    );
}

#[tokio::test]
async fn retired_equipment_is_found_by_its_original_id() {
    let (_product, owner, path) = excavator().await;
    let equipment_id = path.rsplit('/').next().expect("an id");
    let one = format!("/api/retired-equipment/{equipment_id}");
    assert_eq!(owner.get(&one).await.status, 404);
    let retire = format!("{path}/retire");
    let retired = owner
        .post_as(&retire, json!({"retirementNotes": "Sold"}))
        .await;
    let retired = retired.expect(200);
    assert_eq!(owner.get(&one).await.expect(200), retired);
    // History and notes stay readable, but entries can't be voided.
    let history = owner.get(&format!("{path}/history")).await.expect(200);
    let void = format!("{path}/history/{}/void", id(&history[0]));
    let void = owner.post_as(&void, json!({"reason": "x"})).await;
    assert_eq!(void.error(409), "EQUIPMENT_RETIRED");
    let restore = format!("/api/retired-equipment/{}/restore", id(&retired));
    owner.post_as(&restore, json!({})).await.expect(200);
    assert_eq!(owner.get(&one).await.status, 404);
}

#[tokio::test]
async fn equipment_list_orders() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for (name, increase) in [("Alpha", 10), ("Bravo", 300), ("Charlie", 220)] {
        let path = format!("/api/equipment/{}/usage", id(&owner.machine(name).await));
        let usage = json!({"usageIncrease": increase});
        owner.patch(&path, usage).await.expect(200);
        product
            .clock
            .set(product.clock.now() + chrono::TimeDelta::seconds(1));
    }
    for (query, expected) in [
        ("", "ABC"),
        ("?order=name", "ABC"),
        ("?order=name&descending=true", "CBA"),
        ("?order=name&descending=false", "ABC"),
        ("?order=urgency", "BCA"),
        ("?order=urgency&descending=true", "ACB"),
        ("?order=usage", "ACB"),
        ("?order=usage&descending=true", "BCA"),
        ("?order=updated", "ABC"),
        ("?order=updated&descending=true", "CBA"),
        ("?order=usage&search=a&type=machinery", "ACB"),
    ] {
        let list = owner
            .get(&format!("/api/equipment{query}"))
            .await
            .expect(200);
        let names = list.as_array().expect("a list").iter();
        let initials: String = names
            .map(|row| &row["name"].as_str().expect("a name")[..1])
            .collect();
        assert_eq!(initials, expected, "{query}");
        // The same order, one row per page.
        let mut paged = String::new();
        let mut cursor = String::new();
        loop {
            let and = if query.is_empty() { "?" } else { "&" };
            let page = format!("/api/equipment{query}{and}limit=1&cursor={cursor}");
            let page = owner.get(&page).await;
            paged.push_str(&page.expect(200)[0]["name"].as_str().expect("a name")[..1]);
            cursor = page.header("x-next-cursor").to_owned();
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(paged, expected, "{query}");
    }
}

#[tokio::test]
async fn service_can_be_edited_in_the_history() {
    let (_product, owner, path) = excavator().await;
    let service = json!({"cost": 100, "notes": "Oil"});
    let reset = format!("{path}/reset-service");
    owner.patch(&reset, service).await.expect(200);
    let history = format!("{path}/history");
    let before = owner.get(&history).await.expect(200)[0].clone();
    let one = format!("{history}/{}", id(&before));
    let change = json!({"cost": 80.5, "performedAt": "2026-01-05"});
    let after = owner.patch(&one, change.clone()).await.expect(200);
    assert_eq!(
        [
            &after["cost"],
            &after["performedOn"],
            &after["notes"],
            &after["replaces"]
        ],
        [
            &json!(80.5),
            &json!("2026-01-05"),
            &json!("Oil"),
            &before["id"]
        ]
    );
    assert_eq!(owner.patch(&one, change).await.error(409), "STALE");
    let rows = owner.get(&history).await.expect(200);
    assert_eq!(rows[0], after);
    assert_eq!(rows[1]["voided"]["replacedBy"], after["id"]);
    let reason = rows[1]["voided"]["reason"].as_str().unwrap_or_default();
    assert!(
        reason.starts_with("Cost: $100.00 → $80.50; Performed on: "),
        "{reason}"
    );

    let one = format!("{history}/{}", id(&after));
    let future = owner
        .patch(&one, json!({"performedAt": "2190-01-01"}))
        .await;
    assert!(future.expect(400)["fields"]["performedAt"].is_string());
    let cleared = owner
        .patch(&one, json!({"cost": null, "notes": null}))
        .await;
    let cleared = cleared.expect(200);
    assert_eq!([&cleared["cost"], &cleared["notes"]], [&json!(null); 2]);
}
