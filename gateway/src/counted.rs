//! What RPCs of browsers count as beyond a call, so that a limit holds at both doors. REST routes
//! say it in their table.

use hourmeter_proto::equipment::v1::ListHistoryRequest;
use hourmeter_runtime::client::GrpcRequest;
use http_body_util::{BodyExt as _, Full};
use prost::Message;

use crate::gateway::Gateway;
use crate::limits::CompanyLimit;
use crate::rescue::Refusal;
use crate::visitor::Visitor;

const RESET_PASSWORD: &str = "/hourmeter.accounts.v1.AccountsService/ResetUserPassword";
const LIST_HISTORY: &str = "/hourmeter.equipment.v1.EquipmentService/ListHistory";

/// Counts what is limited whatever its message says.
pub fn by_path(gateway: &Gateway, visitor: &Visitor, path: &str) -> Result<(), Refusal> {
    if path == RESET_PASSWORD {
        let limit = CompanyLimit::PasswordResets;
        gateway.limits.of_sender(limit, visitor)?;
    }
    Ok(())
}

/// Counts what is an export by what its message asks for.
pub async fn by_message(
    gateway: &Gateway,
    visitor: &Visitor,
    request: GrpcRequest,
) -> Result<GrpcRequest, Refusal> {
    if request.uri().path() != LIST_HISTORY {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|_| Refusal::field("body", "Did not arrive whole."))?;
    let body = body.to_bytes();
    // One that can't be read here is not trusted to be small.
    if first_message(&body).is_none_or(|asked| is_all_history(&asked)) {
        gateway.limits.of_sender(CompanyLimit::Exports, visitor)?;
    }
    let body = tonic::body::Body::new(Full::new(body));
    Ok(GrpcRequest::from_parts(parts, body))
}

/// The message after the five bytes gRPC puts before it: a flag and its length.
fn first_message<M: Message + Default>(body: &[u8]) -> Option<M> {
    let (head, rest) = body.split_first_chunk::<5>()?;
    let [0, length @ ..] = *head else {
        return None;
    };
    let length = usize::try_from(u32::from_be_bytes(length)).ok()?;
    M::decode(rest.get(..length)?).ok()
}

fn is_all_history(asked: &ListHistoryRequest) -> bool {
    let limit = asked.page.as_ref().map_or(0, |page| page.limit);
    asked.equipment_id.is_empty() && limit == 0
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::common::v1::PageRequest;

    use super::*;

    #[test]
    fn all_history_is_known_by_its_message() {
        let framed = |asked: &ListHistoryRequest| {
            let message = asked.encode_to_vec();
            let length = u32::try_from(message.len()).expect("short").to_be_bytes();
            [&[0], length.as_slice(), &message].concat()
        };
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
            let asked = ListHistoryRequest {
                equipment_id: equipment_id.to_owned(),
                page,
                ..ListHistoryRequest::default()
            };
            let mut body = framed(&asked);
            // What stands behind the first message makes no difference.
            body.extend_from_slice(&[0xff; 7]);
            let read = first_message(&body).expect("a message");
            assert_eq!(is_all_history(&read), expected, "{asked:?}");
        }
        for broken in [&[][..], &[0; 4], &[1, 0, 0, 0, 0], &[0, 0, 0, 0, 9, 1]] {
            assert!(first_message::<ListHistoryRequest>(broken).is_none());
        }
    }
}
