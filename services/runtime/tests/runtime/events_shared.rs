//! Events between processes, through a real Redis with outages.

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

const TIMEOUT: Duration = Duration::from_secs(10);

fn event(topic: Topic) -> Event {
    Event {
        company_id: Uuid::now_v7(),
        topic,
        person_id: Some(Uuid::now_v7()),
        equipment_id: Some(Uuid::now_v7()),
    }
}

async fn until(live: &mut watch::Receiver<bool>, wanted: bool) {
    let changed = timeout(TIMEOUT, live.wait_for(|live| *live == wanted)).await;
    assert!(matches!(changed, Ok(Ok(_))), "not {wanted} in time");
}

/// A process with a working subscription.
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

/// A proxy to Redis that can be stopped and restarted.
struct Proxy {
    target: String,
    address: SocketAddr,
    task: Option<JoinHandle<()>>,
    /// When cancelled, connections stay open but carry no data.
    silence: CancellationToken,
}

impl Proxy {
    async fn new() -> Self {
        let url = redis_url();
        let target = url.expose_secret().trim_start_matches("redis://");
        let target = target.split('/').next().expect("a host").to_owned();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut proxy = Self {
            target,
            address,
            task: None,
            silence: CancellationToken::new(),
        };
        proxy.restart().await;
        proxy
    }

    fn url(&self) -> SecretString {
        format!("redis://{}/", self.address).into()
    }

    async fn restart(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the port");
        self.address = listener.local_addr().expect("an address");
        let target = self.target.clone();
        self.silence = CancellationToken::new();
        let silence = self.silence.clone();
        self.task = Some(tokio::spawn(async move {
            let mut running = tokio::task::JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let (target, silence) = (target.clone(), silence.clone());
                running.spawn(async move {
                    let Ok(mut far) = TcpStream::connect(target).await else {
                        return;
                    };
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                        () = silence.cancelled() => std::future::pending().await,
                    }
                });
            }
        }));
    }

    async fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
    }
}

#[tokio::test]
async fn shared_events_reach_all_processes_once() {
    let url = redis_url();
    let (one, mut ones) = listening(&url).await;
    let (_other, mut others) = listening(&url).await;
    // A service publishes and does not subscribe.
    let service = Events::shared(&url).expect("a URL");
    for topic in Topic::ALL {
        let sent = event(topic);
        service.publish(sent);
        assert_eq!(next(&mut ones, sent.company_id).await, Some(sent));
        assert_eq!(next(&mut others, sent.company_id).await, Some(sent));
        // Its own events arrive locally, and not a second time from Redis.
        let sent = event(topic);
        one.publish(sent);
        assert_eq!(next(&mut ones, sent.company_id).await, Some(sent));
        assert_eq!(next(&mut others, sent.company_id).await, Some(sent));
        assert_eq!(next(&mut ones, sent.company_id).await, None);
    }
    assert!(!*service.live().borrow());
}

#[tokio::test]
async fn listener_ignores_invalid_messages() {
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
        equipment_id: None,
    };
    assert_eq!(next(&mut receiver, company).await, Some(expected));
    assert_eq!(next(&mut receiver, other).await, None);
}

#[tokio::test]
async fn listener_reconnects_after_an_outage() {
    let mut proxy = Proxy::new().await;
    let (events, mut receiver) = listening(&proxy.url()).await;
    let publisher = Events::shared(&redis_url()).expect("a URL");
    let mut live = events.live();
    proxy.stop().await;
    until(&mut live, false).await;
    // Local events continue, and publishing does not block.
    let sent = event(Topic::Equipment);
    for _ in 0..10_000 {
        events.publish(sent);
    }
    assert!(
        next(&mut listening(&redis_url()).await.1, sent.company_id)
            .await
            .is_none()
    );
    while receiver.try_recv().is_ok_and(|event| event == sent) {}
    proxy.restart().await;
    until(&mut live, true).await;
    let sent = event(Topic::Equipment);
    publisher.publish(sent);
    let mut receiver = events.subscribe();
    publisher.publish(sent);
    assert_eq!(next(&mut receiver, sent.company_id).await, Some(sent));
}

#[tokio::test]
async fn idle_publisher_updates_the_redis_gauge() {
    // Installs the recorder.
    metrics_text();
    let mut proxy = Proxy::new().await;
    let _events = Events::shared(&proxy.url()).expect("a URL");
    let wait_for_gauge = async |wanted: &str| {
        let line = format!("\nhourmeter_redis_up {wanted}\n");
        let exported = async {
            while !metrics_text().contains(&line) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let in_time = timeout(2 * TIMEOUT, exported).await;
        assert!(in_time.is_ok(), "not {wanted} in time");
    };
    wait_for_gauge("1").await;
    proxy.stop().await;
    wait_for_gauge("0").await;
    proxy.restart().await;
    wait_for_gauge("1").await;
}

#[tokio::test]
async fn shared_events_work_locally_without_redis() {
    let nowhere: SecretString = "redis://127.0.0.1:1/".to_owned().into();
    let events = Events::shared(&nowhere).expect("a URL");
    let mut receiver = events.subscribe();
    let sent = event(Topic::Equipment);
    events.publish(sent);
    assert_eq!(next(&mut receiver, sent.company_id).await, Some(sent));
    assert!(!*events.live().borrow());
    assert!(Events::shared(&"http://x".to_owned().into()).is_err());
    assert!(Events::for_process(None).is_ok_and(|events| !*events.live().borrow()));
}

#[tokio::test]
async fn listener_detects_a_silent_connection() {
    let mut proxy = Proxy::new().await;
    let (events, _receiver) = listening(&proxy.url()).await;
    let mut live = events.live();
    proxy.silence.cancel();
    until(&mut live, false).await;
    // Connections open, but Redis does not respond.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!*live.borrow(), "the connection is silent");
    proxy.stop().await;
    proxy.restart().await;
    until(&mut live, true).await;
}
