//! Schedules and cancels the deletion of a company. `hourmeter company delete-due` deletes it.

use chrono::{DateTime, TimeDelta, Utc};
use hourmeter_proto::accounts::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Identity};
use tonic::Request;

use super::{Api, settings};
use crate::refusals;
use crate::store::audit::{self, AuditContext, Event};
use crate::store::companies::{self, Company};

/// Time in which the owner can cancel the deletion.
const WAITING_TIME: TimeDelta = TimeDelta::days(7);

pub(super) async fn request_company_deletion(
    api: &Api,
    request: Request<v1::RequestCompanyDeletionRequest>,
) -> Result<v1::RequestCompanyDeletionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let name = request.get_ref().company_name.trim();
    let change = |company: &Company, now| {
        if company.name != name {
            let text = refusals::COMPANY_NAME_NOT_CONFIRMED;
            return Err(ServiceError::field("companyName", text));
        }
        Ok(company.deletion_due_at.or(Some(now + WAITING_TIME)))
    };
    let company = set_due(api, &identity, Event::CompanyDeletionRequested, change).await?;
    let settings = Some(company.into());
    Ok(v1::RequestCompanyDeletionResponse { settings })
}

pub(super) async fn cancel_company_deletion(
    api: &Api,
    request: Request<v1::CancelCompanyDeletionRequest>,
) -> Result<v1::CancelCompanyDeletionResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let event = Event::CompanyDeletionCanceled;
    let company = set_due(api, &identity, event, |_, _| Ok(None)).await?;
    let settings = Some(company.into());
    Ok(v1::CancelCompanyDeletionResponse { settings })
}

/// Sets when the company is deleted, and returns it.
async fn set_due(
    api: &Api,
    identity: &Identity,
    event: Event,
    due_at: impl FnOnce(&Company, DateTime<Utc>) -> Result<Option<DateTime<Utc>>, ServiceError>,
) -> Result<Company, ServiceError> {
    let (tenant, now) = (identity.tenant(), api.clock.now());
    let mut tx = api.database.tenant(tenant).await?;
    companies::lock(&mut tx).await?;
    let company = settings::find(&mut tx).await?;
    let due_at = due_at(&company, now)?;
    if due_at == company.deletion_due_at {
        return Ok(company);
    }
    companies::set_deletion_due(&mut tx, due_at, now).await?;
    let context = AuditContext::from_identity(identity);
    audit::done(&mut tx, &context, event, tenant.company_id(), &company.name).await?;
    tx.commit().await?;
    Ok(Company {
        deletion_due_at: due_at,
        updated_at: now,
        ..company
    })
}
