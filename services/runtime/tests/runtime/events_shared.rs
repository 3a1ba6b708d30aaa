//! Events between processes, through a real Redis that comes and goes.

use std::net::SocketAddr;
use std::time::Duration;

use hourmeter_runtime::events::{Event, Events, Topic};
use hourmeter_runtime::telemetry::metrics_text;
use hourmeter_runtime::testing::redis_url;
use redis::AsyncCommands as _;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const PATIENCE: Duration = Duration::from_secs(10);

fn event(topic: Topic) -> Event {
    Event {
        company_id: Uuid::now_v7(),
        topic,
        person_id: Some(Uuid::now_v7()),
    }
}

async fn until(live: &mut watch::Receiver<bool>, wanted: bool) {
    let changed = timeout(PATIENCE, live.wait_for(|live| *live == wanted)).await;
    assert!(matches!(changed, Ok(Ok(_))), "not {wanted} in time");
}

/// One process that listens by now.
async fn listening(url: &SecretString) -> (Events, broadcast::Receiver<Event>) {
    let events = Events::shared(url).expect("a URL");
    let receiver = events.subscribe();
    until(&mut events.live(), true).await;
    (events, receiver)
}

/// The next event of a company; tests share one Redis.
async fn next(receiver: &mut broadcast::Receiver<Event>, company_id: Uuid) -> Option<Event> {
    let found = async {
        loop {
            let event = receiver.recv().await.expect("an event");
            if event.company_id == company_id {
                return event;
            }
        }
    };
    timeout(Duration::from_secs(1), found).await.ok()
}

/// A way to Redis that can be cut and mended.
struct Wire {
    target: String,
    address: SocketAddr,
    task: Option<JoinHandle<()>>,
    /// Cancelled: what is connected stays so, and nothing passes.
    mute: CancellationToken,
}

impl Wire {
    async fn new() -> Self {
        let url = redis_url();
        let target = url.expose_secret().trim_start_matches("redis://");
        let target = target.split('/').next().expect("a host").to_owned();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut wire = Self {
            target,
            address,
            task: None,
            mute: CancellationToken::new(),
        };
        wire.mend().await;
        wire
    }

    fn url(&self) -> SecretString {
        format!("redis://{}/", self.address).into()
    }

    async fn mend(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the port");
        self.address = listener.local_addr().expect("an address");
        let target = self.target.clone();
        self.mute = CancellationToken::new();
        let mute = self.mute.clone();
        self.task = Some(tokio::spawn(async move {
            let mut running = tokio::task::JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let (target, mute) = (target.clone(), mute.clone());
                running.spawn(async move {
                    let Ok(mut far) = TcpStream::connect(target).await else {
                        return;
                    };
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        () = mute.cancelled() => std::future::pending().await,
                    }
                });
            }
        }));
    }

    async fn cut(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
    }
}

#[tokio::test]
async fn what_one_process_tells_all_others_hear_once() {
    let url = redis_url();
    let (one, mut ones) = listening(&url).await;
    let (_other, mut others) = listening(&url).await;
    // A service tells and does not listen.
    let service = Events::shared(&url).expect("a URL");
    for topic in Topic::ALL {
        let told = event(topic);
        service.publish(told);
        assert_eq!(next(&mut ones, told.company_id).await, Some(told));
        assert_eq!(next(&mut others, told.company_id).await, Some(told));
        // Its own, too, and not twice by way of Redis.
        let told = event(topic);
        one.publish(told);
        assert_eq!(next(&mut ones, told.company_id).await, Some(told));
        assert_eq!(next(&mut others, told.company_id).await, Some(told));
        assert_eq!(next(&mut ones, told.company_id).await, None);
    }
    assert!(!*service.live().borrow());
}

#[tokio::test]
async fn what_others_write_into_a_channel_is_checked() {
    let url = redis_url();
    let (_events, mut receiver) = listening(&url).await;
    let client = redis::Client::open(url.expose_secret()).expect("a URL");
    let mut redis = client
        .get_multiplexed_async_connection()
        .await
        .expect("Redis");
    let (company, other, from) = (Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7());
    let text = |company: Uuid, topic: &str| {
        format!(r#"{{"v":1,"from":"{from}","company":"{company}","topic":"{topic}"}}"#)
    };
    let channel = format!("{{{company}}}:events");
    for wrong in [
        String::new(),
        "x".repeat(100_000),
        text(other, "equipment"),
        text(company, "money"),
    ] {
        let _: () = redis.publish(&channel, wrong).await.expect("published");
    }
    let good = text(company, "operator-updates");
    let _: () = redis.publish(&channel, good).await.expect("published");
    let expected = Event {
        company_id: company,
        topic: Topic::OperatorUpdates,
        person_id: None,
    };
    assert_eq!(next(&mut receiver, company).await, Some(expected));
    assert_eq!(next(&mut receiver, other).await, None);
}

#[tokio::test]
async fn a_line_that_breaks_is_mended() {
    let mut wire = Wire::new().await;
    let (events, mut receiver) = listening(&wire.url()).await;
    let teller = Events::shared(&redis_url()).expect("a URL");
    let mut live = events.live();
    wire.cut().await;
    until(&mut live, false).await;
    // Within the process all goes on, and telling holds nothing up.
    let told = event(Topic::Equipment);
    for _ in 0..10_000 {
        events.publish(told);
    }
    assert!(
        next(&mut listening(&redis_url()).await.1, told.company_id)
            .await
            .is_none()
    );
    while receiver.try_recv().is_ok_and(|event| event == told) {}
    wire.mend().await;
    until(&mut live, true).await;
    let told = event(Topic::Equipment);
    teller.publish(told);
    let mut receiver = events.subscribe();
    teller.publish(told);
    assert_eq!(next(&mut receiver, told.company_id).await, Some(told));
}

#[tokio::test]
async fn who_has_nothing_to_tell_says_whether_redis_answers() {
    // What is counted goes to who reads it only from then on.
    metrics_text();
    let mut wire = Wire::new().await;
    let _events = Events::shared(&wire.url()).expect("a URL");
    let told = async |wanted: &str| {
        let line = format!("\nhourmeter_redis_up {wanted}\n");
        let becomes = async {
            while !metrics_text().contains(&line) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let in_time = timeout(2 * PATIENCE, becomes).await;
        assert!(in_time.is_ok(), "not {wanted} in time");
    };
    told("1").await;
    wire.cut().await;
    told("0").await;
    wire.mend().await;
    told("1").await;
}

#[tokio::test]
async fn without_redis_nothing_waits_and_nothing_fails() {
    let nowhere: SecretString = "redis://127.0.0.1:1/".to_owned().into();
    let events = Events::shared(&nowhere).expect("a URL");
    let mut receiver = events.subscribe();
    let told = event(Topic::Equipment);
    events.publish(told);
    assert_eq!(next(&mut receiver, told.company_id).await, Some(told));
    assert!(!*events.live().borrow());
    assert!(Events::shared(&"http://x".to_owned().into()).is_err());
    assert!(Events::for_process(None).is_ok_and(|events| !*events.live().borrow()));
}

#[tokio::test]
async fn a_line_that_is_silent_is_taken_for_broken() {
    let mut wire = Wire::new().await;
    let (events, _receiver) = listening(&wire.url()).await;
    let mut live = events.live();
    wire.mute.cancel();
    until(&mut live, false).await;
    // Connecting succeeds, and nobody answers.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!*live.borrow(), "a mute line is no line");
    wire.cut().await;
    wire.mend().await;
    until(&mut live, true).await;
}
