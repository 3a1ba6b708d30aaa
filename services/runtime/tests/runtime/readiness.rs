//! Readiness distinguishes a busy database from an unreachable one.

use std::time::Duration;

use hourmeter_runtime::db::{Database, url_for};
use hourmeter_runtime::testing::server_url;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::PgConnectOptions;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A proxy that delays the first bytes of each connection, and its task.
async fn relayed(delay: Duration) -> (SecretString, JoinHandle<()>) {
    let server = server_url();
    let options: PgConnectOptions = server.expose_secret().parse().expect("a URL");
    let (host, port) = (options.get_host(), options.get_port());
    let real = (host.to_owned(), port);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let here = server.expose_secret().replace(
        &format!("{host}:{port}"),
        &format!("127.0.0.1:{}", address.port()),
    );
    let relay = tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut server = TcpStream::connect(&real).await.expect("a server");
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                copy_bidirectional(&mut client, &mut server).await
            });
        }
    });
    (here.into(), relay)
}

#[tokio::test]
async fn is_ready_with_an_exhausted_pool() {
    let (here, relay) = relayed(Duration::ZERO).await;
    let database = Database::connect(&here, 1).expect("a pool");
    assert!(database.is_ready().await);
    let held = database.lookup().await.expect("a connection");
    assert!(database.lookup().await.is_err(), "the pool is exhausted");
    assert!(database.is_ready().await);

    // No new connections.
    relay.abort();
    let _ = relay.await;
    assert!(!database.is_ready().await);
    drop(held);
}

#[tokio::test]
async fn is_ready_is_false_without_server() {
    let nowhere = "postgres://nobody:nothing@127.0.0.1:1/nothing".to_owned();
    let database = Database::connect(&nowhere.into(), 1).expect("a pool");
    assert!(!database.is_ready().await);
    let nobody = url_for(&server_url(), "nobody", &"wrong".into(), "nothing");
    let database = Database::connect(&nobody.expect("a URL"), 1).expect("a pool");
    assert!(!database.is_ready().await);
}

#[tokio::test]
async fn slow_connect_completes_for_the_next_caller() {
    let (here, _relay) = relayed(Duration::from_millis(1500)).await;
    let database = Database::connect(&here, 1).expect("a pool");
    assert!(database.lookup().await.is_err(), "timed out");
    let mut attempts = 0;
    while database.lookup().await.is_err() {
        attempts += 1;
        assert!(attempts < 5, "no connection opens");
    }
    assert!(database.is_ready().await);
}
