//! The access policy of every RPC, read from the contracts' descriptors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use prost::Message as _;

use crate::common::v1::{Access, Audience};

/// The policy of each RPC by path, `/package.Service/Method`.
pub type PolicyTable = BTreeMap<String, Access>;

/// Why the policy table is incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyError {
    /// The descriptors are invalid, because the build is broken.
    Descriptors(String),
    /// RPCs without an access option or with an unspecified audience.
    Missing(Vec<String>),
}

impl std::fmt::Display for PolicyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Descriptors(reason) => write!(f, "failed to read contract descriptors: {reason}"),
            Self::Missing(paths) => write!(f, "RPCs without access policy: {}", paths.join(", ")),
        }
    }
}

impl std::error::Error for PolicyError {}

/// Returns the policies of all RPCs.
pub fn policy_table() -> Result<PolicyTable, PolicyError> {
    // Cached, because decoding is slow in debug builds.
    static READ: LazyLock<Result<PolicyTable, PolicyError>> = LazyLock::new(read);
    READ.clone()
}

fn read() -> Result<PolicyTable, PolicyError> {
    let files = Files::decode(crate::DESCRIPTORS)
        .map_err(|error| PolicyError::Descriptors(error.to_string()))?;
    let mut table = PolicyTable::new();
    let mut missing = Vec::new();
    for file in files.file {
        for service in file.service {
            for method in service.method {
                let path = format!("/{}.{}/{}", file.package, service.name, method.name);
                let access = method.options.and_then(|options| options.access);
                match access.filter(|access| access.audience() != Audience::Unspecified) {
                    Some(access) => drop(table.insert(path, access)),
                    None => missing.push(path),
                }
            }
        }
    }
    if missing.is_empty() {
        Ok(table)
    } else {
        Err(PolicyError::Missing(missing))
    }
}

// The needed part of `google.protobuf.FileDescriptorSet`, with the custom option: `prost-types` drops
// unknown options.

#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
struct Files {
    #[prost(message, repeated, tag = "1")]
    file: Vec<File>,
}

#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
struct File {
    #[prost(string, tag = "2")]
    package: String,
    #[prost(message, repeated, tag = "6")]
    service: Vec<Service>,
}

#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
struct Service {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, repeated, tag = "2")]
    method: Vec<Method>,
}

#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
struct Method {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "4")]
    options: Option<Options>,
}

#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
struct Options {
    #[prost(message, optional, tag = "50001")]
    access: Option<Access>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_table_has_every_rpc() {
        let table = policy_table().expect("a complete table");
        assert!(table.len() > 30, "only {} RPCs found", table.len());
        let apply = &table["/hourmeter.equipment.v1.EquipmentService/ApplyOperatorUpdate"];
        assert_eq!(apply.audience(), Audience::Service);
        assert_eq!(apply.callers, ["operator-updates"]);
    }

    #[test]
    fn policy_table_names_callers_of_service_rpcs() {
        for (path, access) in policy_table().expect("a complete table") {
            let for_services = access.audience() == Audience::Service;
            assert_eq!(for_services, !access.callers.is_empty(), "{path}");
        }
    }
}
