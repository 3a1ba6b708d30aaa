//! Access rules of every RPC in the contract.

use hourmeter_proto::access::policy_table;
use hourmeter_proto::accounts::v1::{Role, Scope};
use hourmeter_proto::common::v1::{Access, Audience, PremiumFeature};
use hourmeter_proto::equipment::v1;
use hourmeter_runtime::client::GrpcRequest;
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{IDENTITY_HEADER, Identity, Service};
use hourmeter_runtime::testing::{self, as_edge, as_person, as_relay, operator_of};
use http_body_util::Full;
use tonic::Status;
use tower::ServiceExt as _;

use crate::meters::replaced;
use crate::relay::reading;
use crate::relay_many::outcomes_of;
use crate::support::{World, fold, increase, named, not_found, page};

fn rpcs() -> Vec<(String, Access)> {
    let table = policy_table().unwrap().into_iter();
    let own = table.filter(|(path, _)| Service::from_path(path) == Some(Service::Equipment));
    let own: Vec<_> = own.collect();
    assert!(!own.is_empty());
    own
}

fn token(request: &tonic::Request<()>) -> String {
    let value = request.metadata().get(IDENTITY_HEADER).unwrap();
    value.to_str().unwrap().to_owned()
}

/// Calls an RPC with an empty message. None: it succeeded.
async fn call(world: &World, path: &str, token: Option<&str>) -> Option<ServiceError> {
    let mut request = http::Request::post(path).header("content-type", "application/grpc");
    if let Some(token) = token {
        request = request.header(IDENTITY_HEADER, token);
    }
    let body = tonic::body::Body::new(Full::from(vec![0; 5]));
    let request: GrpcRequest = request.body(body).unwrap();
    let response = world.backend.clone().oneshot(request).await.unwrap();
    let status = Status::from_header_map(response.headers())?;
    Some(ServiceError::from_status(&status))
}

fn kind(answer: Option<&ServiceError>) -> Option<Kind> {
    answer.map(|failure| failure.kind)
}

#[tokio::test]
async fn rpcs_without_identity_are_refused() {
    let world = World::new().await;
    let for_billing = token(&as_person(Service::Billing, &world.owner, ()));
    for (path, access) in rpcs() {
        for token in [None, Some("nonsense"), Some(for_billing.as_str())] {
            let answer = call(&world, &path, token).await;
            assert_eq!(kind(answer.as_ref()), Some(Kind::Unauthenticated), "{path}");
        }
        let edge = token(&as_edge(Service::Equipment, ()));
        let expected = match access.audience() {
            Audience::Service => Kind::Forbidden,
            _ => Kind::Unauthenticated,
        };
        let answer = call(&world, &path, Some(&edge)).await;
        assert_eq!(kind(answer.as_ref()), Some(expected), "{path}");
    }
}

#[tokio::test]
async fn rpcs_are_allowed_by_role_and_scope() {
    let world = World::new().await;
    let mut owner = world.owner.clone();
    owner.entitlements.fuel_analytics = true;
    let as_role = |role, scope| Identity {
        role,
        scope,
        ..owner.clone()
    };
    let people = [
        (operator_of(&owner), false),
        (as_role(Role::Operator, Scope::Full), false),
        (as_role(Role::Owner, Scope::Operator), false),
        (as_role(Role::Manager, Scope::Operator), false),
        (as_role(Role::Manager, Scope::Full), true),
        (as_role(Role::Owner, Scope::Full), true),
    ];
    for (path, access) in rpcs() {
        for (person, manages) in &people {
            let may = match access.audience() {
                Audience::Tenant => true,
                Audience::Manager => *manages,
                Audience::Owner => *manages && person.role == Role::Owner,
                _ => false,
            };
            let token = token(&as_person(Service::Equipment, person, ()));
            let answer = call(&world, &path, Some(&token)).await;
            let refused = kind(answer.as_ref()) == Some(Kind::Forbidden);
            assert_eq!(refused, !may, "{path} {:?} {:?}", person.role, person.scope);
        }
        let relay = token(&as_relay(Service::Equipment, world.owner.company_id, ()));
        let answer = call(&world, &path, Some(&relay)).await;
        let refused = kind(answer.as_ref()) == Some(Kind::Forbidden);
        let may = access.callers.iter().any(|name| name == "operator-updates");
        assert_eq!(refused, !may, "{path}");
    }
}

#[tokio::test]
async fn writes_need_a_subscription_and_reads_do_not() {
    let world = World::new().await;
    let mut expired = world.owner.clone();
    expired.entitlements.active = false;
    let token = token(&as_person(Service::Equipment, &expired, ()));
    for (path, access) in rpcs() {
        if access.audience() == Audience::Service {
            continue;
        }
        assert_eq!(access.needs_subscription, !access.read_only, "{path}");
        let answer = call(&world, &path, Some(&token)).await;
        let refused = kind(answer.as_ref()) == Some(Kind::SubscriptionInactive);
        assert_eq!(refused, access.needs_subscription, "{path}");
    }
}

#[tokio::test]
async fn fuel_summary_access_needs_the_plan_feature() {
    let world = World::new().await;
    let token = token(&as_person(Service::Equipment, &world.owner, ()));
    for (path, access) in rpcs() {
        let premium = access.feature() != PremiumFeature::Unspecified;
        assert_eq!(premium, path.ends_with("/GetFuelSummary"), "{path}");
        let answer = call(&world, &path, Some(&token)).await;
        let reason = answer.map(|failure| failure.reason).unwrap_or_default();
        assert_eq!(reason == "FEATURE_NOT_IN_PLAN", premium, "{path}");
    }
}

#[tokio::test]
async fn equipment_of_another_company_is_not_found() {
    let world = World::new().await;
    let made = world.create(named("A")).await.unwrap();
    let old = world.create(named("B")).await.unwrap();
    let retired = world.retire(&old.id, "").await.unwrap();

    let mut stranger = World::new().await;
    stranger.backend = world.backend.clone();
    stranger.owner = testing::owner();
    let id = made.id.as_str();
    let before = world.state(id).await;
    not_found(stranger.get(id).await);
    not_found(stranger.update(id, named("C"), None).await);
    not_found(stranger.delete(id).await);
    let entry = v1::RecordUsageRequest {
        id: id.to_owned(),
        usage_increase: Some(1.0),
        ..Default::default()
    };
    not_found(stranger.record(entry).await);
    let service = v1::MarkServicedRequest {
        id: id.to_owned(),
        ..Default::default()
    };
    not_found(stranger.serviced(service).await);
    not_found(stranger.notes(id).await);
    not_found(stranger.note(id, "text").await);
    not_found(stranger.history(id).await);
    not_found(stranger.retire(id, "").await);
    not_found(stranger.restore(&retired.id).await);
    not_found(stranger.meter(id).await);
    not_found(stranger.segments(id).await);
    not_found(stranger.replace(replaced(id)).await);
    not_found(stranger.apply(reading(id, 1.0)).await);
    let updates = vec![reading(id, 1.0)];
    let answer = stranger.apply_all(updates).await.unwrap();
    assert_eq!(outcomes_of(&answer), ["NOT_FOUND NOT_FOUND"]);
    assert_eq!(stranger.meters(None).await.unwrap().meters, []);

    assert_eq!(stranger.names().await, [""; 0]);
    assert_eq!(stranger.history("").await.unwrap(), []);
    assert_eq!(
        stranger.archive(Some(page(5, ""))).await.unwrap().retired,
        []
    );
    let request = as_person(
        Service::Equipment,
        &stranger.owner,
        v1::GetSummaryRequest {},
    );
    let summary = fold(stranger.client().get_summary(request).await).unwrap();
    assert_eq!(summary.total, 0);
    assert_eq!(world.state(&made.id).await, before);
    assert_eq!(world.archive(None).await.unwrap().retired, [retired]);
    let nothing = stranger.marker().await;
    world.record(increase(id, 1.0)).await.unwrap();
    assert_eq!(stranger.marker().await, nothing);
}
