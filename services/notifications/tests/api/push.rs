//! Notifications in browsers, through a push service that decrypts.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use hourmeter_notifications::{Channels, PushSettings};
use hourmeter_proto::accounts::v1::ListContactsResponse;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::Code;
use web_push_native::{Auth, decrypt};

use crate::fake_contacts::FakeContacts;
use crate::support::{TestNotifications, flagged, now, returned};

const VAPID_KEY: &str = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=";
const AUTH: [u8; 16] = [7; 16];

/// A request that the push service received.
#[derive(Clone, Debug)]
struct Received {
    path: String,
    headers: String,
    payload: Value,
}

#[derive(Debug)]
struct PushService {
    address: String,
    /// The browsers' private key.
    key: p256::SecretKey,
    received: Mutex<Vec<Received>>,
    status: Mutex<u16>,
}

impl PushService {
    async fn start() -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service = Arc::new(Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            key: p256::SecretKey::from_slice(&[9; 32]).unwrap(),
            received: Mutex::default(),
            status: Mutex::new(201),
        });
        let serving = service.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().answer(stream));
            }
        });
        service
    }

    async fn answer(self: Arc<Self>, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        loop {
            let end = bytes.windows(4).position(|part| part == b"\r\n\r\n");
            if let Some(end) = end {
                let headers = String::from_utf8(bytes[..end].to_vec()).unwrap();
                let lower = headers.to_lowercase();
                let (_, length) = lower.split_once("content-length: ").unwrap();
                let length: usize = length.lines().next().unwrap().parse().unwrap();
                if bytes.len() >= end + 4 + length {
                    self.receive(&headers, bytes[end + 4..].to_vec());
                    break;
                }
            }
            let mut part = [0; 4096];
            match stream.read(&mut part).await.unwrap() {
                0 => return,
                read => bytes.extend(&part[..read]),
            }
        }
        let status = *self.status.lock().unwrap();
        let reply =
            format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(reply.as_bytes()).await.unwrap();
    }

    fn receive(&self, headers: &str, body: Vec<u8>) {
        let path = headers.split(' ').nth(1).unwrap().to_owned();
        let plain = decrypt(body, &self.key, &Auth::from(AUTH)).unwrap();
        self.received.lock().unwrap().push(Received {
            path,
            headers: headers.to_owned(),
            payload: serde_json::from_slice(&plain).unwrap(),
        });
    }

    fn subscription(&self, browser: &str, language: &str) -> AddPushSubscriptionRequest {
        let public = self.key.public_key().to_sec1_bytes();
        AddPushSubscriptionRequest {
            endpoint: format!("{}/{browser}", self.address),
            p256dh: BASE64_URL_SAFE_NO_PAD.encode(uncompressed(&public)),
            auth: BASE64_URL_SAFE_NO_PAD.encode(AUTH),
            language: language.to_owned(),
        }
    }
}

fn uncompressed(point: &[u8]) -> Vec<u8> {
    let key = p256::PublicKey::from_sec1_bytes(point).unwrap();
    VerifyingKey::from(key)
        .to_encoded_point(false)
        .as_bytes()
        .to_vec()
}

struct Yard {
    app: TestNotifications,
    contacts: FakeContacts,
    service: Arc<PushService>,
    owner: Identity,
}

impl Yard {
    async fn new() -> Self {
        let contacts = FakeContacts::default();
        let key = VAPID_KEY.to_owned().into();
        let channels = Channels {
            push: PushSettings::new(&key, "https://hm.example", "127.0.0.1"),
            ..Channels::default()
        };
        Self {
            app: TestNotifications::with(&contacts, channels).await,
            contacts,
            service: PushService::start().await,
            owner: owner(),
        }
    }

    async fn try_add(
        &self,
        by: &Identity,
        message: AddPushSubscriptionRequest,
    ) -> Result<(), ServiceError> {
        let request = as_person(Service::Notifications, by, message);
        let added = self.app.pushes().add_push_subscription(request).await;
        added
            .map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    async fn add(&self, by: &Identity, browser: &str, language: &str) {
        let message = self.service.subscription(browser, language);
        self.try_add(by, message).await.unwrap();
    }

    async fn flag(&self, key: &str) {
        self.app
            .record(self.owner.company_id, vec![flagged(key)])
            .await
            .unwrap();
    }

    /// Waits until each push was tried; returns the paths and payloads received so far.
    async fn received(&self) -> Vec<Received> {
        let untried = "messages WHERE attempts = 0 OR state = 'queued' AND problem = ''";
        for _ in 0..400 {
            if self.app.count_rows(untried).await == 0 {
                return self.service.received.lock().unwrap().clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("messages are left");
    }

    async fn paths(&self) -> Vec<String> {
        let mut paths: Vec<_> = self
            .received()
            .await
            .into_iter()
            .map(|push| push.path)
            .collect();
        paths.sort();
        paths
    }
}

#[tokio::test]
async fn push_is_encrypted_signed_and_in_the_browsers_language() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    yard.add(&yard.owner, "phone", "es").await;
    yard.flag("a").await;
    let mut received = yard.received().await;
    received.sort_by(|one, other| one.path.cmp(&other.path));
    let [laptop, phone] = received.try_into().unwrap();
    assert_eq!(laptop.payload["title"], "Flagged report: Excavator 7");
    assert_eq!(phone.payload["title"], "Reporte marcado: Excavator 7");
    assert!(
        laptop.payload["url"]
            .as_str()
            .unwrap()
            .starts_with("/review?update=")
    );
    let headers = laptop.headers.to_lowercase();
    for part in ["ttl: 3600", "urgency: high", "content-encoding: aes128gcm"] {
        assert!(headers.contains(part), "{headers}");
    }
    let (_, token) = laptop.headers.split_once("vapid t=").unwrap();
    let (token, key) = token.split_once(", k=").unwrap();
    let key = key.lines().next().unwrap();
    let request = as_person(Service::Notifications, &yard.owner, GetPushKeyRequest {});
    let known = yard.app.pushes().get_push_key(request).await.unwrap();
    assert_eq!(known.into_inner().public_key, key);
    let key = BASE64_URL_SAFE_NO_PAD.decode(key).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
    let signature = Signature::from_slice(&signature).unwrap();
    let key = VerifyingKey::from_sec1_bytes(&key).unwrap();
    assert!(key.verify(signed.as_bytes(), &signature).is_ok());
}

#[tokio::test]
async fn push_reaches_those_whom_the_fact_notifies() {
    let yard = Yard::new().await;
    let (operator, other) = (operator_of(&yard.owner), operator_of(&yard.owner));
    let stranger = owner();
    yard.add(&yard.owner, "owner", "en").await;
    yard.add(&operator, "operator", "es").await;
    yard.add(&other, "other", "es").await;
    yard.add(&stranger, "stranger", "en").await;
    yard.flag("a").await;
    yard.flag("a").await;
    assert_eq!(yard.paths().await, ["/owner"]);
    let fact = returned("b", &operator);
    yard.app
        .record(yard.owner.company_id, vec![fact])
        .await
        .unwrap();
    assert_eq!(yard.paths().await, ["/operator", "/owner"]);
    // Not to the person who caused it.
    let mut own = flagged("c");
    own.actor_id = yard.owner.user_id.to_string();
    yard.app
        .record(yard.owner.company_id, vec![own])
        .await
        .unwrap();
    assert_eq!(yard.paths().await.len(), 2);
}

#[tokio::test]
async fn push_ends_with_the_session() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    yard.contacts
        .state()
        .ended
        .insert(yard.owner.session_id.to_string());
    yard.flag("a").await;
    assert!(yard.paths().await.is_empty());
    assert_eq!(
        yard.app.text("SELECT state FROM messages").await,
        "suppressed"
    );
    assert_eq!(yard.app.count_rows("push_subscriptions").await, 0);
}

#[tokio::test]
async fn push_ends_with_the_browsers_subscription() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    *yard.service.status.lock().unwrap() = 410;
    yard.flag("a").await;
    assert_eq!(yard.paths().await.len(), 1);
    assert_eq!(
        yard.app.text("SELECT state FROM messages").await,
        "suppressed"
    );
    assert_eq!(yard.app.count_rows("push_subscriptions").await, 0);
}

#[tokio::test]
async fn push_is_retried_and_dropped_after_an_hour() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    *yard.service.status.lock().unwrap() = 503;
    yard.flag("a").await;
    assert_eq!(yard.paths().await.len(), 1);
    assert_eq!(yard.app.text("SELECT state FROM messages").await, "queued");
    *yard.service.status.lock().unwrap() = 201;
    let due_again = "UPDATE messages SET next_try_at = now(), problem = '' WHERE state = 'queued'";
    yard.app.execute(due_again).await;
    assert_eq!(yard.paths().await.len(), 2);
    assert_eq!(yard.app.text("SELECT state FROM messages").await, "sent");

    *yard.service.status.lock().unwrap() = 503;
    let earlier = "UPDATE messages SET done_at = now() - interval '1 minute' WHERE state = 'sent'";
    yard.app.execute(earlier).await;
    yard.flag("b").await;
    assert_eq!(yard.paths().await.len(), 3);
    yard.app.clock.set(now() + TimeDelta::minutes(61));
    yard.app.execute(due_again).await;
    assert_eq!(yard.paths().await.len(), 3);
    assert_eq!(
        yard.app.count_rows("messages WHERE state = 'late'").await,
        1
    );
}

#[tokio::test]
async fn pushes_of_a_minute_are_one() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "es").await;
    yard.flag("a").await;
    assert_eq!(yard.paths().await.len(), 1);
    for number in 0..30 {
        yard.flag(&number.to_string()).await;
    }
    let mut other = flagged("other");
    if let Some(fact::What::FlaggedUpdate(update)) = &mut other.what {
        update.equipment_name = "Ford F-250".to_owned();
    }
    let company = yard.owner.company_id;
    yard.app.record(company, vec![other]).await.unwrap();
    let waiting = "messages WHERE attempts = 0 AND next_try_at > now() + interval '50 seconds'";
    assert_eq!(yard.app.count_rows(waiting).await, 31);
    yard.app
        .execute("UPDATE messages SET next_try_at = now()")
        .await;
    let [_, several] = yard.received().await.try_into().unwrap();
    assert_eq!(several.payload["title"], "31 reportes marcados");
    assert_eq!(several.payload["body"], "Excavator 7, Ford F-250");
    assert_eq!(several.payload["url"], "/review");
    let gathered = "messages WHERE state = 'gathered'";
    assert_eq!(yard.app.count_rows(gathered).await, 30);
}

#[tokio::test]
async fn push_of_a_read_notification_is_not_sent() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    yard.flag("a").await;
    assert_eq!(yard.paths().await.len(), 1);
    yard.flag("b").await;
    let newest = yard.app.list(&yard.owner).await[0].number;
    yard.app.mark_all(&yard.owner, newest).await;
    yard.app
        .execute("UPDATE messages SET next_try_at = now()")
        .await;
    assert_eq!(yard.paths().await.len(), 1);
    let suppressed = "messages WHERE state = 'suppressed'";
    assert_eq!(yard.app.count_rows(suppressed).await, 1);
}

#[tokio::test]
async fn pushes_are_only_those_that_the_person_wants() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.add(&yard.owner, "owner", "en").await;
    yard.add(&operator, "operator", "en").await;
    for (by, flagged_push) in [(&yard.owner, false), (&operator, true)] {
        let settings = Settings {
            flagged_push,
            returned_push: !flagged_push,
            ..Settings::default()
        };
        yard.app.set_settings(by, settings).await.unwrap();
    }
    yard.flag("a").await;
    let fact = returned("b", &operator);
    let company = yard.owner.company_id;
    yard.app.record(company, vec![fact]).await.unwrap();
    assert_eq!(yard.app.count_rows("messages").await, 0);
    assert_eq!(yard.app.count(&yard.owner).await.unread, 1);
    assert_eq!(yard.app.count(&operator).await.unread, 1);
}

#[tokio::test]
async fn push_in_quiet_hours_waits_for_their_end() {
    let yard = Yard::new().await;
    yard.add(&yard.owner, "laptop", "en").await;
    let contacts = ListContactsResponse {
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    };
    yard.contacts.state().contacts = Some(contacts);
    let settings = Settings {
        flagged_push: true,
        quiet_hours: Some(QuietHours {
            start: 21 * 60,
            end: 6 * 60,
        }),
        ..Settings::default()
    };
    yard.app.set_settings(&yard.owner, settings).await.unwrap();
    // 2:00 in Chicago.
    yard.flag("a").await;
    yard.flag("b").await;
    let postponed = "messages
        WHERE state = 'queued'
          AND postponed_until = '2026-11-02T12:00:00Z'
          AND next_try_at > now() + interval '3 hours'";
    yard.app.wait_for(postponed, 2).await;
    assert!(yard.service.received.lock().unwrap().is_empty());
    yard.app.clock.set("2026-11-02T12:00:00Z".parse().unwrap());
    yard.app
        .execute("UPDATE messages SET next_try_at = now()")
        .await;
    let [push] = yard.received().await.try_into().unwrap();
    assert_eq!(push.payload["title"], "2 flagged reports");
}

#[tokio::test]
async fn browser_belongs_to_the_last_person() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.add(&yard.owner, "phone", "en").await;
    yard.add(&operator, "phone", "es").await;
    yard.flag("a").await;
    assert!(yard.paths().await.is_empty());
    let remove = async |by: &Identity| {
        let endpoint = yard.service.subscription("phone", "es").endpoint;
        let message = RemovePushSubscriptionRequest { endpoint };
        let request = as_person(Service::Notifications, by, message);
        yard.app
            .pushes()
            .remove_push_subscription(request)
            .await
            .unwrap();
    };
    remove(&yard.owner).await;
    assert_eq!(yard.app.count_rows("push_subscriptions").await, 1);
    remove(&operator).await;
    assert_eq!(yard.app.count_rows("push_subscriptions").await, 0);
}

#[tokio::test]
async fn test_push_reaches_the_callers_browsers_once_a_minute() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.add(&yard.owner, "laptop", "en").await;
    yard.add(&operator, "phone", "es").await;
    for _ in 0..2 {
        let request = as_person(Service::Notifications, &operator, SendTestPushRequest {});
        yard.app.pushes().send_test_push(request).await.unwrap();
    }
    let [push] = yard.received().await.try_into().unwrap();
    assert_eq!(push.path, "/phone");
    assert_eq!(push.payload["title"], "Hourmeter");
    assert_eq!(
        push.payload["body"],
        "Las notificaciones llegan a este dispositivo."
    );
}

#[tokio::test]
async fn oldest_browsers_of_a_person_are_removed() {
    let yard = Yard::new().await;
    for number in 0..12 {
        yard.add(&yard.owner, &format!("{number:02}"), "en").await;
    }
    assert_eq!(yard.app.count_rows("push_subscriptions").await, 10);
    yard.flag("a").await;
    assert_eq!(yard.paths().await[0], "/02");
}

#[tokio::test]
async fn subscription_is_checked() {
    let yard = Yard::new().await;
    let valid = || yard.service.subscription("laptop", "en");
    let refused = async |message| {
        let failure = yard.try_add(&yard.owner, message).await.unwrap_err();
        failure.fields[0].0.clone()
    };
    for endpoint in [
        "",
        "http://192.168.1.1/",
        "https://push.example/",
        &"x".repeat(2001),
    ] {
        let message = AddPushSubscriptionRequest {
            endpoint: endpoint.to_owned(),
            ..valid()
        };
        assert_eq!(refused(message).await, "endpoint");
    }
    let p256dh = String::new();
    assert_eq!(
        refused(AddPushSubscriptionRequest { p256dh, ..valid() }).await,
        "p256dh"
    );
    let auth = "AAAA".to_owned();
    assert_eq!(
        refused(AddPushSubscriptionRequest { auth, ..valid() }).await,
        "auth"
    );
    let language = "fr".to_owned();
    assert_eq!(
        refused(AddPushSubscriptionRequest {
            language,
            ..valid()
        })
        .await,
        "language"
    );
    let without = TestNotifications::new().await;
    let request = as_person(Service::Notifications, &yard.owner, valid());
    let refused = without
        .pushes()
        .add_push_subscription(request)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
}
