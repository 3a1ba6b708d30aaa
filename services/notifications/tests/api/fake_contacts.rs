//! A fake accounts service with addresses of people.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use hourmeter_proto::accounts::v1::contacts_service_server::{
    ContactsService, ContactsServiceServer,
};
use hourmeter_proto::accounts::v1::{
    CreateMailLinkRequest, CreateMailLinkResponse, ListActivePeopleRequest,
    ListActivePeopleResponse, ListActiveSessionsRequest, ListActiveSessionsResponse,
    ListContactsRequest, ListContactsResponse, ListSilentDevicesRequest, ListSilentDevicesResponse,
    SilentDevice,
};
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Service};
use hourmeter_runtime::testing;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

#[derive(Debug, Default)]
pub struct State {
    /// By id of the person; others are unknown.
    pub links: HashMap<String, CreateMailLinkResponse>,
    /// None: the company is unknown.
    pub contacts: Option<ListContactsResponse>,
    /// Sessions that have ended; others are active.
    pub ended: HashSet<String>,
    pub down: bool,
    /// People who were removed.
    pub removed: HashSet<String>,
    /// Owner and managers.
    pub managers: HashSet<String>,
    /// Phones without contact, and the last request for them.
    pub silent: (Vec<SilentDevice>, ListSilentDevicesRequest),
}

#[derive(Clone, Debug, Default)]
pub struct FakeContacts(Arc<Mutex<State>>);

impl FakeContacts {
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    pub fn backend(&self) -> Backend {
        let routes = Routes::new(ContactsServiceServer::new(self.clone()));
        testing::backend(Service::Accounts, routes, Clock::system())
    }
}

#[tonic::async_trait]
impl ContactsService for FakeContacts {
    async fn create_mail_link(
        &self,
        request: Request<CreateMailLinkRequest>,
    ) -> Result<Response<CreateMailLinkResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        let found = state.links.get(&request.get_ref().person_id);
        let found = found.ok_or_else(ServiceError::not_found)?;
        Ok(Response::new(found.clone()))
    }

    async fn list_contacts(
        &self,
        request: Request<ListContactsRequest>,
    ) -> Result<Response<ListContactsResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        let found = state.contacts.clone();
        Ok(Response::new(found.ok_or_else(ServiceError::not_found)?))
    }

    async fn list_active_people(
        &self,
        request: Request<ListActivePeopleRequest>,
    ) -> Result<Response<ListActivePeopleResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        let ListActivePeopleRequest {
            mut person_ids,
            operators_only,
        } = request.into_inner();
        let others = |id: &String| operators_only && state.managers.contains(id);
        person_ids.retain(|id| !state.removed.contains(id) && !others(id));
        Ok(Response::new(ListActivePeopleResponse { person_ids }))
    }

    async fn list_silent_devices(
        &self,
        request: Request<ListSilentDevicesRequest>,
    ) -> Result<Response<ListSilentDevicesResponse>, Status> {
        Caller::service(&request)?;
        let mut state = self.state();
        state.silent.1 = request.into_inner();
        let devices = state.silent.0.clone();
        Ok(Response::new(ListSilentDevicesResponse { devices }))
    }

    async fn list_active_sessions(
        &self,
        request: Request<ListActiveSessionsRequest>,
    ) -> Result<Response<ListActiveSessionsResponse>, Status> {
        Caller::service(&request)?;
        let state = self.state();
        if state.down {
            return Err(Status::unavailable("down"));
        }
        let mut session_ids = request.into_inner().session_ids;
        session_ids.retain(|id| !state.ended.contains(id));
        Ok(Response::new(ListActiveSessionsResponse { session_ids }))
    }
}
