//! A slow TCP proxy in front of the database.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

pub struct Proxy {
    pub port: u16,
    /// Of data from clients.
    pub delay: watch::Sender<Duration>,
    _accepts: AbortOnDropHandle<io::Result<()>>,
}

impl Proxy {
    /// Forwards to a local port, without delay at first.
    pub async fn start(target: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let (delay, delays) = watch::channel(Duration::ZERO);
        let accepts = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await?;
                tokio::spawn(forward(client, target, delays.clone()));
            }
        });
        Ok(Self {
            port,
            delay,
            _accepts: AbortOnDropHandle::new(accepts),
        })
    }
}

/// Forwards until either end closes.
async fn forward(
    mut client: TcpStream,
    target: u16,
    delays: watch::Receiver<Duration>,
) -> io::Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, target)).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let requests = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let length = from_client.read(&mut buffer).await?;
            if length == 0 {
                return Ok(0);
            }
            let delay = *delays.borrow();
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            to_server.write_all(&buffer[..length]).await?;
        }
    };
    tokio::select! {
        ended = requests => ended.map(drop),
        ended = copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
}
