//! A service of its own for each test, and people to call it.

use std::sync::atomic::{AtomicU32, Ordering};

use hourmeter_accounts::{MIGRATIONS, PasswordSettings, Secrets};
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::{Failure, Kind};
use hourmeter_runtime::identity::{Identity, Service};
use hourmeter_runtime::testing::{self, TestDatabase};
use sqlx::{AssertSqlSafe, PgConnection};
use tonic::{Response, Status};

pub type Client = AccountsServiceClient<Backend>;

pub const PASSWORD: &str = "zx9 tractor Ñ";
pub const OPERATOR_PASSWORD: &str = "Field-Pass-77";

pub struct App {
    pub client: Client,
    pub test: TestDatabase,
    names: AtomicU32,
}

/// Somebody who is signed in.
#[derive(Clone)]
pub struct Signed {
    pub token: String,
    pub user: User,
    pub identity: Identity,
}

pub fn secrets() -> Secrets {
    Secrets::generate().unwrap()
}

pub fn client(test: &TestDatabase, secrets: Secrets, settings: PasswordSettings) -> Client {
    let clock = Clock::system();
    let routes =
        hourmeter_accounts::routes(test.database.clone(), clock.clone(), secrets, settings);
    AccountsServiceClient::new(testing::backend(Service::Accounts, routes, clock))
}

impl App {
    pub async fn new() -> Self {
        let test = testing::database(Service::Accounts, &MIGRATIONS).await;
        let client = client(&test, secrets(), PasswordSettings::for_tests());
        Self {
            client,
            test,
            names: AtomicU32::new(0),
        }
    }

    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Looks at or changes what is stored, past all walls.
    pub async fn admin(&self) -> PgConnection {
        connect_admin(&self.test.admin_url).await.unwrap()
    }

    pub async fn execute(&self, sql: &str) -> u64 {
        let query = sqlx::query(AssertSqlSafe(sql.to_owned()));
        let done = query.execute(&mut self.admin().await).await.unwrap();
        done.rows_affected()
    }

    pub async fn count(&self, what: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {what}");
        let query = sqlx::query_scalar(AssertSqlSafe(sql));
        query.fetch_one(&mut self.admin().await).await.unwrap()
    }

    pub async fn text(&self, sql: &str) -> String {
        let query = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
        query.fetch_one(&mut self.admin().await).await.unwrap()
    }

    /// A company with its owner signed in.
    pub async fn company(&self, name: &str) -> Signed {
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        let request = SignUpRequest {
            business_name: name.to_owned(),
            email: format!("owner{number}@mail.example"),
            password: PASSWORD.to_owned(),
            first_name: "Ana".to_owned(),
            last_name: "Ruiz".to_owned(),
            ..SignUpRequest::default()
        };
        let grant = self.sign_up(request).await.unwrap();
        self.signed(grant).await
    }

    pub async fn sign_up(&self, request: SignUpRequest) -> Result<SessionGrant, Failure> {
        let answer = self.client().sign_up(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    pub async fn sign_in(&self, name: &str, password: &str) -> Result<SessionGrant, Failure> {
        let request = SignInRequest {
            email_or_business_name: name.to_owned(),
            password: password.to_owned(),
            ..SignInRequest::default()
        };
        let answer = self.client().sign_in(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    pub async fn operate(&self, name: &str, password: &str) -> Result<SessionGrant, Failure> {
        let request = SignInOperatorRequest {
            operator_name: name.to_owned(),
            password: password.to_owned(),
            ..SignInOperatorRequest::default()
        };
        let answer = self.client().sign_in_operator(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    pub async fn resolve(&self, token: &str) -> Result<ResolveSessionResponse, Failure> {
        let request = ResolveSessionRequest {
            token: token.to_owned(),
        };
        read(self.client().resolve_session(edge(request)).await)
    }

    /// What the gateway makes of a grant.
    pub async fn signed(&self, grant: SessionGrant) -> Signed {
        let found = self.resolve(&grant.token).await.unwrap();
        let identity = Identity {
            company_id: found.company_id.parse().unwrap(),
            user_id: found.user_id.parse().unwrap(),
            owner_id: found.owner_id.parse().unwrap(),
            session_id: found.session_id.parse().unwrap(),
            role: found.role(),
            scope: found.scope(),
            authenticated_at: found.authenticated_at.unwrap().seconds,
            display_name: found.display_name.clone(),
            time_zone: found.time_zone.parse().unwrap(),
            ..testing::owner()
        };
        Signed {
            token: grant.token,
            user: grant.user.unwrap(),
            identity,
        }
    }

    pub async fn set_operator_password(&self, owner: &Signed) {
        let request = UpdateCompanySettingsRequest {
            operator_password: Some(OPERATOR_PASSWORD.to_owned()),
            ..UpdateCompanySettingsRequest::default()
        };
        let request = by(owner, request);
        self.client()
            .update_company_settings(request)
            .await
            .unwrap();
    }

    pub async fn operator(&self, owner: &Signed, first: &str, last: &str) -> Employee {
        let request = CreateOperatorRequest {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
        };
        let answer = self.client().create_operator(by(owner, request)).await;
        answer.unwrap().into_inner().employee.unwrap()
    }

    pub async fn settings(&self, owner: &Signed) -> CompanySettings {
        let request = by(owner, GetCompanySettingsRequest {});
        let answer = self.client().get_company_settings(request).await;
        answer.unwrap().into_inner().settings.unwrap()
    }

    /// Makes a manager the way a later part of the product will: one who signs in by e-mail.
    pub async fn manager(&self, owner: &Signed, email: &str) -> Signed {
        let id = uuid::Uuid::now_v7();
        let company = owner.identity.company_id;
        self.execute(&format!(
            "INSERT INTO users (company_id, id, role, email, first_name, last_name,
                password_hash, password_pepper_id, password_set_at, created_at, updated_at)
            SELECT company_id, '{id}', 'manager', '{email}', 'Mo', 'Manager',
                password_hash, password_pepper_id, now(), now(), now()
            FROM users WHERE company_id = '{company}' AND role = 'owner'"
        ))
        .await;
        let grant = self.sign_in(email, PASSWORD).await.unwrap();
        self.signed(grant).await
    }
}

pub fn edge<T>(message: T) -> tonic::Request<T> {
    testing::as_edge(Service::Accounts, message)
}

pub fn by<T>(signed: &Signed, message: T) -> tonic::Request<T> {
    testing::as_person(Service::Accounts, &signed.identity, message)
}

pub fn read<T>(answer: Result<Response<T>, Status>) -> Result<T, Failure> {
    answer
        .map(Response::into_inner)
        .map_err(|status| Failure::from_status(&status))
}

/// The refusal of a call, as its caller sees it.
pub fn refusal<T: std::fmt::Debug>(answer: Result<Response<T>, Status>) -> Failure {
    read(answer).expect_err("a refusal")
}

/// Fails unless these fields, in this order, were refused.
#[track_caller]
pub fn assert_fields(failure: &Failure, fields: &[&str]) {
    let named: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(failure.kind, Kind::Invalid, "{failure:?}");
    assert_eq!(named, fields, "{failure:?}");
}
