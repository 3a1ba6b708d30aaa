//! Access rules of every RPC in the contract.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_proto::common::v1::Audience;
use hourmeter_runtime::client::signed;
use hourmeter_runtime::identity::{Caller, Identity, Service, Signer};
use hourmeter_runtime::testing::{GATEWAY_SECRET, RELAY_SECRET, operator_of, owner};
use tonic::{Code, Request};
use tonic_prost::ProstCodec;
use uuid::Uuid;

use crate::support::TestUpdates;

/// RPC, and whether visitor, operator and manager may call it.
const ALLOWED: [(&str, [bool; 3]); 15] = [
    ("SubmitUpdate", [false, true, true]),
    ("ListUpdates", [false, true, true]),
    ("ListLastReports", [false, false, true]),
    ("ApplyUpdate", [false, false, true]),
    ("ApplyUpdates", [false, false, true]),
    ("RejectUpdate", [false, false, true]),
    ("RejectUpdates", [false, false, true]),
    ("WithdrawUpdate", [false, true, true]),
    ("UndoDecision", [false, false, true]),
    ("UndoDecisions", [false, false, true]),
    ("AcknowledgeUpdate", [false, false, true]),
    ("AcknowledgeUpdates", [false, false, true]),
    ("MoveUpdate", [false, false, true]),
    ("ListReview", [false, false, true]),
    ("GetUpdatesMarker", [false, true, true]),
];

fn path(rpc: &str) -> String {
    format!("/hourmeter.operator_updates.v1.OperatorUpdatesService/{rpc}")
}

async fn call(updates: &TestUpdates, rpc: &str, request: Request<()>) -> Code {
    let mut grpc = tonic::client::Grpc::new(updates.backend.clone());
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
fn access_table_has_every_rpc() {
    let table = policy_table().unwrap();
    // The one for another service has a test of its own.
    let mut named: Vec<_> = table
        .iter()
        .filter(|(path, _)| Service::from_path(path) == Some(Service::OperatorUpdates))
        .filter(|(_, access)| access.audience() != Audience::Service)
        .map(|(path, _)| path.clone())
        .collect();
    let mut expected: Vec<_> = ALLOWED.iter().map(|(rpc, _)| path(rpc)).collect();
    named.sort();
    expected.sort();
    assert_eq!(named, expected);
}

#[tokio::test]
async fn rpcs_are_allowed_by_the_contract() {
    let updates = TestUpdates::new().await;
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
    for (rpc, [by_visitor, by_operator, by_manager]) in ALLOWED {
        for (caller, allowed) in [
            (visitor.clone(), by_visitor),
            (person(&operator_of(&owner)), by_operator),
            (person(&scoped), by_operator),
            (person(&manager), by_manager),
            (person(&owner), by_manager),
        ] {
            let code = call(&updates, rpc, gateway(Service::OperatorUpdates, &caller)).await;
            assert_eq!(passed(code), allowed, "{rpc} by {caller:?}: {code:?}");
        }
    }
    assert_eq!(updates.count("updates").await, 0);
}

#[tokio::test]
async fn rpcs_without_a_valid_identity_are_refused() {
    let updates = TestUpdates::new().await;
    let owner = person(&owner());
    let stranger = Signer::new("gateway", &[66; 32]).unwrap();
    let relay = Signer::new("operator-updates", &RELAY_SECRET).unwrap();
    let relayed = Caller::Service {
        name: Service::OperatorUpdates,
        company_id: Uuid::now_v7(),
    };
    for (rpc, _) in ALLOWED {
        let forged = signed(&stranger, Service::OperatorUpdates, &owner, ()).unwrap();
        let for_another = gateway(Service::Equipment, &owner);
        for request in [Request::new(()), forged, for_another] {
            assert_eq!(call(&updates, rpc, request).await, Code::Unauthenticated);
        }
        let service = signed(&relay, Service::OperatorUpdates, &relayed, ()).unwrap();
        assert_eq!(call(&updates, rpc, service).await, Code::PermissionDenied);
    }
}

#[tokio::test]
async fn decisions_need_a_subscription() {
    let updates = TestUpdates::new().await;
    let mut owner = owner();
    owner.entitlements.active = false;
    for (rpc, _) in ALLOWED {
        let request = gateway(Service::OperatorUpdates, &person(&owner));
        let code = call(&updates, rpc, request).await;
        let open = matches!(
            rpc,
            "SubmitUpdate"
                | "ListUpdates"
                | "ListLastReports"
                | "ListReview"
                | "GetUpdatesMarker"
                | "WithdrawUpdate"
        );
        assert_eq!(code == Code::FailedPrecondition, !open, "{rpc}: {code:?}");
    }
}
