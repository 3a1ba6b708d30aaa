//! One-time codes of printed access cards: a scan signs the operator in once, without the password.

use std::collections::BTreeMap;

use hourmeter_proto::accounts::v1::{self, Role, Scope};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::{AuditContext, AuditEntry, NO_COMPANY, record};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Caller;
use hourmeter_runtime::refusals as shared;
use tonic::Request;
use uuid::Uuid;

use super::{Api, convert, new_session};
use crate::domain::one_time_code;
use crate::store::sessions::NewSession;
use crate::store::sign_in::Candidate;
use crate::store::{card_codes, companies};

/// Lifetime of a code.
const DAYS: i32 = 30;
const MAX_OPERATORS: usize = 500;

pub(super) async fn create_card_codes(
    api: &Api,
    request: Request<v1::CreateCardCodesRequest>,
) -> Result<v1::CreateCardCodesResponse, ServiceError> {
    let identity = Caller::person(&request)?;
    let (tenant, context) = (identity.tenant(), AuditContext::from_identity(&identity));
    let message = request.into_inner();
    if message.operator_ids.len() > MAX_OPERATORS {
        let text = shared::AT_MOST.with("max", MAX_OPERATORS);
        return Err(ServiceError::field("operatorIds", text));
    }
    let mut codes = BTreeMap::new();
    for id in &message.operator_ids {
        let id =
            convert::id(id).ok_or_else(|| ServiceError::field("operatorIds", shared::NOT_AN_ID))?;
        codes.insert(id, one_time_code::generate()?);
    }
    let ids: Vec<_> = codes.keys().copied().collect();
    let hashes: Vec<_> = codes
        .values()
        .map(|code| one_time_code::hash(code).to_vec())
        .collect();

    let mut tx = api.database.tenant(tenant).await?;
    companies::lock(&mut tx).await?;
    let stored = card_codes::set(&mut tx, &ids, &hashes, DAYS).await?;
    if !stored.is_empty() {
        let number = stored.len().to_string();
        let entry = AuditEntry::success(AuditEventType::CardCodesCreated)
            .target(tenant.company_id(), "")
            .detail(&number);
        record(&mut tx, tenant, &context, &entry).await?;
    }
    tx.commit().await?;
    codes.retain(|id, _| stored.contains(id));
    let codes = codes.into_iter().map(|(id, code)| v1::CardCode {
        operator_id: id.to_string(),
        code: code.as_str().to_owned(),
    });
    Ok(v1::CreateCardCodesResponse {
        codes: codes.collect(),
    })
}

/// Signs an operator in whose card code was typed; None if it is wrong. Runs the same queries for
/// unknown names.
pub(super) async fn sign_in(
    api: &Api,
    candidate: Option<&Candidate>,
    message: &v1::SignInOperatorRequest,
    context: &AuditContext,
) -> Result<Option<v1::SessionGrant>, ServiceError> {
    let tenant = candidate.map_or(NO_COMPANY, |candidate| candidate.tenant);
    let user_id = candidate.map_or_else(Uuid::nil, |candidate| candidate.user_id);
    let hash = one_time_code::hash(&message.password);
    let mut tx = api.database.tenant(tenant).await?;
    if !card_codes::consume(&mut tx, user_id, &hash).await? {
        return Ok(None);
    }
    let session = NewSession {
        user_id,
        role: Role::Operator,
        scope: Scope::Operator,
        remember: message.remember_me,
        via: "operator_login_card_code",
    };
    let grant = new_session::start(&mut tx, &session, &message.previous_token, context).await?;
    tx.commit().await?;
    Ok(Some(grant))
}
