//! Task sets.

use serde_json::json;

use crate::product::{Product, id, masked};

#[tokio::test]
async fn task_sets_can_be_created_changed_applied_and_deleted() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Excavator 320").await);
    let set = owner.task_set("Excavators").await;
    let item = json!({
        "id": "<id>", "name": "Grease", "usageInterval": 50, "calendarInterval": null,
        "calendarUnit": "months", "basis": "last_done", "warningPercent": null,
        "warningUsage": null, "warningDays": null,
    });
    let row = json!({
        "id": "<id>", "name": "Excavators", "unit": "hours", "items": [item], "revision": 1,
        "machines": 0, "outdatedMachines": 0,
    });
    assert_eq!(masked(&set), row);
    let path = format!("/api/task-sets/{}", id(&set));

    let apply = json!({"equipmentIds": [machine]});
    let applied = owner.post_as(&format!("{path}/apply"), apply).await;
    let applied = applied.expect(200);
    let outcome = json!([{
        "taskSetId": "<id>", "taskSetName": "Excavators", "equipmentId": "<id>",
        "equipmentName": "Excavator 320", "ok": true, "message": null, "code": null,
        "changes": [
            {"kind": "added", "taskId": null, "before": null, "after": item, "lookalike": null},
        ],
        "assigned": false,
    }]);
    assert_eq!(masked(&applied), outcome);

    let items = json!([
        {"id": set["items"][0]["id"], "name": "Grease", "usageInterval": 40},
        {
            "name": "Inspection", "calendarInterval": 1, "calendarUnit": "years",
            "basis": "on_the_mark", "warningDays": 30,
        },
    ]);
    let change = json!({
        "name": "Excavators", "unit": "hours", "items": items, "expectedRevision": 1,
    });
    let changed = owner.put(&path, change.clone()).await.expect(200);
    assert_eq!([&changed["revision"], &changed["outdatedMachines"]], [2, 1]);
    assert_eq!(owner.put(&path, change).await.status, 409);
    assert_eq!(owner.get("/api/task-sets").await.expect(200)[0], changed);
    let preview = owner.get(&format!("{path}/preview")).await.expect(200);
    assert_eq!(preview[0]["changes"][0]["kind"], "changed");
    assert_eq!(preview[0]["changes"][0]["before"]["usageInterval"], 50);
    assert_eq!(preview[0]["changes"][1]["kind"], "added");
    assert_eq!(preview[0]["changes"][1]["after"]["basis"], "on_the_mark");
    assert_eq!(preview[0]["changes"][1]["after"]["warningDays"], 30);
    let by_type = format!("{path}/preview?type=vehicle&mode=reset");
    assert_eq!(owner.get(&by_type).await.expect(200), json!([]));
    let of_machine = format!("/api/equipment/{machine}/task-sets");
    assert_eq!(owner.get(&of_machine).await.expect(200), preview);

    assert_eq!(owner.delete(&path).await.status, 204);
    assert_eq!(owner.get(&of_machine).await.expect(200), json!([]));
    let tasks = format!("/api/equipment/{machine}/service-tasks");
    let tasks = owner.get(&tasks).await.expect(200);
    assert_eq!(tasks[1]["name"], "Grease");
}

#[tokio::test]
async fn task_sets_skip_and_keep_tasks_and_start_as_chosen() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let items = json!([
        {"name": "Grease", "usageInterval": 50}, {"name": "Filter", "usageInterval": 100},
    ]);
    let set = json!({"name": "Excavators", "unit": "hours", "items": items});
    let set = owner.post_as("/api/task-sets", set).await.expect(201);
    let apply = format!("/api/task-sets/{}/apply", id(&set));
    // Serviced at 100.
    let machine = async |name: &str| {
        let machine = id(&owner.machine(name).await);
        let usage = format!("/api/equipment/{machine}/usage");
        let used = owner.patch(&usage, json!({"usageIncrease": 20})).await;
        used.expect(200);
        machine
    };
    let tasks = async |machine: &str| {
        let tasks = format!("/api/equipment/{machine}/service-tasks");
        let tasks = owner.get(&tasks).await.expect(200);
        let tasks = tasks.as_array().expect("a list")[1..].iter();
        let tasks = tasks.map(|task| json!([task["name"], task["lastDoneUsage"], task["id"]]));
        tasks.collect::<Vec<_>>()
    };

    let first = machine("Excavator 320").await;
    let skips = json!([{"equipmentId": first, "itemId": set["items"][1]["id"]}]);
    let body = json!({"equipmentIds": [first], "skips": skips, "start": "last_service"});
    owner.post_as(&apply, body).await.expect(200);
    let found = tasks(&first).await;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0][0], &found[0][1]),
        (&json!("Grease"), &json!(100))
    );

    let second = machine("Excavator 330").await;
    let body = json!({"equipmentIds": [second], "start": "now"});
    owner.post_as(&apply, body).await.expect(200);
    let added = tasks(&second).await;
    assert_eq!(added.len(), 2);
    assert_eq!([&added[0][1], &added[1][1]], [120, 120]);
    let kept = &added[1];
    let body = json!({"equipmentIds": [second], "mode": "remove", "keepTaskIds": [kept[2]]});
    owner.post_as(&apply, body).await.expect(200);
    assert_eq!(tasks(&second).await, std::slice::from_ref(kept));
    let sets = format!("/api/equipment/{second}/task-sets");
    assert_eq!(owner.get(&sets).await.expect(200), json!([]));
}
