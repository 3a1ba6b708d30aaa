//! Notifications as text messages, through a provider that takes forms.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use chrono::TimeDelta;
use hourmeter_notifications::{Channels, SmsSettings};
use hourmeter_proto::accounts::v1::ListContactsResponse;
use hourmeter_proto::notifications::v1::sms_service_client::SmsServiceClient;
use hourmeter_proto::notifications::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{as_person, operator_of, owner};
use tokio::io::AsyncReadExt as _;
use uuid::Uuid;

use crate::facts::manager_of;
use crate::fake_contacts::FakeContacts;
use crate::support::{TestNotifications, flagged, now, out_of_service, returned};

pub const NUMBER: &str = "+18305550199";
pub const LAST: &str = "•••• 0199";

#[derive(Debug)]
pub struct Provider {
    /// Number and text of accepted messages.
    received: Mutex<Vec<(String, String)>>,
    status: Mutex<StatusCode>,
}

async fn receive(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    // "key:secret".
    assert_eq!(headers["authorization"], "Basic a2V5OnNlY3JldA==");
    let form: HashMap<_, _> = form_urlencoded::parse(&body).into_owned().collect();
    assert_eq!(form["From"], "+15005550006");
    let status = *provider.status.lock().unwrap();
    if status.is_success() {
        let message = (form["To"].clone(), form["Body"].clone());
        provider.received.lock().unwrap().push(message);
    }
    status
}

pub struct Yard {
    pub app: TestNotifications,
    pub contacts: FakeContacts,
    provider: Arc<Provider>,
    pub owner: Identity,
}

impl Yard {
    pub async fn new() -> Self {
        let provider = Arc::new(Provider {
            received: Mutex::default(),
            status: Mutex::new(StatusCode::CREATED),
        });
        let router = axum::Router::new()
            .route("/messages", axum::routing::post(receive))
            .with_state(provider.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/messages", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, router).into_future());
        let (from, auth) = ("+15005550006".to_owned(), "key:secret".to_owned());
        let channels = Channels {
            sms: SmsSettings::new(&url, from, auth.into(), "https://hm.example/"),
            ..Channels::default()
        };
        let contacts = FakeContacts::default();
        Self {
            app: TestNotifications::with(&contacts, channels).await,
            contacts,
            provider,
            owner: owner(),
        }
    }

    pub fn client(&self) -> SmsServiceClient<Backend> {
        SmsServiceClient::new(self.app.backend.clone())
    }

    pub async fn set(
        &self,
        by: &Identity,
        number: &str,
        language: &str,
    ) -> Result<(), ServiceError> {
        let message = SetSmsNumberRequest {
            number: number.to_owned(),
            language: language.to_owned(),
        };
        let request = as_person(Service::Notifications, by, message);
        let set = self.client().set_sms_number(request).await;
        set.map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    pub async fn verify(&self, by: &Identity, code: &str) -> Result<(), ServiceError> {
        let message = VerifySmsNumberRequest {
            code: code.to_owned(),
        };
        let request = as_person(Service::Notifications, by, message);
        let verified = self.client().verify_sms_number(request).await;
        verified
            .map(drop)
            .map_err(|status| ServiceError::from_status(&status))
    }

    pub async fn found(&self, by: &Identity) -> (String, bool) {
        let request = as_person(Service::Notifications, by, GetSmsNumberRequest {});
        let found = self.client().get_sms_number(request).await.unwrap();
        let found = found.into_inner();
        assert!(found.available);
        (found.number, found.verified)
    }

    /// Waits until each message that is due was tried; returns what the provider has accepted.
    pub async fn received(&self) -> Vec<(String, String)> {
        let due = "messages WHERE state = 'queued' AND attempts = 0 AND next_try_at <= now()";
        self.app.wait_for(due, 0).await;
        let open = "messages WHERE state = 'queued' AND attempts > 0 AND problem = '' \
            AND postponed_until IS NULL";
        self.app.wait_for(open, 0).await;
        self.provider.received.lock().unwrap().clone()
    }

    /// Lets the wait of all messages end.
    pub async fn received_after_wait(&self) -> Vec<(String, String)> {
        self.app
            .execute(
                "UPDATE messages
                SET next_try_at = now(), attempts = 0, problem = ''
                WHERE state = 'queued'",
            )
            .await;
        self.received().await
    }

    /// The code that was sent last.
    pub async fn code(&self) -> String {
        let received = self.received().await;
        let (_, text) = received.last().unwrap();
        text[..6].to_owned()
    }

    /// A verified number, and all kinds.
    pub async fn join(&self, by: &Identity, number: &str, language: &str) {
        self.set(by, number, language).await.unwrap();
        let code = self.code().await;
        self.verify(by, &code).await.unwrap();
        let settings = Settings {
            flagged_sms: Some(true),
            returned_sms: Some(true),
            status_sms: Some(true),
            ..Settings::default()
        };
        self.app.set_settings(by, settings).await.unwrap();
        self.provider.received.lock().unwrap().clear();
    }

    pub async fn record(&self, fact: Fact) {
        let company = self.owner.company_id;
        self.app.record(company, vec![fact]).await.unwrap();
    }

    pub async fn states(&self, state: &str) -> i64 {
        let rows = format!("messages WHERE state = '{state}'");
        self.app.count_rows(&rows).await
    }
}

#[tokio::test]
async fn notifications_of_a_minute_are_one_message() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.join(&yard.owner, NUMBER, "en").await;
    yard.join(&operator, "+528155550199", "es").await;
    yard.record(flagged("a")).await;
    yard.record(flagged("b")).await;
    yard.record(returned("c", &operator)).await;
    assert!(yard.received().await.is_empty());
    let mut received = yard.received_after_wait().await;
    received.sort();
    let [(first, owners), (second, operators)] = received.try_into().unwrap();
    assert_eq!((first.as_str(), second.as_str()), (NUMBER, "+528155550199"));
    let line = "Flagged report: Excavator 7. Oscar Operator";
    assert_eq!(
        owners,
        format!("Hourmeter: {line}\n{line}\nhttps://hm.example/notifications")
    );
    assert_eq!(
        operators,
        "Hourmeter: Reporte anulado: Excavator 7. Olivia Owner: Wrong machine\nhttps://hm.example/notifications"
    );
    // 2 codes, and one of each person.
    assert_eq!(
        (yard.states("sent").await, yard.states("gathered").await),
        (4, 1)
    );
}

#[tokio::test]
async fn messages_are_only_what_the_person_wants_and_watches() {
    let yard = Yard::new().await;
    let manager = manager_of(&yard.owner);
    yard.join(&yard.owner, NUMBER, "en").await;
    yard.join(&manager, NUMBER, "en").await;
    yard.app
        .set_settings(&manager, Settings::default())
        .await
        .unwrap();
    // A client that does not know text messages keeps the choice.
    yard.app
        .set_settings(&yard.owner, Settings::default())
        .await
        .unwrap();
    let off = Settings {
        flagged_sms: Some(false),
        ..Settings::default()
    };
    yard.app.set_settings(&manager, off).await.unwrap();
    yard.app
        .set_watch(&yard.owner, Some(Watch::default()))
        .await
        .unwrap();
    yard.record(flagged("a")).await;
    assert_eq!(yard.states("queued").await, 0);
    yard.app.set_watch(&yard.owner, None).await.unwrap();
    yard.record(flagged("b")).await;
    assert_eq!(yard.states("queued").await, 1);
    // It was read in between.
    let newest = yard.app.list(&yard.owner).await[0].number;
    yard.app.mark_all(&yard.owner, newest).await;
    assert!(yard.received_after_wait().await.is_empty());
    assert_eq!(yard.states("suppressed").await, 1);
    let mut own = flagged("c");
    own.actor_id = yard.owner.user_id.to_string();
    yard.record(own).await;
    assert_eq!(yard.states("queued").await, 0);
}

#[tokio::test]
async fn removed_person_and_removed_number_get_nothing() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.join(&yard.owner, NUMBER, "en").await;
    yard.join(&operator, NUMBER, "es").await;
    yard.record(flagged("a")).await;
    yard.record(returned("b", &operator)).await;
    let removed = operator.user_id.to_string();
    yard.contacts.state().removed.insert(removed);
    let request = as_person(
        Service::Notifications,
        &yard.owner,
        RemoveSmsNumberRequest {},
    );
    yard.client().remove_sms_number(request).await.unwrap();
    assert!(yard.received_after_wait().await.is_empty());
    assert_eq!(yard.states("suppressed").await, 2);
    let kept = "sms_numbers WHERE number <> ''";
    assert_eq!(yard.app.count_rows(kept).await, 0);
}

#[tokio::test]
async fn message_waits_for_the_provider_and_for_the_end_of_quiet_hours() {
    let yard = Yard::new().await;
    yard.join(&yard.owner, NUMBER, "en").await;
    *yard.provider.status.lock().unwrap() = StatusCode::SERVICE_UNAVAILABLE;
    yard.record(flagged("a")).await;
    assert!(yard.received_after_wait().await.is_empty());
    assert_eq!(yard.states("queued").await, 1);
    *yard.provider.status.lock().unwrap() = StatusCode::CREATED;
    assert_eq!(yard.received_after_wait().await.len(), 1);
    // The provider takes no messages to this number.
    *yard.provider.status.lock().unwrap() = StatusCode::BAD_REQUEST;
    yard.record(flagged("b")).await;
    assert_eq!(yard.received_after_wait().await.len(), 1);
    assert_eq!(yard.states("failed").await, 1);
    *yard.provider.status.lock().unwrap() = StatusCode::CREATED;

    // 2:00 in Chicago.
    yard.contacts.state().contacts = Some(ListContactsResponse {
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    let quiet = Settings {
        quiet_hours: Some(QuietHours {
            start: 21 * 60,
            end: 6 * 60,
        }),
        ..Settings::default()
    };
    yard.app.set_settings(&yard.owner, quiet).await.unwrap();
    yard.record(flagged("c")).await;
    yard.app
        .execute("UPDATE messages SET next_try_at = now() WHERE state = 'queued'")
        .await;
    let postponed = "messages WHERE postponed_until = '2026-11-02T12:00:00Z'";
    yard.app.wait_for(postponed, 1).await;
    yard.app.clock.set("2026-11-02T12:00:00Z".parse().unwrap());
    assert_eq!(yard.received_after_wait().await.len(), 2);
}

#[tokio::test]
async fn message_is_dropped_after_an_hour_and_a_code_after_ten_minutes() {
    let yard = Yard::new().await;
    yard.join(&yard.owner, NUMBER, "en").await;
    *yard.provider.status.lock().unwrap() = StatusCode::SERVICE_UNAVAILABLE;
    yard.record(flagged("a")).await;
    let operator = operator_of(&yard.owner);
    yard.set(&operator, NUMBER, "en").await.unwrap();
    yard.received_after_wait().await;
    *yard.provider.status.lock().unwrap() = StatusCode::CREATED;
    yard.app.clock.set(now() + TimeDelta::minutes(11));
    assert_eq!(yard.received_after_wait().await.len(), 1);
    assert_eq!(yard.states("late").await, 1);
    yard.record(flagged("b")).await;
    yard.app.clock.set(now() + TimeDelta::minutes(73));
    assert_eq!(yard.received_after_wait().await.len(), 1);
    assert_eq!(yard.states("late").await, 2);
}

#[tokio::test]
async fn message_has_the_last_status_of_three_machines() {
    let yard = Yard::new().await;
    let operator = operator_of(&yard.owner);
    yard.join(&operator, NUMBER, "es").await;
    let machines = [1, 2, 3, 4].map(Uuid::from_u128);
    let chosen = machines.iter().map(Uuid::to_string).collect();
    let chosen = Watch {
        equipment_ids: chosen,
        ..Watch::default()
    };
    yard.app.set_watch(&operator, Some(chosen)).await.unwrap();
    let company = yard.owner.company_id;
    for (number, machine) in machines.into_iter().enumerate() {
        for status in ["in_shop", "in_use"] {
            let mut fact = out_of_service(&format!("{number}{status}"), machine);
            if let Some(fact::What::StatusChange(change)) = &mut fact.what {
                change.status = status.to_owned();
                change.equipment_name = format!("EX-{number}");
            }
            yard.app.record_status(company, fact).await.unwrap();
        }
    }
    yard.app.wait_for("messages WHERE kind = 'sms'", 8).await;
    let [(_, text)] = yard.received_after_wait().await.try_into().unwrap();
    let line = |number| format!("EX-{number}: otra vez en uso. Olivia Owner");
    assert_eq!(
        text,
        format!(
            "Hourmeter: {}\n{}\n{}\n+1\nhttps://hm.example/notifications",
            line(3),
            line(2),
            line(1)
        )
    );
}

#[tokio::test]
async fn messages_of_quiet_hours_are_sent_at_their_end() {
    let yard = Yard::new().await;
    yard.join(&yard.owner, NUMBER, "en").await;
    yard.contacts.state().contacts = Some(ListContactsResponse {
        time_zone: "America/Chicago".to_owned(),
        ..ListContactsResponse::default()
    });
    let quiet = |flagged_sms| Settings {
        quiet_hours: Some(QuietHours {
            start: 21 * 60,
            end: 6 * 60,
        }),
        flagged_sms,
        ..Settings::default()
    };
    let set = async |flagged| {
        let settings = quiet(flagged);
        yard.app.set_settings(&yard.owner, settings).await.unwrap();
    };
    set(None).await;
    for key in ["a", "b"] {
        yard.record(flagged(key)).await;
        yard.app
            .execute(
                "UPDATE messages SET next_try_at = now() WHERE state = 'queued' AND postponed_until IS NULL",
            )
            .await;
        let open = "messages WHERE state = 'queued' AND postponed_until IS NULL";
        yard.app.wait_for(open, 0).await;
    }
    let end = "2026-11-02T12:00:00Z".parse().unwrap();
    yard.app.clock.set(end);
    let [(_, text)] = yard.received_after_wait().await.try_into().unwrap();
    assert_eq!(text.matches("Flagged report").count(), 2, "{text}");
    assert_eq!(yard.states("late").await, 0);
    // Turned off while it waits.
    yard.app.clock.set(now());
    yard.record(flagged("c")).await;
    set(Some(false)).await;
    yard.app.clock.set(end);
    assert_eq!(yard.received_after_wait().await.len(), 1);
}

#[tokio::test]
async fn messages_of_a_day_are_limited() {
    let yard = Yard::new().await;
    yard.join(&yard.owner, NUMBER, "en").await;
    yard.record(flagged("a")).await;
    assert_eq!(yard.received_after_wait().await.len(), 1);
    yard.app
        .execute(
            "INSERT INTO messages (company_id, id, person_id, kind, state, next_try_at, created_at, done_at)
            SELECT company_id, gen_random_uuid(), person_id, kind, state, next_try_at, created_at, done_at
            FROM messages, generate_series(2, 30)
            WHERE kind = 'sms'",
        )
        .await;
    yard.record(flagged("b")).await;
    assert_eq!(yard.received_after_wait().await.len(), 1);
    assert_eq!(yard.states("failed").await, 1);
    yard.app
        .execute(
            "UPDATE messages SET done_at = now() - interval '1 day' WHERE kind = 'sms' AND state = 'sent'",
        )
        .await;
    yard.record(flagged("c")).await;
    assert_eq!(yard.received_after_wait().await.len(), 2);
}

#[tokio::test]
async fn message_without_a_response_is_not_sent_twice() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/messages", listener.local_addr().unwrap());
    let connections = Arc::new(Mutex::new(0));
    let counted = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            *counted.lock().unwrap() += 1;
            // It closes the connection after it has the request.
            let mut stream = stream;
            let mut bytes = [0; 1024];
            let _ = stream.read(&mut bytes).await;
        }
    });
    let (from, auth) = ("+15005550006".to_owned(), "key:secret".to_owned());
    let provider = SmsSettings::new(&url, from, auth.into(), "https://hm.example/");
    let channels = Channels {
        sms: provider,
        ..Channels::default()
    };
    let app = TestNotifications::with(&FakeContacts::default(), channels).await;
    let message = SetSmsNumberRequest {
        number: NUMBER.to_owned(),
        language: "en".to_owned(),
    };
    let owner = owner();
    let request = as_person(Service::Notifications, &owner, message);
    let mut client = SmsServiceClient::new(app.backend.clone());
    client.set_sms_number(request).await.unwrap();
    app.wait_for("messages WHERE state = 'failed'", 1).await;
    assert_eq!(*connections.lock().unwrap(), 1);
}
