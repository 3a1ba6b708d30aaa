//! Access control of every RPC in the contracts.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_runtime::client::signed;
use hourmeter_runtime::identity::{Caller, Identity, Service, Signer};
use hourmeter_runtime::testing::{GATEWAY_SECRET, RELAY_SECRET, operator_of, owner, staff};
use tonic::{Code, Request};
use tonic_prost::ProstCodec;
use uuid::Uuid;

use crate::support::TestBilling;

/// Callers that each RPC admits: visitor, operator, manager, owner, staff.
const ALLOWED: [(&str, [bool; 5]); 23] = [
    ("ListPlans", [true, true, true, true, true]),
    ("GetEntitlements", [true, false, false, false, false]),
    ("GetSubscription", [false, false, true, true, false]),
    ("ListAuditEvents", [false, false, false, true, false]),
    ("ListSubscriptions", [false, false, false, false, true]),
    ("SetEquipmentLimit", [false, false, false, false, true]),
    ("CreateCheckoutSession", [false, false, true, true, false]),
    ("ChangePlan", [false, false, true, true, false]),
    ("PauseSubscription", [false, false, true, true, false]),
    ("ReactivateSubscription", [false, false, true, true, false]),
    ("CancelSubscription", [false, false, false, true, false]),
    ("CreatePortalSession", [false, false, true, true, false]),
    ("ReceiveWebhook", [true, false, false, false, false]),
    ("ExtendTrial", [false, false, false, false, true]),
    ("SetPlan", [false, false, false, false, true]),
    (
        "StaffService/ListSubscriptionsInState",
        [false, false, false, false, true],
    ),
    (
        "StaffService/ListAccountEvents",
        [false, false, false, false, true],
    ),
    (
        "DigestService/FindSubscription",
        [false, false, false, false, false],
    ),
    (
        "SandboxService/GetSandboxCheckout",
        [false, false, true, true, false],
    ),
    (
        "SandboxService/DecideSandboxCheckout",
        [false, false, true, true, false],
    ),
    (
        "SandboxService/GetSandboxPortal",
        [false, false, true, true, false],
    ),
    (
        "SandboxService/SetSandboxCard",
        [false, false, true, true, false],
    ),
    (
        "SandboxService/MoveSandboxClock",
        [false, false, false, true, false],
    ),
];

fn path(rpc: &str) -> String {
    let service = if rpc.contains('/') {
        ""
    } else {
        "BillingService/"
    };
    format!("/hourmeter.billing.v1.{service}{rpc}")
}

/// Calls an RPC with an empty message.
async fn call(billing: &TestBilling, rpc: &str, request: Request<()>) -> Code {
    let mut grpc = tonic::client::Grpc::new(billing.backend.clone());
    grpc.ready().await.unwrap();
    let path = path(rpc).parse().unwrap();
    let answer = grpc.unary(request, path, ProstCodec::<(), ()>::default());
    answer
        .await
        .map_or_else(|status| status.code(), |_| Code::Ok)
}

fn gateway(audience: Service, caller: &Caller) -> Request<()> {
    let signer = Signer::new("gateway", &GATEWAY_SECRET).unwrap();
    signed(&signer, audience, caller, ()).unwrap()
}

fn person(identity: &Identity) -> Caller {
    Caller::Person(Box::new(identity.clone()))
}

fn passed(code: Code) -> bool {
    !matches!(code, Code::Unauthenticated | Code::PermissionDenied)
}

#[test]
fn access_table_lists_every_rpc() {
    let table = policy_table().unwrap();
    let mut named: Vec<_> = table
        .keys()
        .filter(|path| Service::from_path(path) == Some(Service::Billing))
        .cloned()
        .collect();
    let mut expected: Vec<_> = ALLOWED.iter().map(|(rpc, _)| path(rpc)).collect();
    named.sort();
    expected.sort();
    assert_eq!(named, expected);
}

#[tokio::test]
async fn rpc_admits_callers_of_contract() {
    let billing = TestBilling::new().await;
    let owner = owner();
    let visitor = Caller::Edge {
        request_id: Uuid::now_v7(),
    };
    let scoped = Identity {
        scope: Scope::Operator,
        ..owner.clone()
    };
    let manager = Identity {
        role: Role::Manager,
        user_id: Uuid::now_v7(),
        ..owner.clone()
    };
    let staff = Caller::Staff(Box::new(staff()));
    for (rpc, [by_visitor, by_operator, by_manager, by_owner, by_staff]) in ALLOWED {
        for (caller, allowed) in [
            (visitor.clone(), by_visitor),
            (person(&operator_of(&owner)), by_operator),
            (person(&scoped), by_operator),
            (person(&manager), by_manager),
            (person(&owner), by_owner),
            (staff.clone(), by_staff),
        ] {
            let code = call(&billing, rpc, gateway(Service::Billing, &caller)).await;
            assert_eq!(passed(code), allowed, "{rpc} by {caller:?}: {code:?}");
        }
    }
    assert_eq!(billing.rows().await, 0);
}

#[tokio::test]
async fn rpc_requires_valid_identity() {
    let billing = TestBilling::new().await;
    let owner = person(&owner());
    let stranger = Signer::new("gateway", &[66; 32]).unwrap();
    let relay = Signer::new("operator-updates", &RELAY_SECRET).unwrap();
    let relayed = Caller::Service {
        name: Service::OperatorUpdates,
        company_id: Uuid::now_v7(),
    };
    for (rpc, _) in ALLOWED {
        let forged = signed(&stranger, Service::Billing, &owner, ()).unwrap();
        let for_another = gateway(Service::Equipment, &owner);
        for request in [Request::new(()), forged, for_another] {
            assert_eq!(call(&billing, rpc, request).await, Code::Unauthenticated);
        }
        let service = signed(&relay, Service::Billing, &relayed, ()).unwrap();
        assert_eq!(call(&billing, rpc, service).await, Code::PermissionDenied);
    }
}
