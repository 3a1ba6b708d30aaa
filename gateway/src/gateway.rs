//! The parts of the gateway.

use std::sync::Arc;

use hourmeter_runtime::events::Events;

use crate::audit::AuditSink;
use crate::layers::body::RequestBodies;
use crate::response_memory::ResponseMemory;
use crate::services::Services;
use crate::watch::Watch;

pub struct Gateway {
    pub services: Arc<Services>,
    pub bodies: RequestBodies,
    pub response_memory: ResponseMemory,
    pub audit: Arc<AuditSink>,
    pub watch: Watch,
}

impl Gateway {
    pub fn new(services: Arc<Services>, events: Events) -> Arc<Self> {
        Arc::new(Self {
            bodies: RequestBodies::new(services.config.rate_limits),
            response_memory: ResponseMemory::default(),
            audit: AuditSink::new(services.clone()),
            watch: Watch::new(services.clone(), events),
            services,
        })
    }
}
