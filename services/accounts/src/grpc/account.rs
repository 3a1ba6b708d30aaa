//! Companies that support staff name by id.

use hourmeter_proto::accounts::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{self, AuditContext, AuditEntry, NO_COMPANY};
use hourmeter_runtime::clock::timestamp;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, StaffIdentity, Tenant};
use hourmeter_runtime::page::read_ids;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert};
use crate::store::support;

/// Ids in an audit entry.
const MAX_LOGGED_IDS: usize = 5;

pub(super) async fn find_accounts(
    api: &Api,
    request: Request<v1::FindAccountsRequest>,
) -> Result<v1::FindAccountsResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let ids = read_ids("accountIds", &request.get_ref().account_ids)?;
    let accounts = find(api, &staff, &ids).await?;
    Ok(v1::FindAccountsResponse {
        accounts: accounts.into_iter().map(Into::into).collect(),
    })
}

/// Reads the companies with these ids, and records that in the platform's audit log.
async fn find(
    api: &Api,
    staff: &StaffIdentity,
    ids: &[Uuid],
) -> Result<Vec<support::Account>, ServiceError> {
    let mut lookup = api.database.lookup().await?;
    let accounts = support::accounts_with_ids(&mut lookup, ids).await?;
    drop(lookup);
    let entry = AuditEntry::success(AuditEventType::AccountsListed);
    let detail = lookup_detail(ids, accounts.len());
    let entry = match (ids, &*accounts) {
        ([_], [account]) => entry
            .target(account.id, &account.business_name)
            .detail("account"),
        _ => entry.detail(&detail),
    };
    let context = AuditContext::from_staff(staff);
    api.record(NO_COMPANY, &context, &entry).await?;
    Ok(accounts)
}

/// How many of the companies were found, and the ids unless there are many.
fn lookup_detail(ids: &[Uuid], found: usize) -> String {
    let mut words = vec![format!("{found} of {} accounts", ids.len())];
    if ids.len() <= MAX_LOGGED_IDS {
        words.extend(ids.iter().map(Uuid::to_string));
    }
    words.join(" ")
}

pub(super) async fn get_account(
    api: &Api,
    request: Request<v1::GetAccountRequest>,
) -> Result<v1::GetAccountResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let id = convert::id(&request.get_ref().account_id).ok_or_else(ServiceError::not_found)?;
    let account = find(api, &staff, &[id]).await?.pop();
    let account = account.ok_or_else(ServiceError::not_found)?;
    let tenant = Tenant::from_lookup(account.id);
    let mut tx = api.database.tenant(tenant).await?;
    let people = support::people(&mut tx).await?;
    tx.commit().await?;
    let reveals = [AuditEventType::OperatorPasswordRevealedBySupport];
    let events = audit::list_for_staff(&api.database, tenant, &reveals).await?;
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
