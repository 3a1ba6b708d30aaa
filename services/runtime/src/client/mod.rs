//! Calling a service: in this process or over TCP, with a signed identity and a deadline.

mod address;
mod balance;
mod caller;
mod connection;
mod deadline;
mod replica;

use std::sync::Arc;
use std::time::Duration;

use hourmeter_proto::access::PolicyTable;
use http::uri::Scheme;
use tonic::Status;
use tonic::service::Routes;
use tower::util::BoxCloneSyncService;
use tower::{Service as _, ServiceExt};

use self::address::Address;
use self::balance::Balanced;
pub(crate) use self::caller::CallerExtension;
pub use self::caller::CallerSigner;
use self::caller::sign_caller;
pub(crate) use self::deadline::answer;
pub use self::deadline::{DeadlineExceeded, GRPC_TIMEOUT, parse_timeout, with_deadline};
use crate::error::ServiceError;
use crate::identity::{Caller, IDENTITY_HEADER, Service, Signer};
use crate::telemetry::{calls, trace};
use crate::tls::Tls;

/// Metadata entry of the product's public address, which the gateway tells accounts: passkeys are
/// bound to it. Never the client's own.
pub const PUBLIC_ORIGIN: &str = "x-public-origin";

/// Request of any call.
pub type GrpcRequest = http::Request<tonic::body::Body>;
/// Response of any call.
pub type GrpcResponse = http::Response<tonic::body::Body>;
/// A service to call, wherever it runs. Generated clients take it.
pub type Backend = BoxCloneSyncService<GrpcRequest, GrpcResponse, Status>;

/// How long a read may take.
const READ_DEADLINE: Duration = Duration::from_secs(2);
/// How long a write may take.
const WRITE_DEADLINE: Duration = Duration::from_secs(5);
/// How long a call may take for which billing asks the payment provider: longer than billing waits
/// for it, and shorter than clients wait.
pub const PROVIDER_DEADLINE: Duration = Duration::from_secs(13);
/// The calls of billing for which it asks the payment provider.
const PROVIDER_CALLS: [&str; 9] = [
    "CreateCheckoutSession",
    "ChangePlan",
    "PauseSubscription",
    "ReactivateSubscription",
    "CancelSubscription",
    "CreatePortalSession",
    "ReceiveWebhook",
    "ExtendTrial",
    "SetPlan",
];

/// A service in this process, called without a network.
pub fn in_process(routes: Routes, policy: Arc<PolicyTable>) -> Backend {
    let service = tower::service_fn(move |request: GrpcRequest| {
        let mut routes = routes.clone();
        let limit = most(&policy, request.uri().path());
        deadline::call(limit, request, async move |request| {
            let answered = match ServiceExt::<GrpcRequest>::ready(&mut routes).await {
                Ok(service) => service.call(request).await,
                Err(never) => match never {},
            };
            match answered {
                Ok(answer) => Ok(answer),
                Err(never) => match never {},
            }
        })
    });
    calls::counted(service)
}

/// A service over the network, behind a comma list of addresses like `http://127.0.0.1:7001`, or
/// `https` where there is `tls`. Each address that a name has is one replica. A call goes to one that
/// says that it serves; what a replica has not begun with goes to another. Begins tasks, so it needs
/// a runtime. An error says what is wrong with the addresses.
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
        let (limit, is_read) = (most(&policy, path), is_read(&policy, path));
        let signed = sign_caller(&mut request, service, is_read);
        async move {
            signed?;
            trace::inject(request.headers_mut());
            let send = async move |request| balanced.call(request).await;
            deadline::call(limit, request, send).await
        }
    });
    Ok(calls::counted(service))
}

/// Whether billing asks the payment provider for the call with this path.
pub fn calls_payment_provider(path: &str) -> bool {
    path.strip_prefix("/hourmeter.billing.v1.BillingService/")
        .is_some_and(|method| PROVIDER_CALLS.contains(&method))
}

/// How long a call with this path may take.
fn most(policy: &PolicyTable, path: &str) -> Duration {
    if calls_payment_provider(path) {
        return PROVIDER_DEADLINE;
    }
    if is_read(policy, path) {
        READ_DEADLINE
    } else {
        WRITE_DEADLINE
    }
}

fn is_read(policy: &PolicyTable, path: &str) -> bool {
    policy.get(path).is_some_and(|access| access.read_only)
}

/// A message with the caller's signed identity, ready to hand to a generated client.
pub fn signed<T>(
    signer: &Signer,
    audience: Service,
    caller: &Caller,
    message: T,
) -> Result<tonic::Request<T>, ServiceError> {
    let token = signer.sign(audience, caller)?;
    let mut request = tonic::Request::new(message);
    let value = token
        .parse()
        .map_err(|_| ServiceError::internal("identity is not ASCII"))?;
    request.metadata_mut().insert(IDENTITY_HEADER, value);
    Ok(request)
}

#[cfg(test)]
mod tests {
    use hourmeter_proto::access::policy_table;

    use super::*;

    #[test]
    fn each_call_has_its_deadline() {
        let policy = policy_table().expect("a whole table");
        let of = |path: &str| most(&policy, path).as_secs();
        for method in PROVIDER_CALLS {
            let path = format!("/hourmeter.billing.v1.BillingService/{method}");
            assert!(policy.contains_key(&path), "{path}");
            assert_eq!(of(&path), 13, "{path}");
        }
        assert_eq!(
            of("/hourmeter.billing.v1.BillingService/GetSubscription"),
            2
        );
        assert_eq!(
            of("/hourmeter.billing.v1.BillingService/GetEntitlements"),
            5
        );
        assert_eq!(of("/hourmeter.equipment.v1.EquipmentService/ChangePlan"), 5);
    }
}
