//! The HTTP client: a person with a session, using REST like scripts and grpc-web like browsers.

use std::marker::PhantomData;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bytes::BytesMut;
use prost::Message;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use crate::grpc_web::{self, Frame, encode, take_frame};

/// Password of every owner.
pub const PASSWORD: &str = "gravel-and-sand-41";
/// Shared password of every company's operators.
const OPERATOR_PASSWORD: &str = "shovel-ready-77";

/// A person using a gateway.
///
/// Methods that return JSON panic if the call fails, since a test or setup cannot continue then.
#[derive(Clone)]
pub struct Visitor {
    client: Client,
    origin: String,
    headers: HeaderMap,
}

impl Visitor {
    pub fn new(origin: &str) -> Self {
        let marker = HeaderValue::from_static("XMLHttpRequest");
        let client = Client::builder().no_proxy().build();
        let mut headers = HeaderMap::new();
        headers.insert("x-requested-with", marker);
        Self {
            client: client.expect("an HTTP client"),
            origin: origin.to_owned(),
            headers,
        }
    }

    /// The same person at another IP address.
    #[must_use]
    pub fn at_address(mut self, address: &str) -> Self {
        let address = address.parse().expect("a header");
        self.headers.insert("x-forwarded-for", address);
        self
    }

    /// The same session at another gateway.
    #[must_use]
    pub fn through(&self, origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            ..self.clone()
        }
    }

    /// Another person on the same device, not signed in.
    #[must_use]
    pub fn signed_out(&self) -> Self {
        let mut visitor = self.clone();
        visitor.headers.remove(COOKIE);
        visitor
    }

    pub fn call(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.origin);
        let call = self.client.request(method, url);
        let call = call.headers(self.headers.clone());
        call.timeout(Duration::from_secs(30))
    }

    /// A grpc-web request. `path` is `package.v1.Service/Method` without `hourmeter.`.
    pub fn rpc(&self, path: &str, message: &impl Message) -> RequestBuilder {
        let call = self.call(Method::POST, &format!("/hourmeter.{path}"));
        call.header(CONTENT_TYPE, grpc_web::CONTENT_TYPE)
            .body(encode(message))
    }

    /// A grpc-web call that must succeed.
    pub async fn call_rpc<A: Message + Default>(
        &self,
        path: &str,
        message: &impl Message,
    ) -> Result<A> {
        let mut answers = self.watch::<A>(path, message).await?;
        let answer = answers.next().await?.context("no answer")?;
        ensure!(answers.next().await?.is_none(), "{path}: several answers");
        Ok(answer)
    }

    /// A streaming grpc-web call.
    pub async fn watch<A: Message + Default>(
        &self,
        path: &str,
        message: &impl Message,
    ) -> Result<Answers<A>> {
        let call = self.rpc(path, message).timeout(Duration::from_hours(1));
        Ok(Answers {
            response: call.send().await?.error_for_status()?,
            read: BytesMut::new(),
            of: PhantomData,
        })
    }

    /// Sends JSON. Returns the status and the response, null if it is not JSON.
    pub async fn send(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let answer = self.call(method, path).json(&body).send().await;
        let answer = answer.expect("an answer");
        let status = answer.status();
        (status, answer.json().await.unwrap_or(Value::Null))
    }

    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    pub async fn get(&self, path: &str) -> Value {
        let answer = self.call(Method::GET, path).send().await;
        let answer = answer.expect("an answer");
        let status = answer.status();
        let body: Value = answer.json().await.expect("JSON");
        assert!(status.is_success(), "{path}: {status} {body}");
        body
    }

    /// Sends JSON and stores the session of the response.
    pub async fn begin_session(mut self, path: &str, body: Value) -> Self {
        let answer = self.call(Method::POST, path).json(&body).send().await;
        let answer = answer.expect("an answer");
        let (status, cookie) = (answer.status(), answer.headers().get(SET_COOKIE).cloned());
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{path}: {status} {text}");
        let cookie = cookie.expect("a session");
        let cookie = cookie.to_str().expect("text").split(';').next();
        let cookie = cookie.unwrap_or_default().parse().expect("a header");
        self.headers.insert(COOKIE, cookie);
        self
    }

    /// Signs up a company; the visitor becomes its owner.
    pub async fn create_company(self, business_name: &str) -> Self {
        let mail = business_name.to_lowercase().replace(' ', "-");
        let body = json!({
            "businessName": business_name,
            "email": format!("{mail}@example.com"),
            "password": PASSWORD,
        });
        self.begin_session("/api/auth/signup", body).await
    }

    pub async fn sign_up(origin: &str, business_name: &str) -> Self {
        Self::new(origin).create_company(business_name).await
    }

    pub async fn sign_in(origin: &str, business_name: &str) -> Self {
        let body = json!({"emailOrBusinessName": business_name, "password": PASSWORD});
        let visitor = Self::new(origin);
        visitor.begin_session("/api/auth/login", body).await
    }

    /// Adds a machine and returns its id.
    pub async fn create_machine(&self, body: Value) -> String {
        let machine = self.post("/api/equipment", body).await;
        machine["id"].as_str().expect("an id").to_owned()
    }

    /// Adds a diesel machine with a meter at 100 hours and returns its id.
    pub async fn add_machine(&self, name: &str) -> String {
        self.create_machine(json!({
            "name": name, "type": "machinery", "unit": "hours", "fuelType": "diesel",
            "currentUsage": 100, "serviceInterval": 250,
        }))
        .await
    }

    /// Sets the operator password, adds an operator and signs in as that operator.
    pub async fn operator(&self) -> Self {
        let settings = json!({"masterPassword": OPERATOR_PASSWORD});
        self.post("/api/company-settings", settings).await;
        let name = self.add_operator("María").await;
        let (path, body) = Self::operator_credentials(&name);
        self.signed_out().begin_session(path, body).await
    }

    /// Adds an operator and returns the sign-in name.
    pub async fn add_operator(&self, first_name: &str) -> String {
        let names = json!({"firstName": first_name, "lastName": "Salazar"});
        let operator = self.post("/api/employees", names).await;
        let name = operator["operatorUsername"].as_str();
        name.expect("a name").to_owned()
    }

    /// Path and body of an operator's sign-in.
    pub fn operator_credentials(name: &str) -> (&'static str, Value) {
        let body = json!({"operatorName": name, "password": OPERATOR_PASSWORD});
        ("/api/employee/login", body)
    }
}

/// Streamed responses of a grpc-web call.
pub struct Answers<A> {
    response: Response,
    read: BytesMut,
    of: PhantomData<A>,
}

impl<A: Message + Default> Answers<A> {
    /// The next response; `None` if the call has ended successfully.
    pub async fn next(&mut self) -> Result<Option<A>> {
        loop {
            match take_frame(&mut self.read) {
                Some(Frame::Message(message)) => return Ok(Some(A::decode(message)?)),
                Some(Frame::Trailers(Some(0), _)) => return Ok(None),
                Some(Frame::Trailers(_, text)) => anyhow::bail!("{text}"),
                None => {}
            }
            let more = self.response.chunk().await?.context("cut off")?;
            self.read.extend_from_slice(&more);
        }
    }
}
