//! Phones on which operators sign in without signal, and the updates that they sign.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use http::Method;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::audit_lines;
use crate::product::{Browser, Product, Reply, config, id};

/// A phone without a session, and its key.
struct Phone {
    browser: Browser,
    id: String,
    key: EcdsaKeyPair,
}

impl Phone {
    fn new(product: &Product) -> Self {
        let (algorithm, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random);
        Self {
            browser: product.visitor(),
            id: Uuid::new_v4().to_string(),
            key: key.expect("a key"),
        }
    }

    fn path(&self) -> String {
        format!("/api/devices/{}/updates", self.id)
    }

    async fn contact(&self, body: Value) -> Reply {
        let path = format!("/api/devices/{}/contact", self.id);
        self.browser.post_as(&path, body).await
    }

    /// Reports a contact.
    async fn check_in(&self, at: DateTime<Utc>) -> Reply {
        let payload = json!({"deviceId": self.id, "contactAt": at});
        self.contact(self.sign(&payload.to_string())).await
    }

    async fn enrol(&self, person: &Browser) -> Reply {
        let key = BASE64_URL_SAFE_NO_PAD.encode(self.key.public_key());
        let body = json!({"id": self.id, "label": "Shop phone", "publicKey": key});
        person.post_as("/api/devices", body).await
    }

    fn sign(&self, payload: &str) -> Value {
        let signature = self.key.sign(&SystemRandom::new(), payload.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.expect("a signature"));
        json!({"payload": payload, "signature": signature})
    }

    async fn send(&self, person: &str, update: Value) -> Reply {
        let payload = json!({"deviceId": self.id, "operatorId": person, "update": update});
        let body = self.sign(&payload.to_string());
        self.browser.post_as(&self.path(), body).await
    }
}

fn report(machine: &str, usage: u32, captured_at: DateTime<Utc>) -> Value {
    json!({
        "equipmentId": machine, "newUsage": usage, "clientId": format!("phone-{usage}"),
        "capturedAt": captured_at,
    })
}

async fn person(of: &Browser) -> String {
    id(&of.get("/api/auth/user").await.expect(200))
}

/// A company that applies updates without review, with a machine, and an operator on a phone.
struct Yard {
    product: Product,
    owner: Browser,
    machine: String,
    operator: Browser,
    /// The operator's id.
    oscar: String,
    phone: Phone,
}

async fn yard(product: Product) -> Yard {
    let owner = product.owner("Acme").await;
    let settings = json!({"autoApplyUpdates": true});
    owner
        .post_as("/api/company-settings", settings)
        .await
        .expect(200);
    let machine = id(&owner.machine("Crane").await);
    // A reading at the same instant would contradict the first one.
    product
        .clock
        .set(product.clock.now() + TimeDelta::minutes(1));
    let operator = product.operator_of(&owner).await;
    let oscar = person(&operator).await;
    let phone = Phone::new(&product);
    phone.enrol(&operator).await.expect(201);
    Yard {
        product,
        owner,
        machine,
        operator,
        oscar,
        phone,
    }
}

impl Yard {
    fn now(&self) -> DateTime<Utc> {
        self.product.clock.now()
    }

    /// The update as managers see it.
    async fn seen(&self, sent: &Value) -> Value {
        let all = self.owner.get("/api/operator-updates").await.expect(200);
        let mut all = all.as_array().expect("a list").iter();
        all.find(|row| row["id"] == sent["id"])
            .expect("a row")
            .clone()
    }

    /// Sends a reading that was captured now, and lets a minute pass.
    async fn report(&self, usage: u32) -> Value {
        let at = self.now();
        let sent = self
            .phone
            .send(&self.oscar, report(&self.machine, usage, at));
        let sent = sent.await.expect(201);
        self.product.clock.set(at + TimeDelta::minutes(1));
        sent
    }
}

#[tokio::test]
async fn phone_sends_updates_without_a_session() {
    let yard = yard(Product::new().await).await;
    let captured_at = yard.now();
    let sent = yard.report(110).await;
    assert_eq!(sent["status"], "recent");
    assert_eq!(
        (&sent["device"], &sent["person"]),
        (&json!("active"), &json!("active"))
    );
    assert_eq!(sent["capturedOnDevice"], "Shop phone");
    assert_eq!(
        (&sent["operatorId"], &sent["operatorName"]),
        (&json!(yard.oscar), &json!("Oscar Operator"))
    );
    let machine = yard
        .owner
        .get(&format!("/api/equipment/{}", yard.machine))
        .await;
    assert_eq!(machine.expect(200)["currentUsage"], 110);
    // A repeat has no effect, also through a session.
    let repeat = report(&yard.machine, 110, captured_at);
    let again = yard
        .phone
        .send(&yard.oscar, repeat.clone())
        .await
        .expect(200);
    assert_eq!(again["id"], sent["id"]);
    let online = yard.operator.post_as("/api/operator-updates", repeat).await;
    assert_eq!(online.expect(200)["id"], sent["id"]);
    let all = yard.owner.get("/api/operator-updates").await.expect(200);
    assert_eq!(all.as_array().expect("a list").len(), 1);
    assert_eq!(all[0]["capturedOnDevice"], "Shop phone");
    // An update of a session has no phone.
    let online = report(&yard.machine, 111, yard.now());
    let online = yard.operator.post_as("/api/operator-updates", online).await;
    assert_eq!(online.expect(201)["capturedOnDevice"], Value::Null);
}

#[tokio::test]
async fn phone_sends_the_longest_notes() {
    let yard = yard(Product::new().await).await;
    for (usage, notes) in [(110, "\n".repeat(4998)), (120, "\u{1f69c}".repeat(4998))] {
        let mut update = report(&yard.machine, usage, yard.now());
        update["notes"] = format!("a{notes}b").into();
        yard.phone
            .send(&yard.oscar, update.clone())
            .await
            .expect(201);
        yard.product.clock.set(yard.now() + TimeDelta::minutes(1));
        update["notes"] = "x".repeat(5001).into();
        update["clientId"] = "too-long".into();
        let refused = yard.phone.send(&yard.oscar, update).await.expect(400);
        assert!(refused["fields"]["notes"].is_string(), "{refused}");
    }
}

#[tokio::test]
async fn contact_reports_who_is_still_enrolled() {
    let yard = yard(Product::new().await).await;
    let colleague = yard.product.operator_of(&yard.owner).await;
    yard.phone.enrol(&colleague).await.expect(200);
    let colleague = person(&colleague).await;
    let states = async |expected: [&str; 3]| {
        yard.product.clock.set(yard.now() + TimeDelta::minutes(2));
        let found = yard.phone.check_in(yard.now()).await.expect(200);
        assert_eq!(found["device"], expected[0]);
        let mut people = vec![
            json!({"id": yard.oscar, "state": expected[1]}),
            json!({"id": colleague, "state": expected[2]}),
        ];
        people.sort_by_key(|person| person["id"].to_string());
        assert_eq!(found["people"], json!(people));
    };
    states(["active", "active", "active"]).await;
    let devices = yard.owner.get("/api/devices").await.expect(200);
    assert_ne!(devices[0]["lastContact"], devices[0]["enrolledAt"]);
    let leave = format!("/api/devices/{}/people/me", yard.phone.id);
    assert_eq!(yard.operator.delete(&leave).await.status, 204);
    states(["active", "removed", "active"]).await;
    let device = format!("/api/devices/{}", yard.phone.id);
    assert_eq!(yard.owner.delete(&device).await.status, 204);
    states(["removed", "removed", "active"]).await;
}

#[tokio::test]
async fn contact_is_refused_alike_for_all_other_senders() {
    let yard = yard(Product::new().await).await;
    let payload = |id: &str| json!({"deviceId": id, "contactAt": yard.now()}).to_string();
    let own = payload(&yard.phone.id);
    let forged = Phone {
        id: yard.phone.id.clone(),
        ..Phone::new(&yard.product)
    };
    let mut altered = yard.phone.sign(&own);
    altered["payload"] = format!("{own} ").into();
    let replies = [
        yard.phone.contact(altered).await,
        yard.phone
            .contact(yard.phone.sign(&payload(&Uuid::nil().to_string())))
            .await,
        yard.phone.contact(yard.phone.sign("not json")).await,
        yard.phone
            .contact(json!({"payload": own, "signature": "x"}))
            .await,
        forged.check_in(yard.now()).await,
        Phone::new(&yard.product).check_in(yard.now()).await,
    ];
    for reply in &replies {
        assert_eq!(reply.body, replies[0].body);
        assert_eq!(reply.expect(401)["code"], "DEVICE_NOT_ACCEPTED");
    }
    // A signed update is no contact.
    let update = json!({"deviceId": yard.phone.id, "operatorId": yard.oscar, "update": {}});
    let reply = yard
        .phone
        .contact(yard.phone.sign(&update.to_string()))
        .await;
    assert!(reply.expect(400)["fields"]["contactAt"].is_string());
    // The same id and another key in another company do not interfere.
    let other = yard.product.owner("Beta").await;
    let stranger = yard.product.operator_of(&other).await;
    forged.enrol(&stranger).await.expect(201);
    for (phone, who) in [
        (&yard.phone, &yard.oscar),
        (&forged, &person(&stranger).await),
    ] {
        let found = phone.check_in(yard.now()).await.expect(200);
        assert_eq!(found["people"], json!([{"id": who, "state": "active"}]));
    }
}

#[tokio::test]
async fn phone_gets_the_errors_of_the_update() {
    let yard = yard(Product::new().await).await;
    let unknown = report(&Uuid::new_v4().to_string(), 5, yard.now());
    assert_eq!(yard.phone.send(&yard.oscar, unknown).await.status, 404);
    let wrong = json!({"equipmentId": yard.machine, "newUsage": -1, "clientId": "x", "capturedAt": yard.now()});
    let wrong = yard.phone.send(&yard.oscar, wrong).await.expect(400);
    assert!(wrong["fields"]["newUsage"].is_string(), "{wrong}");
    let nothing = yard.phone.send(&yard.oscar, json!({})).await.expect(400);
    for name in ["clientId", "capturedAt"] {
        assert!(nothing["fields"][name].is_string(), "{nothing}");
    }
    let unsigned = json!({"payload": "{}"});
    let unsigned = yard
        .phone
        .browser
        .post_as(&yard.phone.path(), unsigned)
        .await;
    assert!(unsigned.expect(400)["fields"]["signature"].is_string());
}

#[tokio::test]
async fn phone_is_refused_alike_for_all_other_senders() {
    let yard = yard(Product::new().await).await;
    let colleague = yard.product.operator_of(&yard.owner).await;
    let other = yard.product.owner("Beta").await;
    let stranger = yard.product.operator_of(&other).await;
    let update = || report(&yard.machine, 120, yard.now());
    let mut altered = yard.phone.sign(
        &json!({"deviceId": yard.phone.id, "operatorId": yard.oscar, "update": update()})
            .to_string(),
    );
    altered["payload"] = json!({"deviceId": yard.phone.id, "operatorId": yard.oscar, "update": {}})
        .to_string()
        .into();
    let elsewhere = yard.phone.sign(
        &json!({"deviceId": Uuid::nil(), "operatorId": yard.oscar, "update": update()}).to_string(),
    );
    let unknown = Phone::new(&yard.product);
    let forged = Phone {
        id: yard.phone.id.clone(),
        ..Phone::new(&yard.product)
    };
    let path = yard.phone.path();
    let post = async |body| yard.phone.browser.post_as(&path, body).await;
    let replies = [
        post(altered).await,
        post(elsewhere).await,
        post(yard.phone.sign("not json")).await,
        post(json!({"payload": "{}", "signature": "x"})).await,
        yard.phone.send(&person(&colleague).await, update()).await,
        yard.phone.send(&person(&stranger).await, update()).await,
        yard.phone.send(&person(&yard.owner).await, update()).await,
        unknown.send(&yard.oscar, update()).await,
        forged.send(&yard.oscar, update()).await,
    ];
    for reply in &replies {
        assert_eq!(reply.body, replies[0].body);
        assert_eq!(reply.expect(401)["code"], "DEVICE_NOT_ACCEPTED");
        assert!(reply.header("set-cookie").is_empty());
    }
    // A machine of another company is unknown to the person.
    let theirs = id(&other.machine("Theirs").await);
    let reply = yard
        .phone
        .send(&yard.oscar, report(&theirs, 5, yard.now()))
        .await;
    assert_eq!(reply.status, 404);
    assert_eq!(
        yard.owner.get("/api/operator-updates").await.expect(200),
        json!([])
    );
}

#[tokio::test]
async fn refused_signatures_are_audited_with_the_real_network() {
    let mut settings = config();
    settings.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a net")];
    let yard = yard(Product::with(settings).await).await;
    let forger = Phone {
        id: yard.phone.id.clone(),
        ..Phone::new(&yard.product)
    };
    let from = async |peer: [u8; 4], forwarded: &str| {
        let mut sender = forger.browser.clone();
        sender.address = (peer, 5000).into();
        let payload = json!({"deviceId": forger.id, "operatorId": yard.oscar, "update": {}});
        let body = forger.sign(&payload.to_string());
        let mut request = sender.request(Method::POST, &forger.path(), Some(body));
        let value = forwarded.parse().expect("a value");
        request.headers_mut().insert("x-forwarded-for", value);
        let reply = sender.send(request).await;
        assert_eq!(reply.error(401), "DEVICE_NOT_ACCEPTED");
        // The next refusal is recorded an hour later.
        yard.product.clock.set(yard.now() + TimeDelta::hours(1));
    };
    from([198, 51, 100, 7], "203.0.113.5").await;
    from([127, 0, 0, 1], "192.0.2.1, 203.0.113.5").await;
    let lines = audit_lines(&yard.owner, "device_refused", 2).await;
    let networks: Vec<_> = lines.iter().map(|line| &line["addressPrefix"]).collect();
    assert_eq!(networks, ["198.51.100.0/24", "203.0.113.0/24"]);
    assert!(lines.iter().all(|line| line["outcome"] == "failed"));
}

#[tokio::test]
async fn updates_after_a_removal_wait_for_review() {
    let yard = yard(Product::new().await).await;
    let before = yard.now();
    yard.product.clock.set(before + TimeDelta::minutes(10));
    let device = format!("/api/devices/{}", yard.phone.id);
    assert_eq!(yard.owner.delete(&device).await.status, 204);
    yard.product.clock.set(before + TimeDelta::minutes(20));
    // Captured before the removal: as usual.
    let early = yard
        .phone
        .send(&yard.oscar, report(&yard.machine, 110, before))
        .await;
    let early = early.expect(201);
    // The phone learns nothing else any more.
    assert_eq!(
        early,
        json!({
            "id": early["id"], "clientId": "phone-110", "status": "recent", "device": "removed",
            "person": "active",
        })
    );
    let late = yard.report(120).await;
    assert_eq!(late["status"], "pending");
    assert_eq!(yard.seen(&late).await["flags"], json!(["removed_device"]));
    let people = yard.owner.get("/api/employees").await.expect(200);
    let employee = format!("/api/employees/{}", id(&people[0]));
    assert_eq!(yard.owner.delete(&employee).await.status, 204);
    yard.product.clock.set(yard.now() + TimeDelta::minutes(1));
    let last = yard.report(130).await;
    assert_eq!(last["person"], "removed");
    let last = yard.seen(&last).await;
    assert_eq!(last["flags"], json!(["removed_device", "removed_person"]));
    assert_eq!(last["operatorName"], "Oscar Operator");
    // A manager decides as usual.
    let apply = format!("/api/operator-updates/{}/apply", id(&late));
    let applied = yard.owner.post_as(&apply, json!({})).await.expect(200);
    assert_eq!(applied["status"], "applied");
    // The phone can't be enrolled again.
    let again = yard
        .phone
        .enrol(&yard.product.operator_of(&yard.owner).await)
        .await;
    assert_eq!(again.expect(410)["code"], "DEVICE_REMOVED");
}

#[tokio::test]
async fn person_leaves_a_phone_and_is_added_again() {
    let yard = yard(Product::new().await).await;
    let leave = format!("/api/devices/{}/people/me", yard.phone.id);
    assert_eq!(yard.operator.delete(&leave).await.status, 204);
    yard.product.clock.set(yard.now() + TimeDelta::minutes(1));
    let sent = yard.report(110).await;
    assert_eq!(
        sent,
        json!({
            "id": sent["id"], "clientId": "phone-110", "status": "pending", "device": "active",
            "person": "removed",
        })
    );
    assert_eq!(yard.seen(&sent).await["flags"], json!(["removed_person"]));
    assert_eq!(yard.phone.enrol(&yard.operator).await.status, 200);
    yard.product.clock.set(yard.now() + TimeDelta::minutes(1));
    let sent = yard.report(120).await;
    assert_eq!(
        (&sent["flags"], &sent["person"]),
        (&json!([]), &json!("active"))
    );
}

#[tokio::test]
async fn managers_see_and_remove_phones() {
    let yard = yard(Product::new().await).await;
    let devices = yard.owner.get("/api/devices").await.expect(200);
    let people = json!([{"id": yard.oscar, "name": "Oscar Operator"}]);
    assert_eq!(
        devices,
        json!([{
            "id": yard.phone.id, "label": "Shop phone", "enrolledBy": "Oscar Operator",
            "enrolledAt": devices[0]["enrolledAt"], "lastContact": devices[0]["enrolledAt"],
            "people": people, "removedAt": null,
        }])
    );
    let manager = yard.product.manager_of(&yard.owner).await;
    assert_eq!(manager.get("/api/devices").await.expect(200), devices);
    let refused = yard.phone.enrol(&manager).await;
    assert_eq!(refused.expect(403)["textCode"], "DEVICE_OPERATORS_ONLY");
    let path = format!("/api/devices/{}", yard.phone.id);
    assert_eq!(yard.operator.get("/api/devices").await.status, 403);
    assert_eq!(yard.operator.delete(&path).await.status, 403);
    assert_eq!(manager.delete(&path).await.status, 204);
    let devices = yard.owner.get("/api/devices").await.expect(200);
    assert!(devices[0]["removedAt"].is_string(), "{devices}");
    let log = yard.owner.get("/api/audit-log").await.expect(200);
    for event in ["device_removed", "device_enrolled"] {
        let rows = log.as_array().expect("a list").iter();
        let [row] = rows.filter(|row| row["event"] == event).collect::<Vec<_>>()[..] else {
            panic!("{event} in {log}");
        };
        assert_eq!(row["targetName"], "Shop phone");
    }
}

#[tokio::test]
async fn phones_are_limited() {
    let mut settings = config();
    settings.rate_limits = true;
    let yard = yard(Product::with(settings).await).await;
    for usage in 1..=60 {
        yard.product
            .clock
            .set(yard.now() + TimeDelta::milliseconds(1));
        let update = report(&yard.machine, usage + 100, yard.now());
        assert_eq!(
            yard.phone.send(&yard.oscar, update).await.status,
            201,
            "{usage}"
        );
    }
    let update = report(&yard.machine, 200, yard.now());
    let limited = yard.phone.send(&yard.oscar, update.clone()).await;
    assert!(!limited.header("retry-after").is_empty());
    assert_eq!(limited.status, 429);
    yard.product.clock.set(yard.now() + TimeDelta::minutes(2));
    assert_eq!(
        yard.phone.send(&yard.oscar, update.clone()).await.status,
        201
    );
    for _ in 0..59 {
        assert_eq!(yard.phone.check_in(yard.now()).await.status, 200);
    }
    assert_eq!(yard.phone.check_in(yard.now()).await.status, 429);
    yard.product.clock.set(yard.now() + TimeDelta::minutes(2));
    // Wrong signatures count as failed sign-ins of the address.
    let forged = json!({"payload": "{}", "signature": "x"});
    for _ in 0..30 {
        let reply = yard
            .phone
            .browser
            .post_as(&yard.phone.path(), forged.clone())
            .await;
        assert_eq!(reply.status, 401);
    }
    assert_eq!(yard.phone.send(&yard.oscar, update).await.status, 429);
}
