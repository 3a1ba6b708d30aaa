//! Every RPC of the contract, for callers who may not call it.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::common::v1::{Access, Audience};
use hourmeter_runtime::client::{self, Backend};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{Caller, Service, Signer};
use hourmeter_runtime::testing::{GATEWAY_SECRET, RELAY_SECRET, backend};
use tonic::{Code, Request, Status};

use crate::support::{App, OPERATOR_PASSWORD, secrets};

/// Calls any RPC with an empty message.
async fn call(service: &Backend, path: &str, caller: Option<(&Signer, &Caller)>) -> Code {
    let request = match caller {
        Some((signer, caller)) => client::signed(signer, Service::Accounts, caller, ()).unwrap(),
        None => Request::new(()),
    };
    let mut grpc = tonic::client::Grpc::new(service.clone());
    grpc.ready().await.unwrap();
    let codec = tonic_prost::ProstCodec::<(), ()>::default();
    let answer: Result<tonic::Response<()>, Status> =
        grpc.unary(request, path.parse().unwrap(), codec).await;
    answer.map_or_else(|status| status.code(), |_| Code::Ok)
}

#[tokio::test]
async fn each_rpc_is_open_only_to_its_audience() {
    let app = App::new().await;
    let clock = Clock::system();
    let routes = hourmeter_accounts::routes(
        app.test.database.clone(),
        clock.clone(),
        secrets(),
        hourmeter_accounts::PasswordSettings::for_tests(),
    );
    let service = backend(Service::Accounts, routes, clock);
    let owner = app.company("Acme").await;
    app.set_operator_password(&owner).await;
    let username = app
        .operator(&owner, "Li", "Wu")
        .await
        .operator_username
        .unwrap();
    let operator = app
        .signed(app.operate(&username, OPERATOR_PASSWORD).await.unwrap())
        .await;
    let shared = app
        .signed(app.operate("Acme", OPERATOR_PASSWORD).await.unwrap())
        .await;

    let gateway = Signer::new("gateway", &GATEWAY_SECRET).unwrap();
    let relay = Signer::new("operator-updates", &RELAY_SECRET).unwrap();
    let forger = Signer::new("gateway", &[9; 32]).unwrap();
    let edge = Caller::Edge {
        request_id: uuid::Uuid::now_v7(),
    };
    let person =
        |signed: &crate::support::Signed| Caller::Person(Box::new(signed.identity.clone()));
    let (owner, operator, shared) = (person(&owner), person(&operator), person(&shared));
    let other_service = Caller::Service {
        name: Service::OperatorUpdates,
        company_id: uuid::Uuid::now_v7(),
    };

    let table = policy_table().unwrap();
    let own = table
        .iter()
        .filter(|(path, _)| Service::of_path(path) == Some(Service::Accounts));
    let mut seen = 0;
    for (path, access) in own {
        seen += 1;
        assert_eq!(
            call(&service, path, None).await,
            Code::Unauthenticated,
            "{path}"
        );
        let with_foreign_key = Some((&forger, &owner));
        assert_eq!(
            call(&service, path, with_foreign_key).await,
            Code::Unauthenticated,
            "{path}"
        );
        let by_service = Some((&relay, &other_service));
        assert_eq!(
            call(&service, path, by_service).await,
            Code::PermissionDenied,
            "{path}"
        );
        for (caller, kind) in [
            (&edge, Kind::Edge),
            (&owner, Kind::Owner),
            (&operator, Kind::Operator),
            (&shared, Kind::Operator),
        ] {
            let code = call(&service, path, Some((&gateway, caller))).await;
            let expected = refusal(access, kind);
            match expected {
                Some(expected) => assert_eq!(code, expected, "{path} {kind:?}"),
                None => assert!(is_handled(path, code), "{path} {kind:?} {code:?}"),
            }
        }
    }
    assert_eq!(seen, 16);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Edge,
    Owner,
    Operator,
}

/// How the guard refuses, or nothing when the call is let in.
fn refusal(access: &Access, kind: Kind) -> Option<Code> {
    match (access.audience(), kind) {
        (Audience::Public, _)
        | (Audience::Edge, Kind::Edge)
        | (Audience::Tenant, Kind::Owner | Kind::Operator)
        | (Audience::Manager, Kind::Owner) => None,
        (_, Kind::Edge) => Some(Code::Unauthenticated),
        _ => Some(Code::PermissionDenied),
    }
}

/// What a handler answers to an empty message; a session token in it is unknown.
fn is_handled(path: &str, code: Code) -> bool {
    let by_token = path.ends_with("/ResolveSession") || path.ends_with("/Reauthenticate");
    match code {
        Code::Ok | Code::InvalidArgument => !by_token,
        Code::Unauthenticated => by_token,
        Code::NotFound => path.ends_with("/DeleteOperator") || path.ends_with("/ResetUserPassword"),
        _ => false,
    }
}
