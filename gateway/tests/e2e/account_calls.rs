//! The documented calls about accounts, one test for each, with their rules.

use http::Method;
use serde_json::{Value, json};

use crate::audit;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, id, masked};

const NEW_PASSWORD: &str = "quarry-road-8";

async fn set_questions(product: &Product, owner: &Browser) -> Value {
    let questions = product.visitor().get("/api/auth/security-questions").await;
    let questions = questions.expect(200);
    let body = json!({
        "securityQuestion1": questions[0], "securityAnswer1": "Rex",
        "securityQuestion2": questions[1], "securityAnswer2": "Monterrey",
    });
    let path = "/api/auth/setup-security-questions";
    owner.post_as(path, body).await.expect(200);
    questions
}

async fn login(product: &Product, name: &str, password: &str) -> (u16, Browser) {
    let mut browser = product.visitor();
    let body = json!({"emailOrBusinessName": name, "password": password});
    let status = browser.post("/api/auth/login", body).await.status;
    (status.as_u16(), browser)
}

#[tokio::test]
async fn post_api_auth_forgot_password_then_reset_password() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let visitor = product.visitor();
    let forgot = json!({"emailOrBusinessName": "Acme"});
    let path = "/api/auth/forgot-password";
    let text =
        "No account found with that email or business name, or security questions not set up.";
    // Accounts without questions are treated as unknown.
    for name in ["Acme", "Nobody"] {
        let body = json!({"emailOrBusinessName": name});
        let reply = visitor.post_as(path, body).await;
        let expected = json!({"message": text, "code": "ACCOUNT_NOT_FOUND"});
        assert_eq!(reply.expect(404), expected, "{name}");
    }
    let questions = set_questions(&product, &owner).await;
    let found = visitor.post_as(path, forgot).await.expect(200);
    let expected = json!({"question1": questions[0], "question2": questions[1]});
    assert_eq!(found, expected);
    let missing = visitor.post_as(path, json!({})).await.expect(400);
    assert!(missing["fields"]["emailOrBusinessName"].is_string());

    let path = "/api/auth/reset-password";
    let reset = |first: &str, password: &str| {
        json!({
            "emailOrBusinessName": "Acme", "securityAnswer1": first,
            "securityAnswer2": " MONTERREY ", "newPassword": password,
        })
    };
    let wrong = visitor.post_as(path, reset("Max", NEW_PASSWORD)).await;
    assert_eq!(wrong.error(400), "WRONG_ANSWERS");
    let message = "Security answers are incorrect. Please try again.";
    assert_eq!(wrong.json()["message"], message);
    let short = visitor
        .post_as(path, reset("Rex", "short"))
        .await
        .expect(400);
    assert!(short["fields"]["newPassword"].is_string());
    assert_eq!(owner.get("/api/auth/user").await.status, 200);

    let done = visitor.post_as(path, reset("Rex", NEW_PASSWORD)).await;
    assert_eq!((done.status.as_u16(), done.body.len()), (204, 0));
    // It ends all sessions and creates none.
    assert_eq!(done.header("set-cookie"), "");
    assert_eq!(owner.get("/api/auth/user").await.status, 401);
    assert_eq!(login(&product, "Acme", PASSWORD).await.0, 401);
    let (status, owner) = login(&product, "Acme", NEW_PASSWORD).await;
    assert_eq!(status, 200);
    let user = owner.get("/api/auth/user").await.expect(200);
    assert_eq!(user["notices"][0]["kind"], "password_recovered");
}

#[tokio::test]
async fn patch_api_user_profile() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = json!({
        "firstName": "Renée", "lastName": "Ñáñez", "email": "renee@acme.example",
        "secondaryEmail": "second@acme.example", "language": "es",
    });
    let changed = owner.patch("/api/user/profile", body.clone()).await;
    let changed = changed.expect(200);
    for (name, value) in body.as_object().expect("an object") {
        assert_eq!(&changed[name], value, "{name}");
    }
    assert_eq!(owner.get("/api/auth/user").await.expect(200), changed);
    // Omitted fields stay, null clears.
    let cleared = json!({"secondaryEmail": null});
    let cleared = owner.patch("/api/user/profile", cleared).await.expect(200);
    assert_eq!(
        [
            &cleared["secondaryEmail"],
            &cleared["firstName"],
            &cleared["language"]
        ],
        [&json!(null), &json!("Renée"), &json!("es")]
    );
    // Read-only fields are ignored.
    let forged = json!({"role": "manager", "companyId": id(&changed), "businessName": "X"});
    let forged = owner.patch("/api/user/profile", forged).await.expect(200);
    assert_eq!(
        [&forged["role"], &forged["businessName"]],
        ["owner", "Acme"]
    );
    let taken = product.owner("Beta").await;
    let mine = json!({"email": "renee@acme.example"});
    assert_eq!(taken.patch("/api/user/profile", mine).await.status, 409);
}

#[tokio::test]
async fn patch_api_user_change_password() {
    let product = Product::new().await;
    product.owner("Acme").await;
    let mut owner = product.visitor();
    let body = json!({"emailOrBusinessName": "Acme", "password": PASSWORD, "rememberMe": true});
    owner.post("/api/auth/login", body).await.expect(200);
    let (_, elsewhere) = login(&product, "Acme", PASSWORD).await;
    let path = "/api/user/change-password";
    let change = |current: &str, new: &str| json!({"currentPassword": current, "newPassword": new});
    let wrong = owner.patch(path, change("wrong-one", NEW_PASSWORD)).await;
    assert_eq!(wrong.error(400), "WRONG_PASSWORD");
    let expected = json!({"currentPassword": "Your current password is incorrect."});
    assert_eq!(wrong.json()["fields"], expected);
    assert_eq!(wrong.header("set-cookie"), "");

    let before = owner.clone();
    let done = owner.patch(path, change(PASSWORD, NEW_PASSWORD)).await;
    assert_eq!((done.status.as_u16(), done.body.len()), (204, 0));
    // The session continues with a new token, remembered as before.
    assert!(done.header("set-cookie").contains("; Max-Age=2592000"));
    owner.keep_cookie(&done);
    assert_ne!(owner.cookie, before.cookie);
    assert_eq!(owner.get("/api/auth/user").await.status, 200);
    for ended in [&before, &elsewhere] {
        assert_eq!(ended.get("/api/auth/user").await.status, 401);
    }
    assert_eq!(login(&product, "Acme", PASSWORD).await.0, 401);
    assert_eq!(login(&product, "Acme", NEW_PASSWORD).await.0, 200);
}

#[tokio::test]
async fn post_api_employees_adds_a_manager_for_the_owner() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = |role: &str, email: &str| json!({"firstName": "Max", "lastName": "M", "role": role, "email": email});
    let row = owner
        .post_as("/api/employees", body("manager", "max@acme.example"))
        .await
        .expect(201);
    let password = row["temporaryPassword"].as_str().expect("a password");
    let expected = json!({
        "id": "<id>", "firstName": "Max", "lastName": "M", "role": "manager",
        "email": "max@acme.example", "operatorUsername": null, "hasPersonalPassword": false, "secondFactor": false,
        "createdAt": "<time>", "temporaryPassword": password,
    });
    assert_eq!(masked(&row), expected);
    assert!(!owner.get("/api/employees").await.text().contains(password));
    let (status, manager) = login(&product, "max@acme.example", password).await;
    assert_eq!(status, 200);
    // Only the owner adds, renames and removes managers.
    let refused = manager
        .post_as("/api/employees", body("manager", "two@acme.example"))
        .await;
    assert_eq!(refused.status, 403);
    for role in ["owner", "support", "Manager", "admin"] {
        let refused = owner.post_as("/api/employees", body(role, "x@acme.example"));
        let refused = refused.await.expect(400);
        assert!(refused["fields"]["role"].is_string(), "{role}");
    }
    let second = owner
        .post_as("/api/employees", body("manager", "two@acme.example"))
        .await;
    let path = format!("/api/employees/{}", id(&second.expect(201)));
    let names = json!({"firstName": "Mia", "lastName": "N"});
    assert_eq!(manager.put(&path, names.clone()).await.status, 403);
    assert_eq!(manager.delete(&path).await.status, 403);
    let renamed = owner.put(&path, names).await.expect(200);
    assert_eq!(
        [&renamed["firstName"], &renamed["role"]],
        ["Mia", "manager"]
    );
    assert_eq!(owner.delete(&path).await.status, 204);
    let operator = body("operator", "ignored@acme.example");
    let operator = manager
        .post_as("/api/employees", operator)
        .await
        .expect(201);
    assert_eq!(
        [&operator["temporaryPassword"], &operator["email"]],
        [&json!(null), &json!(null)]
    );
}

#[tokio::test]
async fn post_api_company_settings_deletion_schedules_it_and_delete_cancels() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = "/api/company-settings/deletion";
    let wrong = json!({"companyName": "Beta"});
    let wrong = owner.post_as(path, wrong).await.expect(400);
    assert!(wrong["fields"]["companyName"].is_string());
    let name = json!({"companyName": "Acme"});
    let scheduled = owner.post_as(path, name).await.expect(200);
    assert!(scheduled["deletionDueAt"].is_string());
    assert_eq!(
        owner.get("/api/company-settings").await.expect(200)["deletionDueAt"],
        scheduled["deletionDueAt"]
    );
    let request = owner.request(Method::DELETE, path, None);
    let canceled = owner.send(request).await.expect(200);
    assert_eq!(canceled["deletionDueAt"], json!(null));
}

#[tokio::test]
async fn get_api_company_settings_reveals_on_demand_only() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = "/api/company-settings?reveal=masterPassword";
    let shown = owner.get(path).await.expect(200);
    assert_eq!(shown["masterPassword"], OPERATOR_PASSWORD);
    let mut plain = owner.get("/api/company-settings").await.expect(200);
    assert_eq!(plain["masterPassword"], "********");
    plain["masterPassword"] = shown["masterPassword"].clone();
    assert_eq!(plain, shown);
    for other in ["", "true", "masterpassword", "masterPassword,x", "password"] {
        let reply = owner
            .get(&format!("/api/company-settings?reveal={other}"))
            .await;
        assert!(reply.expect(400)["fields"]["reveal"].is_string(), "{other}");
    }
    let mut link = owner.request(Method::GET, path, None);
    link.headers_mut().remove("x-requested-with");
    let link = owner.send(link).await;
    assert_eq!(link.status, 403);
    assert!(!link.text().contains(OPERATOR_PASSWORD));
    let refused = audit::audit_lines(&owner, "request_refused", 1).await;
    assert_eq!(refused[0]["detail"], "GET /api/company-settings");
    // The mask is not stored as a password.
    let mask = json!({"masterPassword": "********"});
    owner
        .post_as("/api/company-settings", mask)
        .await
        .expect(200);
    assert_eq!(owner.get(path).await.expect(200), shown);

    let mut fresh = product.visitor();
    let body = json!({"businessName": "Beta", "email": "b@beta.example", "password": PASSWORD});
    fresh.post("/api/auth/signup", body).await.expect(201);
    let unset = fresh.get(path).await.expect(200);
    assert_eq!(unset["masterPassword"], json!(null));

    let later = product.clock.now() + chrono::TimeDelta::minutes(31);
    product.clock.set(later);
    assert_eq!(owner.get(path).await.error(403), "REAUTH_REQUIRED");
}
