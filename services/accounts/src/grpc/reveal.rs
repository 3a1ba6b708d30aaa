//! Reveals the operator password: to managers who print access cards, and to support staff who give
//! a reason.

use hourmeter_proto::accounts::v1;
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY, record};
use hourmeter_runtime::db::TenantTx;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean, is_zero_width};
use tonic::Request;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{Api, convert, sealed};
use crate::refusals;
use crate::secrets::{Sealed, Subject};
use crate::store::audit::limited;
use crate::store::{reseal, support};

const MIN_REASON: usize = 10;
const MAX_REASON: usize = 500;
/// Maximum per member of staff in 24 hours.
const MAX_REVEALS: i64 = 10;

const BY_SUPPORT: AuditEventType = AuditEventType::OperatorPasswordRevealedBySupport;

pub(super) async fn reveal_operator_password(
    api: &Api,
    request: Request<v1::RevealOperatorPasswordRequest>,
) -> Result<v1::RevealOperatorPasswordResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let copy = reseal::operator_password(&mut tx).await?;
    let (mut tx, password) = open(api, tx, tenant, &context, copy).await?;
    let entry = AuditEntry::success(AuditEventType::OperatorPasswordRevealed)
        .target(tenant.company_id(), "");
    record(&mut tx, tenant, &context, &entry).await?;
    tx.commit().await?;
    Ok(v1::RevealOperatorPasswordResponse {
        operator_password: password.as_str().to_owned(),
    })
}

/// Decrypts the operator password of a company. The transaction ends if that fails.
async fn open(
    api: &Api,
    tx: TenantTx,
    tenant: Tenant,
    context: &AuditContext,
    copy: Option<Sealed>,
) -> Result<(TenantTx, Zeroizing<String>), ServiceError> {
    let not_set = || ServiceError::conflict(refusals::OPERATOR_PASSWORD_NOT_SET);
    let copy = copy.ok_or_else(not_set)?;
    let subject = Subject::OperatorPassword(tenant.company_id());
    match api.keyring.open(subject, &copy) {
        Ok(password) => Ok((tx, password)),
        Err(error) => {
            drop(tx);
            Err(sealed::failed(api, tenant, context, "operator_password", error).await)
        }
    }
}

pub(super) async fn reveal_account_operator_password(
    api: &Api,
    request: Request<v1::RevealAccountOperatorPasswordRequest>,
) -> Result<v1::RevealAccountOperatorPasswordResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let context = AuditContext::from_staff(&staff);
    let message = request.into_inner();
    let reason = read_reason(&message.reason)?;
    let Some(account_id) = convert::id(&message.account_id) else {
        return Err(unknown_object(api, &context, None).await);
    };

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    let wait = support::wait_to_reveal(&mut tx, staff.staff_id, MAX_REVEALS).await?;
    // The person was removed after the session was resolved.
    let wait = wait.ok_or_else(ServiceError::unauthenticated)?;
    if let Some(seconds) = wait {
        let entry = limited(BY_SUPPORT).target(account_id, "").detail(&reason);
        record(&mut tx, NO_COMPANY, &context, &entry).await?;
        tx.commit().await?;
        return Err(ServiceError::too_many(seconds));
    }
    let found = support::reveal(&mut tx, account_id, staff.staff_id, &context, &reason).await?;
    let Some((business_name, copy)) = found else {
        drop(tx);
        return Err(unknown_object(api, &context, Some(account_id)).await);
    };
    // The lookup function returned a row, so the company exists.
    let tenant = Tenant::from_lookup(account_id);
    let (mut tx, password) = open(api, tx, tenant, &context, copy).await?;
    let entry = AuditEntry::success(BY_SUPPORT)
        .target(account_id, &business_name)
        .detail(&reason);
    record(&mut tx, NO_COMPANY, &context, &entry).await?;
    tx.commit().await?;
    Ok(v1::RevealAccountOperatorPasswordResponse {
        operator_password: password.as_str().to_owned(),
    })
}

fn read_reason(raw: &str) -> Result<String, ServiceError> {
    let reason = clean(raw, MAX_REASON, LineBreaks::Allowed)
        .map_err(|message| ServiceError::field("reason", message))?;
    // Invisible characters do not count.
    let visible = reason.chars().filter(|c| !is_zero_width(*c)).count();
    if visible < MIN_REASON {
        return Err(ServiceError::field("reason", shared::REASON_TOO_SHORT));
    }
    Ok(reason)
}

/// Records that staff used an unknown company id.
async fn unknown_object(api: &Api, context: &AuditContext, id: Option<Uuid>) -> ServiceError {
    let entry = AuditEntry {
        target_id: id,
        ..AuditEntry::failed(AuditEventType::UnknownObject).detail("account")
    };
    let unknown = ServiceError::not_found();
    api.refuse(NO_COMPANY, context, &entry, unknown).await
}
