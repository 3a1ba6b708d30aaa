//! Calls that reach a service directly with invalid identity tokens.

use hourmeter_proto::access::policy_table;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::identity::{Caller, IDENTITY_HEADER, Service, Signer};
use hourmeter_runtime::testing::{self, GATEWAY_SECRET, RELAY_SECRET};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::product::Product;
use crate::watch;

async fn call(backend: Backend, path: &str, token: Option<&str>) -> Code {
    let mut request = http::Request::post(path).header("content-type", "application/grpc");
    if let Some(token) = token {
        request = request.header(IDENTITY_HEADER, token);
    }
    let message = http_body_util::Full::from(vec![0; 5]);
    let request = request.body(Body::new(message)).expect("a request");
    let response = backend.oneshot(request).await.expect("a response");
    let status = Status::from_header_map(response.headers());
    status.map_or(Code::Ok, |status| status.code())
}

/// A token with a changed header or claims, under the old signature.
fn tampered(token: &str, part: usize, from: &str, to: &str) -> String {
    let mut parts: Vec<String> = token.split('.').map(str::to_owned).collect();
    let plain = decoded(&parts[part]);
    assert!(plain.contains(from), "{plain}");
    parts[part] = encoded(plain.replace(from, to).as_bytes());
    parts.join(".")
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn decoded(text: &str) -> String {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter);
        bits = bits << 6 | u32::try_from(value.expect("base64")).expect("small");
        count += 6;
        if count >= 8 {
            count -= 8;
            let byte = (bits >> count) & 0xff;
            bytes.push(u8::try_from(byte).expect("a byte"));
        }
    }
    String::from_utf8(bytes).expect("text")
}

fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        let word = word << (8 * (3 - three.len()));
        for position in 0..=three.len() {
            let value = (word >> (18 - 6 * position)) & 63;
            text.push(char::from(ALPHABET[value as usize]));
        }
    }
    text
}

#[tokio::test]
async fn services_reject_invalid_tokens() {
    let product = Product::new().await;
    let gateway = Signer::new("gateway", &GATEWAY_SECRET).expect("a signer");
    let forger = Signer::new("gateway", &[9; 32]).expect("a signer");
    let unknown = Signer::new("unknown", &GATEWAY_SECRET).expect("a signer");
    let relay = Signer::new("operator-updates", &RELAY_SECRET).expect("a signer");
    let owner = Caller::Person(Box::new(testing::owner()));
    let callers = [
        owner.clone(),
        Caller::Staff(Box::new(testing::staff())),
        Caller::Edge {
            request_id: Uuid::now_v7(),
        },
    ];
    for path in policy_table().expect("a complete table").keys() {
        let Some(service) = Service::from_path(path) else {
            // The gateway handles it.
            assert_eq!(path, watch::PATH);
            continue;
        };
        let backend = match service {
            Service::Accounts => &product.backends.accounts,
            Service::Equipment => &product.backends.equipment,
            Service::OperatorUpdates => &product.backends.operator_updates,
            Service::Billing => &product.backends.billing,
            Service::Notifications => &product.backends.notifications,
        };
        let mut tokens = vec![String::new(), "x".to_owned(), "a.b.c".to_owned()];
        for caller in &callers {
            let sign = |signer: &Signer, service| signer.sign(service, caller).expect("a token");
            tokens.push(sign(&forger, service));
            tokens.push(sign(&unknown, service));
            // Another issuer's key is not valid for people or the gateway.
            tokens.push(sign(&relay, service));
            let elsewhere = Service::ALL.into_iter().find(|other| *other != service);
            tokens.push(sign(&gateway, elsewhere.expect("another service")));
        }
        let good = gateway.sign(service, &owner).expect("a token");
        tokens.push(tampered(&good, 0, "EdDSA", "none"));
        tokens.push(tampered(&good, 0, "EdDSA", "HS256"));
        tokens.push(tampered(&good, 1, "Olivia", "Hacker"));
        tokens.push(good.rsplit_once('.').expect("a signature").0.to_owned() + ".");
        assert_eq!(
            call(backend.clone(), path, None).await,
            Code::Unauthenticated
        );
        for token in tokens {
            let code = call(backend.clone(), path, Some(&token)).await;
            assert_eq!(code, Code::Unauthenticated, "{path} {token}");
        }
    }
}
