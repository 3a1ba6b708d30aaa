//! Invalid request bodies.

use axum::body::Body;
use hourmeter_gateway::rest_routes;
use hourmeter_proto::common::v1::Audience;
use http::Method;
use serde_json::{Value, json};

use crate::matrix::access;
use crate::product::{PASSWORD, Product, filled, id};

#[tokio::test]
async fn bodies_must_be_json_objects() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let raw = |body: &str, content_type: &str| {
        let mut request = owner.request(Method::POST, "/api/equipment", Some(Value::Null));
        *request.body_mut() = Body::from(body.to_owned());
        let value = content_type.parse().expect("a value");
        request.headers_mut().insert("content-type", value);
        owner.send(request)
    };
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(40), "]".repeat(40));
    for body in [
        "{",
        "[]",
        "1",
        "null",
        "{\"name\": NaN}",
        "{\"name\": 1e999}",
        "\u{1}",
        &deep,
    ] {
        let reply = raw(body, "application/json").await.expect(400);
        assert!(reply["fields"]["body"].is_string(), "{body}");
    }
    let good = json!({"name": "A", "type": "tools", "unit": "n/a"}).to_string();
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        assert_eq!(raw(&good, content_type).await.status, 415, "{content_type}");
    }
    let utf8 = raw(&good, "application/json; charset=utf-8").await;
    assert_eq!(utf8.status, 201, "{}", utf8.text());
    let padded = |size: usize| json!({"x": "y".repeat(size - 8)}).to_string();
    assert_eq!(
        raw(&padded(256 * 1024 + 1), "application/json")
            .await
            .status,
        413
    );
    assert_eq!(
        raw(&padded(256 * 1024), "application/json").await.status,
        400
    );
    assert_eq!(
        owner.get("/api/equipment/count").await.expect(200)["count"],
        1
    );
}

/// Numbers for which "" is the same as null.
const MAY_BE_EMPTY: [&str; 10] = [
    "calendarInterval",
    "firstDueUsage",
    "lastServiceUsage",
    "maintenanceInterval",
    "serviceInterval",
    "threshold",
    "usageInterval",
    "warningDays",
    "warningPercent",
    "warningUsage",
];

#[tokio::test]
async fn wrong_amounts_have_the_documented_texts() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = owner.machine("Excavator 320").await;
    let usage = format!("/api/equipment/{}/usage", id(&machine));
    let increase = "Please enter a valid positive number for usage increase.";
    let update = |field: &str, value: &Value| json!({"equipmentId": id(&machine), field: value});
    for wrong in [json!("abc"), json!(true), json!([1])] {
        let refused = owner.patch(&usage, json!({"usageIncrease": wrong})).await;
        assert_eq!(refused.expect(400)["fields"]["usageIncrease"], increase);
        for (field, text) in [
            ("newUsage", "Invalid Usage"),
            ("fuelAdded", "Invalid Fuel Amount"),
        ] {
            let refused = owner
                .post_as("/api/operator-updates", update(field, &wrong))
                .await;
            assert_eq!(refused.expect(400)["fields"][field], text);
        }
    }
}

#[tokio::test]
async fn documented_fields_reject_the_wrong_type() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let staff = product.staff().await;
    let document = owner.get("/api/openapi.json").await.expect(200);
    let wrong = [
        json!({"a": 1}),
        json!([[1]]),
        json!("NaN"),
        json!(true),
        json!(-0.5),
        json!(""),
    ];
    let mut tried = 0;
    for route in rest_routes() {
        let method = route.method.as_str().to_lowercase();
        let operation = &document["paths"][route.path][method.as_str()];
        assert!(
            operation.is_object(),
            "{} {} is not documented",
            route.method,
            route.path
        );
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let fields = schema["properties"].as_object().into_iter().flatten();
        for (field, schema) in fields {
            let types = schema["type"].to_string();
            for value in &wrong {
                let fits = match value {
                    Value::String(text) if text.is_empty() && MAY_BE_EMPTY.contains(&&**field) => {
                        true
                    }
                    Value::String(_) => types.contains("string") && schema.get("enum").is_none(),
                    Value::Bool(_) => types.contains("boolean"),
                    Value::Number(_) => types.contains("number"),
                    _ => false,
                };
                if fits {
                    continue;
                }
                let path = filled(route.path, "01890000-0000-7000-8000-000000000000");
                let body = json!({field: value});
                let for_staff = access(route.access_rule).audience() == Audience::Staff;
                let browser = if for_staff { &staff } else { &owner };
                let reply = browser
                    .call(route.method.clone(), &path, Some(body.clone()))
                    .await;
                let name = format!("{} {path} {body}", route.method);
                assert_eq!(reply.status, 400, "{name}: {}", reply.text());
                let errors = reply.json()["fields"].clone();
                let inner = [format!("{field}["), format!("{field}.")];
                let about = |name: &String| {
                    name == field || inner.iter().any(|inner| name.starts_with(inner))
                };
                let named = errors
                    .as_object()
                    .is_some_and(|errors| errors.keys().any(about));
                assert!(named, "{name}: {errors}");
                tried += 1;
            }
        }
    }
    assert!(tried > 250, "only {tried} tried");
}

#[tokio::test]
async fn all_invalid_fields_are_reported() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let body = json!({
        "name": 1, "type": "boat", "unit": "yards", "currentUsage": "many",
        "serviceParts": [{"part": "x"}, {"part": 1, "qty": 0.5}], "alertThreshold": -1,
        "hasScheduledMaintenance": "yes",
    });
    let reply = owner.post_as("/api/equipment", body).await.expect(400);
    let fields: Vec<_> = reply["fields"]
        .as_object()
        .expect("fields")
        .keys()
        .cloned()
        .collect();
    let expected = [
        "alertThreshold",
        "currentUsage",
        "hasScheduledMaintenance",
        "name",
        "serviceParts[1].part",
        "serviceParts[1].qty",
        "type",
        "unit",
    ];
    assert_eq!(fields, expected);
    // Errors of services have the same form.
    let missing = owner.post_as("/api/equipment", json!({})).await.expect(400);
    for field in ["name", "type", "unit"] {
        assert!(missing["fields"][field].is_string(), "{field}: {missing}");
    }
    let short = json!({"businessName": "A", "email": "x", "password": "123"});
    let short = product
        .visitor()
        .post_as("/api/auth/signup", short)
        .await
        .expect(400);
    for field in ["businessName", "email", "password"] {
        assert!(short["fields"][field].is_string(), "{field}: {short}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_are_rejected() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for path in [
        "/api",
        "/api/",
        "/api/nothing",
        "/api/equipment/x/y/z",
        "/api/auth",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let reply = owner.call(method.clone(), path, None).await;
            assert_eq!(reply.error(404), "NOT_FOUND", "{method} {path}");
            assert_eq!(reply.header("content-type"), "application/json");
        }
    }
    for (method, path, allowed) in [
        (Method::PUT, "/api/equipment", vec!["GET", "POST"]),
        (Method::GET, "/api/auth/login", vec!["POST"]),
        (Method::OPTIONS, "/api/plans", vec!["GET"]),
        (Method::POST, "/api/employees/x", vec!["PUT", "DELETE"]),
    ] {
        let reply = owner.call(method, path, Some(json!({}))).await;
        assert_eq!(reply.status, 405, "{path}");
        assert!(reply.json()["message"].is_string());
        for method in allowed {
            assert!(reply.header("allow").contains(method), "{path}");
        }
    }
    // HEAD returns the headers of GET.
    let head = owner.call(Method::HEAD, "/api/plans", None).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test]
async fn empty_bodies_are_accepted_without_required_fields() {
    let product = Product::new().await;
    let mut visitor = product.visitor();
    let out = visitor.call(Method::POST, "/api/auth/logout", None).await;
    assert_eq!(out.status, 204);
    let body = json!({"businessName": "Acme", "email": "a@b.example", "password": PASSWORD,
        "firstName": null, "unknown": 1});
    assert_eq!(visitor.post("/api/auth/signup", body).await.status, 201);
    for key in ["", "\u{7f}", "a\tb", &"x".repeat(256)] {
        let mut request = visitor.request(Method::POST, "/api/equipment", Some(json!({})));
        let Ok(value) = key.parse() else { continue };
        request.headers_mut().insert("idempotency-key", value);
        let reply = visitor.send(request).await.expect(400);
        assert!(reply["fields"]["Idempotency-Key"].is_string(), "{key:?}");
    }
}

/// Accepts texts of every script, but no characters that change how a text is displayed.
#[tokio::test]
async fn names_accept_every_script() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let rename = |first: &str| {
        let body = json!({"firstName": first, "lastName": "X"});
        let owner = owner.clone();
        async move { owner.patch("/api/user/profile", body).await }
    };
    for (sent, kept) in [
        ("Jose\u{301}", "Jos\u{e9}"),
        ("\u{212b}sa", "\u{c5}sa"),
        ("\u{ff21}\u{ff22}", "\u{ff21}\u{ff22}"),
        (
            "\u{645}\u{631}\u{64a}\u{645}",
            "\u{645}\u{631}\u{64a}\u{645}",
        ),
        ("\u{1f69c} Ana", "\u{1f69c} Ana"),
    ] {
        let changed = rename(sent).await.expect(200);
        assert_eq!(changed["firstName"], kept, "{sent}");
    }
    let before = owner.get("/api/auth/user").await.expect(200);
    for wrong in [
        "\u{202e}anA",
        "A\u{2066}B",
        "A\u{0}B",
        "A\nB",
        "A\u{7f}",
        &"x".repeat(101),
    ] {
        let reply = rename(wrong).await.expect(400);
        assert!(reply["fields"]["firstName"].is_string(), "{wrong:?}");
    }
    assert_eq!(owner.get("/api/auth/user").await.expect(200), before);
}

#[tokio::test]
async fn passwords_have_at_most_128_characters() {
    let product = Product::new().await;
    let mut owner = product.owner("Acme").await;
    let path = "/api/user/change-password";
    let mut current = PASSWORD.to_owned();
    for (new, status) in [
        ("x".repeat(5), 400),
        ("\u{e9}".repeat(129), 400),
        (format!("{}9", "\u{1f69c}".repeat(127)), 204),
        (format!("{}8", "q".repeat(127)), 204),
    ] {
        let body = json!({"currentPassword": current, "newPassword": new});
        let reply = owner.patch(path, body).await;
        assert_eq!(reply.status, status, "{}", reply.text());
        if status == 204 {
            owner.keep_cookie(&reply);
            current = new;
        }
    }
    let login = json!({"emailOrBusinessName": "Acme", "password": current});
    let login = product.visitor().post_as("/api/auth/login", login).await;
    assert_eq!(login.status, 200);
}
