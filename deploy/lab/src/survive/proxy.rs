//! A slow TCP proxy in front of the database.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

pub struct Proxy {
    pub port: u16,
    delay_ms: Arc<AtomicU64>,
    stop: CancellationToken,
}

impl Proxy {
    /// Forwards to a local port, without delay at first.
    pub async fn start(target: u16) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let proxy = Self {
            port: listener.local_addr()?.port(),
            delay_ms: Arc::default(),
            stop: CancellationToken::new(),
        };
        let (delay, stop) = (proxy.delay_ms.clone(), proxy.stop.clone());
        tokio::spawn(async move {
            let serving = serve(listener, target, delay);
            let _ = stop.run_until_cancelled(serving).await;
        });
        Ok(proxy)
    }

    /// Delays data from clients.
    pub fn set_delay(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.delay_ms.store(by, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn serve(listener: TcpListener, target: u16, delay: Arc<AtomicU64>) -> Result<()> {
    loop {
        let (client, _) = listener.accept().await?;
        let delay = delay.clone();
        tokio::spawn(async move {
            let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, target)).await else {
                return;
            };
            let _ = (client.set_nodelay(true), server.set_nodelay(true));
            let (from_client, to_client) = client.into_split();
            let (from_server, to_server) = server.into_split();
            let none = Arc::default();
            let requests = forward(from_client, to_server, &delay);
            let answers = forward(from_server, to_client, &none);
            // Either end closes both.
            tokio::select! {
                _ = requests => {}
                _ = answers => {}
            }
        });
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    delay_ms: &Arc<AtomicU64>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            return Ok(());
        }
        let delay = delay_ms.load(Ordering::Relaxed);
        if delay > 0 {
            tokio::time::sleep(Duration::from_millis(delay)).await;
        }
        to.write_all(&buffer[..length]).await?;
    }
}
