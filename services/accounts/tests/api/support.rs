//! The service and its callers for tests.

use std::sync::atomic::{AtomicU32, Ordering};

use hourmeter_accounts::{MIGRATIONS, PasswordSettings, Secrets};
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::contacts_service_client::ContactsServiceClient;
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::client::Backend;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::connect_admin;
use hourmeter_runtime::error::{Kind, ServiceError};
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
    pub secrets: Secrets,
    names: AtomicU32,
}

/// A signed-in person.
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
    AccountsServiceClient::new(backend(test, secrets, settings))
}

fn backend(test: &TestDatabase, secrets: Secrets, settings: PasswordSettings) -> Backend {
    let clock = Clock::system();
    let routes =
        hourmeter_accounts::routes(test.database.clone(), clock.clone(), secrets, settings);
    testing::backend(Service::Accounts, routes, clock)
}

impl App {
    pub async fn new() -> Self {
        let test = testing::database(Service::Accounts, &MIGRATIONS).await;
        let secrets = secrets();
        let client = client(&test, secrets.clone(), PasswordSettings::for_tests());
        Self {
            client,
            test,
            secrets,
            names: AtomicU32::new(0),
        }
    }

    pub fn client(&self) -> Client {
        self.client.clone()
    }

    pub fn contacts(&self) -> ContactsServiceClient<Backend> {
        let settings = PasswordSettings::for_tests();
        ContactsServiceClient::new(backend(&self.test, self.secrets.clone(), settings))
    }

    /// A superuser connection to inspect or change stored data.
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

    /// Creates a company; its owner is signed in.
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

    pub async fn sign_up(&self, request: SignUpRequest) -> Result<SessionGrant, ServiceError> {
        let answer = self.client().sign_up(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    pub async fn sign_in(&self, name: &str, password: &str) -> Result<SessionGrant, ServiceError> {
        let request = SignInRequest {
            email_or_business_name: name.to_owned(),
            password: password.to_owned(),
            ..SignInRequest::default()
        };
        let answer = self.client().sign_in(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    pub async fn operate(&self, name: &str, password: &str) -> Result<SessionGrant, ServiceError> {
        let request = SignInOperatorRequest {
            operator_name: name.to_owned(),
            password: password.to_owned(),
            ..SignInOperatorRequest::default()
        };
        let answer = self.client().sign_in_operator(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    /// Signs in from an address; `known_only` means that the name is under attack.
    pub async fn sign_in_from(
        &self,
        name: &str,
        password: &str,
        prefix: &str,
        known_only: bool,
    ) -> Result<SessionGrant, ServiceError> {
        let request = SignInRequest {
            email_or_business_name: name.to_owned(),
            password: password.to_owned(),
            origin: Some(ClientOrigin {
                address_prefix: prefix.to_owned(),
            }),
            known_addresses_only: known_only,
            ..SignInRequest::default()
        };
        let answer = self.client().sign_in(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    /// Signs in at the operator login.
    pub async fn operate_from(
        &self,
        name: &str,
        password: &str,
        prefix: &str,
        known_only: bool,
    ) -> Result<SessionGrant, ServiceError> {
        let request = SignInOperatorRequest {
            operator_name: name.to_owned(),
            password: password.to_owned(),
            origin: Some(ClientOrigin {
                address_prefix: prefix.to_owned(),
            }),
            known_addresses_only: known_only,
            ..SignInOperatorRequest::default()
        };
        let answer = self.client().sign_in_operator(edge(request)).await;
        read(answer).map(|answer| answer.session.unwrap())
    }

    /// Advances time for sessions by moving their times into the past.
    pub async fn let_pass(&self, what: &str) {
        self.execute(&format!(
            "UPDATE sessions SET expire = expire - interval '{what}',
                absolute_expires = absolute_expires - interval '{what}',
                last_seen = last_seen - interval '{what}',
                auth_time = auth_time - interval '{what}',
                created_at = created_at - interval '{what}',
                token_at = token_at - interval '{what}',
                next_at = next_at - interval '{what}',
                revoked_at = revoked_at - interval '{what}'"
        ))
        .await;
        self.execute(&format!(
            "UPDATE retired_tokens SET valid_until = valid_until - interval '{what}'"
        ))
        .await;
    }

    /// A remembered session.
    pub async fn remembered(&self, name: &str) -> String {
        self.remembered_with(name, PASSWORD).await.token
    }

    /// A remembered session with this password.
    pub async fn remembered_with(&self, name: &str, password: &str) -> SessionGrant {
        let request = SignInRequest {
            email_or_business_name: name.to_owned(),
            password: password.to_owned(),
            remember_me: true,
            ..SignInRequest::default()
        };
        let answer = read(self.client().sign_in(edge(request)).await).unwrap();
        answer.session.unwrap()
    }

    /// Stores two security questions with the answers `Rex` and `Toyota Hilux`; returns the questions.
    pub async fn questions(&self, who: &Signed) -> [String; 2] {
        let request = edge(ListSecurityQuestionsRequest {});
        let listed = self.client().list_security_questions(request).await;
        let listed = listed.unwrap().into_inner().questions;
        let [question1, question2] = [listed[3].clone(), listed[1].clone()];
        let request = SetSecurityQuestionsRequest {
            question1: question1.clone(),
            answer1: "Rex".to_owned(),
            question2: question2.clone(),
            answer2: "Toyota Hilux".to_owned(),
        };
        let answer = self.client().set_security_questions(by(who, request)).await;
        answer.unwrap();
        [question1, question2]
    }

    /// The current user of a session.
    pub async fn user(&self, who: &Signed) -> User {
        let answer = self
            .client()
            .get_current_user(by(who, GetCurrentUserRequest {}))
            .await;
        answer.unwrap().into_inner().user.unwrap()
    }

    /// Kinds of a person's security notices, newest first.
    pub async fn notice_kinds(&self, who: &Signed) -> Vec<String> {
        let notices = self.user(who).await.notices;
        let kinds = notices.into_iter().map(|notice| notice.kind);
        kinds.filter(|kind| !kind.starts_with("first_")).collect()
    }

    /// Number of audit entries that meet the condition.
    pub async fn audited(&self, event: &str, outcome: &str, more: &str) -> i64 {
        let what =
            format!("audit_events WHERE event = '{event}' AND outcome = '{outcome}' AND {more}");
        self.count(&what).await
    }

    pub async fn resolve(&self, token: &str) -> Result<ResolveSessionResponse, ServiceError> {
        self.ask(token, false).await
    }

    /// Resolves without recording use.
    pub async fn peek(&self, token: &str) -> Result<ResolveSessionResponse, ServiceError> {
        self.ask(token, true).await
    }

    async fn ask(&self, token: &str, peek: bool) -> Result<ResolveSessionResponse, ServiceError> {
        let request = ResolveSessionRequest {
            token: token.to_owned(),
            peek,
            ..ResolveSessionRequest::default()
        };
        read(self.client().resolve_session(edge(request)).await)
    }

    /// The identity that the gateway builds from a grant.
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
            second_factor_missing: found.second_factor_missing,
            stale_after_days: found.stale_after_days.unwrap(),
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

    /// Inserts a manager with the owner's password.
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

pub fn read<T>(answer: Result<Response<T>, Status>) -> Result<T, ServiceError> {
    answer
        .map(Response::into_inner)
        .map_err(|status| ServiceError::from_status(&status))
}

/// The error of a call as the client receives it.
pub fn refusal<T: std::fmt::Debug>(answer: Result<Response<T>, Status>) -> ServiceError {
    read(answer).expect_err("a refusal")
}

/// Asserts the invalid fields, in order.
#[track_caller]
pub fn assert_fields(failure: &ServiceError, fields: &[&str]) {
    let named: Vec<&str> = failure.fields.iter().map(|(name, _)| &**name).collect();
    assert_eq!(failure.kind, Kind::Invalid, "{failure:?}");
    assert_eq!(named, fields, "{failure:?}");
}
