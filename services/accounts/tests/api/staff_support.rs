//! Support staff for tests, added by the command, with an authenticator.

use hmac::{Hmac, KeyInit as _, Mac as _};
use hourmeter_accounts::{Command, CommandError, PasswordSettings, Secrets};
use hourmeter_proto::accounts::v1::*;
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::{Service, StaffIdentity};
use hourmeter_runtime::testing;
use sha1::Sha1;

use crate::support::{App, Client, edge, read, secrets};

pub const EMAIL: &str = "sam@help.example";
pub const NAME: &str = "Sam Support";
const STAFF_PASSWORD: &str = "gravel 8";

/// A service with a fixed clock, and its keys.
pub struct Desk {
    pub app: App,
    pub secrets: Secrets,
    pub clock: Clock,
}

/// An enrolled member of staff.
#[derive(Clone, Debug)]
pub struct Member {
    pub email: String,
    pub password: String,
    totp: Totp,
}

#[derive(Clone, Debug)]
pub struct Totp(Vec<u8>);

impl Desk {
    pub async fn new() -> Self {
        Self::with(secrets()).await
    }

    pub async fn with(secrets: Secrets) -> Self {
        let mut app = App::new().await;
        // The start of a TOTP step, so that codes do not change during a test.
        let now = Clock::system().now().timestamp() / 30 * 30;
        let clock = Clock::fixed(chrono::DateTime::from_timestamp(now, 0).unwrap());
        app.client = client(&app, secrets.clone(), PasswordSettings::for_tests(), &clock);
        Self {
            app,
            secrets,
            clock,
        }
    }

    pub fn client(&self) -> Client {
        self.app.client()
    }

    /// Restarts with other keys or settings.
    pub fn restart(&mut self, secrets: Secrets, settings: PasswordSettings) {
        self.app.client = client(&self.app, secrets.clone(), settings, &self.clock);
        self.secrets = secrets;
    }

    /// Advances the clock of codes.
    pub fn wait(&self, seconds: i64) {
        self.clock
            .set(self.clock.now() + chrono::TimeDelta::seconds(seconds));
    }

    /// Runs a command; returns its output.
    pub async fn command(&self, arguments: &[&str]) -> Result<String, CommandError> {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let Command::Staff(command) = Command::read("staff", &arguments)? else {
            unreachable!("the first word says so");
        };
        let mut out = Vec::new();
        let (peppers, keyring) = (&self.secrets.peppers, &self.secrets.operator_password_keys);
        let settings = PasswordSettings::for_tests();
        let owner = &self.app.test.owner_url;
        command
            .run(owner, peppers, keyring, settings, &mut out)
            .await?;
        Ok(String::from_utf8(out).unwrap())
    }

    /// Adds a member of staff; returns the enrolment code.
    pub async fn invited(&self) -> String {
        let output = self
            .command(&["add", "--name", NAME, "--email", EMAIL])
            .await;
        enrolment_code(&output.unwrap())
    }

    pub async fn member(&self) -> Member {
        let code = self.invited().await;
        self.enrolled(&code).await
    }

    /// Enrols with a code and moves the clock past its use.
    pub async fn enrolled(&self, code: &str) -> Member {
        let (email, totp) = self.start_enrolment(code).await.unwrap();
        let password = format!("{STAFF_PASSWORD} {code}");
        let now = totp.code(&self.clock);
        let done = self.finish_enrolment(code, &now, &password).await;
        done.unwrap();
        self.wait(60);
        self.app.execute("DELETE FROM staff_sessions").await;
        self.app
            .execute("DELETE FROM audit_events WHERE event = 'sign_in' AND scope = 'staff'")
            .await;
        Member {
            email,
            password,
            totp,
        }
    }

    /// E-mail and authenticator for an enrolment code.
    pub async fn start_enrolment(&self, code: &str) -> Result<(String, Totp), ServiceError> {
        let code = code.to_owned();
        let request = edge(StartStaffEnrolmentRequest { code });
        let begun = read(self.client().start_staff_enrolment(request).await)?;
        assert!(begun.url.contains(&format!("?secret={}&", begun.secret)));
        Ok((begun.email, Totp::read(&begun.secret)))
    }

    pub async fn finish_enrolment(
        &self,
        code: &str,
        totp: &str,
        password: &str,
    ) -> Result<SessionGrant, ServiceError> {
        let request = FinishStaffEnrolmentRequest {
            code: code.to_owned(),
            totp: totp.to_owned(),
            new_password: password.to_owned(),
            ..FinishStaffEnrolmentRequest::default()
        };
        let done = self.client().finish_staff_enrolment(edge(request)).await;
        read(done).map(|done| done.session.unwrap())
    }

    pub async fn sign_in(
        &self,
        email: &str,
        password: &str,
        totp: &str,
    ) -> Result<SessionGrant, ServiceError> {
        let request = SignInRequest {
            email_or_business_name: email.to_owned(),
            password: password.to_owned(),
            totp: totp.to_owned(),
            remember_me: true,
            ..SignInRequest::default()
        };
        self.sign_in_as(request).await
    }

    pub async fn sign_in_as(&self, request: SignInRequest) -> Result<SessionGrant, ServiceError> {
        let answer = read(self.client().sign_in(edge(request)).await)?;
        Ok(answer.session.unwrap())
    }

    /// Signs in with the unused code of the next step.
    pub async fn signed_in(&self, member: &Member) -> SessionGrant {
        self.wait(30);
        let code = member.code(&self.clock);
        let grant = self.sign_in(&member.email, &member.password, &code).await;
        grant.unwrap()
    }

    /// Resolves a token like the gateway.
    pub async fn identity(&self, token: &str) -> StaffIdentity {
        let found = self.app.resolve(token).await.unwrap();
        StaffIdentity {
            staff_id: found.user_id.parse().unwrap(),
            session_id: found.session_id.parse().unwrap(),
            authenticated_at: found.authenticated_at.unwrap().seconds,
            display_name: found.display_name,
            ..testing::staff()
        }
    }

    pub async fn at_work(&self) -> StaffIdentity {
        let member = self.member().await;
        let grant = self.signed_in(&member).await;
        self.identity(&grant.token).await
    }
}

fn client(app: &App, secrets: Secrets, settings: PasswordSettings, clock: &Clock) -> Client {
    let routes =
        hourmeter_accounts::routes(app.test.database.clone(), clock.clone(), secrets, settings);
    Client::new(testing::backend(Service::Accounts, routes, clock.clone()))
}

pub fn by_staff<T>(who: &StaffIdentity, message: T) -> tonic::Request<T> {
    testing::as_staff(Service::Accounts, who, message)
}

/// The code in a command's output.
pub fn enrolment_code(output: &str) -> String {
    let code = output
        .lines()
        .find_map(|line| line.strip_prefix("Enrolment code:"));
    let code = code.unwrap_or_else(|| panic!("no code in {output}"));
    code.trim().to_owned()
}

impl Member {
    pub fn code(&self, clock: &Clock) -> String {
        self.totp.code(clock)
    }

    pub fn code_at(&self, seconds: i64) -> String {
        self.totp.code_at(seconds)
    }
}

impl Totp {
    pub fn read(secret: &str) -> Self {
        Self(base32(secret))
    }

    pub fn code(&self, clock: &Clock) -> String {
        self.code_at(clock.now().timestamp())
    }

    pub fn code_at(&self, seconds: i64) -> String {
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).unwrap();
        mac.update(&(seconds / 30).to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let place = usize::from(digest[19] & 15);
        let word: [u8; 4] = digest[place..place + 4].try_into().unwrap();
        format!(
            "{:06}",
            (u32::from_be_bytes(word) & 0x7fff_ffff) % 1_000_000
        )
    }
}

fn base32(text: &str) -> Vec<u8> {
    let mut bits = Vec::new();
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'2'..=b'7' => byte - b'2' + 26,
            other => panic!("{other} is not base 32"),
        };
        bits.extend((0..5).rev().map(|place| value >> place & 1));
    }
    let bytes = bits.chunks_exact(8);
    bytes
        .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit))
        .collect()
}
