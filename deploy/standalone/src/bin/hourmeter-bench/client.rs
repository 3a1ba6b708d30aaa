//! One HTTP/1.1 connection, with as little around it as can be, since it shares the machine.

use anyhow::{Context as _, Result};
use bytes::{BufMut as _, Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use prost::Message;
use serde_json::Value;
use tokio::net::TcpStream;

/// A connection, with the session it signed in to.
pub struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    /// The session's cookie.
    pub cookie: String,
}

impl Client {
    /// Connects to `host:port`.
    pub async fn connect(host: &str) -> Result<Self> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self {
            sender,
            host: host.to_owned(),
            cookie: String::new(),
        })
    }

    /// Status and body of a read.
    pub async fn get(&mut self, path: &str) -> Result<(u16, Bytes)> {
        self.send(Method::GET, path, Bytes::new()).await
    }

    /// Status and body of a call with JSON.
    pub async fn json(&mut self, method: Method, path: &str, body: &Value) -> Result<(u16, Bytes)> {
        self.send(method, path, Bytes::from(serde_json::to_vec(body)?))
            .await
    }

    /// A call with JSON that must succeed, and its JSON.
    pub async fn must(&mut self, method: Method, path: &str, body: &Value) -> Result<Value> {
        let (status, bytes) = self.json(method, path, body).await?;
        anyhow::ensure!((200..300).contains(&status), "{path}: {status} {bytes:?}");
        serde_json::from_slice(&bytes).context("not JSON")
    }

    /// A grpc-web call as a browser makes it; true when it succeeded.
    pub async fn rpc(&mut self, method: &str, message: &impl Message) -> Result<bool> {
        let mut body = BytesMut::with_capacity(5 + message.encoded_len());
        body.put_u8(0);
        body.put_u32(u32::try_from(message.encoded_len())?);
        message.encode(&mut body)?;
        let path = format!("/hourmeter.equipment.v1.EquipmentService/{method}");
        let kind = "application/grpc-web+proto";
        let answer = self.typed(Method::POST, &path, kind, body.freeze()).await?;
        let trailers = String::from_utf8_lossy(&answer.1);
        Ok(answer.0 == 200 && trailers.contains("grpc-status:0"))
    }

    async fn send(&mut self, method: Method, path: &str, body: Bytes) -> Result<(u16, Bytes)> {
        self.typed(method, path, "application/json", body).await
    }

    async fn typed(
        &mut self,
        method: Method,
        path: &str,
        kind: &str,
        body: Bytes,
    ) -> Result<(u16, Bytes)> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.host)
            .header("x-requested-with", "XMLHttpRequest");
        if !self.cookie.is_empty() {
            request = request.header(COOKIE, &self.cookie);
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, kind);
        }
        self.sender.ready().await?;
        let answer = self
            .sender
            .send_request(request.body(Full::new(body))?)
            .await?;
        if let Some(cookie) = answer.headers().get(SET_COOKIE) {
            let text = cookie.to_str()?;
            text.split(';')
                .next()
                .unwrap_or_default()
                .clone_into(&mut self.cookie);
        }
        let status = answer.status().as_u16();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }
}
