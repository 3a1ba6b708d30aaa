//! The Watch stream.

mod ends;
mod limits;
mod read_only_session;
mod revisions;
mod shared;
mod tcp;

use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream};
use axum::extract::ConnectInfo;
use futures::StreamExt as _;
use hourmeter_proto::events::v1::{Topic as WireTopic, WatchRequest, WatchResponse};
use hourmeter_runtime::events::{Event, Topic};
use http::{HeaderMap, Request};
use prost::Message as _;
use serde_json::json;
use tokio::time::timeout;
use tonic::{Code, Status};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::grpc_web;
use crate::product::{Browser, Product, id};

pub const PATH: &str = "/hourmeter.events.v1.EventsService/Watch";
/// The longest delay of a change.
const SOON: Duration = Duration::from_secs(1);
const UPDATES: i32 = WireTopic::OperatorUpdates as i32;
const EQUIPMENT: i32 = WireTopic::Equipment as i32;
const SUBSCRIPTION: i32 = WireTopic::Subscription as i32;
const NOTIFICATIONS: i32 = WireTopic::Notifications as i32;

/// An item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// The topics of a message.
    Changed(Vec<i32>),
    End(Code),
}

pub struct Watching {
    pub headers: HeaderMap,
    body: BodyDataStream,
    bytes: Vec<u8>,
    end: Option<Code>,
}

fn request(browser: &Browser, topics: &[i32]) -> Request<Body> {
    let message = WatchRequest {
        topics: topics.to_vec(),
    };
    let mut request = grpc_web::request(browser, PATH, &message.encode_to_vec());
    let address = ConnectInfo(browser.address);
    request.extensions_mut().insert(address);
    request
}

impl Browser {
    /// Starts a stream; a rejected one has only its end.
    pub async fn watch(&self, topics: &[i32]) -> Watching {
        self.stream(request(self, topics)).await
    }

    /// Sends a request and streams its response.
    pub async fn stream(&self, request: Request<Body>) -> Watching {
        let response = self.router.clone().oneshot(request).await;
        let response = response.expect("a response");
        assert_eq!(response.status(), 200);
        let (parts, body) = response.into_parts();
        let refused = Status::from_header_map(&parts.headers).map(|status| status.code());
        Watching {
            headers: parts.headers,
            body: body.into_data_stream(),
            bytes: Vec::new(),
            end: refused,
        }
    }

    /// Starts a stream and reads its first message.
    pub async fn watching(&self, topics: &[i32]) -> Watching {
        let mut watching = self.watch(topics).await;
        assert_eq!(watching.within(SOON).await, Some(Received::Changed(vec![])));
        watching
    }

    /// Like `watching`; the first message may have topics of earlier changes.
    pub async fn watching_after_changes(&self, topics: &[i32]) -> Watching {
        let mut watching = self.watch(topics).await;
        let first = watching.within(SOON).await;
        assert!(matches!(first, Some(Received::Changed(_))), "{first:?}");
        watching
    }

    async fn report(&self, machine: &str, reading: f64) {
        let body = json!({"equipmentId": machine, "newUsage": reading});
        let reply = self.post_as("/api/operator-updates", body).await;
        assert_eq!(reply.status, 201, "{}", reply.text());
    }

    async fn user(&self) -> (Uuid, Uuid) {
        let user = self.get("/api/auth/user").await.expect(200);
        let uuid = |name: &str| user[name].as_str().expect("an id").parse().expect("a UUID");
        (uuid("companyId"), uuid("id"))
    }
}

impl Watching {
    fn frame(&mut self) -> Option<Received> {
        let [flag, a, b, c, d, rest @ ..] = self.bytes.as_slice() else {
            return None;
        };
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (flag, content) = (*flag, rest.get(..length)?.to_vec());
        self.bytes.drain(..length + 5);
        if flag & 0x80 == 0 {
            let message = WatchResponse::decode(content.as_slice()).expect("a message");
            return Some(Received::Changed(message.changed));
        }
        let text = String::from_utf8(content).expect("text");
        let code = text
            .split("\r\n")
            .find_map(|line| line.strip_prefix("grpc-status:"));
        let code: i32 = code.expect("a status").trim().parse().expect("a code");
        self.end = Some(Code::from(code));
        Some(Received::End(Code::from(code)))
    }

    /// The next item.
    pub async fn next(&mut self) -> Received {
        loop {
            if let Some(code) = self.end {
                return Received::End(code);
            }
            if let Some(received) = self.frame() {
                return received;
            }
            let bytes = self.body.next().await.expect("a status at the end");
            self.bytes
                .extend_from_slice(&bytes.expect("a complete stream"));
        }
    }

    /// The code of the call; OK if the stream started.
    pub async fn code_so_far(&mut self) -> Code {
        match self.next().await {
            Received::Changed(_) => Code::Ok,
            Received::End(code) => code,
        }
    }

    /// The next item in this time.
    pub async fn within(&mut self, time: Duration) -> Option<Received> {
        timeout(time, self.next()).await.ok()
    }

    /// The topics of the next message, which must not be a heartbeat.
    pub async fn changed(&mut self) -> Vec<i32> {
        match self.within(SOON).await {
            Some(Received::Changed(topics)) if !topics.is_empty() => topics,
            other => panic!("{other:?}"),
        }
    }

    /// All topics in this time.
    pub async fn all(&mut self, time: Duration) -> Vec<i32> {
        let (until, mut all) = (Instant::now() + time, Vec::new());
        while let Some(received) = self
            .within(until.saturating_duration_since(Instant::now()))
            .await
        {
            match received {
                Received::Changed(topics) => all.extend(topics),
                Received::End(code) => panic!("ended with {code:?}"),
            }
        }
        all
    }
}

#[tokio::test]
async fn submission_reaches_its_audience_within_a_second() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let manager = product.manager_of(&owner).await;
    let (one, other) = (
        product.operator_of(&owner).await,
        product.operator_of(&owner).await,
    );
    let other_owner = product.owner("Beta").await;
    let mut other_company = other_owner.watching(&[]).await;
    let mut others = other.watching(&[UPDATES]).await;
    let mut own = one.watching(&[UPDATES]).await;
    let mut managers = [
        owner.watching(&[UPDATES]).await,
        manager.watching(&[UPDATES]).await,
    ];
    one.report(&machine, 104.0).await;
    for watching in managers.iter_mut().chain([&mut own]) {
        assert_eq!(watching.changed().await, [UPDATES]);
    }
    assert_eq!(others.all(SOON).await, [0; 0]);
    assert_eq!(other_company.all(SOON / 10).await, [0; 0]);

    // The submitter receives the decision.
    let list = owner.get("/api/operator-updates").await.expect(200);
    let path = format!("/api/operator-updates/{}/apply", id(&list[0]));
    let mut machines = other.watching(&[EQUIPMENT]).await;
    owner.post_as(&path, json!({})).await.expect(200);
    assert_eq!(own.changed().await, [UPDATES]);
    assert_eq!(managers[1].changed().await, [UPDATES]);
    assert_eq!(machines.changed().await, [EQUIPMENT]);
    assert_eq!(others.all(SOON / 2).await, [0; 0]);
    assert_eq!(other_company.all(SOON / 10).await, [0; 0]);
}

/// An event of a service.
fn event((company_id, person_id): (Uuid, Option<Uuid>), topic: Topic) -> Event {
    Event {
        company_id,
        topic,
        person_id,
        equipment_id: None,
    }
}

#[tokio::test]
async fn stream_sends_headers_and_first_message_immediately() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut watching = owner.watch(&[]).await;
    for (name, value) in [
        ("content-type", "application/grpc-web+proto"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(watching.headers[name], value);
    }
    assert!(watching.headers.contains_key("x-request-id"));
    assert!(!watching.headers.contains_key("content-encoding"));
    let first = watching.within(Duration::from_millis(200)).await;
    assert_eq!(first, Some(Received::Changed(vec![])));
}

#[tokio::test]
async fn changes_are_merged_into_few_messages() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (company, _) = owner.user().await;
    let mut watching = owner.watching(&[]).await;
    // Concurrent changes come in one message.
    for topic in Topic::ALL {
        product.events.publish(event((company, None), topic));
    }
    assert_eq!(
        watching.changed().await,
        [UPDATES, EQUIPMENT, SUBSCRIPTION, NOTIFICATIONS]
    );
    let start = Instant::now();
    let publishing = async {
        while start.elapsed() < SOON {
            product
                .events
                .publish(event((company, None), Topic::Equipment));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let (topics, ()) = tokio::join!(watching.all(SOON + SOON / 2), publishing);
    assert!((2..=6).contains(&topics.len()), "{topics:?}");
    // The last of many changes is not lost.
    assert_eq!(watching.all(SOON / 2).await, [0; 0]);
}

#[tokio::test]
async fn events_reach_only_their_audience() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let operator = product.operator_of(&owner).await;
    let shared = product.shared_session("Acme").await;
    let (company, own) = operator.user().await;
    let (_, of_owner) = owner.user().await;
    let updates = |about| {
        product
            .events
            .publish(event((company, about), Topic::OperatorUpdates));
    };
    let mut manager = owner.watching(&[UPDATES]).await;
    let mut machines = owner.watching(&[EQUIPMENT]).await;
    let mut operators = operator.watching(&[]).await;
    // Sessions with the shared password have the audience of an operator, for every person.
    let mut owner_as_operator = shared.watching(&[]).await;
    for (about, at_operator, at_owner) in [
        (None, true, true),
        (Some(own), true, false),
        (Some(of_owner), false, true),
        (Some(Uuid::now_v7()), false, false),
    ] {
        updates(about);
        assert_eq!(manager.changed().await, [UPDATES]);
        let topics = |expected: bool| if expected { vec![UPDATES] } else { vec![] };
        let time = SOON / 3;
        assert_eq!(operators.all(time).await, topics(at_operator), "{about:?}");
        assert_eq!(
            owner_as_operator.all(time / 10).await,
            topics(at_owner),
            "{about:?}"
        );
    }
    product
        .events
        .publish(event((company, None), Topic::Equipment));
    assert_eq!(machines.changed().await, [EQUIPMENT]);
    assert_eq!(operators.changed().await, [EQUIPMENT]);
    assert_eq!(manager.all(SOON / 3).await, [0; 0]);
    product
        .events
        .publish(event((Uuid::now_v7(), None), Topic::Equipment));
    assert_eq!(operators.all(SOON / 3).await, [0; 0]);
}

#[tokio::test]
async fn subscription_events_reach_managers_only() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let mut managers = product
        .manager_of(&owner)
        .await
        .watching(&[SUBSCRIPTION])
        .await;
    let mut operators = product.operator_of(&owner).await.watching(&[]).await;
    let mut shared = product
        .shared_session("Acme")
        .await
        .watching(&[SUBSCRIPTION])
        .await;
    let other_owner = product.owner("Beta").await;
    let mut other_company = other_owner.watching(&[]).await;
    owner.pay("professional", "month").await;
    assert_eq!(managers.changed().await, [SUBSCRIPTION]);
    owner.forward(1).await;
    for watching in [&mut operators, &mut shared, &mut other_company] {
        assert_eq!(watching.all(SOON / 3).await, [0; 0]);
    }
}

#[tokio::test]
async fn invalid_watch_requests_are_rejected() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for topics in [&[0][..], &[5], &[1, -1]] {
        let refused = owner.watch(topics).await.next().await;
        assert_eq!(refused, Received::End(Code::InvalidArgument), "{topics:?}");
    }
    let refused = owner.signed_out().watch(&[]).await.next().await;
    assert_eq!(refused, Received::End(Code::Unauthenticated));
    let staff = product.staff().await;
    let refused = staff.watch(&[]).await.next().await;
    assert_eq!(refused, Received::End(Code::PermissionDenied));
    let mut unmarked = request(&owner, &[]);
    unmarked.headers_mut().remove("x-requested-with");
    let refused = owner.send(unmarked).await;
    assert_eq!(refused.status, 403);
    let mut get = request(&owner, &[]);
    *get.method_mut() = http::Method::GET;
    assert_eq!(owner.send(get).await.status, 405);
    let nothing = grpc_web::request(&owner, &PATH.replace("Watch", "Nothing"), &[]);
    let (status, _) = grpc_web::outcome(&owner.send(nothing).await);
    assert_eq!(status.code(), Code::Unimplemented);
    // An invalid message.
    let broken = grpc_web::request(&owner, PATH, &[0xff; 9]);
    let (status, _) = grpc_web::outcome(&owner.send(broken).await);
    assert!(
        !matches!(status.code(), Code::Ok | Code::Unknown),
        "{status:?}"
    );
}
