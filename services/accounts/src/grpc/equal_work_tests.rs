//! Attempts with unknown names cost the same as with known names: password verifications,
//! transactions and rows written.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hourmeter_proto::accounts::v1;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::db::{Database, connect_admin};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::{Caller, Service};
use hourmeter_runtime::testing::{self, TestDatabase};
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::{AssertSqlSafe, Executor as _, PgConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tonic::Request;
use uuid::Uuid;

use super::{Api, PasswordSettings, Secrets, recovery, sign_in, sign_in_operator, sign_up};
use crate::domain::questions::QUESTIONS;

const PASSWORD: &str = "zx9 tractor Ñ";
const PREFIX: &str = "203.0.113.0/24";

struct App {
    test: TestDatabase,
    secrets: Secrets,
}

#[derive(Debug, PartialEq, Eq)]
struct Cost {
    checks: usize,
    statements: usize,
    rows: Vec<i64>,
}

fn edge<T>(message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Caller::Edge {
        request_id: Uuid::now_v7(),
    });
    request
}

fn origin() -> v1::ClientOrigin {
    v1::ClientOrigin {
        address_prefix: PREFIX.to_owned(),
    }
}

impl App {
    async fn new() -> Self {
        let test = testing::database(Service::Accounts, &crate::MIGRATIONS).await;
        let secrets = Secrets::generate().expect("secrets");
        let app = Self { test, secrets };
        for (name, email) in [
            ("Acme", "ana@mail.example"),
            ("Borealis", "bo@mail.example"),
        ] {
            let request = v1::SignUpRequest {
                business_name: name.to_owned(),
                email: email.to_owned(),
                password: PASSWORD.to_owned(),
                ..v1::SignUpRequest::default()
            };
            let api = app.api(&app.test.database);
            sign_up::sign_up(&api, edge(request))
                .await
                .expect("a company");
        }
        let mut admin = app.admin().await;
        admin
            .execute(
                "INSERT INTO users (company_id, id, role, operator_username, password_hash,
                    password_pepper_id, password_set_at, created_at, updated_at)
                SELECT u.company_id, gen_random_uuid(), 'operator', n.name,
                    CASE WHEN n.own THEN password_hash END,
                    CASE WHEN n.own THEN password_pepper_id END,
                    CASE WHEN n.own THEN password_set_at END, now(), now()
                FROM users u, (VALUES ('li1234', false), ('lo1234', true)) n (name, own)
                WHERE u.email = 'ana@mail.example'",
            )
            .await
            .expect("operators");
        admin
            .execute(
                "INSERT INTO staff (id, email, name, password_hash, password_pepper_id,
                    password_set_at, totp_key_id, totp_nonce, totp_box, created_at, updated_at)
                SELECT gen_random_uuid(), 'sam@support.example', 'Sam', password_hash,
                    password_pepper_id, password_set_at, '1', '', '', now(), now()
                FROM users WHERE email = 'ana@mail.example'",
            )
            .await
            .expect("support staff");
        admin
            .execute(
                "UPDATE companies c SET operator_password_hash = u.password_hash,
                    operator_password_pepper_id = u.password_pepper_id,
                    operator_password_set_at = now(), operator_password_key_id = '1',
                    operator_password_nonce = '', operator_password_box = ''
                FROM users u WHERE u.id = c.owner_id AND c.name = 'Acme'",
            )
            .await
            .expect("an operator password");
        app
    }

    fn api(&self, database: &Database) -> Api {
        let settings = PasswordSettings::for_tests();
        Api::new(
            database.clone(),
            Clock::system(),
            self.secrets.clone(),
            settings,
        )
    }

    async fn admin(&self) -> PgConnection {
        connect_admin(&self.test.admin_url)
            .await
            .expect("the server")
    }

    /// Number of rows per table.
    async fn rows(&self) -> Vec<i64> {
        let mut admin = self.admin().await;
        let mut rows = Vec::new();
        for table in [
            "audit_events",
            "notices",
            "sessions",
            "sign_in_addresses",
            "users",
        ] {
            let count = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
            let count = sqlx::query_scalar(count).fetch_one(&mut admin).await;
            rows.push(count.expect("a count"));
        }
        rows
    }

    /// Returns the cost and the error of an attempt.
    async fn cost(&self, attempt: &Attempt) -> (Cost, ServiceError) {
        let proxy = Proxy::start(&self.test).await;
        let database = Database::connect(&proxy.url, 4).expect("a pool");
        let api = self.api(&database);
        let rows = self.rows().await;
        let failure = attempt.make(&api).await;
        let cost = Cost {
            checks: api.passwords.runs(),
            statements: proxy.statements.load(Ordering::Relaxed),
            rows: self
                .rows()
                .await
                .iter()
                .zip(rows)
                .map(|(after, before)| after - before)
                .collect(),
        };
        database.close().await;
        (cost, failure)
    }

    /// Asserts the same cost and error for all attempts.
    async fn assert_alike(&self, checks: usize, attempts: &[Attempt]) -> ServiceError {
        let (expected, ended) = self.cost(&attempts[0]).await;
        assert_eq!(expected.checks, checks, "{:?}", attempts[0]);
        assert!(expected.statements > 0);
        // One audit entry.
        assert_eq!(expected.rows, [1, 0, 0, 0, 0]);
        for attempt in &attempts[1..] {
            let (cost, failure) = self.cost(attempt).await;
            assert_eq!(cost, expected, "{attempt:?}");
            assert_eq!(
                (failure.kind, &failure.reason, &failure.message),
                (ended.kind, &ended.reason, &ended.message),
                "{attempt:?}"
            );
            assert_eq!(failure.retry_after, ended.retry_after);
            assert!(failure.fields.is_empty());
        }
        ended
    }
}

/// A database proxy that counts executed statements.
struct Proxy {
    url: SecretString,
    statements: Arc<AtomicUsize>,
}

impl Proxy {
    async fn start(test: &TestDatabase) -> Self {
        let url = test.url.expose_secret();
        let (before, rest) = url.rsplit_once('@').expect("a URL with a password");
        let (address, name) = rest.split_once('/').expect("a URL with a database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let statements = Arc::new(AtomicUsize::new(0));
        let (server, counter) = (address.to_owned(), statements.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.expect("the server");
                tokio::spawn(pass(client, server, counter.clone()));
            }
        });
        Self {
            url: format!("{before}@127.0.0.1:{port}/{name}?sslmode=disable").into(),
            statements,
        }
    }
}

/// Forwards messages and counts executed statements.
async fn pass(client: TcpStream, server: TcpStream, counter: Arc<AtomicUsize>) {
    let ((mut from, mut back), (mut answers, mut to)) = (client.into_split(), server.into_split());
    let there = async move {
        // The startup message has no type byte.
        let mut kind = None;
        loop {
            let length = from.read_u32().await?;
            let mut body = vec![0; (length as usize).saturating_sub(4)];
            from.read_exact(&mut body).await?;
            if let Some(kind) = kind {
                to.write_u8(kind).await?;
                // Execute and simple Query.
                counter.fetch_add(usize::from(matches!(kind, b'E' | b'Q')), Ordering::Relaxed);
            }
            to.write_u32(length).await?;
            to.write_all(&body).await?;
            kind = Some(from.read_u8().await?);
        }
    };
    let there = async {
        let _: std::io::Result<()> = there.await;
    };
    tokio::join!(there, async {
        let _ = tokio::io::copy(&mut answers, &mut back).await;
    });
}

/// An attempt without a session.
#[derive(Debug)]
enum Attempt {
    SignIn(&'static str, &'static str, bool),
    Operate(&'static str, &'static str, bool),
    Recover(&'static str, [&'static str; 2]),
}

impl Attempt {
    async fn make(&self, api: &Api) -> ServiceError {
        let failure = match *self {
            Self::SignIn(name, password, known_addresses_only) => {
                let request = v1::SignInRequest {
                    email_or_business_name: name.to_owned(),
                    password: password.to_owned(),
                    origin: Some(origin()),
                    known_addresses_only,
                    ..v1::SignInRequest::default()
                };
                sign_in::sign_in(api, edge(request)).await.err()
            }
            Self::Operate(name, password, known_addresses_only) => {
                let request = v1::SignInOperatorRequest {
                    operator_name: name.to_owned(),
                    password: password.to_owned(),
                    origin: Some(origin()),
                    known_addresses_only,
                    ..v1::SignInOperatorRequest::default()
                };
                sign_in_operator::sign_in_operator(api, edge(request))
                    .await
                    .err()
            }
            Self::Recover(name, [answer1, answer2]) => {
                let request = v1::RecoverPasswordRequest {
                    email_or_business_name: name.to_owned(),
                    answer1: answer1.to_owned(),
                    answer2: answer2.to_owned(),
                    new_password: "Gravel-Pit-41".to_owned(),
                    origin: Some(origin()),
                };
                recovery::recover_password(api, edge(request)).await.err()
            }
        };
        failure.expect("a refusal")
    }
}

#[tokio::test]
async fn sign_in_costs_the_same_for_unknown_names() {
    use Attempt::SignIn;
    let app = App::new().await;
    let tries = [
        SignIn("nobody@mail.example", PASSWORD, false),
        SignIn("Nobody", "not it at all", false),
        SignIn("ana@mail.example", "not it at all", false),
        SignIn("Acme", "not it at all", false),
        SignIn("li1234", PASSWORD, false),
        SignIn("Ac\0me", PASSWORD, false),
        SignIn("sam@support.example", "not it at all", false),
    ];
    let failure = app.assert_alike(1, &tries).await;
    assert_eq!(failure.kind, Kind::Unauthenticated);
    let limited = [
        SignIn("nobody@mail.example", PASSWORD, true),
        SignIn("ana@mail.example", PASSWORD, true),
        SignIn("Acme", "not it at all", true),
        SignIn("sam@support.example", PASSWORD, true),
    ];
    let failure = app.assert_alike(0, &limited).await;
    assert_eq!(failure.kind, Kind::TooMany);
}

#[tokio::test]
async fn operator_sign_in_costs_the_same_for_unknown_names() {
    use Attempt::Operate;
    let app = App::new().await;
    let tries = [
        Operate("nobody1234", PASSWORD, false),
        Operate("li1234", "not it at all", false),
        Operate("lo1234", "not it at all", false),
        Operate("Acme", "not it at all", false),
        Operate("Borealis", "not it at all", false),
        Operate("ana@mail.example", PASSWORD, false),
    ];
    let failure = app.assert_alike(2, &tries).await;
    assert_eq!(failure.kind, Kind::Unauthenticated);
    let limited = [
        Operate("nobody1234", PASSWORD, true),
        Operate("li1234", PASSWORD, true),
        Operate("Acme", "not it at all", true),
    ];
    let failure = app.assert_alike(0, &limited).await;
    assert_eq!(failure.kind, Kind::TooMany);
}

#[tokio::test]
async fn locked_operator_login_verifies_as_many_passwords() {
    use Attempt::Operate;
    let app = App::new().await;
    let mut admin = app.admin().await;
    let filled = admin.execute(
        "INSERT INTO audit_events (company_id, id, event, outcome, request_id, detail, target_id)
        SELECT c.company_id, gen_random_uuid(), 'sign_in', 'failed', gen_random_uuid(),
            'operator_login', gen_random_uuid()
        FROM companies c, generate_series(1, 100)
        WHERE c.name = 'Acme'",
    );
    filled.await.expect("failed sign-ins");
    for name in ["li1234", "lo1234"] {
        let (cost, failure) = app.cost(&Operate(name, PASSWORD, false)).await;
        assert_eq!((cost.checks, failure.kind), (2, Kind::TooMany), "{name}");
    }
}

#[tokio::test]
async fn recovery_costs_the_same_for_unknown_names() {
    use Attempt::Recover;
    let app = App::new().await;
    let api = app.api(&app.test.database);
    let hash = async |answer: &str| {
        let hashed = api.passwords.hash(answer.to_owned().into()).await;
        hashed.expect("a hash")
    };
    let (rex, toyota) = (hash("rex").await, hash("toyota").await);
    let [one, two] = [0, 1].map(|i| QUESTIONS[i].to_owned());
    let set = sqlx::query(
        "UPDATE users SET question1 = $1, answer1_hash = $2, answer1_pepper_id = $3,
            question2 = $4, answer2_hash = $5, answer2_pepper_id = $6
        WHERE email = 'ana@mail.example'",
    )
    .bind(one)
    .bind(rex.hash)
    .bind(rex.pepper_id)
    .bind(two)
    .bind(toyota.hash)
    .bind(toyota.pepper_id)
    .execute(&mut app.admin().await)
    .await;
    assert_eq!(set.expect("questions").rows_affected(), 1);
    let tries = [
        Recover("nobody@mail.example", ["Rex", "Toyota"]),
        Recover("ana@mail.example", ["Max", "Toyota"]),
        Recover("ana@mail.example", ["Rex", "Ford"]),
        Recover("Acme", ["Max", "Ford"]),
        Recover("Acme", ["Rex", "Toyota\0"]),
        Recover("bo@mail.example", ["Rex", "Toyota"]),
        Recover("li1234", ["Rex", "Toyota"]),
    ];
    let failure = app.assert_alike(2, &tries).await;
    assert_eq!(failure.reason, "WRONG_ANSWERS");
}
