//! Results of requests about several updates.

use std::collections::{BTreeMap, BTreeSet};

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use uuid::Uuid;

/// Errors by update. Absent: it succeeded.
pub type BulkErrors = BTreeMap<Uuid, Message>;

/// All are not found, until removed.
pub fn all_not_found(ids: &BTreeSet<Uuid>) -> BulkErrors {
    let ids = ids.iter();
    ids.map(|id| (*id, ServiceError::not_found().message))
        .collect()
}

/// Results in the order of the request.
pub fn results(ids: Vec<String>, failures: &BulkErrors) -> Vec<v1::ApplyResult> {
    let result = |id: String| {
        let message = match Uuid::parse_str(&id) {
            Ok(known) => failures.get(&known).cloned(),
            Err(_) => Some(ServiceError::not_found().message),
        };
        let ok = message.is_none();
        let message = message.unwrap_or_default();
        v1::ApplyResult {
            id,
            ok,
            message: message.text.into_owned(),
            code: message.code.into_owned(),
            parameters: message.parameters.into_iter().collect(),
        }
    };
    ids.into_iter().map(result).collect()
}
