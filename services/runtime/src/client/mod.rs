//! Clients of the services, in this process or over TCP, with the caller's identity and a deadline.

mod address;
pub(crate) mod backend;
mod balance;
pub(crate) mod caller;
mod connection;
mod deadline;
mod replica;

use std::sync::Arc;
use std::time::Duration;

use hourmeter_proto::access::PolicyTable;
use http::uri::Scheme;
use tonic::service::Routes;
use tower::ServiceExt as _;

use self::address::Address;
pub use self::backend::{Backend, GrpcRequest, GrpcResponse};
use self::balance::Balanced;
pub(crate) use self::caller::CallerExtension;
pub use self::caller::CallerSigner;
use self::caller::sign_caller;
pub(crate) use self::deadline::enforce as enforce_deadline;
pub use self::deadline::{
    DeadlineExceeded, GRPC_TIMEOUT, call_within, parse_timeout, with_deadline,
};
use crate::identity::Service;
use crate::telemetry::{calls, trace};
#[cfg(feature = "testing")]
pub use crate::testing::signed;
use crate::tls::Tls;

/// Metadata key of the product's public origin, which passkeys are bound to. The gateway sets it and
/// never forwards a client's value.
pub const PUBLIC_ORIGIN: &str = "x-public-origin";

/// Metadata key of browser and system of the person's request, such as "Chrome, Windows". The gateway sets
/// it and never forwards a client's value.
pub const REQUEST_BROWSER: &str = "x-request-browser";

/// Deadline of a read, with its retries.
pub const READ_DEADLINE: Duration = Duration::from_secs(2);
const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// Connects to a service in this process.
pub fn in_process(routes: Routes, policy: Arc<PolicyTable>) -> Backend {
    let service = tower::service_fn(move |request: GrpcRequest| {
        let routes = routes.clone();
        let limit = deadline_of(&policy, request.uri().path());
        deadline::call(limit, request, async move |request: GrpcRequest| {
            let Ok(response) = routes.oneshot(request).await;
            Ok(response)
        })
    });
    calls::measured(service)
}

/// Connects to a service over TCP. `addresses` is a comma-separated list like
/// `http://127.0.0.1:7001`, with `https` if there is `tls`; each resolved address is one replica.
/// Calls go to healthy replicas, and unsent calls are retried on another one. Spawns tasks, so it
/// needs a Tokio runtime. Fails if the addresses are invalid.
pub fn over_tcp(
    service: Service,
    addresses: &str,
    policy: Arc<PolicyTable>,
    tls: Option<&Tls>,
) -> Result<Backend, String> {
    let scheme = if tls.is_some() {
        Scheme::HTTPS
    } else {
        Scheme::HTTP
    };
    let list = Address::parse_list(addresses);
    let list = list.filter(|list| list.iter().all(|address| address.scheme == scheme));
    let addresses =
        list.ok_or_else(|| format!("is not a list of addresses like {scheme}://127.0.0.1:7001"))?;
    let balanced = Balanced::start(service, addresses, tls.cloned());
    let service = tower::service_fn(move |mut request: GrpcRequest| {
        let balanced = balanced.clone();
        let path = request.uri().path();
        let (limit, is_read) = (deadline_of(&policy, path), is_read(&policy, path));
        let signed = sign_caller(&mut request, service, is_read);
        async move {
            signed?;
            trace::inject(request.headers_mut());
            let send = async move |request| balanced.call(request).await;
            deadline::call(limit, request, send).await
        }
    });
    Ok(calls::measured(service))
}

/// The longest duration of a call.
pub fn deadline_of(policy: &PolicyTable, path: &str) -> Duration {
    match policy.get(path) {
        Some(access) if access.read_only => READ_DEADLINE,
        Some(access) if access.deadline_seconds > 0 => {
            Duration::from_secs(access.deadline_seconds.into())
        }
        _ => WRITE_DEADLINE,
    }
}

fn is_read(policy: &PolicyTable, path: &str) -> bool {
    policy.get(path).is_some_and(|access| access.read_only)
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::access::policy_table;

    use super::*;

    #[test]
    fn deadline_of_is_as_the_contract_says() {
        let policy = policy_table().expect("a complete table");
        for (path, seconds) in [
            ("/hourmeter.billing.v1.BillingService/ChangePlan", 13),
            ("/hourmeter.billing.v1.BillingService/GetSubscription", 2),
            ("/hourmeter.billing.v1.BillingService/GetEntitlements", 5),
            ("/hourmeter.equipment.v1.EquipmentService/ChangePlan", 5),
        ] {
            assert_eq!(deadline_of(&policy, path).as_secs(), seconds, "{path}");
        }
    }
}
