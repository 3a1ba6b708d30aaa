//! A database that is busy is told from one that is away.

use std::time::Duration;

use hourmeter_runtime::db::{Database, url_for};
use hourmeter_runtime::testing::server_url;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::postgres::PgConnectOptions;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A way to the server on which each connection's first word takes so long, and what keeps it open.
async fn relayed(delay: Duration) -> (SecretString, JoinHandle<()>) {
    let server = server_url();
    let options: PgConnectOptions = server.expose_secret().parse().expect("a URL");
    let (host, port) = (options.get_host(), options.get_port());
    let real = (host.to_owned(), port);
    let door = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = door.local_addr().expect("an address");
    let here = server.expose_secret().replace(
        &format!("{host}:{port}"),
        &format!("127.0.0.1:{}", address.port()),
    );
    let relay = tokio::spawn(async move {
        while let Ok((mut client, _)) = door.accept().await {
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
async fn a_pool_that_is_used_up_is_ready_while_its_server_answers() {
    let (here, relay) = relayed(Duration::ZERO).await;
    let database = Database::connect(&here, 1).expect("a pool");
    assert!(database.is_ready().await);
    let held = database.lookup().await.expect("a connection");
    assert!(database.lookup().await.is_err(), "it is the only one");
    assert!(database.is_ready().await);

    // Nobody comes in any more.
    relay.abort();
    let _ = relay.await;
    assert!(!database.is_ready().await);
    drop(held);
}

#[tokio::test]
async fn a_server_that_is_away_is_not_ready() {
    let nowhere = "postgres://nobody:nothing@127.0.0.1:1/nothing".to_owned();
    let database = Database::connect(&nowhere.into(), 1).expect("a pool");
    assert!(!database.is_ready().await);
    let nobody = url_for(&server_url(), "nobody", &"wrong".into(), "nothing");
    let database = Database::connect(&nobody.expect("a URL"), 1).expect("a pool");
    assert!(!database.is_ready().await);
}

#[tokio::test]
async fn a_connection_that_opens_slower_than_anybody_waits_is_there_for_the_next() {
    let (here, _relay) = relayed(Duration::from_millis(1500)).await;
    let database = Database::connect(&here, 1).expect("a pool");
    assert!(database.lookup().await.is_err(), "nobody waits so long");
    let mut tries = 0;
    while database.lookup().await.is_err() {
        tries += 1;
        assert!(tries < 5, "none is ever opened");
    }
    assert!(database.is_ready().await);
}
