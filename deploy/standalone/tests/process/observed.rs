//! Separate processes tell of themselves: each on an admin port of its own, all to one collector.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt as _, Full};
use rustix::process::Signal;
use tonic::service::Routes;

use crate::main_journey;
use crate::product::{Running, data_folder};

/// In the order of their admin ports.
const PROCESSES: [&str; 5] = [
    "gateway",
    "accounts",
    "equipment",
    "operator-updates",
    "billing",
];

type Received = Arc<Mutex<Vec<u8>>>;

/// A collector that keeps all it receives, as it came; where it is.
async fn collect(received: Received) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0");
    let listener = listener.await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().fallback(receive).with_state(received);
    let incoming = futures::stream::unfold(listener, |listener| async move {
        let taken = listener.accept().await.map(|(stream, _)| stream);
        Some((taken, listener))
    });
    let server = tonic::transport::Server::builder().add_routes(Routes::from(router));
    tokio::spawn(server.serve_with_incoming(incoming));
    format!("http://{address}")
}

async fn receive(State(received): State<Received>, request: Request) -> Response {
    let body = request.into_body().collect().await.expect("a body");
    received.lock().expect("a lock").extend(body.to_bytes());
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let answer = Full::new(Bytes::from_static(&[0; 5]));
    let mut answer = Response::new(Body::new(
        answer.with_trailers(async { Some(Ok(trailers)) }),
    ));
    let kind = HeaderValue::from_static("application/grpc");
    answer.headers_mut().insert("content-type", kind);
    answer
}

/// The first of as many free ports in a row, below those that systems give to whoever asks for any:
/// the processes have such ones, too.
fn free_row() -> u16 {
    let free = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    // Tests that run at the same moment begin elsewhere.
    let begin = 20_000 + u16::try_from(std::process::id() % 1_000).unwrap_or(0) * 10;
    let mut rows = (begin..32_000).step_by(5);
    let row = rows.find(|first| {
        let row: Result<Vec<TcpListener>, _> = (*first..first + 5).map(free).collect();
        row.is_ok()
    });
    row.expect("five free ports in a row")
}

async fn ask(port: u16, path: &str) -> (u16, String) {
    let answer = reqwest::get(format!("http://127.0.0.1:{port}{path}")).await;
    let answer = answer.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("text"))
}

#[tokio::test]
async fn separate_processes_have_admin_ports_in_a_row_and_send_their_traces() {
    let received = Received::default();
    let collector = collect(received.clone()).await;
    let (data, port) = (data_folder(), free_row());
    let admin = format!("127.0.0.1:{port}");
    let told = [
        ("ADMIN_LISTEN", admin.as_str()),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector),
        ("OTEL_TRACES_SAMPLER_ARG", "1"),
    ];
    let running = Running::start_with(data.path(), &["services"], &told).await;
    main_journey(&running.origin).await;
    for (port, process) in (port..).zip(PROCESSES) {
        let (status, metrics) = ask(port, "/metrics").await;
        let named = metrics.lines().any(|line| {
            line.starts_with("hourmeter_build_info{")
                && line.contains(&format!("process=\"{process}\""))
        });
        assert!(status == 200 && named, "{process}: {metrics}");
        for path in ["/livez", "/readyz"] {
            assert_eq!(ask(port, path).await.0, 200, "{process} {path}");
        }
    }
    assert!(running.stop(Signal::TERM).await, "it stops cleanly");
    let received = received.lock().expect("a lock").clone();
    for process in PROCESSES {
        let name = format!("hourmeter-{process}").into_bytes();
        let sent = received.windows(name.len()).any(|part| part == name);
        assert!(sent, "{process} sent no traces");
    }
}
