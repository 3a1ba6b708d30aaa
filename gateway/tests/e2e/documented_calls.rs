//! The documented calls, one test for each: method, path, fields of request and response. Their
//! rules are tested elsewhere.

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Value, json};

use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, Reply, id};

const EQUIPMENT: &str = "id userId name type serialNumber unitNumber group unit currentUsage threshold fuelType alertThreshold \
    serviceInterval lastServiceUsage totalFuelUsed totalGasUsed totalDieselUsed \
    hasScheduledMaintenance maintenanceStartDate maintenanceInterval maintenanceIntervalUnit \
    nextMaintenanceDate serviceParts description dateAdded lastUpdated serviceStatus \
    overallStatus badge usagePercent daysUntilMaintenance critical severelyCritical \
    lifespanPercent lifespanAlert nextServiceDueUsage remainingUsage urgentTask moreTasks \
    version meterReading meterReadAt usualDailyUse usualFill operationalStatus meterAgeDays stale \
    projectedDueDate projectedDueEarliest projectedDueLatest projectedDueTask \
    missedRounds missedTask snoozedTasks";
const NOTE: &str = "id equipmentId content type authorName voided createdAt";
const RECORD: &str = "id equipmentId equipmentName kind type noteType operatorName fromOperator usage usageBefore reading unit \
    fuelAdded fuelType fullFill fuelPeriod taskName performedOn cost content notes replaces meterReplacement voided correction capturedAt createdAt";
const FUEL_ROW: &str =
    "date equipmentId equipmentName group operatorName fuelType fuelAdded fullFill notes period";
const RETIRED: &str = "id originalEquipmentId userId name type serialNumber unitNumber group unit finalUsage threshold fuelType \
    serviceInterval lastServiceUsage totalFuelUsed totalGasUsed totalDieselUsed description \
    retirementNotes retiredBy originalDateAdded retiredAt";
const UPDATE: &str = "id equipmentId equipmentName operatorId operatorName newUsage fuelAdded fuelType notes \
    status createdAt clientId reviewedBy reviewedAt rejectReason belowCurrent flags \
    previousUsage capturedAt reportedEquipmentName applying appliedUsage late usageIncrease unit \
    takenBackReason takenBackBy takenBackAt fullFill appliedReading appliedFuel appliedFuelType meterReplacement setBack capturedOnDevice withdrawn";

/// Fails unless the object has exactly these fields.
#[track_caller]
fn assert_names(row: &Value, names: &str) {
    let fields = row.as_object().expect("an object").keys();
    let found: BTreeSet<&str> = fields.map(String::as_str).collect();
    assert_eq!(found, names.split_whitespace().collect());
}

/// Fails unless it is a list of this length with these fields.
#[track_caller]
fn assert_list(list: &Value, length: usize, names: &str) {
    let rows = list.as_array().expect("a list");
    assert_eq!(rows.len(), length, "{list}");
    for row in rows {
        assert_names(row, names);
    }
}

/// A company with one excavator: product, owner, excavator and its path.
async fn yard() -> (Product, Browser, Value, String) {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));
    (product, owner, machine, path)
}

/// A call without a body.
async fn bare(browser: &Browser, method: Method, path: &str) -> Reply {
    browser.call(method, path, None).await
}

#[tokio::test]
async fn get_api_auth_user() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let user = owner.get("/api/auth/user").await.expect(200);
    let names = "id companyId firstName lastName email secondaryEmail role businessName \
        profileImageUrl authType employeeId operatorUsername managerId \
        securityQuestionsSet secondFactorMissing fuelUnit language notices createdAt updatedAt";
    assert_names(&user, names);
    assert_eq!(
        (&user["role"], &user["firstName"]),
        (&json!("owner"), &json!("Olivia"))
    );
    // The client treats this as signed out.
    assert_eq!(product.visitor().get("/api/auth/user").await.status, 401);
}

#[tokio::test]
async fn get_api_equipment() {
    let (product, owner, machine, _) = yard().await;
    let operator = product.operator_of(&owner).await;
    for person in [&owner, &operator] {
        let list = person.get("/api/equipment").await.expect(200);
        assert_list(&list, 1, EQUIPMENT);
        assert_eq!(list[0]["id"], machine["id"]);
    }
    assert_eq!(product.visitor().get("/api/equipment").await.status, 401);
}

#[tokio::test]
async fn get_api_equipment_count() {
    let (_product, owner, ..) = yard().await;
    let count = owner.get("/api/equipment/count").await.expect(200);
    assert_eq!(count, json!({"count": 1, "limit": 15}));
}

#[tokio::test]
async fn get_api_equipment_id() {
    let (_product, owner, machine, path) = yard().await;
    let one = owner.get(&path).await.expect(200);
    assert_names(&one, EQUIPMENT);
    assert_eq!(one, machine);
}

/// All fields of the form, with dates as the client sends them.
fn form() -> Value {
    json!({
        "name": "Truck 9", "type": "vehicle", "serialNumber": "VIN-9", "unit": "miles",
        "fuelType": "gasoline", "hasScheduledMaintenance": true,
        "maintenanceStartDate": "2026-01-31T00:00:00.000Z", "maintenanceInterval": 1,
        "maintenanceIntervalUnit": "months", "nextMaintenanceDate": "2026-02-28T00:00:00.000Z",
        "currentUsage": 1200.5, "threshold": 200_000, "alertThreshold": 10,
        "serviceInterval": 5000, "lastServiceUsage": 1000, "serviceParts": [],
        "description": "White", "totalFuelUsed": 0, "totalGasUsed": 0, "totalDieselUsed": 0,
    })
}

fn assert_as_in_form(row: &Value) {
    assert_names(row, EQUIPMENT);
    let form = form();
    for (name, value) in form.as_object().expect("an object") {
        let value = match value.as_str() {
            Some(text) if name.ends_with("Date") => json!(text[..10]),
            _ => value.clone(),
        };
        assert_eq!(row[name], value, "{name}");
    }
}

#[tokio::test]
async fn post_api_equipment() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let created = owner.post_as("/api/equipment", form()).await.expect(201);
    assert_as_in_form(&created);
}

#[tokio::test]
async fn patch_api_equipment_id() {
    let (_product, owner, machine, path) = yard().await;
    let changed = owner.patch(&path, form()).await.expect(200);
    assert_as_in_form(&changed);
    assert_eq!(changed["id"], machine["id"]);
    let one = owner.patch(&path, json!({"name": "Truck 10"})).await;
    assert_eq!(one.expect(200)["serialNumber"], "VIN-9");
}

#[tokio::test]
async fn patch_api_equipment_id_usage() {
    let (_product, owner, _, path) = yard().await;
    let usage = json!({"usageIncrease": 12.5});
    let row = owner.patch(&format!("{path}/usage"), usage).await;
    let row = row.expect(200);
    assert_names(&row, &format!("{EQUIPMENT} entryIds"));
    assert_eq!(row["currentUsage"], 112.5);
}

#[tokio::test]
async fn get_api_equipment_id_notes() {
    let (_product, owner, _, path) = yard().await;
    let notes = format!("{path}/notes");
    assert_eq!(owner.get(&notes).await.expect(200), json!([]));
    for content in ["First", "Second"] {
        let note = json!({"content": content, "type": "note"});
        owner.post_as(&notes, note).await.expect(201);
    }
    let list = owner.get(&notes).await.expect(200);
    assert_list(&list, 2, NOTE);
    assert_eq!(list[0]["content"], "Second");
}

#[tokio::test]
async fn post_api_equipment_id_notes() {
    let (_product, owner, machine, path) = yard().await;
    let note = json!({"content": "Check the boom", "type": "note"});
    let note = owner.post_as(&format!("{path}/notes"), note).await;
    let note = note.expect(201);
    assert_names(&note, NOTE);
    assert_eq!(note["equipmentId"], machine["id"]);
    assert_eq!(
        [&note["content"], &note["type"], &note["authorName"]],
        ["Check the boom", "note", "Olivia Owner"]
    );
}

#[tokio::test]
async fn delete_api_equipment_id() {
    let (_product, owner, _, path) = yard().await;
    let gone = bare(&owner, Method::DELETE, &path).await;
    assert_eq!((gone.status.as_u16(), gone.body.len()), (204, 0));
    assert_eq!(owner.get(&path).await.status, 404);
    assert_eq!(
        owner.get("/api/retired-equipment").await.expect(200),
        json!([])
    );
}

#[tokio::test]
async fn post_api_equipment_id_retire() {
    let (_product, owner, machine, path) = yard().await;
    let notes = json!({"retirementNotes": "Sold"});
    let retired = owner.post_as(&format!("{path}/retire"), notes).await;
    let retired = retired.expect(200);
    assert_names(&retired, RETIRED);
    assert_eq!(retired["originalEquipmentId"], machine["id"]);
    assert_eq!(retired["retirementNotes"], "Sold");
    assert_eq!(owner.get(&path).await.status, 404);
}

#[tokio::test]
async fn patch_api_equipment_id_reset_service() {
    let (_product, owner, _, path) = yard().await;
    let usage = json!({"usageIncrease": 240});
    owner
        .patch(&format!("{path}/usage"), usage)
        .await
        .expect(200);
    let reset = format!("{path}/reset-service");
    let row = bare(&owner, Method::PATCH, &reset).await.expect(200);
    assert_names(&row, &format!("{EQUIPMENT} entryIds"));
    assert_eq!(
        [&row["lastServiceUsage"], &row["remainingUsage"]],
        [&json!(340), &json!(250)]
    );
}

/// Adds a usage entry with fuel, and a note.
async fn use_it(owner: &Browser, path: &str) {
    let usage = json!({"usageIncrease": 2, "fuelAdded": 10, "fuelType": "diesel", "notes": "Tank"});
    owner
        .patch(&format!("{path}/usage"), usage)
        .await
        .expect(200);
    let note = json!({"content": "Squeaks", "type": "note"});
    owner
        .post_as(&format!("{path}/notes"), note)
        .await
        .expect(201);
}

#[tokio::test]
async fn get_api_equipment_id_history() {
    let (_product, owner, machine, path) = yard().await;
    use_it(&owner, &path).await;
    let history = owner.get(&format!("{path}/history")).await.expect(200);
    assert_list(&history, 2, RECORD);
    let (note, usage) = (&history[0], &history[1]);
    assert_eq!([&note["type"], &note["noteType"]], ["note", "note"]);
    assert_eq!(
        [&usage["type"], &usage["noteType"]],
        ["update", "usage_update"]
    );
    assert_eq!(usage["equipmentId"], machine["id"]);
    assert_eq!(
        [
            &usage["equipmentName"],
            &usage["operatorName"],
            &usage["content"]
        ],
        ["Excavator 320", "Olivia Owner", "Tank"]
    );
    assert_eq!(
        ["usage", "usageBefore", "fuelAdded", "fuelPeriod"].map(|name| &usage[name]),
        [102, 100, 10, 0]
    );
}

#[tokio::test]
async fn get_api_equipment_history_export() {
    let (_product, owner, _, path) = yard().await;
    use_it(&owner, &path).await;
    let other = owner.machine("Truck 9").await;
    use_it(&owner, &format!("/api/equipment/{}", id(&other))).await;
    let all = owner.get("/api/equipment-history/export").await.expect(200);
    assert_list(&all, 4, RECORD);
    assert_eq!(all[0]["equipmentId"], other["id"]);
}

#[tokio::test]
async fn get_api_fuel_usage_export() {
    let (_product, owner, _, path) = yard().await;
    use_it(&owner, &path).await;
    let rows = owner.get("/api/fuel-usage/export").await.expect(200);
    assert_list(&rows, 1, FUEL_ROW);
    assert_eq!(
        [
            &rows[0]["equipmentName"],
            &rows[0]["fuelType"],
            &rows[0]["notes"]
        ],
        ["Excavator 320", "diesel", "Tank"]
    );
    assert_eq!(rows[0]["fuelAdded"], 10);
}

/// Fuel counts at the time of fueling, not of the review.
#[tokio::test]
async fn get_api_fuel_usage_export_has_the_time_of_fueling() {
    let (product, owner, machine, _) = yard().await;
    let operator = product.operator_of(&owner).await;
    let mut report = report(&machine);
    report["capturedAt"] = json!("2026-01-05T10:00:00Z");
    let sent = operator.post_as("/api/operator-updates", report).await;
    let sent = sent.expect(201);
    let apply = format!("/api/operator-updates/{}/apply", id(&sent));
    bare(&owner, Method::POST, &apply).await.expect(200);
    let rows = owner.get("/api/fuel-usage/export").await.expect(200);
    assert_eq!(rows[0]["date"], "2026-01-05T10:00:00Z");
}

#[tokio::test]
async fn post_api_fuel_reset() {
    let (_product, owner, _, path) = yard().await;
    use_it(&owner, &path).await;
    assert_eq!(owner.get(&path).await.expect(200)["totalFuelUsed"], 10);
    let reset = bare(&owner, Method::POST, "/api/fuel/reset").await;
    assert_eq!((reset.status.as_u16(), reset.body.len()), (204, 0));
    let row = owner.get(&path).await.expect(200);
    for total in ["totalFuelUsed", "totalGasUsed", "totalDieselUsed"] {
        assert_eq!(row[total], 0, "{total}");
    }
    // The entries stay readable.
    let rows = owner.get("/api/fuel-usage/export").await.expect(200);
    assert_eq!(rows[0]["fuelAdded"], 10);
}

#[tokio::test]
async fn get_api_retired_equipment() {
    let (_product, owner, _, path) = yard().await;
    assert_eq!(
        owner.get("/api/retired-equipment").await.expect(200),
        json!([])
    );
    let retire = format!("{path}/retire");
    owner.post_as(&retire, json!({})).await.expect(200);
    let archive = owner.get("/api/retired-equipment").await.expect(200);
    assert_list(&archive, 1, RETIRED);
    assert_eq!(
        [&archive[0]["name"], &archive[0]["retiredBy"]],
        ["Excavator 320", "Olivia Owner"]
    );
    assert_eq!(archive[0]["finalUsage"], 100);
}

/// The request of the operator's form.
fn report(machine: &Value) -> Value {
    json!({
        "equipmentId": machine["id"], "newUsage": 120, "fuelAdded": 5, "fuelType": "diesel",
        "notes": "Done for today", "equipmentName": "Forged name",
    })
}

#[tokio::test]
async fn get_api_operator_updates() {
    let (product, owner, machine, _) = yard().await;
    let operator = product.operator_of(&owner).await;
    let colleague = product.operator_of(&owner).await;
    let sent = operator
        .post_as("/api/operator-updates", report(&machine))
        .await;
    let sent = sent.expect(201);
    for person in [&owner, &operator] {
        let list = person.get("/api/operator-updates").await.expect(200);
        assert_list(&list, 1, UPDATE);
        assert_eq!(list[0]["id"], sent["id"]);
    }
    let own = colleague.get("/api/operator-updates").await.expect(200);
    assert_eq!(own, json!([]));
}

#[tokio::test]
async fn get_api_operator_updates_last_reports() {
    let (product, owner, machine, _) = yard().await;
    let operator = product.operator_of(&owner).await;
    let path = "/api/operator-updates/last-reports";
    assert_eq!(owner.get(path).await.expect(200), json!([]));
    let sent = operator
        .post_as("/api/operator-updates", report(&machine))
        .await
        .expect(201);
    let list = owner.get(path).await.expect(200);
    let row = json!({"operatorId": sent["operatorId"], "receivedAt": sent["createdAt"]});
    assert_eq!(list, json!([row]));
    assert_eq!(operator.get(path).await.status, 403);
}

#[tokio::test]
async fn post_api_operator_updates() {
    let (product, owner, machine, _) = yard().await;
    let operator = product.operator_of(&owner).await;
    let sent = operator
        .post_as("/api/operator-updates", report(&machine))
        .await;
    let sent = sent.expect(201);
    assert_names(&sent, UPDATE);
    // The sent name is ignored.
    assert_eq!(
        [
            &sent["equipmentName"],
            &sent["operatorName"],
            &sent["status"]
        ],
        ["Excavator 320", "Oscar Operator", "pending"]
    );
    assert_eq!(
        [&sent["newUsage"], &sent["fuelAdded"]],
        [&json!(120), &json!(5)]
    );
    assert_eq!(
        [&sent["fuelType"], &sent["notes"]],
        ["diesel", "Done for today"]
    );
}

#[tokio::test]
async fn get_api_employees() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    product.operator_of(&owner).await;
    let people = owner.get("/api/employees").await.expect(200);
    let names = "id firstName lastName role email operatorUsername hasPersonalPassword secondFactor \
        createdAt";
    assert_list(&people, 2, names);
    let roles: BTreeSet<_> = [0, 1].map(|n| people[n]["role"].as_str()).into();
    assert_eq!(roles, [Some("operator"), Some("owner")].into());
}

#[tokio::test]
async fn post_api_admin_reset_user_password() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    product.operator_of(&owner).await;
    let people = owner.get("/api/employees").await.expect(200);
    let body = json!({"targetUserId": people[0]["id"], "newPassword": "quarry-road-8"});
    let reset = owner.post_as("/api/admin/reset-user-password", body).await;
    assert_eq!((reset.status.as_u16(), reset.body.len()), (204, 0));
    let login = |password: &str| {
        let name = &people[0]["operatorUsername"];
        let body = json!({"operatorName": name, "password": password});
        let visitor = product.visitor();
        async move { visitor.post_as("/api/employee/login", body).await.status }
    };
    assert_eq!(login("quarry-road-8").await, 200);
    assert_eq!(login(OPERATOR_PASSWORD).await, 401);
}

#[tokio::test]
async fn get_api_subscription_info() {
    let (_product, owner, ..) = yard().await;
    let info = owner.get("/api/subscription/info").await.expect(200);
    for name in [
        "tier",
        "status",
        "hasActiveSubscription",
        "canAccessFuelAnalytics",
        "canAccessPartsEntry",
        "equipmentLimit",
    ] {
        assert!(
            info.get(name).is_some_and(|value| !value.is_null()),
            "{name}"
        );
    }
    assert_eq!([&info["tier"], &info["status"]], ["basic", "trial"]);
    assert_eq!(info["equipmentLimit"], 15);
}

#[tokio::test]
async fn post_api_auth_logout_then_get_api_logout() {
    let product = Product::new().await;
    let mut owner = product.owner("Acme").await;
    let cookie = owner.cookie.clone();
    let out = owner.post("/api/auth/logout", json!({})).await;
    assert_eq!((out.status.as_u16(), out.body.len()), (204, 0));
    assert_eq!(owner.cookie, None);
    // The second call is sent with and without the old cookie.
    for cookie in [None, cookie.clone()] {
        owner.cookie = cookie;
        assert_eq!(owner.get("/api/logout").await.status, 204);
        assert_eq!(owner.get("/api/auth/user").await.status, 401);
    }
    // One of the two calls suffices.
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    owner.post("/api/auth/login", login).await.expect(200);
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
    assert_eq!(owner.get("/api/logout").await.status, 204);
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
}
