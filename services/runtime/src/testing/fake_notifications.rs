//! A fake notifications service: it stores facts, and fails on request.

use std::sync::{Arc, Mutex, MutexGuard};

use hourmeter_proto::notifications::v1::notifications_service_server::{
    NotificationsService, NotificationsServiceServer,
};
use hourmeter_proto::notifications::v1::{
    CountUnreadRequest, CountUnreadResponse, Fact, ListNotificationsRequest,
    ListNotificationsResponse, ListSandboxMailRequest, ListSandboxMailResponse, MarkAllReadRequest,
    MarkAllReadResponse, MarkReadRequest, MarkReadResponse, RecordFactsRequest,
    RecordFactsResponse, SendAddressVerificationRequest, SendAddressVerificationResponse,
    SendRecoveryLinkRequest, SendRecoveryLinkResponse, fact,
};
use tonic::service::Routes;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::client::Backend;
use crate::clock::Clock;
use crate::identity::{Caller, Service};

/// What the fake has received, and whether it fails.
#[derive(Debug, Default)]
pub struct NotificationsState {
    /// In order, repeated ones too.
    pub facts: Vec<(Uuid, Fact)>,
    /// Calls fail after their effect.
    pub response_lost: bool,
}

/// A fake notifications service. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct FakeNotifications(Arc<Mutex<NotificationsState>>);

impl FakeNotifications {
    /// Its state.
    ///
    /// # Panics
    /// When a test has panicked.
    pub fn state(&self) -> MutexGuard<'_, NotificationsState> {
        self.0.lock().expect("no panic")
    }

    /// The facts of a company that notify people.
    pub fn facts(&self, company_id: Uuid) -> Vec<Fact> {
        let state = self.state();
        let own = state.facts.iter().filter(|(of, _)| *of == company_id);
        let all = own.map(|(_, fact)| fact.clone());
        all.filter(|fact| !matches!(fact.what, Some(fact::What::SettledUpdate(_))))
            .collect()
    }

    /// In order, whether this update was settled.
    pub fn settled(&self, update_id: &str) -> Vec<bool> {
        let state = self.state();
        let all = state.facts.iter().filter_map(|(_, fact)| match &fact.what {
            Some(fact::What::SettledUpdate(update)) => Some(update),
            _ => None,
        });
        let own = all.filter(|update| update.update_id == update_id);
        own.map(|update| update.settled).collect()
    }

    /// A client of it.
    pub fn backend(&self) -> Backend {
        let routes = Routes::new(NotificationsServiceServer::new(self.clone()));
        super::backend(Service::Notifications, routes, Clock::system())
    }
}

#[tonic::async_trait]
impl NotificationsService for FakeNotifications {
    async fn record_facts(
        &self,
        request: Request<RecordFactsRequest>,
    ) -> Result<Response<RecordFactsResponse>, Status> {
        let company_id = Caller::service(&request)?.company_id();
        let facts = request.into_inner().facts;
        let mut state = self.state();
        state
            .facts
            .extend(facts.into_iter().map(|fact| (company_id, fact)));
        if state.response_lost {
            return Err(Status::unavailable("stopped"));
        }
        Ok(Response::new(RecordFactsResponse {}))
    }

    async fn list_notifications(
        &self,
        _: Request<ListNotificationsRequest>,
    ) -> Result<Response<ListNotificationsResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn count_unread(
        &self,
        _: Request<CountUnreadRequest>,
    ) -> Result<Response<CountUnreadResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn send_address_verification(
        &self,
        _: Request<SendAddressVerificationRequest>,
    ) -> Result<Response<SendAddressVerificationResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn send_recovery_link(
        &self,
        _: Request<SendRecoveryLinkRequest>,
    ) -> Result<Response<SendRecoveryLinkResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn list_sandbox_mail(
        &self,
        _: Request<ListSandboxMailRequest>,
    ) -> Result<Response<ListSandboxMailResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn mark_read(
        &self,
        _: Request<MarkReadRequest>,
    ) -> Result<Response<MarkReadResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }

    async fn mark_all_read(
        &self,
        _: Request<MarkAllReadRequest>,
    ) -> Result<Response<MarkAllReadResponse>, Status> {
        Err(Status::unimplemented("a fake"))
    }
}
