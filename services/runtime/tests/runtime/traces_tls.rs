//! Trace export to a collector with TLS.

use std::sync::{Arc, Mutex};

use hourmeter_runtime::telemetry::{self, Traces};
use opentelemetry::trace::Tracer as _;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::{Identity, Server, ServerTlsConfig};
use tonic::{Request, Response, Status};

/// Records the names of received spans.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<String>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        let names = scopes.flat_map(|scope| scope.spans).map(|span| span.name);
        self.0.lock().expect("a lock").extend(names);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// The spans that a collector receives whose certificate is trusted or not. Each test runs in its
/// own process, because a process exports to one collector.
async fn received(trusted: bool) -> Vec<String> {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key");
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a key");
    let identity = Identity::from_pem(own.cert.pem(), own.signing_key.serialize_pem());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let collector = Collector::default();
    let server = Server::builder().tls_config(ServerTlsConfig::new().identity(identity));
    let mut server = server.expect("a certificate");
    let server = server.add_service(TraceServiceServer::new(collector.clone()));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    let authority = if trusted { own } else { other };
    let settings = Traces {
        endpoint: format!("https://localhost:{port}"),
        share: 1.0,
        authorities: Some(authority.cert.pem().into_bytes()),
    };
    let tracer = settings.start("test").expect("an exporter");
    drop(tracer.start("one"));
    telemetry::stop().await;
    collector.0.lock().expect("a lock").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_are_exported_over_tls() {
    assert_eq!(received(true).await, ["one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_are_not_exported_to_an_untrusted_collector() {
    assert!(received(false).await.is_empty());
}
