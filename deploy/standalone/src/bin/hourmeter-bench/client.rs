//! One HTTP/1.1 connection, with as little around it as can be, since it shares the machine.

use std::marker::PhantomData;

use anyhow::{Context as _, Result};
use bytes::{BufMut as _, Bytes, BytesMut};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use hyper::{Method, Request, Response};
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

    /// A call of the equipment service as a browser makes it; true when it succeeded.
    pub async fn rpc(&mut self, method: &str, message: &impl Message) -> Result<bool> {
        let path = format!("/hourmeter.equipment.v1.EquipmentService/{method}");
        let answer = self.begin(Method::POST, &path, GRPC_WEB, framed(message)?);
        let answer = answer.await?;
        let fine = answer.status() == 200;
        let bytes = answer.into_body().collect().await?.to_bytes();
        Ok(fine && String::from_utf8_lossy(&bytes).contains("grpc-status:0"))
    }

    /// A call as a browser makes it that must succeed, and its answer. `path` is
    /// `package.Service/Method`.
    pub async fn ask<A>(&mut self, path: &str, message: &impl Message) -> Result<A>
    where
        A: Message + Default,
    {
        let path = format!("/{path}");
        let answer = self.begin(Method::POST, &path, GRPC_WEB, framed(message)?);
        // Read whole, so that the connection can be used again.
        let whole = answer.await?.into_body().collect().await?.to_bytes();
        let mut read = BytesMut::from(whole);
        let message = take_frame(&mut read).context("no answer")?;
        let (_, trailers) = take_frame(&mut read).context("it was cut off")?;
        check(&trailers)?;
        Ok(A::decode(message.1)?)
    }

    /// A call that goes on answering.
    pub async fn watch<A>(&mut self, path: &str, message: &impl Message) -> Result<Answers<A>>
    where
        A: Message + Default,
    {
        let path = format!("/{path}");
        let answer = self.begin(Method::POST, &path, GRPC_WEB, framed(message)?);
        let answer = answer.await?;
        anyhow::ensure!(answer.status() == 200, "{path}: {}", answer.status());
        Ok(Answers {
            body: answer.into_body(),
            read: BytesMut::new(),
            of: PhantomData,
        })
    }

    async fn send(&mut self, method: Method, path: &str, body: Bytes) -> Result<(u16, Bytes)> {
        let answer = self.begin(method, path, "application/json", body).await?;
        let status = answer.status().as_u16();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }

    async fn begin(
        &mut self,
        method: Method,
        path: &str,
        kind: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>> {
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
        Ok(answer)
    }
}

/// Answers of a grpc-web call as they come.
pub struct Answers<A> {
    body: Incoming,
    read: BytesMut,
    of: PhantomData<A>,
}

impl<A: Message + Default> Answers<A> {
    /// The next one; none: the call has ended well.
    pub async fn next(&mut self) -> Result<Option<A>> {
        loop {
            if let Some((flag, frame)) = take_frame(&mut self.read) {
                if flag & TRAILERS == 0 {
                    return Ok(Some(A::decode(frame)?));
                }
                return check(&frame).map(|()| None);
            }
            let more = self.body.frame().await.context("it was cut off")??;
            if let Ok(data) = more.into_data() {
                self.read.put(data);
            }
        }
    }
}

/// Takes a frame, if one is here whole: what kind, and what is in it.
fn take_frame(read: &mut BytesMut) -> Option<(u8, Bytes)> {
    let (flag, length) = read.split_at_checked(HEAD)?.0.split_first()?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    let (flag, end) = (*flag, HEAD + usize::try_from(length).ok()?);
    if read.len() < end {
        return None;
    }
    Some((flag, read.split_to(end).freeze().slice(HEAD..)))
}

/// Whether a call ended well.
fn check(trailers: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(trailers);
    anyhow::ensure!(text.contains("grpc-status:0"), "{text}");
    Ok(())
}

const GRPC_WEB: &str = "application/grpc-web+proto";
/// Length of a frame's head: what kind it is, and how long.
const HEAD: usize = 5;
/// The kind of the last frame.
const TRAILERS: u8 = 0x80;

fn framed(message: &impl Message) -> Result<Bytes> {
    let mut body = BytesMut::with_capacity(HEAD + message.encoded_len());
    body.put_u8(0);
    body.put_u32(u32::try_from(message.encoded_len())?);
    message.encode(&mut body)?;
    Ok(body.freeze())
}
