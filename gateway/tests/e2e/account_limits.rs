//! Limits of the calls about passwords.

use chrono::TimeDelta;
use hourmeter_proto::accounts::v1::{
    SetSecurityQuestionsRequest, UpdateCompanySettingsRequest, UpdateProfileRequest,
};
use prost::Message as _;
use serde_json::{Value, json};
use tonic::Code;

use crate::grpc_web;
use crate::product::{Browser, PASSWORD, Product, config};

const SETTINGS: &str = "/hourmeter.accounts.v1.AccountsService/UpdateCompanySettings";

async fn limited() -> Product {
    let mut settings = config();
    settings.rate_limits = true;
    Product::with(settings).await
}

async fn forgot(browser: &Browser, name: &str) -> (u16, Value) {
    let body = json!({"emailOrBusinessName": name});
    let reply = browser.post_as("/api/auth/forgot-password", body).await;
    (reply.status.as_u16(), reply.json())
}

#[tokio::test]
async fn forgot_password_reveals_three_unknown_accounts_per_address() {
    let product = limited().await;
    product.owner("Acme").await;
    let guesser = product.visitor();
    for name in ["a@b.example", "Acme", "Nobody"] {
        assert_eq!(forgot(&guesser, name).await.0, 404, "{name}");
    }
    let (status, decoy) = forgot(&guesser, "Nobody").await;
    assert_eq!(status, 200);
    assert!(decoy["question1"].is_string() && decoy["question1"] != decoy["question2"]);
    // The same pair each time, for every spelling and address.
    assert_eq!(forgot(&guesser, " nobody ").await, (200, decoy.clone()));
    for name in ["Nobody", "NOBODY", "Nobody", "Acme", "x"] {
        forgot(&guesser, name).await;
    }
    assert_eq!(forgot(&guesser, "Nobody").await.0, 429);
    assert_eq!(forgot(&product.visitor(), "Nobody").await.0, 404);
}

#[tokio::test]
async fn reset_password_limits_guesses_to_5_an_hour_per_account() {
    let product = limited().await;
    product.owner("Acme").await;
    let guess = |name: &str| {
        let body = json!({
            "emailOrBusinessName": name, "securityAnswer1": "a1", "securityAnswer2": "b2",
            "newPassword": "quarry-road-8",
        });
        let browser = product.visitor();
        async move { browser.post_as("/api/auth/reset-password", body).await }
    };
    for name in ["Acme", "Nobody"] {
        for _ in 0..5 {
            assert_eq!(guess(name).await.error(400), "WRONG_ANSWERS");
        }
        let reply = guess(name).await;
        assert_eq!(reply.status, 429, "{name}");
        assert_ne!(reply.header("retry-after"), "");
    }
    let padded = format!("{}Acme", " ".repeat(299));
    assert_eq!(guess(&padded).await.status, 429);
    // Signing in has its own limit.
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    let login = product.visitor().post_as("/api/auth/login", login).await;
    assert_eq!(login.status, 200);
}

#[tokio::test]
async fn change_password_counts_a_wrong_password_as_failed_sign_in() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let change = |current: &str, new: &str| {
        let body = json!({"currentPassword": current, "newPassword": new});
        let owner = owner.clone();
        async move { owner.patch("/api/user/change-password", body).await }
    };
    // An invalid new password is not a guess.
    for _ in 0..7 {
        assert_eq!(change(PASSWORD, "short").await.status, 400);
    }
    for _ in 0..5 {
        let reply = change("wrong-one", "quarry-road-8").await;
        assert_eq!(reply.error(400), "WRONG_PASSWORD");
    }
    assert_eq!(change(PASSWORD, "quarry-road-8").await.status, 429);
    let confirm = json!({"password": PASSWORD});
    let confirm = owner.post_as("/api/auth/reauth", confirm).await;
    assert_eq!(confirm.status, 429);
    let later = product.clock.now() + TimeDelta::seconds(60);
    product.clock.set(later);
    assert_eq!(change(PASSWORD, "quarry-road-8").await.status, 204);
}

#[tokio::test]
async fn company_settings_reveals_the_password_10_times_an_hour() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let path = "/api/company-settings?reveal=masterPassword";
    let start = product.clock.now();
    // Denied calls do not count.
    product.clock.set(start + TimeDelta::minutes(31));
    for _ in 0..12 {
        assert_eq!(owner.get(path).await.error(403), "REAUTH_REQUIRED");
    }
    product.clock.set(start);
    for _ in 0..10 {
        owner.get(path).await.expect(200);
    }
    assert_eq!(owner.get(path).await.status, 429);
    assert_eq!(owner.get("/api/company-settings").await.status, 200);
}

#[tokio::test]
async fn checkouts_are_limited_to_10_an_hour_in_both_protocols() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let manager = product.manager_of(&owner).await;
    let path = "/hourmeter.billing.v1.BillingService/CreateCheckoutSession";
    let begin = async |browser: &Browser| {
        let body = json!({"tier": "basic", "billingInterval": "month"});
        browser.post_as("/api/create-checkout-session", body).await
    };
    for _ in 0..5 {
        begin(&owner).await.expect(200);
        let request = grpc_web::request(&manager, path, &[]);
        let (status, _) = grpc_web::outcome(&manager.send(request).await);
        assert_eq!(status.code(), tonic::Code::InvalidArgument);
    }
    let refused = begin(&owner).await;
    assert_eq!(refused.status, 429);
    assert_ne!(refused.header("retry-after"), "");
    let request = grpc_web::request(&manager, path, &[]);
    let (status, _) = grpc_web::outcome(&manager.send(request).await);
    assert_eq!(status.code(), tonic::Code::ResourceExhausted);
    // Other companies have their own limit.
    let other = product.owner("Beta").await;
    begin(&other).await.expect(200);
    let later = product.clock.now() + TimeDelta::hours(1);
    product.clock.set(later);
    begin(&owner).await.expect(200);
}

#[tokio::test]
async fn names_in_use_are_limited_to_10_an_hour_in_both_protocols() {
    const PROFILE: &str = "/hourmeter.accounts.v1.AccountsService/UpdateProfile";
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let gamma = product.owner("Gamma").await;
    product.owner("Beta").await;
    let taken = "owner@beta.example";
    let profile = |email: &str| {
        let body = json!({"email": email});
        let owner = owner.clone();
        async move { owner.patch("/api/user/profile", body).await }
    };
    let manager = |browser: &Browser, email: &str| {
        let body = json!({
            "role": "manager", "firstName": "Mo", "lastName": "Diaz", "email": email,
        });
        let browser = browser.clone();
        async move { browser.post_as("/api/employees", body).await }
    };
    let rename = async |name: &str| {
        let body = json!({"companyName": name});
        owner.patch("/api/company/settings", body).await
    };
    let request = UpdateProfileRequest {
        email: Some(taken.to_owned()),
        ..UpdateProfileRequest::default()
    };
    let request = request.encode_to_vec();
    // Names not in use do not count.
    for n in 0..12 {
        profile(&format!("olivia{n}@acme.example"))
            .await
            .expect(200);
    }
    for _ in 0..3 {
        assert_eq!(profile(taken).await.status, 409);
        assert_eq!(manager(&owner, taken).await.status, 409);
        assert_eq!(rename("BETA").await.status, 409);
    }
    let code = grpc_web::code(&owner, PROFILE, &request).await;
    assert_eq!(code, tonic::Code::AlreadyExists);
    // From then on all are rejected, in use or not.
    for email in [taken, "free@acme.example"] {
        let refused = profile(email).await;
        assert_eq!(refused.status, 429, "{email}");
        assert_eq!(refused.header("retry-after"), "3600");
        assert_eq!(manager(&owner, email).await.status, 429, "{email}");
    }
    for name in ["Beta", "Acme Two"] {
        assert_eq!(rename(name).await.status, 429, "{name}");
    }
    let request = grpc_web::request(&owner, PROFILE, &request);
    let reply = owner.send(request).await;
    assert_eq!(
        grpc_web::outcome(&reply).0.code(),
        tonic::Code::ResourceExhausted
    );
    assert_eq!(reply.header("retry-after"), "3600");
    // The company is limited at other addresses, and other companies at this address.
    let mut moved = owner.clone();
    moved.address = ([192, 0, 2, 1], 40_000).into();
    assert_eq!(manager(&moved, taken).await.status, 429);
    let mut here = gamma.clone();
    here.address = owner.address;
    assert_eq!(manager(&here, taken).await.status, 429);
    assert_eq!(manager(&gamma, taken).await.status, 409);
    // Changes without such a name still work.
    let names = json!({"firstName": "Olive"});
    owner.patch("/api/user/profile", names).await.expect(200);
    let zone = json!({"timeZone": "America/Chicago"});
    owner
        .post_as("/api/company-settings", zone)
        .await
        .expect(200);
}

/// Sets the operator password by REST or grpc-web. Returns the HTTP status or the gRPC code.
async fn set_by_rest(browser: &Browser, password: &str) -> u16 {
    let body = json!({"masterPassword": password});
    let reply = browser.post_as("/api/company-settings", body).await;
    reply.status.as_u16()
}

async fn set_by_rpc(browser: &Browser, password: &str) -> Code {
    let message = UpdateCompanySettingsRequest {
        operator_password: Some(password.to_owned()),
        ..UpdateCompanySettingsRequest::default()
    };
    grpc_web::code(browser, SETTINGS, &message.encode_to_vec()).await
}

#[tokio::test]
async fn operator_password_changes_are_limited_to_10_an_hour_in_both_protocols() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let start = product.clock.now();
    // Neither the mask nor denied calls count.
    product.clock.set(start + TimeDelta::minutes(31));
    for number in 0..6 {
        assert_eq!(
            set_by_rest(&owner, &format!("gravel-pit-1{number}")).await,
            403
        );
        assert_eq!(set_by_rest(&owner, "********").await, 200);
        assert_eq!(set_by_rpc(&owner, "********").await, Code::Ok);
    }
    product.clock.set(start);
    // The company's first password counts.
    for number in 0..9 {
        let password = format!("gravel-pit-2{number}");
        if number % 2 == 0 {
            assert_eq!(set_by_rest(&owner, &password).await, 200);
        } else {
            assert_eq!(set_by_rpc(&owner, &password).await, Code::Ok);
        }
    }
    let manager = product.manager_of(&owner).await;
    assert_eq!(set_by_rest(&manager, "gravel-pit-30").await, 429);
    assert_eq!(
        set_by_rpc(&owner, "gravel-pit-30").await,
        Code::ResourceExhausted
    );
    let name = json!({"companyName": "Acme Two"});
    owner.patch("/api/company/settings", name).await.expect(200);
    // Other companies have their own limit.
    let other = product.owner("Beta").await;
    assert_eq!(set_by_rest(&other, "gravel-pit-30").await, 200);
}

#[tokio::test]
async fn operator_password_equal_to_the_owners_counts_as_failed_sign_in() {
    for by_rpc in [false, true] {
        let product = limited().await;
        let owner = product.owner("Acme").await;
        let manager = product.manager_of(&owner).await;
        for _ in 0..5 {
            if by_rpc {
                let code = set_by_rpc(&manager, PASSWORD).await;
                assert_eq!(code, Code::InvalidArgument);
            } else {
                let body = json!({"masterPassword": PASSWORD});
                let reply = manager.post_as("/api/company-settings", body).await;
                assert_eq!(reply.error(400), "PERSONAL_PASSWORD");
            }
        }
        assert_eq!(set_by_rest(&manager, "gravel-pit-30").await, 429);
        assert_eq!(
            set_by_rpc(&manager, "gravel-pit-30").await,
            Code::ResourceExhausted
        );
        let confirm = json!({"password": "whatever-it-is"});
        let confirm = manager.post_as("/api/auth/reauth", confirm).await;
        assert_eq!(confirm.status, 429);
        // Other people of the company are not affected.
        assert_eq!(set_by_rest(&owner, "gravel-pit-30").await, 200);
    }
}

#[tokio::test]
async fn password_hashing_is_limited_to_30_a_minute_in_both_protocols() {
    let product = limited().await;
    let owner = product.owner("Acme").await;
    let path = "/hourmeter.accounts.v1.AccountsService/SetSecurityQuestions";
    let message = SetSecurityQuestionsRequest::default().encode_to_vec();
    let by_rest = async || {
        let body = json!({
            "securityQuestion1": "?", "securityAnswer1": "a1",
            "securityQuestion2": "?", "securityAnswer2": "b2",
        });
        let path = "/api/auth/setup-security-questions";
        owner.post_as(path, body).await.status.as_u16()
    };
    // Setting the first operator password counts.
    for _ in 0..14 {
        assert_eq!(by_rest().await, 400);
        let code = grpc_web::code(&owner, path, &message).await;
        assert_eq!(code, Code::InvalidArgument);
    }
    assert_eq!(set_by_rest(&owner, "gravel-pit-30").await, 200);
    assert_eq!(by_rest().await, 429);
    let code = grpc_web::code(&owner, path, &message).await;
    assert_eq!(code, Code::ResourceExhausted);
    assert_eq!(
        set_by_rpc(&owner, "gravel-pit-31").await,
        Code::ResourceExhausted
    );
    let body = json!({
        "role": "manager", "firstName": "Mo", "lastName": "M", "email": "mo@x.example",
    });
    assert_eq!(owner.post_as("/api/employees", body).await.status, 429);
    let confirm = owner.post_as("/api/auth/reauth", json!({"password": PASSWORD}));
    assert_eq!(confirm.await.status, 429);
    let body = json!({"currentPassword": PASSWORD, "newPassword": "quarry-road-8"});
    let change = owner.patch("/api/user/change-password", body).await;
    assert_eq!(change.status, 429);
    // Signing in does not count for the company.
    let login = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    let login = product.visitor().post_as("/api/auth/login", login).await;
    assert_eq!(login.status, 200);
    product
        .clock
        .set(product.clock.now() + TimeDelta::minutes(1));
    assert_eq!(by_rest().await, 400);
}
