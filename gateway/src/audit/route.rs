//! The name of a route in the audit log.

use axum::extract::{MatchedPath, Request};
use hourmeter_proto::access::PolicyTable;
use http::{Method, Uri};

use crate::requester::Protocol;
use crate::server::BackgroundTasks;

pub struct CalledRoute {
    method: Method,
    uri: Uri,
    /// None for paths without a route.
    route: Option<MatchedPath>,
    /// None in tests.
    pub background: Option<BackgroundTasks>,
}

impl CalledRoute {
    /// Runs for every request, so it only clones handles.
    pub fn of(request: &Request) -> Self {
        Self {
            method: request.method().clone(),
            uri: request.uri().clone(),
            route: request.extensions().get().cloned(),
            background: request.extensions().get().cloned(),
        }
    }

    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The route or RPC without ids, e.g. `GET /api/equipment/{id}` or
    /// `EquipmentService/ListHistory`; empty for other paths.
    pub fn name(&self, policy: &PolicyTable) -> String {
        let Some(route) = &self.route else {
            return String::new();
        };
        let path = self.uri.path();
        match Protocol::from_path(path) {
            Protocol::Rest => format!("{} {}", self.method, route.as_str()),
            // An unknown path may contain anything.
            Protocol::GrpcWeb if policy.contains_key(path) => rpc_name(path),
            Protocol::GrpcWeb => rpc_name(route.as_str()),
            Protocol::Page => String::new(),
        }
    }
}

/// Name of an RPC in the audit log: `EquipmentService/ListHistory`.
pub fn rpc_name(path: &str) -> String {
    let Some((service, method)) = path.rsplit_once('/') else {
        return path.to_owned();
    };
    let service = service.rsplit('.').next().unwrap_or(service);
    format!("{service}/{method}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpc_name_has_no_package() {
        let path = "/hourmeter.equipment.v1.EquipmentService/ListHistory";
        assert_eq!(rpc_name(path), "EquipmentService/ListHistory");
        let template = "/hourmeter.equipment.v1.EquipmentService/{method}";
        assert_eq!(rpc_name(template), "EquipmentService/{method}");
    }
}
