//! Browsers that show notifications.

use hourmeter_proto::notifications::v1;
use hourmeter_proto::notifications::v1::push_service_server::PushService;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::{Api, reader};
use crate::push::{BrowserKeys, DecodeError, PushSettings};
use crate::store::push::{self, NewSubscription};

const MAX_ENDPOINT: usize = 2000;

#[tonic::async_trait]
impl PushService for Api {
    async fn get_push_key(
        &self,
        request: Request<v1::GetPushKeyRequest>,
    ) -> Result<Response<v1::GetPushKeyResponse>, Status> {
        respond(self.push_key(&request))
    }

    async fn add_push_subscription(
        &self,
        request: Request<v1::AddPushSubscriptionRequest>,
    ) -> Result<Response<v1::AddPushSubscriptionResponse>, Status> {
        respond(self.add_browser(request).await)
    }

    async fn remove_push_subscription(
        &self,
        request: Request<v1::RemovePushSubscriptionRequest>,
    ) -> Result<Response<v1::RemovePushSubscriptionResponse>, Status> {
        respond(self.remove_browser(request).await)
    }

    async fn send_test_push(
        &self,
        request: Request<v1::SendTestPushRequest>,
    ) -> Result<Response<v1::SendTestPushResponse>, Status> {
        respond(self.queue_test_push(request).await)
    }
}

impl Api {
    fn push_key(
        &self,
        request: &Request<v1::GetPushKeyRequest>,
    ) -> Result<v1::GetPushKeyResponse, ServiceError> {
        Caller::person(request)?;
        let push = self.channels.push.as_ref();
        Ok(v1::GetPushKeyResponse {
            public_key: push.map(PushSettings::public_key).unwrap_or_default(),
        })
    }

    async fn add_browser(
        &self,
        request: Request<v1::AddPushSubscriptionRequest>,
    ) -> Result<v1::AddPushSubscriptionResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let push = self.channels.push.as_ref();
        let push = push.ok_or_else(ServiceError::not_found)?;
        let request = request.into_inner();
        if request.endpoint.len() > MAX_ENDPOINT || !push.accepts(&request.endpoint) {
            return Err(ServiceError::field("endpoint", shared::CHOICE_UNKNOWN));
        }
        let keys = BrowserKeys::decode(&request.p256dh, &request.auth);
        let keys = keys.map_err(|wrong| {
            let field = match wrong {
                DecodeError::P256dh => "p256dh",
                DecodeError::Auth => "auth",
            };
            ServiceError::field(field, shared::CHOICE_UNKNOWN)
        })?;
        let language = match request.language.as_str() {
            "en" => "en",
            "es" => "es",
            _ => return Err(ServiceError::field("language", shared::CHOICE_UNKNOWN)),
        };
        let new = NewSubscription {
            session_id: identity.session_id,
            endpoint: request.endpoint,
            keys,
            language,
        };
        let (tenant, now) = (identity.tenant(), self.clock.now());
        let mut tx = self.database.tenant(tenant).await?;
        push::add(&mut tx, tenant, reader(&identity), &new, now).await?;
        tx.commit().await?;
        Ok(v1::AddPushSubscriptionResponse {})
    }

    async fn remove_browser(
        &self,
        request: Request<v1::RemovePushSubscriptionRequest>,
    ) -> Result<v1::RemovePushSubscriptionResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let (tenant, endpoint) = (identity.tenant(), &request.get_ref().endpoint);
        let mut tx = self.database.tenant(tenant).await?;
        push::remove(&mut tx, tenant, identity.user_id, endpoint).await?;
        tx.commit().await?;
        Ok(v1::RemovePushSubscriptionResponse {})
    }

    async fn queue_test_push(
        &self,
        request: Request<v1::SendTestPushRequest>,
    ) -> Result<v1::SendTestPushResponse, ServiceError> {
        let identity = Caller::person(&request)?;
        let (tenant, now) = (identity.tenant(), self.clock.now());
        let mut tx = self.database.tenant(tenant).await?;
        push::queue_test(&mut tx, tenant, identity.user_id, now).await?;
        tx.commit().await?;
        Ok(v1::SendTestPushResponse {})
    }
}
