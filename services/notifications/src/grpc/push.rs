//! Browsers that show notifications.

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals as shared;
use tonic::Request;

use super::{Api, reader};
use crate::push::{BrowserKeys, PushSettings};
use crate::store::push::{self, NewSubscription};
use crate::store::queue;

const MAX_ENDPOINT: usize = 2000;

#[expect(clippy::unused_async, reason = "every handler is async")]
pub async fn get_push_key(
    api: &Api,
    request: Request<v1::GetPushKeyRequest>,
) -> Result<v1::GetPushKeyResponse, ServiceError> {
    Caller::person(&request)?;
    let push = api.channels.push.as_ref();
    Ok(v1::GetPushKeyResponse {
        public_key: push.map(PushSettings::public_key).unwrap_or_default(),
    })
}

pub async fn add_push_subscription(
    api: &Api,
    request: Request<v1::AddPushSubscriptionRequest>,
) -> Result<v1::AddPushSubscriptionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let push = api.channels.push.as_ref();
    let push = push.ok_or_else(ServiceError::not_found)?;
    let request = request.into_inner();
    if request.endpoint.len() > MAX_ENDPOINT || !push.accepts(&request.endpoint) {
        return Err(ServiceError::field("endpoint", shared::CHOICE_UNKNOWN));
    }
    let keys = BrowserKeys::decode(&request.p256dh, &request.auth);
    let keys = keys.map_err(|field| ServiceError::field(field, shared::CHOICE_UNKNOWN))?;
    if !matches!(request.language.as_str(), "en" | "es") {
        return Err(ServiceError::field("language", shared::CHOICE_UNKNOWN));
    }
    let new = NewSubscription {
        session_id: identity.session_id,
        endpoint: request.endpoint,
        keys,
        language: request.language,
    };
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    push::add(&mut tx, reader(&identity), &new, now).await?;
    tx.commit().await?;
    Ok(v1::AddPushSubscriptionResponse {})
}

pub async fn remove_push_subscription(
    api: &Api,
    request: Request<v1::RemovePushSubscriptionRequest>,
) -> Result<v1::RemovePushSubscriptionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, endpoint) = (identity.tenant(), &request.get_ref().endpoint);
    let mut tx = api.database.tenant(tenant).await?;
    push::remove(&mut tx, identity.user_id, endpoint).await?;
    tx.commit().await?;
    Ok(v1::RemovePushSubscriptionResponse {})
}

pub async fn send_test_push(
    api: &Api,
    request: Request<v1::SendTestPushRequest>,
) -> Result<v1::SendTestPushResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    queue::test_push(&mut tx, identity.user_id, now).await?;
    tx.commit().await?;
    Ok(v1::SendTestPushResponse {})
}
