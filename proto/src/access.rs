//! The access policy of every RPC, read from the contracts' descriptors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use prost::Message as _;
use prost_reflect::DescriptorPool;

use crate::common::v1::{Access, Audience};

/// The policy of each RPC by its path, `/package.Service/Method`.
pub type PolicyTable = BTreeMap<String, Access>;

/// Why the contracts do not make a policy table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// The descriptors can't be read; the build is broken.
    Descriptors(String),
    /// RPCs without an access option or with an unspecified audience.
    Missing(Vec<String>),
}

impl std::fmt::Display for PolicyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Descriptors(reason) => write!(f, "contract descriptors can't be read: {reason}"),
            Self::Missing(paths) => write!(f, "RPCs without access policy: {}", paths.join(", ")),
        }
    }
}

impl std::error::Error for PolicyError {}

/// The policy of every RPC of every service.
pub fn policy_table() -> Result<PolicyTable, PolicyError> {
    // Reading takes a debug build as long as some tests do, and most ask more than once.
    static READ: LazyLock<Result<PolicyTable, PolicyError>> = LazyLock::new(read);
    READ.clone()
}

fn read() -> Result<PolicyTable, PolicyError> {
    let broken = |reason: &dyn std::fmt::Display| PolicyError::Descriptors(reason.to_string());
    let pool = DescriptorPool::decode(crate::DESCRIPTORS).map_err(|error| broken(&error))?;
    let option = pool
        .get_extension_by_name("hourmeter.common.v1.access")
        .ok_or_else(|| broken(&"no access option"))?;

    let mut table = PolicyTable::new();
    let mut missing = Vec::new();
    for method in pool
        .services()
        .flat_map(|service| service.methods().collect::<Vec<_>>())
    {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        let options = method.options();
        let value = options.get_extension(&option);
        let bytes = value
            .as_message()
            .map(prost_reflect::DynamicMessage::encode_to_vec);
        let access =
            Access::decode(bytes.unwrap_or_default().as_slice()).map_err(|error| broken(&error))?;
        if access.audience() == Audience::Unspecified {
            missing.push(path);
        } else {
            table.insert(path, access);
        }
    }
    if missing.is_empty() {
        Ok(table)
    } else {
        Err(PolicyError::Missing(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rpc_has_a_policy() {
        let table = policy_table().expect("a whole table");
        assert!(table.len() > 30, "only {} RPCs found", table.len());
        let apply = &table["/hourmeter.equipment.v1.EquipmentService/ApplyOperatorUpdate"];
        assert_eq!(apply.audience(), Audience::Service);
        assert_eq!(apply.callers, ["operator-updates"]);
    }

    #[test]
    fn service_calls_name_their_callers() {
        for (path, access) in policy_table().expect("a whole table") {
            let for_services = access.audience() == Audience::Service;
            assert_eq!(for_services, !access.callers.is_empty(), "{path}");
        }
    }
}
