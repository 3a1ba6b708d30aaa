//! A trace collector that counts spans.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

use crate::lock;

/// Spans by the sending service.
#[derive(Clone, Default)]
pub struct Collector(Arc<Mutex<BTreeMap<String, usize>>>);

impl Collector {
    /// Starts a collector and returns its URL.
    pub async fn start() -> Result<(Self, String)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let collector = Self::default();
        let server = tonic::transport::Server::builder()
            .add_service(TraceServiceServer::new(collector.clone()));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Ok((collector, url))
    }

    /// Received spans by `service.name`.
    pub fn spans(&self) -> BTreeMap<String, usize> {
        lock(&self.0).clone()
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut counts = lock(&self.0);
        for sent in request.into_inner().resource_spans {
            let attributes = sent.resource.map(|resource| resource.attributes);
            let mut attributes = attributes.unwrap_or_default().into_iter();
            let name = attributes.find(|one| one.key == "service.name");
            let name = name.and_then(|name| name.value).and_then(|name| name.value);
            let Some(Value::StringValue(name)) = name else {
                return Err(Status::invalid_argument("no service.name"));
            };
            let spans = sent.scope_spans.iter().map(|scope| scope.spans.len());
            *counts.entry(name).or_default() += spans.sum::<usize>();
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}
