//! The permission matrix: every route and RPC by every kind of caller, with ids of the caller's and
//! of another company, and with forged headers and fields.

use std::sync::LazyLock;

use axum::body::Body;
use hourmeter_gateway::{AccessRule, rest_routes};
use hourmeter_proto::access::{PolicyTable, policy_table};
use hourmeter_proto::common::v1::{Access, Audience};
use hourmeter_runtime::identity::{Caller, Service, Signer};
use hourmeter_runtime::testing;
use http::{Method, Request};
use serde_json::{Value, json};
use tonic::Code;

use crate::grpc_web;
use crate::product::{Browser, Product, id};
use crate::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Anonymous,
    Expired,
    Revoked,
    Owner,
    Manager,
    Operator,
    /// An owner's session that was opened with the shared password.
    Shared,
    Staff,
}

/// How a call is denied because of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    SignIn,
    Forbidden,
}

fn denial(access: &Access, kind: Kind) -> Option<Denied> {
    let anonymous = matches!(kind, Kind::Anonymous | Kind::Expired | Kind::Revoked);
    let manages = matches!(kind, Kind::Owner | Kind::Manager);
    let allowed = match access.audience() {
        Audience::Public => return None,
        // Never for calls from outside.
        Audience::Edge | Audience::Service | Audience::Unspecified => {
            return Some(Denied::Forbidden);
        }
        _ if anonymous => return Some(Denied::SignIn),
        Audience::Staff => kind == Kind::Staff,
        _ if kind == Kind::Staff => access.staff_too,
        Audience::Tenant => true,
        Audience::Manager => manages,
        Audience::Owner => kind == Kind::Owner,
    };
    (!allowed).then_some(Denied::Forbidden)
}

pub fn access(access_rule: AccessRule) -> Access {
    let of = |audience: Audience, staff_too| Access {
        audience: audience.into(),
        staff_too,
        ..Access::default()
    };
    match access_rule {
        AccessRule::Public => of(Audience::Public, false),
        AccessRule::Manager => of(Audience::Manager, false),
        AccessRule::ManagerOrStaff => of(Audience::Manager, true),
        AccessRule::BeforeSecondFactor => Access {
            before_second_factor: true,
            ..of(Audience::Manager, true)
        },
        AccessRule::Rpc(..)
        | AccessRule::SandboxRpc(_)
        | AccessRule::TaskSetRpc(_)
        | AccessRule::StaffRpc(_) => {
            static TABLE: LazyLock<PolicyTable> =
                LazyLock::new(|| policy_table().expect("a whole table"));
            TABLE[&access_rule.rpc_path().expect("an RPC")].clone()
        }
    }
}

/// All callers, and the resources of two companies.
struct Stage {
    product: Product,
    callers: Vec<(Kind, Browser)>,
    ours: Things,
    theirs: Things,
}

/// A company's owner, and ids of one resource of each kind.
pub struct Things {
    pub owner: Browser,
    machine: String,
    retired: String,
    pub operator: String,
    update: String,
    task: String,
    task_set: String,
    entry: String,
    /// The last segment of its checkout path; invented if it has paid.
    session: String,
    company: String,
}

impl Things {
    pub async fn of(product: &Product, owner: Browser) -> Self {
        let machine = id(&owner.machine("Crane").await);
        let old = id(&owner.machine("Old truck").await);
        let retire = format!("/api/equipment/{old}/retire");
        let retired = id(&owner.post_as(&retire, json!({})).await.expect(200));
        let operator = product.operator_of(&owner).await;
        let report = json!({"equipmentId": machine, "notes": "x"});
        let update = operator.post_as("/api/operator-updates", report).await;
        let path = format!("/api/equipment/{machine}");
        let note = json!({"content": "Squeaks"});
        let note = owner.post_as(&format!("{path}/notes"), note).await;
        let tasks = owner.get(&format!("{path}/service-tasks")).await;
        let task_set = owner.task_set("Oil").await;
        let user = operator.get("/api/auth/user").await.expect(200);
        let session = match owner.subscription().await["status"].as_str() {
            Some("trial") => owner.checkout("basic", "month").await,
            _ => "/none".to_owned(),
        };
        let session = session.rsplit('/').next().unwrap_or_default().to_owned();
        Self {
            retired,
            operator: id(&user),
            update: id(&update.expect(201)),
            task: id(&tasks.expect(200)[0]),
            task_set: id(&task_set),
            entry: id(&note.expect(201)),
            company: user["companyId"].as_str().expect("an id").to_owned(),
            machine,
            session,
            owner,
        }
    }

    pub fn filled(&self, path: &str) -> String {
        let first = if path.starts_with("/api/employees") {
            &self.operator
        } else if path.starts_with("/api/retired-equipment") {
            &self.retired
        } else if path.starts_with("/api/operator-updates") {
            &self.update
        } else if path.starts_with("/api/task-sets") {
            &self.task_set
        } else if path.starts_with("/api/admin/accounts") {
            &self.company
        } else {
            &self.machine
        };
        path.replace("{id}", first)
            .replace("{taskId}", &self.task)
            .replace("{entryId}", &self.entry)
            .replace("{session}", &self.session)
    }

    /// All data that its owner can see and that calls could have changed.
    pub async fn seen(&self) -> Vec<Value> {
        let mut seen = Vec::new();
        for path in [
            "/api/equipment",
            "/api/retired-equipment",
            "/api/operator-updates",
            "/api/equipment-history?limit=100",
            "/api/employees",
            "/api/company-settings",
            "/api/subscription/info",
            "/api/auth/user",
        ] {
            seen.push(self.owner.get(path).await.expect(200));
        }
        seen
    }
}

async fn stage() -> Stage {
    let product = Product::new().await;
    let owner = product.owner("Acme").await;
    let ours = Things::of(&product, owner.clone()).await;
    let theirs = product.owner("Beta").await;
    let theirs = Things::of(&product, theirs).await;
    let expired = product.owner("Gamma").await;
    product
        .in_accounts(
            "UPDATE sessions SET expire = now() - interval '1 second' WHERE company_id = \
             (SELECT company_id FROM companies WHERE name = 'Gamma')",
        )
        .await;
    let mut revoked = product.owner("Delta").await;
    let dead = revoked.cookie.clone();
    revoked.post("/api/auth/logout", json!({})).await;
    revoked.cookie = dead;
    let callers = vec![
        (Kind::Anonymous, product.visitor()),
        (Kind::Expired, expired),
        (Kind::Revoked, revoked),
        (Kind::Manager, product.manager_of(&owner).await),
        (Kind::Operator, product.operator_of(&owner).await),
        (Kind::Shared, product.shared_session("Acme").await),
        (Kind::Staff, product.staff().await),
        (Kind::Owner, owner),
    ];
    Stage {
        product,
        callers,
        ours,
        theirs,
    }
}

/// The identity of the other company's owner, signed with the gateway's own key.
fn stolen_identity(service: Service) -> String {
    let signer = Signer::new("gateway", &testing::GATEWAY_SECRET).expect("a signer");
    let owner = Caller::Person(Box::new(testing::owner()));
    signer.sign(service, &owner).expect("a token")
}

/// The same request with forged headers.
fn forged(mut request: Request<Body>, company: &str, identity: &str) -> Request<Body> {
    for (name, value) in [
        ("x-internal-identity", identity),
        ("authorization", identity),
        ("x-company-id", company),
        ("x-user-id", company),
        ("x-role", "owner"),
        ("x-forwarded-user", company),
        ("grpc-metadata-x-internal-identity", identity),
    ] {
        let value = value.parse().expect("a value");
        request.headers_mut().insert(name, value);
    }
    request
}

/// A body with the other company's id in every likely field.
fn body(company: &str) -> Value {
    json!({
        "companyId": company, "company_id": company, "userId": company, "role": "owner",
        "operatorId": company, "scope": "full", "tier": "enterprise", "id": company,
    })
}

impl Stage {
    async fn rest(&self, browser: &Browser, method: &Method, path: &str) -> (u16, String) {
        let company = &self.theirs.company;
        let query = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{query}companyId={company}&company_id={company}");
        let sent = (*method != Method::GET).then(|| body(company));
        let request = browser.request(method.clone(), &path, sent);
        let service = Service::Equipment;
        let request = forged(request, company, &stolen_identity(service));
        let reply = browser.send(request).await;
        (reply.status.as_u16(), reply.text())
    }

    async fn rpc(&self, browser: &Browser, path: &str) -> Code {
        let request = grpc_web::request(browser, path, &[]);
        let service = Service::from_path(path).unwrap_or(Service::Equipment);
        let request = forged(request, &self.theirs.company, &stolen_identity(service));
        if path == watch::PATH {
            return browser.stream(request).await.code_so_far().await;
        }
        grpc_web::outcome(&browser.send(request).await).0.code()
    }
}

/// Ends the caller's session, so it is only called without one.
fn ends_the_session(path: &str) -> bool {
    path.ends_with("/logout")
}

/// Denied by the handler with the status of a missing permission: a wrong password, an owner's profile
/// in a session with the shared password, and a phone of a person who manages.
fn is_denied_by_handler(path: &str, kind: Kind) -> bool {
    path == "/api/auth/reauth"
        || (path == "/api/user/profile" && kind == Kind::Shared)
        || path.ends_with("/UpdateProfile")
        || (kind == Kind::Shared
            && [
                "/SetWatch",
                "/SetSmsNumber",
                "/VerifySmsNumber",
                "/RemoveSmsNumber",
            ]
            .iter()
            .any(|method| path.ends_with(method)))
        || (path.ends_with("/EnrolDevice") && matches!(kind, Kind::Owner | Kind::Manager))
}

#[tokio::test]
async fn rest_routes_admit_only_their_callers() {
    let stage = stage().await;
    let (ours, theirs) = (stage.ours.seen().await, stage.theirs.seen().await);
    let mut admitted = Vec::new();
    for route in rest_routes() {
        let access = access(route.access_rule);
        for (kind, browser) in &stage.callers {
            let Some(refused) = denial(&access, *kind) else {
                admitted.push((route.clone(), *kind, browser));
                continue;
            };
            for things in [&stage.ours, &stage.theirs] {
                let path = things.filled(route.path);
                let (status, text) = stage.rest(browser, &route.method, &path).await;
                let name = format!("{} {path} {kind:?}: {text}", route.method);
                let (expected, message) = match refused {
                    Denied::SignIn => (401, "Please sign in."),
                    Denied::Forbidden => (403, "You do not have permission to do this."),
                };
                assert_eq!(status, expected, "{name}");
                assert!(text.contains(message), "{name}");
            }
        }
    }
    // Denied calls changed nothing.
    assert_eq!(stage.ours.seen().await, ours);
    assert_eq!(stage.theirs.seen().await, theirs);

    for (route, kind, browser) in admitted {
        if ends_the_session(route.path) && browser.cookie.is_some() {
            continue;
        }
        // With the other company's ids, so that nothing is undone for the next call.
        let path = stage.theirs.filled(route.path);
        let (status, text) = stage.rest(browser, &route.method, &path).await;
        let name = format!("{} {path} {kind:?}: {status} {text}", route.method);
        assert!(status < 500, "{name}");
        let refused = matches!(status, 401 | 403) && !text.contains("\"code\"");
        let by_handler = is_denied_by_handler(route.path, kind);
        assert!(!refused || by_handler, "{name}");
        // A link of a mail leads to the same page with each key.
        let is_found = status == 303 && route.path.starts_with("/api/unsubscribe/");
        if route.path.contains("{id}") && kind != Kind::Staff && !is_found {
            assert!(matches!(status, 400 | 403 | 404), "{name}");
        }
    }
    assert_eq!(stage.theirs.seen().await, theirs);
}

#[tokio::test]
async fn rpcs_admit_only_their_callers() {
    let stage = stage().await;
    let (ours, theirs) = (stage.ours.seen().await, stage.theirs.seen().await);
    let mut admitted = Vec::new();
    for (path, access) in policy_table().expect("a whole table") {
        for (kind, browser) in &stage.callers {
            match denial(&access, *kind) {
                Some(refused) => {
                    let expected = match refused {
                        Denied::SignIn => Code::Unauthenticated,
                        Denied::Forbidden => Code::PermissionDenied,
                    };
                    let code = stage.rpc(browser, &path).await;
                    assert_eq!(code, expected, "{path} {kind:?}");
                }
                None => admitted.push((path.clone(), *kind, browser)),
            }
        }
    }
    assert_eq!(stage.ours.seen().await, ours);
    assert_eq!(stage.theirs.seen().await, theirs);
    let professional: Vec<(Kind, Browser)> = stage
        .callers
        .iter()
        .map(|(kind, browser)| (*kind, stage.product.professional(browser)))
        .collect();
    for (path, kind, _) in admitted {
        // The plan allows everything, so that only permissions can deny.
        let browser = professional.iter().find(|(caller, _)| *caller == kind);
        let (_, browser) = browser.expect("a caller");
        let code = stage.rpc(browser, &path).await;
        let refused = matches!(code, Code::Unauthenticated | Code::PermissionDenied);
        assert!(
            !refused || is_denied_by_handler(&path, kind),
            "{path} {kind:?}: {code:?}"
        );
        assert!(
            code != Code::Internal && code != Code::Unknown,
            "{path} {kind:?}"
        );
    }
    assert_eq!(stage.theirs.seen().await, theirs);
}
