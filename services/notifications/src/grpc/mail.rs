//! Mail that people ask for.

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use tonic::Request;
use uuid::Uuid;

use super::Api;
use crate::store::messages::{self, MessageKind};
use crate::store::{digests, queue};

const MAX_SANDBOX_MAIL: i64 = 50;

pub async fn send_address_verification(
    api: &Api,
    request: Request<v1::SendAddressVerificationRequest>,
) -> Result<v1::SendAddressVerificationResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let sandbox = api.mail()?.is_sandbox();
    let tenant = identity.tenant();
    let mut tx = api.database.tenant(tenant).await?;
    let (kind, now) = (MessageKind::AddressVerification, api.clock.now());
    queue::mail(&mut tx, kind, identity.user_id, now).await?;
    // It is mailed once the address is verified.
    digests::start(&mut tx, identity.user_id, now).await?;
    tx.commit().await?;
    Ok(v1::SendAddressVerificationResponse { sandbox })
}

pub async fn send_recovery_link(
    api: &Api,
    request: Request<v1::SendRecoveryLinkRequest>,
) -> Result<v1::SendRecoveryLinkResponse, ServiceError> {
    let message = request.into_inner();
    let ids = Uuid::parse_str(&message.company_id).ok();
    let ids = ids.zip(Uuid::parse_str(&message.person_id).ok());
    let (company_id, person_id) = ids.ok_or_else(ServiceError::not_found)?;
    api.mail()?;
    // The gateway has found both by a name.
    let tenant = Tenant::from_lookup(company_id);
    let (kind, now) = (MessageKind::PasswordRecovery, api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    queue::mail(&mut tx, kind, person_id, now).await?;
    tx.commit().await?;
    Ok(v1::SendRecoveryLinkResponse {})
}

pub async fn list_sandbox_mail(
    api: &Api,
    request: Request<v1::ListSandboxMailRequest>,
) -> Result<v1::ListSandboxMailResponse, ServiceError> {
    let tenant = Caller::person(&request)?.tenant();
    let sandbox = api.channels.mail.as_ref().filter(|mail| mail.is_sandbox());
    let sandbox = sandbox.ok_or_else(ServiceError::not_found)?;
    let mut reads = api.database.read(tenant).await?;
    let sent = messages::sent(&mut reads, MAX_SANDBOX_MAIL).await?;
    reads.done();
    let mut mail = Vec::with_capacity(sent.len());
    for (id, at) in sent {
        let found = sandbox.read_sandbox(id).await;
        let found = found.map_err(ServiceError::internal)?;
        mail.extend(found.map(|mail| v1::SandboxMail {
            sent_at: Some(timestamp(at)),
            ..mail
        }));
    }
    Ok(v1::ListSandboxMailResponse { mail })
}
