//! One company, for support staff.

use hourmeter_proto::accounts::v1;
use hourmeter_proto::accounts::v1::staff_service_server::StaffService;
use hourmeter_proto::common::v1::{AuditEventType, AuditQuery, PageRequest};
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry, NO_COMPANY, Query};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::server::respond;
use tonic::{Request, Response, Status};

use super::{Api, convert};
use crate::store::support;

const MAX_EVENTS: u32 = 100;

#[tonic::async_trait]
impl StaffService for Api {
    async fn get_account(
        &self,
        request: Request<v1::GetAccountRequest>,
    ) -> Result<Response<v1::GetAccountResponse>, Status> {
        respond(get_account(self, &request).await)
    }
}

async fn get_account(
    api: &Api,
    request: &Request<v1::GetAccountRequest>,
) -> Result<v1::GetAccountResponse, ServiceError> {
    let staff = Caller::staff(request)?;
    let id = convert::id(&request.get_ref().account_id).ok_or_else(ServiceError::not_found)?;
    let mut lookup = api.database.lookup().await?;
    let account = support::account(&mut lookup, id).await?;
    drop(lookup);
    let account = account.ok_or_else(ServiceError::not_found)?;

    let context = AuditContext::from_staff(&staff);
    let entry = AuditEntry::success(AuditEventType::AccountsListed)
        .target(account.id, &account.business_name)
        .detail("account");
    let mut tx = api.database.tenant(NO_COMPANY).await?;
    audit::record(&mut tx, NO_COMPANY, &context, &entry).await?;
    tx.commit().await?;

    let tenant = Tenant::from_lookup(account.id);
    let query = Query::read(Some(&AuditQuery {
        events: vec![AuditEventType::OperatorPasswordRevealedBySupport.name()],
        page: Some(PageRequest {
            limit: MAX_EVENTS,
            ..PageRequest::default()
        }),
        ..AuditQuery::default()
    }))?;
    let mut tx = api.database.tenant(tenant).await?;
    let people = support::people(&mut tx, tenant).await?;
    let (mut events, _) = audit::list(&mut tx, tenant, &query).await?;
    tx.commit().await?;
    for event in &mut events {
        event.address_prefix.clear();
    }
    let count = |people: i64| u32::try_from(people).unwrap_or(u32::MAX);
    Ok(v1::GetAccountResponse {
        account: Some(account.into()),
        owner_name: people.owner_name,
        owner_last_sign_in_at: people.owner_last_sign_in.map(timestamp),
        last_sign_in_at: people.last_sign_in.map(timestamp),
        managers: count(people.managers),
        operators: count(people.operators),
        events,
    })
}
