//! The access policy of every RPC, read from the contracts' descriptors.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use prost::Message as _;

use crate::common::v1::{Access, Audience, CallLimit};

/// The policy of each RPC by path, `/package.Service/Method`.
pub type PolicyTable = BTreeMap<String, Access>;

/// Why there is no policy table: a broken build, or an absent or contradictory access option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError(String);

impl std::fmt::Display for PolicyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
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
        .map_err(|error| PolicyError(format!("failed to read contract descriptors: {error}")))?;
    let mut table = PolicyTable::new();
    let mut invalid = Vec::new();
    for file in files.file {
        for service in file.service {
            for method in service.method {
                let path = format!("/{}.{}/{}", file.package, service.name, method.name);
                let access = method.options.and_then(|options| options.access);
                let access = access.unwrap_or_default();
                match contradiction(&access, &method.input) {
                    Some(reason) => invalid.push(format!("{path} {reason}")),
                    None => drop(table.insert(path, access)),
                }
            }
        }
    }
    if invalid.is_empty() {
        Ok(table)
    } else {
        let rpcs = invalid.join("; ");
        Err(PolicyError(format!("invalid access policy: {rpcs}")))
    }
}

fn contradiction(access: &Access, input: &str) -> Option<&'static str> {
    let has_person = matches!(
        access.audience(),
        Audience::Tenant | Audience::Manager | Audience::Owner
    );
    let for_services = access.audience() == Audience::Service;
    let is_internal = for_services || access.audience() == Audience::Edge;
    if access.audience() == Audience::Unspecified {
        Some("has no audience")
    } else if for_services == access.callers.is_empty() {
        Some("needs callers if and only if it is for services")
    } else if !has_person && !access.limits.is_empty() {
        Some("has a limit of companies but no person of a company")
    } else if !access.limits.iter().all(|limit| limits(*limit, input)) {
        Some("has a limit that is unknown or for another request")
    } else if is_internal && (access.automatic || access.priority != 0) {
        Some("is internal but has a fact of calls from outside")
    } else if access.read_only && access.deadline_seconds > 0 {
        Some("only reads but has a deadline of writes")
    } else {
        None
    }
}

/// Whether a limit may be set for an RPC with this request.
fn limits(limit: i32, input: &str) -> bool {
    let request = match CallLimit::try_from(limit) {
        Err(_) | Ok(CallLimit::Unspecified) => return false,
        Ok(
            CallLimit::PasswordResets
            | CallLimit::PasswordWork
            | CallLimit::Reveals
            | CallLimit::Checkouts,
        ) => return true,
        Ok(CallLimit::HistoryExports) => "ListHistoryRequest",
        Ok(CallLimit::AuditLogExports) => "ListAuditEventsRequest",
        Ok(CallLimit::OperatorPasswords | CallLimit::CompanyNames) => {
            "UpdateCompanySettingsRequest"
        }
        Ok(CallLimit::Emails) => "UpdateProfileRequest",
        Ok(CallLimit::ManagerEmails) => "CreateManagerRequest",
    };
    input.rsplit('.').next() == Some(request)
}

// The needed part of `FileDescriptorSet`, with the custom option, which `prost-types` drops.

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
    #[prost(string, tag = "2")]
    input: String,
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
    use crate::common::v1::CallPriority;

    #[test]
    fn policy_table_has_every_rpc() {
        let table = policy_table().expect("a complete table");
        assert!(table.len() > 30, "only {} RPCs found", table.len());
        let apply = &table["/hourmeter.equipment.v1.EquipmentService/ApplyOperatorUpdate"];
        assert_eq!(apply.audience(), Audience::Service);
        assert_eq!(apply.callers, ["operator-updates"]);
    }

    #[test]
    fn contradiction_finds_facts_that_exclude_each_other() {
        let callers = |access: &mut Access| access.callers.push("operator-updates".to_owned());
        let reveals = |access: &mut Access| access.push_limits(CallLimit::Reveals);
        let history = |access: &mut Access| access.push_limits(CallLimit::HistoryExports);
        let audit_log = |access: &mut Access| access.push_limits(CallLimit::AuditLogExports);
        let no_limit = |access: &mut Access| access.push_limits(CallLimit::Unspecified);
        let automatic = |access: &mut Access| access.automatic = true;
        let low = |access: &mut Access| access.set_priority(CallPriority::Low);
        let slow = |access: &mut Access| access.deadline_seconds = 13;
        let slow_read = |access: &mut Access| {
            access.deadline_seconds = 13;
            access.read_only = true;
        };
        for (audience, change, valid) in [
            (Audience::Tenant, (|_| ()) as fn(&mut Access), true),
            (Audience::Unspecified, |_| (), false),
            (Audience::Service, |_| (), false),
            (Audience::Service, callers, true),
            (Audience::Tenant, callers, false),
            (Audience::Owner, reveals, true),
            (Audience::Staff, reveals, false),
            (Audience::Owner, history, true),
            (Audience::Owner, audit_log, false),
            (Audience::Owner, no_limit, false),
            (Audience::Tenant, automatic, true),
            (Audience::Edge, automatic, false),
            (Audience::Public, low, true),
            (Audience::Edge, low, false),
            (Audience::Edge, slow, true),
            (Audience::Edge, slow_read, false),
        ] {
            let mut access = Access::default();
            access.set_audience(audience);
            change(&mut access);
            let found = contradiction(&access, ".hourmeter.equipment.v1.ListHistoryRequest");
            assert_eq!(found.is_none(), valid, "{access:?} {found:?}");
        }
    }
}
