//! The main journey through the product, over REST.

use serde_json::{Value, json};

use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, id, masked};

#[tokio::test]
async fn company_from_sign_up_to_service() {
    let product = Product::new().await;
    let owner = product.owner("Acme Rentals").await;
    let machine = owner.machine("Excavator 320").await;
    let path = format!("/api/equipment/{}", id(&machine));

    // Usage reaches 80 % of the interval.
    let used = owner
        .patch(&format!("{path}/usage"), json!({"usageIncrease": 200}))
        .await;
    let used = used.expect(200);
    assert_eq!(used["currentUsage"], 300);
    assert_eq!(used["usagePercent"], 80);
    assert_eq!(used["serviceStatus"], "approaching_service");

    // The operator reports; the manager applies; the meter moves once.
    let operator = product.operator_of(&owner).await;
    let seen = operator.get("/api/equipment").await.expect(200);
    assert_eq!(seen.as_array().map(Vec::len), Some(1));
    let report = json!({
        "equipmentId": machine["id"], "newUsage": 360.5, "fuelAdded": 12.5,
        "fuelType": "diesel", "notes": "Left track squeaks", "clientId": "phone-1",
    });
    let reply = operator
        .post_as("/api/operator-updates", report.clone())
        .await;
    let update = reply.expect(201);
    let again = operator.post_as("/api/operator-updates", report).await;
    assert_eq!(again.expect(200)["id"], update["id"]);
    let expected = json!({
        "id": "<id>", "equipmentId": "<id>", "equipmentName": "Excavator 320",
        "operatorId": "<id>", "operatorName": "Oscar Operator", "newUsage": 360.5,
        "fuelAdded": 12.5, "fuelType": "diesel", "notes": "Left track squeaks",
        "status": "pending", "createdAt": "<time>", "clientId": "phone-1", "reviewedBy": null,
        "reviewedAt": null, "rejectReason": null, "belowCurrent": false,
        "flags": update["flags"], "previousUsage": 300, "capturedAt": "<time>",
        "reportedEquipmentName": null, "applying": false, "appliedUsage": null, "capturedOnDevice": null, "withdrawn": false, "late": false,
        "usageIncrease": null, "unit": "hours", "takenBackReason": null, "takenBackBy": null,
        "takenBackAt": null, "fullFill": false, "appliedReading": null, "appliedFuel": null, "appliedFuelType": null,
        "meterReplacement": null, "setBack": false,
    });
    assert_eq!(masked(&update), expected);
    let waiting = owner.get("/api/operator-updates?status=pending").await;
    assert_eq!(waiting.expect(200).as_array().map(Vec::len), Some(1));
    let apply = format!("/api/operator-updates/{}/apply", id(&update));
    for _ in 0..2 {
        let applied = owner.post_as(&apply, json!({})).await.expect(200);
        assert_eq!(applied["status"], "applied");
        assert_eq!(applied["reviewedBy"], "Olivia Owner");
    }
    let now = owner.get(&path).await.expect(200);
    assert_eq!(now["currentUsage"], 360.5);
    assert_eq!(now["totalDieselUsed"], 12.5);
    assert_eq!(now["serviceStatus"], "time_for_service");

    review_others(&owner, &operator, &machine).await;
    service_retire_and_delete(&owner, &machine).await;
    sign_out_and_in(owner).await;
}

async fn review_others(owner: &Browser, operator: &Browser, machine: &Value) {
    // A second update is rejected, a third applied together with others.
    let second = json!({"equipmentId": machine["id"], "notes": "Wrong machine"});
    let second = operator.post_as("/api/operator-updates", second).await;
    let second = second.expect(201);
    let reject = format!("/api/operator-updates/{}/reject", id(&second));
    let refused = owner.post_as(&reject, json!({"reason": "Twice"})).await;
    assert_eq!(refused.expect(200)["rejectReason"], "Twice");
    let third = json!({"equipmentId": machine["id"], "notes": "Grease nipple replaced"});
    let third = operator
        .post_as("/api/operator-updates", third)
        .await
        .expect(201);
    let unknown = "01890000-0000-7000-8000-000000000000";
    let many = json!({"ids": [third["id"], unknown]});
    let results = owner.post_as("/api/operator-updates/apply", many).await;
    let results = results.expect(200);
    assert_eq!(
        results[0],
        json!({"id": third["id"], "ok": true, "message": null, "code": null})
    );
    assert_eq!(results[1]["ok"], json!(false));
    assert!(results[1]["message"].is_string());
    assert_eq!(results[1]["code"], "NOT_FOUND");
}

async fn service_retire_and_delete(owner: &Browser, machine: &Value) {
    let path = format!("/api/equipment/{}", id(machine));
    // Serviced, retired, restored, deleted.
    let serviced = owner
        .patch(
            &format!("{path}/reset-service"),
            json!({"notes": "Oil", "cost": 120}),
        )
        .await;
    let serviced = serviced.expect(200);
    assert_eq!(serviced["lastServiceUsage"], 360.5);
    assert_eq!(serviced["serviceStatus"], "good");
    let retire = format!("{path}/retire");
    let retired = owner
        .post_as(&retire, json!({"retirementNotes": "Sold"}))
        .await
        .expect(200);
    assert_eq!(owner.get(&path).await.status, 404);
    let archive = owner.get("/api/retired-equipment").await.expect(200);
    assert_eq!(archive, json!([retired]));
    assert_eq!(retired["originalEquipmentId"], machine["id"]);
    assert_eq!(retired["finalUsage"], 360.5);
    let restore = format!("/api/retired-equipment/{}/restore", id(&retired));
    let back = owner.post_as(&restore, Value::Null).await;
    assert_eq!(back.status, 400, "null is not an object");
    let back = owner.post_as(&restore, json!({})).await.expect(200);
    assert_eq!(back["id"], machine["id"]);
    assert_eq!(owner.delete(&path).await.status, 204);
    assert_eq!(owner.delete(&path).await.status, 404);
}

async fn sign_out_and_in(mut owner: Browser) {
    // Signs out, and in again with the business name.
    assert_eq!(owner.post("/api/auth/logout", json!({})).await.status, 204);
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
    let login = json!({"emailOrBusinessName": "Acme Rentals", "password": PASSWORD});
    let back = owner.post("/api/auth/login", login).await.expect(200);
    assert_eq!(back["role"], "owner");
    let shared = json!({"operatorName": "Acme Rentals", "password": OPERATOR_PASSWORD});
    let shared = owner.post("/api/employee/login", shared).await.expect(200);
    assert_eq!(shared["redirect"], "/simple-operator");
    assert_eq!(shared["user"]["role"], "operator");
    assert_eq!(owner.get("/api/employees").await.status, 403);
    let own = json!({"operatorName": "Acme Rentals", "password": PASSWORD});
    let own = owner.post("/api/employee/login", own).await.expect(200);
    assert_eq!(own["redirect"], "/");
    assert_eq!(owner.get("/api/employees").await.status, 200);
}
