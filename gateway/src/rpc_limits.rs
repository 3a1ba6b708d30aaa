//! Limits of single RPCs, for grpc-web. REST routes declare theirs in the route table.

use hourmeter_proto::accounts::v1::{
    ListAuditEventsRequest, Role, UpdateCompanySettingsRequest, UpdateProfileRequest,
};
use hourmeter_proto::equipment::v1::ListHistoryRequest;
use hourmeter_runtime::client::{GrpcRequest, GrpcResponse};
use hourmeter_runtime::error::ServiceError;
use http_body_util::{BodyExt as _, Full};
use prost::Message;
use tonic::{Code, Status};

use crate::api_error::ApiError;
use crate::limits::{CompanyLimit, Limits, NameAttempt, SignInAttempt};
use crate::operator_password;
use crate::refusals;
use crate::requester::Requester;
use crate::services::Services;

const RESET_PASSWORD: &str = "/hourmeter.accounts.v1.AccountsService/ResetUserPassword";
const SET_QUESTIONS: &str = "/hourmeter.accounts.v1.AccountsService/SetSecurityQuestions";
const CREATE_MANAGER: &str = "/hourmeter.accounts.v1.AccountsService/CreateManager";
const UPDATE_SETTINGS: &str = "/hourmeter.accounts.v1.AccountsService/UpdateCompanySettings";
const REVEAL: &str = "/hourmeter.accounts.v1.AccountsService/RevealOperatorPassword";
const CHECKOUT: &str = "/hourmeter.billing.v1.BillingService/CreateCheckoutSession";
const LIST_HISTORY: &str = "/hourmeter.equipment.v1.EquipmentService/ListHistory";
const UPDATE_PROFILE: &str = "/hourmeter.accounts.v1.AccountsService/UpdateProfile";
/// Accounts, equipment and billing each have this method.
const LIST_AUDIT_EVENTS: &str = "/ListAuditEvents";

/// A request within its limits.
pub struct CheckedRequest<'a> {
    pub request: GrpcRequest,
    /// The response has all rows.
    pub export: bool,
    /// Set if the request sets the operator password.
    pub attempt: Option<SignInAttempt<'a>>,
}

/// Checks limits that depend on the path only.
pub async fn check_path(
    limits: &Limits,
    requester: &Requester,
    path: &str,
) -> Result<(), ApiError> {
    let company_limits: &[CompanyLimit] = match path {
        RESET_PASSWORD => &[CompanyLimit::PasswordResets, CompanyLimit::PasswordWork],
        SET_QUESTIONS | CREATE_MANAGER => &[CompanyLimit::PasswordWork],
        REVEAL => &[CompanyLimit::Reveals],
        CHECKOUT => &[CompanyLimit::Checkouts],
        _ => &[],
    };
    for limit in company_limits {
        limits.count_requester(*limit, requester).await?;
    }
    Ok(())
}

/// Checks limits that depend on the message.
pub async fn check_message<'a>(
    services: &'a Services,
    requester: &Requester,
    request: GrpcRequest,
) -> Result<CheckedRequest<'a>, ApiError> {
    let path = request.uri().path();
    let sets_password = path == UPDATE_SETTINGS;
    let is_export: fn(&[u8]) -> bool = match path {
        LIST_HISTORY => all_history,
        UPDATE_SETTINGS => |_| false,
        _ if path.ends_with(LIST_AUDIT_EVENTS) => all_events,
        _ => {
            return Ok(CheckedRequest {
                request,
                export: false,
                attempt: None,
            });
        }
    };
    let (parts, body) = request.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|_| ApiError::field("body", refusals::BODY_INCOMPLETE))?;
    let body = body.to_bytes();
    let export = is_export(&body);
    if export {
        services
            .limits
            .count_requester(CompanyLimit::Exports, requester)
            .await?;
    }
    let attempt = if sets_password && sets_operator_password(&body) {
        operator_password::begin(&services.limits, &services.clock, requester).await?
    } else {
        None
    };
    let body = tonic::body::Body::new(Full::new(body));
    Ok(CheckedRequest {
        request: GrpcRequest::from_parts(parts, body),
        export,
        attempt,
    })
}

/// Counts a request that sets a name which another account may have, until the response is known
/// not to be "in use". Runs before REST and grpc-web calls.
pub async fn begin_new_name<'a>(
    limits: &'a Limits,
    requester: &Requester,
    request: GrpcRequest,
) -> Result<(GrpcRequest, Option<NameAttempt<'a>>), ServiceError> {
    let gives_name: fn(&[u8]) -> bool = match request.uri().path() {
        UPDATE_PROFILE => |body| {
            first_message(body).is_none_or(|request: UpdateProfileRequest| request.email.is_some())
        },
        CREATE_MANAGER => |_| true,
        UPDATE_SETTINGS => |body| {
            let request: Option<UpdateCompanySettingsRequest> = first_message(body);
            request.is_none_or(|request| request.company_name.is_some())
        },
        _ => return Ok((request, None)),
    };
    // Operators' e-mail addresses need not be unique.
    let identity = requester.identity();
    let Some(identity) = identity.filter(|person| person.effective_role() != Role::Operator) else {
        return Ok((request, None));
    };
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map_err(ServiceError::internal)?
        .to_bytes();
    let gives_name = gives_name(&body);
    let body = tonic::body::Body::new(Full::new(body));
    let request = GrpcRequest::from_parts(parts, body);
    if !gives_name {
        return Ok((request, None));
    }
    let (company, address) = (identity.company_id, requester.context.address);
    match limits.new_name(company, address).await {
        Ok(attempt) => Ok((request, Some(attempt))),
        Err(ApiError::RateLimited(seconds)) => Err(ServiceError::too_many(seconds)),
        Err(other) => Err(ServiceError::internal(format!("{other:?}"))),
    }
}

/// Whether the service returned `ALREADY_EXISTS`.
pub fn is_already_exists(response: &Result<GrpcResponse, Status>) -> bool {
    let code = match response {
        Ok(response) => Status::from_header_map(response.headers()).map(|status| status.code()),
        Err(status) => Some(status.code()),
    };
    code == Some(Code::AlreadyExists)
}

/// An unreadable message counts as a request for everything.
fn all_history(body: &[u8]) -> bool {
    first_message(body).is_none_or(|request| is_all_history(&request))
}

fn all_events(body: &[u8]) -> bool {
    first_message(body).is_none_or(|request: ListAuditEventsRequest| {
        let page = request.query.and_then(|query| query.page);
        page.unwrap_or_default().limit == 0
    })
}

fn sets_operator_password(body: &[u8]) -> bool {
    first_message(body)
        .is_none_or(|request: UpdateCompanySettingsRequest| operator_password::is_set_by(&request))
}

/// Decodes the message after the gRPC frame header: a flag and the length.
fn first_message<M: Message + Default>(body: &[u8]) -> Option<M> {
    let (head, rest) = body.split_first_chunk::<5>()?;
    let [0, length @ ..] = *head else {
        return None;
    };
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    M::decode(rest.get(..length)?).ok()
}

fn is_all_history(request: &ListHistoryRequest) -> bool {
    let limit = request.page.as_ref().map_or(0, |page| page.limit);
    request.equipment_id.is_empty() && limit == 0
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::common::v1::{AuditQuery, PageRequest};

    use super::*;

    fn framed(request: &impl Message) -> Vec<u8> {
        let message = request.encode_to_vec();
        let length = u32::try_from(message.len()).expect("short").to_be_bytes();
        [&[0], length.as_slice(), &message].concat()
    }

    #[test]
    fn all_events_is_a_list_without_limit() {
        let request = |limit| {
            let page = PageRequest {
                limit,
                ..PageRequest::default()
            };
            let query = AuditQuery {
                page: Some(page),
                ..AuditQuery::default()
            };
            framed(&ListAuditEventsRequest { query: Some(query) })
        };
        assert!(all_events(&request(0)) && !all_events(&request(1)));
        let empty = ListAuditEventsRequest::default();
        assert!(all_events(&framed(&empty)) && all_events(&[0xff]));
    }

    #[test]
    fn all_history_is_a_list_without_limit_or_equipment() {
        let page = |limit| {
            Some(PageRequest {
                limit,
                ..PageRequest::default()
            })
        };
        for (equipment_id, page, expected) in [
            ("", None, true),
            ("", page(0), true),
            ("", page(1), false),
            ("x", None, false),
        ] {
            let request = ListHistoryRequest {
                equipment_id: equipment_id.to_owned(),
                page,
                ..ListHistoryRequest::default()
            };
            let mut body = framed(&request);
            // Bytes after the first message make no difference.
            body.extend_from_slice(&[0xff; 7]);
            let read = first_message(&body).expect("a message");
            assert_eq!(is_all_history(&read), expected, "{request:?}");
        }
        for broken in [&[][..], &[0; 4], &[1, 0, 0, 0, 0], &[0, 0, 0, 0, 9, 1]] {
            assert!(first_message::<ListHistoryRequest>(broken).is_none());
        }
    }
}

#[cfg(test)]
#[path = "rpc_limits_fuzz.rs"]
mod fuzz;
