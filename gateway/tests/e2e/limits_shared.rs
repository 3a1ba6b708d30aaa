//! Several gateways with one Redis share limits and revocations.

use std::net::SocketAddr;

use hourmeter_runtime::testing::redis_url;
use secrecy::ExposeSecret as _;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::product::{Browser, PASSWORD, Product, Reply, config};

/// An empty database of the test server, used by one test.
pub async fn redis(number: u8) -> String {
    let url = redis_url();
    let base = url.expose_secret().trim_end_matches('/');
    let url = format!("{base}/{number}");
    let client = redis::Client::open(url.as_str()).expect("a URL");
    let mut connection = client
        .get_multiplexed_async_connection()
        .await
        .expect("Redis");
    let flushed: String = redis::cmd("FLUSHDB")
        .query_async(&mut connection)
        .await
        .expect("an answer");
    assert_eq!(flushed, "OK");
    url
}

/// The product behind two gateways with one Redis.
async fn two_gateways(redis: &str) -> (Product, [Browser; 2]) {
    let mut settings = config();
    settings.rate_limits = true;
    settings.redis_url = Some(redis.to_owned().into());
    let product = Product::with(settings).await;
    let first = product.visitor();
    let second = Browser {
        router: product.gateway_with(|_, _| ()),
        ..first.clone()
    };
    (product, [first, second])
}

async fn login(browser: &Browser, name: &str, password: &str) -> Reply {
    let body = json!({"emailOrBusinessName": name, "password": password});
    browser.post_as("/api/auth/login", body).await
}

#[tokio::test]
async fn sign_in_counts_guesses_at_all_gateways() {
    let (product, gateways) = two_gateways(&redis(1).await).await;
    product.owner("Acme").await;
    for attempt in 0..5 {
        let answer = login(&gateways[attempt % 2], "Acme", "wrong-one").await;
        assert_eq!(answer.status, 401);
    }
    for gateway in &gateways {
        let answer = login(gateway, "Acme", PASSWORD).await;
        assert_eq!(answer.status, 429);
        assert_eq!(answer.header("retry-after"), "60");
    }
}

#[tokio::test]
async fn session_limit_counts_calls_at_all_gateways() {
    let (product, gateways) = two_gateways(&redis(2).await).await;
    let owner = product.owner("Acme").await;
    let mut calls = 0;
    loop {
        let browser = Browser {
            router: gateways[calls % 2].router.clone(),
            ..owner.clone()
        };
        let answer = browser.get("/api/login/owner").await;
        if answer.status == 429 {
            break;
        }
        calls += 1;
        assert!(calls < 1190, "gateways count separately");
    }
    // Some calls came before; on a busy machine Redis may be unavailable for a second, which counts
    // none.
    assert!(calls >= 590, "{calls}");
}

#[tokio::test]
async fn ended_session_is_rejected_at_every_gateway() {
    let (product, gateways) = two_gateways(&redis(3).await).await;
    let owner = product.owner("Acme").await;
    let elsewhere = Browser {
        router: gateways[1].router.clone(),
        ..owner.clone()
    };
    assert_eq!(elsewhere.get("/api/equipment").await.status, 200);
    let ended = owner.post_as("/api/auth/logout", json!({})).await;
    assert_eq!(ended.status, 204);
    assert_eq!(elsewhere.get("/api/equipment").await.status, 401);
}

/// A proxy to Redis that can be stopped and restarted.
pub struct RedisProxy {
    pub address: SocketAddr,
    target: String,
    task: Option<JoinHandle<()>>,
}

impl RedisProxy {
    pub async fn to(target: String) -> Self {
        let mut proxy = Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            target,
            task: None,
        };
        proxy.restart().await;
        proxy
    }

    pub async fn restart(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the port");
        self.address = listener.local_addr().expect("an address");
        let target = self.target.clone();
        self.task = Some(tokio::spawn(async move {
            let mut running = tokio::task::JoinSet::new();
            while let Ok((mut near, _)) = listener.accept().await {
                let target = target.clone();
                running.spawn(async move {
                    if let Ok(mut far) = TcpStream::connect(target).await {
                        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                    }
                });
            }
        }));
    }

    pub async fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
            let _ = task.await;
        }
    }
}

#[tokio::test]
async fn limits_are_halved_without_redis() {
    let url = redis(4).await;
    let target = url.trim_start_matches("redis://");
    let (target, number) = target.split_once('/').expect("a path");
    let mut proxy = RedisProxy::to(target.to_owned()).await;
    let (product, gateways) = two_gateways(&format!("redis://{}/{number}", proxy.address)).await;
    let owner = product.owner("Acme").await;
    assert_eq!(owner.get("/api/equipment").await.status, 200);
    proxy.stop().await;
    for _ in 0..20 {
        assert_eq!(owner.get("/api/equipment").await.status, 200);
    }
    let mut owner = owner;
    let body = json!({"emailOrBusinessName": "Acme", "password": PASSWORD});
    assert_eq!(owner.post("/api/auth/login", body).await.status, 200);
    for gateway in &gateways {
        for attempt in 0..3 {
            let answer = login(gateway, "Acme", "wrong-one").await;
            assert_eq!(answer.status, if attempt < 2 { 401 } else { 429 });
        }
    }
    // Unknown accounts are not revealed while the misses can't be counted together.
    let body = json!({"emailOrBusinessName": "Nobody at all"});
    let answer = gateways[0].post_as("/api/auth/forgot-password", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}
