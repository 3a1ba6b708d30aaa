//! Watching what changes.

mod ends;
mod limits;
mod markers;
mod peek;
mod shared;
mod wire;

use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream};
use axum::extract::ConnectInfo;
use futures::StreamExt as _;
use hourmeter_proto::events::v1::{Topic as Told, WatchRequest, WatchResponse};
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
/// What a manager must not wait longer for.
const SOON: Duration = Duration::from_secs(1);
const UPDATES: i32 = Told::OperatorUpdates as i32;
const EQUIPMENT: i32 = Told::Equipment as i32;
const SUBSCRIPTION: i32 = Told::Subscription as i32;

/// What came of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message with these topics.
    Changed(Vec<i32>),
    /// The end.
    End(Code),
}

/// A running stream.
pub struct Watching {
    pub headers: HeaderMap,
    body: BodyDataStream,
    bytes: Vec<u8>,
    over: Option<Code>,
}

fn request(browser: &Browser, topics: &[i32]) -> Request<Body> {
    let asked = WatchRequest {
        topics: topics.to_vec(),
    };
    let mut request = grpc_web::request(browser, PATH, &asked.encode_to_vec());
    let address = ConnectInfo(browser.address);
    request.extensions_mut().insert(address);
    request
}

impl Browser {
    /// Begins to watch; a stream that is refused has nothing but its end.
    pub async fn watch(&self, topics: &[i32]) -> Watching {
        self.stream(request(self, topics)).await
    }

    /// Begins to read the answer to a request.
    pub async fn stream(&self, request: Request<Body>) -> Watching {
        let answer = self.router.clone().oneshot(request).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 200);
        let (parts, body) = answer.into_parts();
        let refused = Status::from_header_map(&parts.headers).map(|status| status.code());
        Watching {
            headers: parts.headers,
            body: body.into_data_stream(),
            bytes: Vec::new(),
            over: refused,
        }
    }

    /// Watches, and has the first message.
    pub async fn watching(&self, topics: &[i32]) -> Watching {
        let mut watching = self.watch(topics).await;
        assert_eq!(watching.within(SOON).await, Some(Heard::Changed(vec![])));
        watching
    }

    /// The same where the first message may name what changed before.
    pub async fn watching_after_changes(&self, topics: &[i32]) -> Watching {
        let mut watching = self.watch(topics).await;
        let first = watching.within(SOON).await;
        assert!(matches!(first, Some(Heard::Changed(_))), "{first:?}");
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
    fn frame(&mut self) -> Option<Heard> {
        let [flag, a, b, c, d, rest @ ..] = self.bytes.as_slice() else {
            return None;
        };
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (flag, content) = (*flag, rest.get(..length)?.to_vec());
        self.bytes.drain(..length + 5);
        if flag & 0x80 == 0 {
            let told = WatchResponse::decode(content.as_slice()).expect("a message");
            return Some(Heard::Changed(told.changed));
        }
        let text = String::from_utf8(content).expect("text");
        let code = text
            .split("\r\n")
            .find_map(|line| line.strip_prefix("grpc-status:"));
        let code: i32 = code.expect("a status").trim().parse().expect("a code");
        self.over = Some(Code::from(code));
        Some(Heard::End(Code::from(code)))
    }

    /// What comes next.
    pub async fn next(&mut self) -> Heard {
        loop {
            if let Some(code) = self.over {
                return Heard::End(code);
            }
            if let Some(heard) = self.frame() {
                return heard;
            }
            let bytes = self.body.next().await.expect("a status at the end");
            self.bytes
                .extend_from_slice(&bytes.expect("a whole stream"));
        }
    }

    /// How the call is answered: of a stream that begins, that it does.
    pub async fn code_so_far(&mut self) -> Code {
        match self.next().await {
            Heard::Changed(_) => Code::Ok,
            Heard::End(code) => code,
        }
    }

    /// What comes in this time.
    pub async fn within(&mut self, time: Duration) -> Option<Heard> {
        timeout(time, self.next()).await.ok()
    }

    /// The topics of what comes next, which must not be a sign of life.
    pub async fn changed(&mut self) -> Vec<i32> {
        match self.within(SOON).await {
            Some(Heard::Changed(topics)) if !topics.is_empty() => topics,
            other => panic!("{other:?}"),
        }
    }

    /// Everything of a time, signs of life left out.
    pub async fn all(&mut self, time: Duration) -> Vec<i32> {
        let (until, mut all) = (Instant::now() + time, Vec::new());
        while let Some(heard) = self
            .within(until.saturating_duration_since(Instant::now()))
            .await
        {
            match heard {
                Heard::Changed(topics) => all.extend(topics),
                Heard::End(code) => panic!("ended with {code:?}"),
            }
        }
        all
    }
}

#[tokio::test]
async fn a_submission_is_seen_within_a_second_by_those_it_concerns() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let machine = id(&owner.machine("Crane").await);
    let manager = product.manager_of(&owner).await;
    let (one, other) = (
        product.operator_of(&owner).await,
        product.operator_of(&owner).await,
    );
    let stranger = product.owner("Beta").await;
    let mut theirs = stranger.watching(&[]).await;
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
    assert_eq!(theirs.all(SOON / 10).await, [0; 0]);

    // What is decided about it reaches whoever reported it.
    let list = owner.get("/api/operator-updates").await.expect(200);
    let path = format!("/api/operator-updates/{}/apply", id(&list[0]));
    let mut machines = other.watching(&[EQUIPMENT]).await;
    owner.post_as(&path, json!({})).await.expect(200);
    assert_eq!(own.changed().await, [UPDATES]);
    assert_eq!(managers[1].changed().await, [UPDATES]);
    assert_eq!(machines.changed().await, [EQUIPMENT]);
    assert_eq!(others.all(SOON / 2).await, [0; 0]);
    assert_eq!(theirs.all(SOON / 10).await, [0; 0]);
}

/// Something that a service could tell.
fn event((company_id, person_id): (Uuid, Option<Uuid>), topic: Topic) -> Event {
    Event {
        company_id,
        topic,
        person_id,
    }
}

#[tokio::test]
async fn a_stream_begins_at_once_and_says_how_it_is_to_be_treated() {
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
    assert_eq!(first, Some(Heard::Changed(vec![])));
}

#[tokio::test]
async fn many_changes_make_few_messages() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let (company, _) = owner.user().await;
    let mut watching = owner.watching(&[]).await;
    // Together when they happen together.
    for topic in Topic::ALL {
        product.events.publish(event((company, None), topic));
    }
    assert_eq!(watching.changed().await, [UPDATES, EQUIPMENT, SUBSCRIPTION]);
    let began = Instant::now();
    let telling = async {
        while began.elapsed() < SOON {
            product
                .events
                .publish(event((company, None), Topic::Equipment));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let (told, ()) = tokio::join!(watching.all(SOON + SOON / 2), telling);
    assert!((2..=6).contains(&told.len()), "{told:?}");
    // The last one of a flood is not lost.
    assert_eq!(watching.all(SOON / 2).await, [0; 0]);
}

#[tokio::test]
async fn everybody_hears_what_concerns_them() {
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
    // With the shared password one is an operator, whoever one is.
    let mut anybody = shared.watching(&[]).await;
    for (about, at_operator, at_anybody) in [
        (None, true, true),
        (Some(own), true, false),
        (Some(of_owner), false, true),
        (Some(Uuid::now_v7()), false, false),
    ] {
        updates(about);
        assert_eq!(manager.changed().await, [UPDATES]);
        let heard = |heard: bool| if heard { vec![UPDATES] } else { vec![] };
        let time = SOON / 3;
        assert_eq!(operators.all(time).await, heard(at_operator), "{about:?}");
        assert_eq!(anybody.all(time / 10).await, heard(at_anybody), "{about:?}");
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
async fn managers_hear_of_the_subscription() {
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
    let stranger = product.owner("Beta").await;
    let mut strangers = stranger.watching(&[]).await;
    owner.pay("professional", "month").await;
    assert_eq!(managers.changed().await, [SUBSCRIPTION]);
    owner.forward(1).await;
    for nobody in [&mut operators, &mut shared, &mut strangers] {
        assert_eq!(nobody.all(SOON / 3).await, [0; 0]);
    }
}

#[tokio::test]
async fn who_may_not_watch_is_told_so() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    for topics in [&[0][..], &[4], &[1, -1]] {
        let refused = owner.watch(topics).await.next().await;
        assert_eq!(refused, Heard::End(Code::InvalidArgument), "{topics:?}");
    }
    let refused = owner.signed_out().watch(&[]).await.next().await;
    assert_eq!(refused, Heard::End(Code::Unauthenticated));
    let staff = product.staff().await;
    let refused = staff.watch(&[]).await.next().await;
    assert_eq!(refused, Heard::End(Code::PermissionDenied));
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
    // A message that is none.
    let broken = grpc_web::request(&owner, PATH, &[0xff; 9]);
    let (status, _) = grpc_web::outcome(&owner.send(broken).await);
    assert!(
        !matches!(status.code(), Code::Ok | Code::Unknown),
        "{status:?}"
    );
}
