//! What traces cost: the same load without them, with those of every request and with the share that
//! production sends, in turns within one run. The collector is this program, on the same machine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body_util::{BodyExt as _, Full};
use prost::Message as _;
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::load::{Load, closed};
use crate::product::{Database, Product};
use crate::report;
use crate::seed::Company;

/// Connections that call as fast as they are answered.
const CONNECTIONS: usize = 16;
/// How often each kind has its turn, since a machine is not always equally fast.
const ROUNDS: usize = 3;
/// Shares of requests that are traced.
const SHARES: [Option<&str>; 3] = [None, Some("1"), Some("0.05")];
/// What is called.
const LOADS: [(&str, Load); 2] = [
    ("equipment list", Load::List),
    ("operator submission", Load::Submit),
];

/// What one kind came to over its rounds.
#[derive(Clone, Copy, Default)]
struct Sum {
    requests: f64,
    seconds: f64,
    cpu: f64,
    spans: usize,
    errors: usize,
}

impl Sum {
    fn rate(&self) -> f64 {
        self.requests / self.seconds
    }

    /// CPU time of the product for one request.
    fn cpu_each(&self) -> f64 {
        self.cpu / self.requests
    }
}

/// Measures each kind for `span` a round.
pub async fn measure(
    data: &Path,
    database: &Database,
    companies: &[Company],
    span: Duration,
) -> Result<()> {
    let spans = Arc::new(AtomicUsize::new(0));
    let collector = collect(spans.clone()).await?;
    let mut sums = [[Sum::default(); SHARES.len()]; LOADS.len()];
    for _ in 0..ROUNDS {
        for (kind, share) in SHARES.iter().enumerate() {
            let told = share.map(|share| {
                [
                    ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.as_str()),
                    ("OTEL_TRACES_SAMPLER_ARG", share),
                ]
            });
            let more = told.as_ref().map_or(&[][..], |told| &told[..]);
            let product = Product::start_with(data, database, more).await?;
            for (sum, (_, load)) in sums.iter_mut().zip(LOADS) {
                let (cpu, seen) = (product.cpu()?, spans.load(Ordering::Relaxed));
                let figures = closed(CONNECTIONS, span, load, &product.origin(), companies).await?;
                let sum = &mut sum[kind];
                sum.cpu += product.cpu()? - cpu;
                sum.spans += spans.load(Ordering::Relaxed) - seen;
                sum.requests += figures.rate() * span.as_secs_f64();
                sum.seconds += span.as_secs_f64();
                sum.errors += figures.errors;
            }
            product.stop().await?;
        }
    }
    for ((name, _), [without, all, some]) in LOADS.iter().zip(sums) {
        tell(&format!("{name}, without traces"), &without, &without);
        tell("  every request traced", &all, &without);
        tell("  one of twenty traced", &some, &without);
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a figure to read")]
fn tell(name: &str, sum: &Sum, without: &Sum) {
    let text = format!(
        "{:.0} /s ({:.2}), CPU a request {:.2}, {:.1} spans a request, {} errors",
        sum.rate(),
        sum.rate() / without.rate(),
        sum.cpu_each() / without.cpu_each(),
        sum.spans as f64 / sum.requests,
        sum.errors,
    );
    report::fact(name, &text);
}

/// A collector that counts the spans it receives and keeps none; answers where it is.
async fn collect(spans: Arc<AtomicUsize>) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().fallback(receive).with_state(spans);
    let incoming = futures::stream::unfold(listener, |listener| async move {
        let taken = listener.accept().await.map(|(stream, _)| stream);
        Some((taken, listener))
    });
    let server = tonic::transport::Server::builder().add_routes(Routes::from(router));
    tokio::spawn(server.serve_with_incoming(incoming));
    Ok(format!("http://{address}"))
}

async fn receive(State(spans): State<Arc<AtomicUsize>>, request: Request) -> Response {
    const HEAD: usize = 5;
    let body = request.into_body().collect().await;
    let body = body.map(http_body_util::Collected::to_bytes);
    let sent = body.unwrap_or_default();
    let sent = Export::decode(sent.get(HEAD..).unwrap_or_default()).unwrap_or_default();
    let scopes = sent.resources.iter().flat_map(|resource| &resource.scopes);
    spans.fetch_add(
        scopes.map(|scope| scope.spans.len()).sum(),
        Ordering::Relaxed,
    );
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    // A message without fields.
    let answer = Full::new(Bytes::from_static(&[0; HEAD]));
    let mut answer = Response::new(Body::new(
        answer.with_trailers(async { Some(Ok(trailers)) }),
    ));
    let kind = HeaderValue::from_static("application/grpc");
    answer.headers_mut().insert("content-type", kind);
    answer
}

/// Of what OTLP sends, as much as it takes to count spans.
#[derive(Clone, PartialEq, prost::Message)]
struct Export {
    #[prost(message, repeated, tag = "1")]
    resources: Vec<Resource>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Resource {
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<Scope>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Scope {
    #[prost(bytes = "vec", repeated, tag = "2")]
    spans: Vec<Vec<u8>>,
}
