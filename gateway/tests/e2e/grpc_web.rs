//! RPCs as browsers call them.

use std::collections::BTreeMap;

use axum::body::Body;
use hourmeter_proto::accounts::v1::{GetCurrentUserResponse, ListSecurityQuestionsResponse};
use hourmeter_proto::equipment::v1::{
    CreateEquipmentRequest, CreateEquipmentResponse, EquipmentInput, EquipmentType, MeterUnit,
};
use hourmeter_runtime::error::ServiceError;
use http::{Method, Request};
use prost::Message;
use tonic::{Code, Status};

use crate::product::{Browser, Product, Reply};

pub const USER: &str = "/hourmeter.accounts.v1.AccountsService/GetCurrentUser";
const QUESTIONS: &str = "/hourmeter.accounts.v1.AccountsService/ListSecurityQuestions";
const CREATE: &str = "/hourmeter.equipment.v1.EquipmentService/CreateEquipment";

/// A message with the gRPC frame header.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("small");
    [&[0], length.to_be_bytes().as_slice(), message].concat()
}

pub fn request(browser: &Browser, path: &str, message: &[u8]) -> Request<Body> {
    let mut request = browser.request(Method::POST, path, None);
    let content_type = "application/grpc-web+proto".parse().expect("a value");
    request.headers_mut().insert("content-type", content_type);
    request
        .headers_mut()
        .insert("x-grpc-web", "1".parse().expect("a value"));
    *request.body_mut() = Body::from(framed(message));
    request
}

/// The status of a response, from its headers or trailers, and its message.
pub fn outcome(reply: &Reply) -> (Status, Vec<u8>) {
    assert_eq!(reply.status, 200, "{}", reply.text());
    if let Some(status) = Status::from_header_map(&reply.headers) {
        return (status, Vec::new());
    }
    let (mut message, mut rest) = (Vec::new(), reply.body.as_slice());
    while let [flag, a, b, c, d, tail @ ..] = rest {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (frame, tail) = tail.split_at(length);
        if flag & 0x80 == 0 {
            message = frame.to_vec();
        } else {
            let text = String::from_utf8_lossy(frame).into_owned();
            let trailers: BTreeMap<&str, &str> = text
                .split("\r\n")
                .filter_map(|line| line.split_once(':'))
                .collect();
            let code: i32 = trailers["grpc-status"].trim().parse().expect("a code");
            return (Status::new(Code::from(code), ""), message);
        }
        rest = tail;
    }
    panic!("no status in {:?}", reply.headers);
}

pub async fn code(browser: &Browser, path: &str, message: &[u8]) -> Code {
    let reply = browser.send(request(browser, path, message)).await;
    outcome(&reply).0.code()
}

#[tokio::test]
async fn calls_reach_the_service_as_the_person() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let reply = owner.send(request(&owner, USER, &[])).await;
    assert_eq!(reply.header("content-type"), "application/grpc-web+proto");
    assert_eq!(reply.header("cache-control"), "no-store");
    let (status, message) = outcome(&reply);
    assert_eq!(status.code(), Code::Ok);
    let user = GetCurrentUserResponse::decode(message.as_slice()).expect("a message");
    assert_eq!(user.user.expect("a user").business_name, "Acme");

    let machine = CreateEquipmentRequest {
        equipment: Some(EquipmentInput {
            name: Some("Crane".to_owned()),
            r#type: Some(EquipmentType::Machinery.into()),
            unit: Some(MeterUnit::Hours.into()),
            ..EquipmentInput::default()
        }),
    };
    let mut create = request(&owner, CREATE, &machine.encode_to_vec());
    let headers = create.headers_mut();
    // None of these may reach the service or change the principal.
    headers.insert("x-internal-identity", "forged".parse().expect("a value"));
    headers.insert("authorization", "Bearer x".parse().expect("a value"));
    headers.insert("grpc-timeout", "15000m".parse().expect("a value"));
    let (status, message) = outcome(&owner.send(create).await);
    assert_eq!(status.code(), Code::Ok);
    let created = CreateEquipmentResponse::decode(message.as_slice()).expect("a message");
    assert_eq!(created.equipment.expect("equipment").name, "Crane");

    // REST reads what grpc-web wrote.
    let list = owner.get("/api/equipment").await.expect(200);
    assert_eq!(list[0]["name"], "Crane");
}

#[tokio::test]
async fn error_details_are_forwarded() {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let nothing = CreateEquipmentRequest {
        equipment: Some(EquipmentInput::default()),
    };
    let reply = owner
        .send(request(&owner, CREATE, &nothing.encode_to_vec()))
        .await;
    let (status, _) = outcome(&reply);
    assert_eq!(status.code(), Code::InvalidArgument);
    let failure = ServiceError::from_status(&status);
    assert!(
        failure.fields.iter().any(|(field, _)| field == "name"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn other_requests_are_rejected() {
    let product = Product::new().await;
    let visitor = product.visitor();
    let reply = visitor.send(request(&visitor, QUESTIONS, &[])).await;
    let (status, message) = outcome(&reply);
    assert_eq!(status.code(), Code::Ok);
    let questions = ListSecurityQuestionsResponse::decode(message.as_slice()).expect("a message");
    assert!(questions.questions.len() >= 10);

    for path in [
        "/hourmeter.accounts.v1.AccountsService/Nothing",
        "/hourmeter.nothing.v1.NothingService/Nothing",
        "/hourmeter.accounts.v1.AccountsService",
        "/grpc.health.v1.Health/Check",
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    ] {
        assert_eq!(
            code(&visitor, path, &[]).await,
            Code::Unimplemented,
            "{path}"
        );
    }
    let too_large = vec![0; 1024 * 1024];
    assert_eq!(
        code(&visitor, QUESTIONS, &too_large).await,
        Code::ResourceExhausted
    );
    let mut get = request(&visitor, QUESTIONS, &[]);
    *get.method_mut() = Method::GET;
    assert_eq!(visitor.send(get).await.status, 405);
    for content_type in ["application/json", "application/grpc", "text/plain"] {
        let mut other = request(&visitor, QUESTIONS, &[]);
        let value = content_type.parse().expect("a value");
        other.headers_mut().insert("content-type", value);
        assert_eq!(visitor.send(other).await.status, 415, "{content_type}");
    }
    // An invalid message.
    let reply = visitor.send(request(&visitor, USER, &[0xff; 10])).await;
    assert_eq!(outcome(&reply).0.code(), Code::Unauthenticated);
    let owner = product.owner("Acme").await;
    let (status, _) = outcome(&owner.send(request(&owner, CREATE, &[0xff; 10])).await);
    assert_ne!(status.code(), Code::Ok);
    assert!(!status.message().contains("hourmeter"), "{status}");
}
