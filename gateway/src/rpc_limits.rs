//! Limits of single RPCs, which the contracts name. REST routes with another rule declare it in the
//! route table.

use hourmeter_proto::accounts::v1::{
    ListAuditEventsRequest, Role, UpdateCompanySettingsRequest, UpdateProfileRequest,
};
use hourmeter_proto::common::v1::{Access, CallLimit};
use hourmeter_proto::equipment::v1::ListHistoryRequest;
use hourmeter_runtime::client::GrpcRequest;
use hourmeter_runtime::error::ServiceError;
use http_body_util::{BodyExt as _, Full};
use prost::Message;

use crate::api_error::ApiError;
use crate::limits::{CompanyLimit, Counted, SignInAttempt};
use crate::operator_password;
use crate::refusals;
use crate::requester::Requester;
use crate::services::Services;

/// A request within its limits.
pub struct CheckedRequest<'a> {
    pub request: GrpcRequest,
    /// The response has all rows.
    pub export: bool,
    /// Set if the request sets the operator password.
    pub attempt: Option<SignInAttempt<'a>>,
}

/// Limits that every call of an RPC counts for.
pub fn of_every_call(access: &Access) -> impl Iterator<Item = CompanyLimit> {
    access.limits().filter_map(|limit| match limit {
        CallLimit::PasswordResets => Some(CompanyLimit::PasswordResets),
        CallLimit::PasswordWork => Some(CompanyLimit::PasswordWork),
        CallLimit::Reveals => Some(CompanyLimit::Reveals),
        CallLimit::Checkouts => Some(CompanyLimit::Checkouts),
        CallLimit::Unspecified
        | CallLimit::HistoryExports
        | CallLimit::AuditLogExports
        | CallLimit::OperatorPasswords
        | CallLimit::CompanyNames
        | CallLimit::Emails
        | CallLimit::ManagerEmails => None,
    })
}

/// Whether a request body counts for a limit.
type Condition = fn(&[u8]) -> bool;

/// Checks exports and operator passwords, which depend on the message.
pub async fn check_message<'a>(
    services: &'a Services,
    requester: &Requester,
    request: GrpcRequest,
) -> Result<CheckedRequest<'a>, ApiError> {
    let condition = condition(services, &request, |limit| match limit {
        CallLimit::HistoryExports => Some(all_history),
        CallLimit::AuditLogExports => Some(all_events),
        CallLimit::OperatorPasswords => Some(sets_operator_password),
        _ => None,
    });
    let mut checked = CheckedRequest {
        request,
        export: false,
        attempt: None,
    };
    let Some((limit, condition)) = condition else {
        return Ok(checked);
    };
    let (request, is_counted) = read(checked.request, condition).await?;
    checked.request = request;
    if is_counted && limit == CallLimit::OperatorPasswords {
        checked.attempt =
            operator_password::begin(&services.limits, &services.clock, requester).await?;
    } else if is_counted {
        services
            .limits
            .count_requester(CompanyLimit::Exports, requester)
            .await?;
        checked.export = true;
    }
    Ok(checked)
}

/// Counts a request that sets a name which another account may have, until the response is known
/// not to be "in use". Runs before REST and grpc-web calls.
pub async fn begin_new_name<'a>(
    services: &'a Services,
    requester: &Requester,
    request: GrpcRequest,
) -> Result<(GrpcRequest, Option<Counted<'a>>), ServiceError> {
    let condition = condition(services, &request, |limit| match limit {
        CallLimit::Emails => Some(sets_email),
        CallLimit::ManagerEmails => Some(|_| true),
        CallLimit::CompanyNames => Some(sets_company_name),
        _ => None,
    });
    // Operators' e-mail addresses need not be unique.
    let identity = requester.identity();
    let identity = identity.filter(|person| person.effective_role() != Role::Operator);
    let (Some((_, condition)), Some(identity)) = (condition, identity) else {
        return Ok((request, None));
    };
    let (request, sets_name) = read(request, condition).await?;
    if !sets_name {
        return Ok((request, None));
    }
    let (company, address) = (identity.company_id, requester.context.address);
    match services.limits.new_name(company, address).await {
        Ok(attempt) => Ok((request, Some(attempt))),
        Err(ApiError::RateLimited(seconds)) => Err(ServiceError::too_many(seconds)),
        Err(other) => Err(ServiceError::internal(format!("{other:?}"))),
    }
}

/// The limit of the request's RPC that has a condition.
fn condition(
    services: &Services,
    request: &GrpcRequest,
    of: fn(CallLimit) -> Option<Condition>,
) -> Option<(CallLimit, Condition)> {
    let access = services.policy.get(request.uri().path())?;
    let mut limits = access.limits();
    limits.find_map(|limit| of(limit).map(|condition| (limit, condition)))
}

async fn read(
    request: GrpcRequest,
    condition: Condition,
) -> Result<(GrpcRequest, bool), ServiceError> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|_| ServiceError::field("body", refusals::BODY_INCOMPLETE))?;
    let body = body.to_bytes();
    let is_met = condition(&body);
    let body = tonic::body::Body::new(Full::new(body));
    Ok((GrpcRequest::from_parts(parts, body), is_met))
}

/// An unreadable message counts as a request for everything.
fn all_history(body: &[u8]) -> bool {
    first_message(body).is_none_or(|request: ListHistoryRequest| {
        let limit = request.page.as_ref().map_or(0, |page| page.limit);
        request.equipment_id.is_empty() && limit == 0
    })
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

fn sets_email(body: &[u8]) -> bool {
    first_message(body).is_none_or(|request: UpdateProfileRequest| request.email.is_some())
}

fn sets_company_name(body: &[u8]) -> bool {
    first_message(body)
        .is_none_or(|request: UpdateCompanySettingsRequest| request.company_name.is_some())
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
            assert!(first_message::<ListHistoryRequest>(&body).is_some());
            assert_eq!(all_history(&body), expected, "{request:?}");
        }
        for broken in [&[][..], &[0; 4], &[1, 0, 0, 0, 0], &[0, 0, 0, 0, 9, 1]] {
            assert!(first_message::<ListHistoryRequest>(broken).is_none());
        }
    }
}

#[cfg(test)]
#[path = "rpc_limits_fuzz.rs"]
mod fuzz;
