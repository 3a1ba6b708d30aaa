//! Complete bodies of the calls about people and settings.

use http::Method;
use serde_json::json;

use crate::product::{OPERATOR_PASSWORD, PASSWORD, Product, id, masked};

#[tokio::test]
async fn user_has_every_field() {
    let product = Product::new().await;
    let mut visitor = product.visitor();
    let body =
        json!({"businessName": "Acme", "email": "Olivia@Acme.example", "password": PASSWORD});
    let signed_up = visitor.post("/api/auth/signup", body).await.expect(201);
    let expected = json!({
        "id": "<id>", "companyId": "<id>", "firstName": null, "lastName": null,
        "email": signed_up["email"], "secondaryEmail": null, "role": "owner",
        "businessName": "Acme", "profileImageUrl": null, "authType": "custom",
        "employeeId": null, "operatorUsername": null, "managerId": null,
        "securityQuestionsSet": false, "secondFactorMissing": false, "fuelUnit": "gallons",
        "language": null,
        "notices": [
            {"id": "<id>", "kind": "first_cards", "at": "<time>"},
            {"id": "<id>", "kind": "first_steps", "at": "<time>"},
        ],
        "createdAt": "<time>", "updatedAt": "<time>",
    });
    assert_eq!(masked(&signed_up), expected);
    let user = visitor.get("/api/auth/user").await.expect(200);
    assert_eq!(user, signed_up);
    let taken =
        json!({"businessName": "ACME", "email": "other@acme.example", "password": PASSWORD});
    let taken = product.visitor().post_as("/api/auth/signup", taken).await;
    assert_eq!(taken.error(409), "EMAIL_OR_BUSINESS_NAME_TAKEN");
    for body in [
        json!({"emailOrBusinessName": "Acme", "password": "wrong-one"}),
        json!({"emailOrBusinessName": "Nobody", "password": PASSWORD}),
    ] {
        let wrong = product.visitor().post_as("/api/auth/login", body).await;
        let message = "Invalid email, business name or password";
        let expected = json!({"message": message, "code": "SIGN_IN_REFUSED"});
        assert_eq!(wrong.expect(401), expected);
    }
    let wrong = json!({"operatorName": "Acme", "password": "wrong-one"});
    let wrong = product
        .visitor()
        .post_as("/api/employee/login", wrong)
        .await;
    let message = "Invalid operator name or password";
    let expected = json!({"message": message, "code": "OPERATOR_SIGN_IN_REFUSED"});
    assert_eq!(wrong.expect(401), expected);
}

#[tokio::test]
async fn security_questions_must_be_from_the_list() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let questions = product.visitor().get("/api/auth/security-questions").await;
    let questions = questions.expect(200);
    assert!(questions.as_array().is_some_and(|list| list.len() >= 10));
    let answers = json!({
        "securityQuestion1": questions[0], "securityAnswer1": "Rex",
        "securityQuestion2": questions[1], "securityAnswer2": "Mexico",
    });
    let path = "/api/auth/setup-security-questions";
    let user = owner.post_as(path, answers.clone()).await.expect(200);
    assert_eq!(user["securityQuestionsSet"], true);
    let mut same = answers;
    same["securityQuestion2"] = questions[0].clone();
    let refused = owner.post_as(path, same).await.expect(400);
    assert_eq!(
        refused["message"],
        "Please choose different security questions."
    );
}

#[tokio::test]
async fn employees_can_be_added_renamed_and_removed() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = json!({"firstName": "María José", "lastName": "Ruiz", "role": "employee"});
    let row = owner.post_as("/api/employees", body).await.expect(201);
    let username = row["operatorUsername"].as_str().expect("a username");
    assert!(username.starts_with("mariajose"), "{username}");
    let expected = json!({
        "id": "<id>", "firstName": "María José", "lastName": "Ruiz", "role": "operator",
        "email": null, "operatorUsername": username, "hasPersonalPassword": false,
        "secondFactor": false, "createdAt": "<time>", "temporaryPassword": null,
    });
    assert_eq!(masked(&row), expected);
    let path = format!("/api/employees/{}", id(&row));
    let changed = json!({"firstName": "Ana", "lastName": "Ruiz"});
    let changed = owner.put(&path, changed).await.expect(200);
    assert_eq!(changed["operatorUsername"], username);
    assert_eq!(changed["firstName"], "Ana");
    let all = owner.get("/api/employees").await.expect(200);
    assert_eq!(all[0], changed);
    assert_eq!(all[1]["role"], "owner");
    let page = owner.get("/api/employees?limit=1").await;
    assert_ne!(page.header("x-next-cursor"), "");

    let mut operator = product.visitor();
    let login = json!({"operatorName": username, "password": OPERATOR_PASSWORD});
    operator
        .post("/api/employee/login", login)
        .await
        .expect(200);
    assert_eq!(owner.delete(&path).await.status, 204);
    assert_eq!(operator.get("/api/equipment").await.status, 401);
    assert_eq!(owner.delete(&path).await.status, 404);
}

#[tokio::test]
async fn settings_hide_the_operator_password() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let settings = owner.get("/api/company-settings").await;
    assert!(!settings.text().contains(OPERATOR_PASSWORD));
    let settings = settings.expect(200);
    let expected = json!({
        "id": "<id>", "ownerId": "<id>", "companyName": "Acme", "masterPassword": "********",
        "masterPasswordSet": true, "operatorPasswordStale": false,
        "timeZone": "America/Mexico_City", "autoApplyUpdates": false,
        "earlierWarnings": false, "fuelUnit": "gallons", "staleAfterDays": 14, "deletionDueAt": null,
        "subscriptionTier": "basic", "equipmentLimit": 15, "subscriptionStatus": "trial",
        "subscriptionExpiry": "<time>", "subscriptionEndDate": "<time>",
        "trialStartDate": "<time>", "trialEndDate": "<time>", "pauseEndDate": null,
        "createdAt": "<time>", "updatedAt": "<time>",
    });
    assert_eq!(masked(&settings), expected);
    assert_eq!(
        settings["subscriptionExpiry"],
        settings["subscriptionEndDate"]
    );

    let change =
        json!({"masterPassword": "********", "autoApplyUpdates": true, "earlierWarnings": true});
    let changed = owner
        .post_as("/api/company-settings", change)
        .await
        .expect(200);
    assert_eq!(changed["autoApplyUpdates"], true);
    assert_eq!(changed["earlierWarnings"], true);
    let name = json!({"companyName": "Acme Two"});
    let renamed = owner.patch("/api/company/settings", name).await.expect(200);
    assert_eq!(renamed["companyName"], "Acme Two");
    let blank = owner
        .patch("/api/company/settings", json!({"companyName": " "}))
        .await;
    assert!(blank.expect(400)["fields"]["companyName"].is_string());
    let missing = owner
        .call(Method::PATCH, "/api/company/settings", None)
        .await;
    missing.expect(400);
    for (field, value) in [
        ("companyName", json!("Acme Three")),
        ("timeZone", json!("America/Chicago")),
        ("autoApplyUpdates", json!(false)),
        ("earlierWarnings", json!(false)),
        ("fuelUnit", json!("litres")),
        ("staleAfterDays", json!(30)),
    ] {
        let alone = json!({field: value});
        let changed = owner.patch("/api/company/settings", alone).await;
        assert_eq!(changed.expect(200)[field], value, "{field}");
    }

    let mut fresh = product.visitor();
    let body = json!({"businessName": "Beta", "email": "b@beta.example", "password": PASSWORD});
    fresh.post("/api/auth/signup", body).await.expect(201);
    let unset = fresh.get("/api/company-settings").await.expect(200);
    assert_eq!(unset["masterPassword"], json!(null));
    assert_eq!(unset["masterPasswordSet"], false);
    assert_eq!(unset["timeZone"], "UTC");
}

#[tokio::test]
async fn reset_password_sets_and_clears_the_operators_password() {
    const RESET: &str = "/api/admin/reset-user-password";
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let people = owner.get("/api/employees").await.expect(200);
    let (target, own_id) = (&people[0], &people[1]["id"]);
    for (body, field) in [
        (json!({"newPassword": "quarry-road-8"}), "targetUserId"),
        (json!({"targetUserId": target["id"]}), "newPassword"),
        (
            json!({"targetUserId": target["id"], "newPassword": 1}),
            "newPassword",
        ),
        (
            json!({"targetUserId": target["id"], "newPassword": ""}),
            "newPassword",
        ),
        (
            json!({"targetUserId": target["id"], "newPassword": "12345"}),
            "newPassword",
        ),
        (
            json!({"targetUserId": target["id"], "newPassword": OPERATOR_PASSWORD}),
            "newPassword",
        ),
        (
            json!({"targetUserId": own_id, "newPassword": "quarry-road-8"}),
            "targetUserId",
        ),
        (
            json!({"targetUserId": own_id, "newPassword": null}),
            "targetUserId",
        ),
    ] {
        let reply = owner.post_as(RESET, body.clone()).await;
        // A missing id is treated as an unknown one.
        if body["targetUserId"].is_null() {
            assert_eq!(reply.status, 404, "{body}");
            continue;
        }
        assert!(reply.expect(400)["fields"][field].is_string(), "{body}");
    }
    assert_eq!(operator.get("/api/equipment").await.status, 200);
    let set = json!({"targetUserId": target["id"], "newPassword": "quarry-road-8"});
    assert_eq!(operator.post_as(RESET, set.clone()).await.status, 403);
    assert_eq!(owner.post_as(RESET, set).await.status, 204);
    assert_eq!(operator.get("/api/equipment").await.status, 401);
    let people = owner.get("/api/employees").await.expect(200);
    assert_eq!(people[0]["hasPersonalPassword"], true);
    let settings = owner.get("/api/company-settings").await.expect(200);
    assert_eq!(settings["operatorPasswordStale"], true);
    let clear = json!({"targetUserId": target["id"], "newPassword": null});
    assert_eq!(owner.post_as(RESET, clear).await.status, 204);
    let body = json!({"operatorName": target["operatorUsername"], "password": OPERATOR_PASSWORD});
    let back = product.visitor().post_as("/api/employee/login", body).await;
    assert_eq!(back.status, 200);
}
