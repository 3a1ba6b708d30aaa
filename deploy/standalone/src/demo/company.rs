//! Signing the demo company up, with random credentials.

use anyhow::{Context as _, Result};
use chrono::Duration;
use hourmeter_billing::PaymentSettings;
use hourmeter_billing::agreed::set_plan;
use hourmeter_proto::accounts::v1::accounts_service_client::AccountsServiceClient;
use hourmeter_proto::accounts::v1::{
    CreateOperatorRequest, Role, Scope, SignOutRequest, SignUpRequest, UpdateCompanySettingsRequest,
};
use hourmeter_proto::billing::v1::billing_service_client::BillingServiceClient;
use hourmeter_proto::billing::v1::{
    BillingInterval, CreateCheckoutSessionRequest, DecideSandboxCheckoutRequest,
    GetEntitlementsRequest, SandboxDecision, Tier,
};
use hourmeter_runtime::client::{Backend, signed};
use hourmeter_runtime::clock::Clock;
use hourmeter_runtime::identity::{Caller, Entitlements, Identity, Service, Signer};
use uuid::Uuid;

use crate::databases::Databases;
use crate::product::Product;
use crate::secrets::Secrets;
use crate::settings::StandaloneSettings;

/// The company's name, but for a number.
const NAME: &str = "Ridgeline Site Works";
/// Its plan where payments are real.
const PLAN: &str = "professional";

/// The company and those who work in it.
pub struct DemoCompany {
    /// Signs calls as the gateway would.
    pub signer: Signer,
    /// Who runs it.
    pub owner: Identity,
    /// Its name.
    pub name: String,
    /// The owner's e-mail.
    pub email: String,
    /// The owner's password.
    pub password: String,
    /// The operators' shared password.
    pub operator_password: String,
    /// Who works in the field.
    pub operators: Vec<DemoOperator>,
}

/// Somebody who works in the field.
pub struct DemoOperator {
    /// As the product generated it.
    pub username: String,
    /// Who it is.
    pub identity: Identity,
}

impl DemoCompany {
    /// A message of a person of the company.
    pub fn call<T>(
        &self,
        service: Service,
        who: &Identity,
        message: T,
    ) -> Result<tonic::Request<T>> {
        Ok(signed(
            &self.signer,
            service,
            &Caller::Person(Box::new(who.clone())),
            message,
        )?)
    }

    /// Tells billing of the company as of now, as the gateway does when its owner first comes, and
    /// gives it a year of the plan that has everything the demo shows: bought at the built-in
    /// checkout, or agreed on where payments are real.
    pub async fn subscribe(
        &self,
        settings: &StandaloneSettings,
        product: &Product,
        databases: &Databases,
    ) -> Result<()> {
        let mut billing = BillingServiceClient::<Backend>::new(product.backends.billing.clone());
        let now = Clock::system().now();
        let request = GetEntitlementsRequest {
            company_id: self.owner.company_id.to_string(),
            company_created_at: Some(prost_types::Timestamp {
                seconds: now.timestamp(),
                nanos: 0,
            }),
        };
        let edge = Caller::Edge {
            request_id: Uuid::now_v7(),
        };
        let request = signed(&self.signer, Service::Billing, &edge, request)?;
        billing.get_entitlements(request).await?;
        match settings.billing.payments {
            PaymentSettings::Sandbox => self.check_out(billing).await,
            PaymentSettings::Stripe(_) => {
                let database = databases.connect(Service::Billing)?;
                let until = now + Duration::days(365);
                set_plan(&database, self.owner.tenant(), PLAN, until, now).await?;
                Ok(())
            }
        }
    }

    /// Buys the plan as a customer would.
    async fn check_out(&self, mut billing: BillingServiceClient<Backend>) -> Result<()> {
        let request = CreateCheckoutSessionRequest {
            tier: Tier::Professional.into(),
            interval: BillingInterval::Year.into(),
        };
        let request = self.call(Service::Billing, &self.owner, request)?;
        let answer = billing.create_checkout_session(request).await?.into_inner();
        let session_id = answer.url.rsplit('/').next().context("no checkout")?;
        let request = DecideSandboxCheckoutRequest {
            session_id: session_id.to_owned(),
            decision: SandboxDecision::Succeed.into(),
        };
        let request = self.call(Service::Billing, &self.owner, request)?;
        billing.decide_sandbox_checkout(request).await?;
        Ok(())
    }
}

/// Signs the company up, sets the operator password and adds two operators.
pub async fn sign_up(product: &Product, secrets: &Secrets) -> Result<DemoCompany> {
    let signer = secrets.gateway_signer()?;
    let mut accounts = AccountsServiceClient::<Backend>::new(product.backends.accounts.clone());
    let (password, operator_password) = (random_password()?, random_password()?);
    let name = free_name()?;
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
    let edge = Caller::Edge {
        request_id: Uuid::now_v7(),
    };
    let answer = accounts
        .sign_up(signed(&signer, Service::Accounts, &edge, request)?)
        .await?;
    let session = answer.into_inner().session.context("no session")?;
    let user = session.user.context("no user")?;
    let owner = owner_identity(user.company_id.parse()?, user.id.parse()?);
    let sign_out = SignOutRequest {
        token: session.token,
    };
    accounts
        .sign_out(signed(&signer, Service::Accounts, &edge, sign_out)?)
        .await?;

    let mut company = DemoCompany {
        signer,
        owner,
        name,
        email,
        password,
        operator_password,
        operators: Vec::new(),
    };
    let settings = UpdateCompanySettingsRequest {
        operator_password: Some(company.operator_password.clone()),
        ..UpdateCompanySettingsRequest::default()
    };
    let settings = company.call(Service::Accounts, &company.owner, settings)?;
    accounts.update_company_settings(settings).await?;
    for (first, last) in [("María", "Salazar"), ("Luis", "Ortega")] {
        let request = CreateOperatorRequest {
            first_name: first.to_owned(),
            last_name: last.to_owned(),
        };
        let request = company.call(Service::Accounts, &company.owner, request)?;
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

/// The owner as the gateway would name them after signing in.
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
    }
}

/// The name, with a number so that a second data folder on the same database gets its own.
fn free_name() -> Result<String> {
    Ok(format!("{NAME} {}", random_number()? % 900 + 100))
}

fn random_number() -> Result<u32> {
    getrandom::u32().context("no randomness")
}

/// Letters that are not mistaken for digits or for one another.
fn random_letters(count: usize) -> Result<String> {
    const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
    let letter = |number: u32| LETTERS[number as usize % LETTERS.len()] as char;
    (0..count).map(|_| random_number().map(letter)).collect()
}

/// Easy to read off a terminal and to type on a phone.
fn random_password() -> Result<String> {
    let (first, second) = (random_letters(5)?, random_letters(5)?);
    Ok(format!("{first}-{second}-{:03}", random_number()? % 1000))
}
