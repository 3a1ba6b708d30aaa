//! The shared operator password in plain text: for managers who print access cards, and for support
//! staff who give a reason.

use hourmeter_proto::accounts::v1::{
    RevealAccountOperatorPasswordRequest, RevealAccountOperatorPasswordResponse,
    RevealOperatorPasswordRequest, RevealOperatorPasswordResponse,
};
use hourmeter_runtime::audit::{AuditContext, AuditEntry, AuditOutcome, NO_COMPANY, record};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Tenant};
use hourmeter_runtime::refusals as shared;
use hourmeter_runtime::text::{LineBreaks, clean, is_zero_width};
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, sealed};
use crate::refusals;
use crate::store::{reseal, support};

const SHORTEST_REASON: usize = 10;
const LONGEST_REASON: usize = 500;
/// How many a member of staff may reveal in 24 hours.
const MOST_REVEALS: i64 = 10;

const BY_SUPPORT: &str = "operator_password_revealed_by_support";

pub(super) async fn reveal_operator_password(
    api: &Api,
    request: Request<RevealOperatorPasswordRequest>,
) -> Result<RevealOperatorPasswordResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, trail) = (identity.tenant(), AuditContext::from_identity(&identity));
    let mut tx = api.database.tenant(tenant).await?;
    let copy = reseal::operator_password(&mut tx, tenant).await?;
    let copy = copy.ok_or_else(not_set)?;
    let password = match api.keyring.open(tenant.company_id(), &copy) {
        Ok(password) => password,
        Err(error) => {
            drop(tx);
            return Err(sealed::failed(api, tenant, &trail, "operator_password", error).await);
        }
    };
    let line = AuditEntry::success("operator_password_revealed").target(tenant.company_id(), "");
    record(&mut tx, tenant, &trail, &line).await?;
    tx.commit().await?;
    Ok(RevealOperatorPasswordResponse {
        operator_password: password.as_str().to_owned(),
    })
}

fn not_set() -> ServiceError {
    ServiceError::new(Kind::Conflict, refusals::OPERATOR_PASSWORD_NOT_SET)
}

pub(super) async fn reveal_account_operator_password(
    api: &Api,
    request: Request<RevealAccountOperatorPasswordRequest>,
) -> Result<RevealAccountOperatorPasswordResponse, ServiceError> {
    let staff = Caller::staff(&request)?;
    let trail = AuditContext::from_staff(&staff);
    let message = request.into_inner();
    let reason = read_reason(&message.reason)?;
    let Some(account_id) = convert::id(&message.account_id) else {
        return Err(unknown(api, &trail, None).await);
    };

    let mut tx = api.database.tenant(NO_COMPANY).await?;
    let wait = support::wait_to_reveal(&mut tx, staff.staff_id, MOST_REVEALS).await?;
    // Removed since the session was resolved.
    let wait = wait.ok_or_else(ServiceError::unauthenticated)?;
    if let Some(seconds) = wait {
        let line = AuditEntry {
            outcome: AuditOutcome::Limited,
            ..AuditEntry::success(BY_SUPPORT)
                .target(account_id, "")
                .detail(&reason)
        };
        record(&mut tx, NO_COMPANY, &trail, &line).await?;
        tx.commit().await?;
        return Err(ServiceError::too_many(seconds));
    }
    let found = support::reveal(&mut tx, account_id, staff.staff_id, &trail, &reason).await?;
    let Some((business_name, copy)) = found else {
        drop(tx);
        return Err(unknown(api, &trail, Some(account_id)).await);
    };
    let copy = copy.ok_or_else(not_set)?;
    let password = match api.keyring.open(account_id, &copy) {
        Ok(password) => password,
        Err(error) => {
            drop(tx);
            // The function answered a row, so there is such a company.
            let tenant = Tenant::from_lookup(account_id);
            return Err(sealed::failed(api, tenant, &trail, "operator_password", error).await);
        }
    };
    let line = AuditEntry::success(BY_SUPPORT)
        .target(account_id, &business_name)
        .detail(&reason);
    record(&mut tx, NO_COMPANY, &trail, &line).await?;
    tx.commit().await?;
    Ok(RevealAccountOperatorPasswordResponse {
        operator_password: password.as_str().to_owned(),
    })
}

fn read_reason(raw: &str) -> Result<String, ServiceError> {
    let reason = clean(raw, LONGEST_REASON, LineBreaks::Allowed)
        .map_err(|message| ServiceError::field("reason", message))?;
    // What nobody sees is no reason.
    let visible = reason.chars().filter(|c| !is_zero_width(*c)).count();
    if visible < SHORTEST_REASON {
        return Err(ServiceError::field("reason", shared::REASON_TOO_SHORT));
    }
    Ok(reason)
}

/// Notes that staff tried an id that is no company's.
async fn unknown(api: &Api, trail: &AuditContext, id: Option<Uuid>) -> ServiceError {
    let line = AuditEntry {
        target_id: id,
        ..AuditEntry::failed("unknown_object").detail("account")
    };
    let noted = async {
        let mut tx = api.database.tenant(NO_COMPANY).await?;
        record(&mut tx, NO_COMPANY, trail, &line).await?;
        tx.commit().await
    };
    match noted.await {
        Ok(()) => ServiceError::not_found(),
        Err(failure) => failure,
    }
}
