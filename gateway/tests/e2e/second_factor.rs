//! The second factor of owners and managers, and enrolment of staff, through REST and grpc-web.

use chrono::TimeDelta;
use hourmeter_gateway::rest_routes;
use hourmeter_proto::access::policy_table;
use hourmeter_proto::common::v1::Audience;
use hourmeter_runtime::error::ServiceError;
use http::Method;
use serde_json::{Value, json};
use tonic::Code;

use crate::grpc_web;
use crate::matrix::{Things, access};
use crate::persons::Totp;
use crate::product::{Browser, OPERATOR_PASSWORD, PASSWORD, Product, Reply, config, masked};

const FACTOR: &str = "/api/auth/second-factor";

/// Sets up an authenticator. Returns it and the recovery codes.
async fn authenticator(product: &Product, browser: &Browser) -> (Totp, Vec<Value>) {
    let path = format!("{FACTOR}/authenticator");
    let started = browser.post_as(&path, json!({})).await.expect(200);
    let totp = Totp(started["secret"].as_str().expect("a secret").to_owned());
    let url = started["url"].as_str().expect("an address");
    assert!(url.starts_with("otpauth://totp/Hourmeter:"), "{url}");
    let body = json!({"code": totp.code(product.clock.now().timestamp())});
    let done = browser.post_as(&format!("{path}/confirm"), body).await;
    let codes = done.expect(200)["recoveryCodes"].clone();
    // Codes of the current time step are used up.
    let later = product.clock.now() + TimeDelta::seconds(60);
    product.clock.set(later);
    (totp, codes.as_array().expect("codes").clone())
}

fn login(more: &Value) -> Value {
    let mut body = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

async fn enter(browser: &mut Browser, more: Value) -> Reply {
    browser.post("/api/auth/login", login(&more)).await
}

#[tokio::test]
async fn right_password_before_the_code_is_no_failed_sign_in() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let (totp, _) = authenticator(&product, &owner).await;
    let mut visitor = product.visitor();
    for _ in 0..8 {
        let missing = enter(&mut visitor, json!({})).await;
        assert_eq!(missing.error(401), "TOTP_REQUIRED");
    }
    for _ in 0..4 {
        let wrong = enter(&mut visitor, json!({"totp": "000000"})).await;
        assert_eq!(wrong.error(401), "TOTP_WRONG");
    }
    // The fifth wrong code locks.
    enter(&mut visitor, json!({})).await.error(401);
    let wrong = enter(&mut visitor, json!({"totp": "000000"})).await;
    assert_eq!(wrong.error(401), "TOTP_WRONG");
    assert_eq!(enter(&mut visitor, json!({})).await.status, 429);
    product
        .clock
        .set(product.clock.now() + TimeDelta::seconds(60));
    // After the wait both steps are let through.
    let missing = enter(&mut visitor, json!({})).await;
    assert_eq!(missing.error(401), "TOTP_REQUIRED");
    let code = totp.code(product.clock.now().timestamp());
    enter(&mut visitor, json!({"totp": code})).await.expect(200);
}

#[tokio::test]
async fn login_requires_the_second_factor_in_the_same_call() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let off = json!({
        "authenticatorSince": null, "passkeys": [], "recoveryCodesLeft": 0, "required": false,
        "passkeysOffered": true,
    });
    assert_eq!(owner.get(FACTOR).await.expect(200), off);
    let (totp, codes) = authenticator(&product, &owner).await;
    let on = json!({
        "authenticatorSince": "<time>", "passkeys": [], "recoveryCodesLeft": 10,
        "required": false, "passkeysOffered": true,
    });
    assert_eq!(masked(&owner.get(FACTOR).await.expect(200)), on);

    let mut visitor = product.visitor();
    let missing = enter(&mut visitor, json!({})).await.expect(401);
    let code = "Please enter the code of your authenticator.";
    let expected = json!({
        "message": code, "code": "TOTP_REQUIRED",
        "fields": {"totp": code, "recoveryCode": "Please enter a recovery code."},
        "fieldCodes": {"totp": "TOTP_REQUIRED", "recoveryCode": "RECOVERY_CODE_MISSING"},
    });
    assert_eq!(missing, expected);
    assert_eq!(visitor.cookie, None);
    let wrong = enter(&mut visitor, json!({"totp": "000000"})).await;
    assert_eq!(wrong.error(401), "TOTP_WRONG");
    let wrong = json!({"totp": "000000", "password": "wrong-one"});
    let wrong = enter(&mut visitor, wrong).await.error(401);
    assert_eq!(wrong, "SIGN_IN_REFUSED");
    let now = totp.code(product.clock.now().timestamp());
    let user = enter(&mut visitor, json!({"totp": now})).await.expect(200);
    assert_eq!(user["role"], "owner");
    enter(&mut product.visitor(), json!({"recoveryCode": codes[0]}))
        .await
        .expect(200);

    // At the operator login only the own password requires it.
    let operate = async |more: Value| {
        let mut body = json!({"operatorName": "Acme", "password": PASSWORD});
        for (name, value) in more.as_object().expect("an object") {
            body[name] = value.clone();
        }
        product.visitor().post("/api/employee/login", body).await
    };
    assert_eq!(operate(json!({})).await.error(401), "TOTP_REQUIRED");
    let opened = operate(json!({"recoveryCode": codes[1]})).await.expect(200);
    assert_eq!(opened["redirect"], "/");
    let shared = operate(json!({"password": OPERATOR_PASSWORD})).await;
    assert_eq!(shared.expect(200)["redirect"], "/simple-operator");

    let path = format!("{FACTOR}/recovery-codes");
    let codes = owner.post_as(&path, json!({})).await.expect(200);
    assert_eq!(codes["recoveryCodes"].as_array().map(Vec::len), Some(10));
    assert_eq!(owner.delete(FACTOR).await.status, 204);
    enter(&mut product.visitor(), json!({})).await.expect(200);
}

#[tokio::test]
async fn passkey_options_use_the_public_origin() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let path = format!("{FACTOR}/passkey-options");
    let options = owner.post_as(&path, json!({})).await.expect(200);
    assert_eq!(
        [&options["rpId"], &options["userName"]],
        ["app.example.com", "owner@acme.example"]
    );
    let wrong = json!({"name": "Phone", "clientDataJson": "e30", "attestationObject": "oA"});
    let wrong = owner.post_as(&format!("{FACTOR}/passkeys"), wrong).await;
    assert!(wrong.expect(400)["fields"]["attestationObject"].is_string());
    let visitor = product.visitor();
    let options = visitor.post_as("/api/auth/passkey-options", login(&json!({})));
    let message = "There is no passkey to sign in with.";
    let expected = json!({"message": message, "code": "NO_PASSKEY"});
    assert_eq!(options.await.expect(409), expected);
    let wrong = login(&json!({"password": "wrong-one"}));
    let visitor = product.visitor();
    let wrong = visitor.post_as("/api/auth/passkey-options", wrong).await;
    assert_eq!(wrong.status, 401);
    // The header of the client is ignored.
    let router = product.gateway_with(|config, _| config.public_origin = None);
    let mut elsewhere = Browser {
        router,
        ..product.visitor()
    };
    enter(&mut elsewhere, json!({})).await.expect(200);
    let mut request = elsewhere.request(Method::GET, FACTOR, None);
    let origin = "https://app.example.com".parse().expect("a value");
    request.headers_mut().insert("x-public-origin", origin);
    let factor = elsewhere.send(request).await;
    assert_eq!(factor.expect(200)["passkeysOffered"], false);
}

#[tokio::test]
async fn second_factor_attempts_count_as_password_attempts() {
    let mut settings = config();
    settings.rate_limits = true;
    let product = Product::with(settings).await;
    let owner = product.owner("Acme").await;
    let (totp, _) = authenticator(&product, &owner).await;
    let mut guesser = product.visitor();
    for _ in 0..5 {
        // A request for a challenge does not reset the count.
        let options = guesser.post_as("/api/auth/passkey-options", login(&json!({})));
        assert_eq!(options.await.status, 409);
        let wrong = enter(&mut guesser, json!({"totp": "000000"})).await;
        assert_eq!(wrong.status, 401);
    }
    let now = totp.code(product.clock.now().timestamp());
    let refused = enter(&mut guesser, json!({"totp": now})).await;
    assert_eq!(refused.status, 429);
    let options = guesser.post_as("/api/auth/passkey-options", login(&json!({})));
    assert_eq!(options.await.status, 429);
    enter(&mut product.visitor(), json!({"totp": now}))
        .await
        .expect(200);

    // Enrolment codes are limited too.
    let guesser = product.visitor();
    for attempt in 0..6 {
        let body = json!({"code": "abcde-fghjk-mnpqr-stuvw"});
        let reply = guesser.post_as("/api/auth/staff-enrolment", body).await;
        assert_eq!(reply.status, if attempt < 5 { 400 } else { 429 });
    }
}

/// A company that requires a second factor, with a manager who has none.
struct Limited {
    product: Product,
    owner: Browser,
    manager: Browser,
}

impl Limited {
    async fn new() -> Self {
        let product = Product::new().await;
        let owner = product.owner("Acme").await;
        let manager = product.manager_of(&owner).await;
        let path = "/api/company-settings/second-factor";
        let early = owner.put(path, json!({"required": true})).await;
        let message = "Please set up a second factor for yourself first.";
        let expected = json!({"message": message, "code": "SECOND_FACTOR_OWN_MISSING"});
        assert_eq!(early.expect(409), expected);
        authenticator(&product, &owner).await;
        let on = owner.put(path, json!({"required": true})).await.expect(200);
        assert_eq!(on["required"], true);
        let forbidden = manager.put(path, json!({"required": false})).await;
        assert_eq!(forbidden.status, 403);
        Self {
            product,
            owner,
            manager,
        }
    }
}

#[tokio::test]
async fn requirement_is_enforced_on_every_rest_route() {
    let Limited {
        product,
        owner,
        manager,
    } = Limited::new().await;
    let things = Things::of(&product, owner).await;
    let user = manager.get("/api/auth/user").await.expect(200);
    assert_eq!(user["secondFactorMissing"], true);
    let (mut refused, mut open) = (0, Vec::new());
    for route in rest_routes() {
        let access = access(route.access_rule);
        let is_theirs = matches!(access.audience(), Audience::Tenant | Audience::Manager);
        if !is_theirs {
            continue;
        }
        let name = format!("{} {}", route.method, route.path);
        let body = (route.method != Method::GET).then(|| json!({}));
        let path = things.filled(route.path);
        let reply = manager.call(route.method, &path, body).await;
        if access.before_second_factor {
            assert_ne!(reply.json()["code"], "SECOND_FACTOR_REQUIRED", "{name}");
            open.push(name);
        } else {
            assert_eq!(reply.error(403), "SECOND_FACTOR_REQUIRED", "{name}");
            refused += 1;
        }
    }
    assert!(refused > 40, "only {refused} refused");
    assert_eq!(open.len(), 7, "{open:?}");

    authenticator(&product, &manager).await;
    let user = manager.get("/api/auth/user").await.expect(200);
    assert_eq!(user["secondFactorMissing"], false);
    manager.get("/api/employees").await.expect(200);
    let off = manager.delete(FACTOR).await;
    let message = "Your company requires a second factor.";
    let expected = json!({"message": message, "code": "SECOND_FACTOR_NOT_REMOVABLE"});
    assert_eq!(off.expect(409), expected);
}

#[tokio::test]
async fn requirement_is_enforced_on_every_rpc() {
    let limited = Limited::new().await;
    let operator = limited.product.operator_of(&limited.owner).await;
    let shared = limited.product.shared_session("Acme").await;
    let (mut refused, mut open) = (0, 0);
    for (path, access) in policy_table().expect("a complete table") {
        let is_theirs = matches!(access.audience(), Audience::Tenant | Audience::Manager);
        if !is_theirs {
            continue;
        }
        let reply = limited
            .manager
            .send(grpc_web::request(&limited.manager, &path, &[]));
        let reply = reply.await;
        let (status, _) = grpc_web::outcome(&reply);
        let reason = ServiceError::from_status(&status).reason;
        if access.before_second_factor {
            assert_ne!(status.code(), Code::PermissionDenied, "{path}");
            open += 1;
        } else {
            assert_eq!(status.code(), Code::PermissionDenied, "{path}");
            assert_eq!(reason, "SECOND_FACTOR_REQUIRED", "{path}");
            refused += 1;
        }
    }
    assert!(refused > 40 && open == 6, "{refused} {open}");
    // Operators need none and get no rights of the owner.
    for browser in [&operator, &shared] {
        browser.get("/api/equipment").await.expect(200);
        assert_eq!(browser.get("/api/employees").await.status, 403);
        assert_eq!(browser.get(FACTOR).await.status, 403);
    }
    let mut manager = limited.manager.clone();
    let out = manager.post("/api/auth/logout", json!({})).await;
    assert_eq!(out.status, 204);
}

#[tokio::test]
async fn owner_resets_the_second_factor_of_a_manager() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    authenticator(&product, &manager).await;
    let people = owner.get("/api/employees").await.expect(200);
    assert_eq!(people[0]["secondFactor"], true);
    let path = "/api/admin/reset-second-factor";
    let body = json!({"targetUserId": people[0]["id"]});
    assert_eq!(manager.post_as(path, body.clone()).await.status, 403);
    let unknown = json!({"targetUserId": people[1]["id"]});
    assert_eq!(owner.post_as(path, unknown).await.status, 404);
    assert_eq!(owner.post_as(path, body).await.status, 204);
    assert_eq!(manager.get("/api/auth/user").await.status, 401);
    let people = owner.get("/api/employees").await.expect(200);
    assert_eq!(people[0]["secondFactor"], false);
    let seen = owner.get("/api/audit-log?event=second_factor_reset").await;
    assert_eq!(seen.expect(200)[0]["targetName"], "Max M");
}

#[tokio::test]
async fn staff_enrol_by_a_code_and_change_their_password() {
    let product = Product::new().await;
    let staff_account = product.enrol_staff().await;
    let mut staff = product.visitor();
    let now = product.clock.now().timestamp();
    let body = json!({
        "emailOrBusinessName": staff_account.email, "password": staff_account.password, "totp": staff_account.code(now),
    });
    staff.post("/api/auth/login", body).await.expect(200);
    let path = "/api/user/change-password";
    let wrong = json!({"currentPassword": "wrong-one", "newPassword": "quarry-road-8"});
    assert_eq!(staff.patch(path, wrong).await.error(400), "WRONG_PASSWORD");
    let right = json!({"currentPassword": staff_account.password, "newPassword": "quarry-road-8"});
    let before = staff.clone();
    let done = staff.patch(path, right).await;
    assert_eq!(done.status, 204);
    staff.keep_cookie(&done);
    assert_eq!(before.get("/api/auth/user").await.status, 401);
    staff.get("/api/admin/accounts").await.expect(200);
    let used = json!({"code": "used-up", "totp": "123456", "newPassword": "quarry-road-9"});
    let used = product
        .visitor()
        .post_as("/api/auth/staff-enrolment/finish", used)
        .await;
    assert_eq!(used.error(400), "WRONG_ENROLMENT_CODE");
}
