//! Results of requests about several updates.

use std::collections::{BTreeMap, BTreeSet};

use hourmeter_proto::operator_updates::v1;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use uuid::Uuid;

/// Errors by update. Absent: it succeeded.
#[derive(Debug)]
pub struct BulkErrors(BTreeMap<Uuid, Message>);

impl BulkErrors {
    pub const fn none() -> Self {
        Self(BTreeMap::new())
    }

    /// All are not found, until removed.
    pub fn all_not_found(ids: &BTreeSet<Uuid>) -> Self {
        let ids = ids.iter();
        Self(
            ids.map(|id| (*id, ServiceError::not_found().message))
                .collect(),
        )
    }

    pub fn insert(&mut self, id: Uuid, message: impl Into<Message>) {
        self.0.insert(id, message.into());
    }

    pub fn remove(&mut self, id: Uuid) {
        self.0.remove(&id);
    }
}

/// Results in the order of the request.
pub fn results(ids: Vec<String>, failures: &BulkErrors) -> Vec<v1::ApplyResult> {
    let result = |id: String| {
        let message = match Uuid::parse_str(&id) {
            Ok(known) => failures.0.get(&known).cloned(),
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
