//! Every RPC with callers who may not call it.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::common::v1::{Access, Audience};
use hourmeter_runtime::client::{Backend, signed};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{Caller, Service, Signer};
use hourmeter_runtime::testing::{GATEWAY_SECRET, RELAY_SECRET, backend, staff};
use tonic::{Code, Request, Status};

use crate::support::{App, OPERATOR_PASSWORD, client, secrets};

async fn call(service: &Backend, path: &str, caller: Option<(&Signer, &Caller)>) -> Code {
    let request = match caller {
        Some((signer, caller)) => signed(signer, Service::Accounts, caller, ()).unwrap(),
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
async fn rpcs_reject_callers_outside_their_audience() {
    let mut app = App::new().await;
    let (clock, secrets) = (Clock::system(), secrets());
    let settings = hourmeter_accounts::PasswordSettings::for_tests();
    app.client = client(&app.test, secrets.clone(), settings);
    let database = app.test.database.clone();
    let routes = hourmeter_accounts::routes(database, clock.clone(), secrets, settings);
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
    let manager = person(&app.manager(&owner, "mo@mail.example").await);
    let (owner, operator, shared) = (person(&owner), person(&operator), person(&shared));
    let staff = Caller::Staff(Box::new(staff()));
    let other_service = Caller::Service {
        name: Service::OperatorUpdates,
        company_id: uuid::Uuid::now_v7(),
    };

    let table = policy_table().unwrap();
    let own = table
        .iter()
        .filter(|(path, _)| Service::from_path(path) == Some(Service::Accounts));
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
            (&manager, Kind::Manager),
            (&operator, Kind::Operator),
            (&shared, Kind::Operator),
            (&staff, Kind::Staff),
        ] {
            let code = call(&service, path, Some((&gateway, caller))).await;
            let expected = refusal(access, kind);
            match expected {
                Some(expected) => assert_eq!(code, expected, "{path} {kind:?}"),
                None => assert!(is_handled(path, kind, code), "{path} {kind:?} {code:?}"),
            }
        }
    }
    assert_eq!(seen, 63);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Edge,
    Owner,
    Manager,
    Operator,
    /// Support staff who were removed after sign-in.
    Staff,
}

/// The error of the guard; None if the call is allowed.
fn refusal(access: &Access, kind: Kind) -> Option<Code> {
    match (access.audience(), kind) {
        (_, Kind::Staff) if access.staff_too => None,
        (Audience::Public, _)
        | (Audience::Edge, Kind::Edge)
        | (Audience::Staff, Kind::Staff)
        | (Audience::Tenant, Kind::Owner | Kind::Manager | Kind::Operator)
        | (Audience::Manager, Kind::Owner | Kind::Manager)
        | (Audience::Owner, Kind::Owner) => None,
        (Audience::Service, _) => Some(Code::PermissionDenied),
        (_, Kind::Edge) => Some(Code::Unauthenticated),
        _ => Some(Code::PermissionDenied),
    }
}

/// The error of a handler for an empty message.
fn is_handled(path: &str, kind: Kind, code: Code) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
    let by_token = is(&[
        "/ResolveSession",
        "/Reauthenticate",
        "/ChangePassword",
        "/VerifyDevice",
        "/ContactDevice",
    ]);
    match code {
        Code::Ok | Code::InvalidArgument => !by_token,
        Code::Unauthenticated if kind == Kind::Staff => is(&["/GetCurrentUser"]),
        Code::Unauthenticated => by_token,
        Code::NotFound => is(&[
            "/GetAccount",
            "/DeleteEmployee",
            "/RemoveDevice",
            "/LeaveDevice",
            "/ResetUserPassword",
            "/DismissNotice",
            "/RemovePasskey",
            "/ResolveCalendarFeed",
            "/VerifyEmail",
            "/ResetSecondFactor",
        ]),
        // No setup was started, there is no second factor and no public origin.
        Code::FailedPrecondition => is(&[
            "/AddPasskey",
            "/ConfirmAuthenticator",
            "/ReplaceRecoveryCodes",
            "/StartPasskey",
        ]),
        // In a session with the shared password; in a session with full scope.
        Code::PermissionDenied => is(&["/UpdateProfile", "/EnrolDevice"]),
        _ => false,
    }
}
