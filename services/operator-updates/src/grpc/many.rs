//! What became of each of several submissions.

use std::collections::{BTreeMap, BTreeSet};

use hourmeter_proto::operator_updates::v1 as proto;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::message::Message;
use uuid::Uuid;

/// Why submissions did not come to what was asked; absent: they did.
#[derive(Debug)]
pub struct Failures(BTreeMap<Uuid, Message>);

impl Failures {
    /// Nobody has seen any of them yet.
    pub fn unless_found(ids: &BTreeSet<Uuid>) -> Self {
        let ids = ids.iter();
        Self(
            ids.map(|id| (*id, ServiceError::not_found().message))
                .collect(),
        )
    }

    /// This one failed.
    pub fn insert(&mut self, id: Uuid, message: impl Into<Message>) {
        self.0.insert(id, message.into());
    }

    /// This one did not fail.
    pub fn remove(&mut self, id: Uuid) {
        self.0.remove(&id);
    }
}

/// What became of each, in the order asked.
pub fn results(ids: Vec<String>, failures: &Failures) -> Vec<proto::ApplyResult> {
    let result = |id: String| {
        let message = match Uuid::parse_str(&id) {
            Ok(known) => failures.0.get(&known).cloned(),
            Err(_) => Some(ServiceError::not_found().message),
        };
        proto::ApplyResult {
            ok: message.is_none(),
            message: message.unwrap_or_default().text.into_owned(),
            id,
        }
    };
    ids.into_iter().map(result).collect()
}
