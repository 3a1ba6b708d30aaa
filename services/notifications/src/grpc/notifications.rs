//! Notifications of people.

use std::collections::BTreeSet;

use hourmeter_proto::notifications::v1;
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::page::{MAX_LIMIT, Page};
use tonic::Request;
use uuid::Uuid;

use super::{Api, reader};
use crate::changes::publish;
use crate::fact::{Fact, Settled};
use crate::input::between;
use crate::store::{self, Reader};

const MAX_FACTS: usize = 100;

pub async fn record_facts(
    api: &Api,
    request: Request<v1::RecordFactsRequest>,
) -> Result<v1::RecordFactsResponse, ServiceError> {
    let tenant = Caller::service(&request)?;
    let caller = match request.extensions().get() {
        Some(Caller::Service { name, .. }) => *name,
        _ => return Err(ServiceError::forbidden()),
    };
    let facts = request.into_inner().facts;
    between("facts", facts.len(), 1..=MAX_FACTS)?;
    let (mut notifying, mut settled) = (Vec::new(), Vec::new());
    for fact in facts {
        match Settled::read(&fact)? {
            Some(update) => settled.push(update),
            None => notifying.push(Fact::try_from(fact)?),
        }
    }
    if notifying.iter().any(|fact| fact.source() != caller) {
        return Err(ServiceError::forbidden());
    }
    add_groups(api, tenant, &mut notifying).await?;
    let mut tx = api.database.tenant(tenant).await?;
    let mut people = store::record(&mut tx, api.clock.now(), &notifying).await?;
    if store::settle(&mut tx, &settled).await? {
        people.push(None);
    }
    tx.commit().await?;
    people.sort_unstable();
    people.dedup();
    for person_id in people {
        publish(&api.events, tenant, person_id);
    }
    Ok(v1::RecordFactsResponse {})
}

/// Adds the groups of machines, which people may watch.
async fn add_groups(api: &Api, tenant: Tenant, facts: &mut [Fact]) -> Result<(), ServiceError> {
    let machines: BTreeSet<Uuid> = facts
        .iter()
        .filter(|fact| fact.person_id().is_none())
        .filter_map(|fact| fact.what.equipment_id())
        .collect();
    if machines.is_empty() {
        return Ok(());
    }
    let groups = api.groups.find(tenant, &machines).await?;
    for fact in facts {
        let machine = fact.what.equipment_id();
        fact.equipment_group = machine.and_then(|id| groups.get(&id.to_string()).cloned());
    }
    Ok(())
}

pub async fn list_notifications(
    api: &Api,
    request: Request<v1::ListNotificationsRequest>,
) -> Result<v1::ListNotificationsResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let request = request.into_inner();
    let page = Page::from_request(request.page.as_ref())?;
    let mut reads = api.database.read(tenant).await?;
    let unread_only = request.unread_only;
    let mut rows = store::list(&mut reads, reader(&identity), unread_only, &page).await?;
    reads.done();
    let next = page.cut(&mut rows, |row| row.number);
    Ok(v1::ListNotificationsResponse {
        notifications: rows.into_iter().map(Into::into).collect(),
        page: Some(next),
    })
}

pub async fn count_unread(
    api: &Api,
    request: Request<v1::CountUnreadRequest>,
) -> Result<v1::CountUnreadResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let tenant = identity.tenant();
    let mut reads = api.database.read(tenant).await?;
    // The marker is read first: a change in between changes it again.
    let marker = store::marker(&mut reads, reader(&identity)).await?;
    let unread = store::count_unread(&mut reads, tenant, reader(&identity)).await?;
    reads.done();
    Ok(v1::CountUnreadResponse {
        unread: count(unread),
        marker,
    })
}

pub async fn mark_read(
    api: &Api,
    request: Request<v1::MarkReadRequest>,
) -> Result<v1::MarkReadResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let numbers = request.into_inner().numbers;
    between("numbers", numbers.len(), 1..=MAX_LIMIT as usize)?;
    let (tenant, reader) = (identity.tenant(), reader(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    store::mark_read(&mut tx, reader, &numbers).await?;
    let unread = commit_reading(api, tx, reader).await?;
    Ok(v1::MarkReadResponse { unread })
}

pub async fn mark_all_read(
    api: &Api,
    request: Request<v1::MarkAllReadRequest>,
) -> Result<v1::MarkAllReadResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, reader) = (identity.tenant(), reader(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    store::mark_all_read(&mut tx, reader, request.get_ref().up_to).await?;
    let unread = commit_reading(api, tx, reader).await?;
    Ok(v1::MarkAllReadResponse { unread })
}

/// Returns how many are unread.
async fn commit_reading(api: &Api, mut tx: TenantTx, reader: Reader) -> Result<u32, ServiceError> {
    let tenant = tx.tenant();
    let unread = store::count_unread(&mut tx, tenant, reader).await?;
    tx.commit().await?;
    publish(&api.events, tenant, Some(reader.person_id));
    Ok(count(unread))
}

fn count(unread: i64) -> u32 {
    u32::try_from(unread).unwrap_or_default()
}
