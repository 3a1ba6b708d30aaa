//! Signs up the demo company with random credentials.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use chrono::Duration;
use hourmeter_billing::PaymentSettings;
use hourmeter_billing::agreed::set_plan;
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::contacts_service_client::ContactsServiceClient;
use hourmeter_proto::accounts::v1::{
    CreateMailLinkRequest, CreateOperatorRequest, DismissNoticeRequest, MailLinkPurpose, Role,
    Scope, SignOutRequest, SignUpRequest, UpdateCompanySettingsRequest, VerifyEmailRequest,
};
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::sandbox_service_client::SandboxServiceClient;
use hourmeter_proto::billing::v1::{
    BillingInterval, CreateCheckoutSessionRequest, DecideSandboxCheckoutRequest,
    GetEntitlementsRequest, SandboxDecision, Tier,
};
use hourmeter_proto::notifications::v1::SendDigestRequest;
use hourmeter_proto::notifications::v1::digest_service_client::DigestServiceClient;
use hourmeter_runtime::client::{Backend, CallerSigner};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{
    Caller, DEFAULT_STALE_AFTER_DAYS, Entitlements, Identity, Service,
};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::{Request, Status};
use uuid::Uuid;

use crate::databases::Databases;
use crate::product::Product;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// The agreed plan if real payments are configured.
const PLAN: &str = "professional";

pub type Calls = InterceptedService<Backend, CallsAs>;

#[derive(Clone)]
pub struct CallsAs {
    signer: Arc<CallerSigner>,
    caller: Caller,
}

impl Interceptor for CallsAs {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let caller = self.caller.clone();
        self.signer.attach(request.extensions_mut(), caller);
        Ok(request)
    }
}

fn calls(signer: &Arc<CallerSigner>, backend: &Backend, caller: Caller) -> Calls {
    let signer = signer.clone();
    InterceptedService::new(backend.clone(), CallsAs { signer, caller })
}

fn calls_of_edge(signer: &Arc<CallerSigner>, backend: &Backend) -> Calls {
    let request_id = Uuid::now_v7();
    calls(signer, backend, Caller::Edge { request_id })
}

pub struct DemoCompany {
    signer: Arc<CallerSigner>,
    pub owner: Identity,
    pub name: String,
    pub email: String,
    pub password: String,
    pub operator_password: String,
    pub operators: Vec<DemoOperator>,
}

pub struct DemoOperator {
    pub username: String,
    pub identity: Identity,
}

impl DemoCompany {
    pub fn calls(&self, backend: &Backend, who: &Identity) -> Calls {
        let caller = Caller::Person(Box::new(who.clone()));
        calls(&self.signer, backend, caller)
    }

    /// Starts the company's subscription and gives it a year of the plan with every feature of the
    /// demo: bought in the sandbox, or agreed if real payments are configured.
    pub async fn subscribe(
        &self,
        settings: &StandaloneSettings,
        product: &Product,
        databases: &Databases,
    ) -> Result<()> {
        let backend = &product.backends.billing;
        let now = Clock::system().now();
        let request = GetEntitlementsRequest {
            company_id: self.owner.company_id.to_string(),
            company_created_at: Some(SystemTime::from(now).into()),
        };
        let mut edge = BillingServiceClient::new(calls_of_edge(&self.signer, backend));
        edge.get_entitlements(request).await?;
        if let PaymentSettings::Stripe(_) = settings.billing.payments {
            let database = databases.connect(Service::Billing)?;
            let until = now + Duration::days(365);
            set_plan(&database, self.owner.tenant(), PLAN, until, now).await?;
            return Ok(());
        }
        let mut billing = BillingServiceClient::new(self.calls(backend, &self.owner));
        let request = CreateCheckoutSessionRequest {
            tier: Tier::Professional.into(),
            interval: BillingInterval::Year.into(),
        };
        let answer = billing.create_checkout_session(request).await?.into_inner();
        let session_id = answer.url.rsplit('/').next().context("no checkout")?;
        let request = DecideSandboxCheckoutRequest {
            session_id: session_id.to_owned(),
            decision: SandboxDecision::Succeed.into(),
        };
        let mut sandbox = SandboxServiceClient::new(self.calls(backend, &self.owner));
        sandbox.decide_sandbox_checkout(request).await?;
        Ok(())
    }

    /// Verifies the owner's address, as the link in a mail does, and queues the digest.
    pub async fn send_digest(&self, product: &Product, secrets: &Secrets) -> Result<()> {
        let backends = &product.backends;
        let caller = Caller::Service {
            name: Service::Notifications,
            company_id: self.owner.company_id,
        };
        let signer = CallerSigner::new(secrets.signer("notifications")?);
        let mut contacts = ContactsServiceClient::new(calls(&signer, &backends.accounts, caller));
        let request = CreateMailLinkRequest {
            person_id: self.owner.user_id.to_string(),
            purpose: MailLinkPurpose::Verification.into(),
        };
        let link = contacts.create_mail_link(request).await?.into_inner();
        let edge = calls_of_edge(&self.signer, &backends.accounts);
        let mut accounts = AccountsServiceClient::new(edge);
        let request = VerifyEmailRequest {
            secret: link.secret,
            ..VerifyEmailRequest::default()
        };
        accounts.verify_email(request).await?;
        let mut digest = DigestServiceClient::new(self.calls(&backends.notifications, &self.owner));
        digest.send_digest(SendDigestRequest {}).await?;
        Ok(())
    }
}

/// Signs up the company, sets the operator password and adds two operators.
pub async fn sign_up(product: &Product, secrets: &Secrets) -> Result<DemoCompany> {
    let signer = CallerSigner::new(secrets.signer("gateway")?);
    let backend = &product.backends.accounts;
    let mut edge = AccountsServiceClient::new(calls_of_edge(&signer, backend));
    let (password, operator_password) = (random_password()?, random_password()?);
    // Numbered, so that a second data folder on the same database gets another name.
    let name = format!("Ridgeline Site Works {}", random_number()? % 900 + 100);
    let email = format!("dana@ridgeline-{}.example", random_letters(4)?);
    let request = SignUpRequest {
        business_name: name.clone(),
        email: email.clone(),
        password: password.clone(),
        first_name: "Dana".to_owned(),
        last_name: "Whitfield".to_owned(),
        time_zone: "America/Chicago".to_owned(),
        ..SignUpRequest::default()
    };
    let answer = edge.sign_up(request).await?.into_inner();
    let session = answer.session.context("no session")?;
    let user = session.user.context("no user")?;
    let owner = owner_identity(user.company_id.parse()?, user.id.parse()?);
    let token = session.token;
    edge.sign_out(SignOutRequest { token }).await?;

    let mut company = DemoCompany {
        signer,
        owner,
        name,
        email,
        password,
        operator_password,
        operators: Vec::new(),
    };
    let mut accounts = AccountsServiceClient::new(company.calls(backend, &company.owner));
    let settings = UpdateCompanySettingsRequest {
        operator_password: Some(company.operator_password.clone()),
        ..UpdateCompanySettingsRequest::default()
    };
    accounts.update_company_settings(settings).await?;
    // The demo has taken the first steps.
    for notice in user.notices {
        let request = DismissNoticeRequest { id: notice.id };
        accounts.dismiss_notice(request).await?;
    }
    for (first, last) in [("María", "Salazar"), ("Luis", "Ortega")] {
        let request = CreateOperatorRequest {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
        };
        let answer = accounts.create_operator(request).await?.into_inner();
        let employee = answer.employee.context("no operator")?;
        let identity = Identity {
            user_id: employee.id.parse()?,
            role: Role::Operator,
            scope: Scope::Operator,
            display_name: format!("{first} {last}"),
            ..company.owner.clone()
        };
        let username = employee.operator_username.unwrap_or_default();
        company.operators.push(DemoOperator { username, identity });
    }
    Ok(company)
}

/// The owner's identity as the gateway would send it.
fn owner_identity(company_id: Uuid, user_id: Uuid) -> Identity {
    Identity {
        company_id,
        user_id,
        owner_id: user_id,
        session_id: Uuid::now_v7(),
        request_id: Uuid::now_v7(),
        address_prefix: String::new(),
        role: Role::Owner,
        scope: Scope::Full,
        authenticated_at: Clock::system().now().timestamp(),
        display_name: "Dana Whitfield".to_owned(),
        time_zone: chrono_tz::America::Chicago,
        auto_apply_updates: false,
        entitlements: Entitlements {
            active: true,
            equipment_limit: 30,
            fuel_analytics: true,
            parts_entry: true,
        },
        second_factor_missing: false,
        stale_after_days: DEFAULT_STALE_AFTER_DAYS,
        device: None,
    }
}

fn random_number() -> Result<u32> {
    getrandom::u32().context("failed to get random bytes")
}

/// Without letters that look like digits or other letters.
fn random_letters(count: usize) -> Result<String> {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    let letter = |number: u32| LETTERS[number as usize % LETTERS.len()] as char;
    (0..count).map(|_| random_number().map(letter)).collect()
}

/// Easy to read and to type on a phone.
fn random_password() -> Result<String> {
    let (first, second) = (random_letters(5)?, random_letters(5)?);
    Ok(format!("{first}-{second}-{:03}", random_number()? % 1000))
}
