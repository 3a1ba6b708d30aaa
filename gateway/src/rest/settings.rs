//! Company settings, with the subscription.

use hourmeter_proto::accounts::v1::{
    self as proto, GetCompanySettingsRequest, RevealOperatorPasswordRequest,
    UpdateCompanySettingsRequest,
};
use hourmeter_proto::billing::v1::{
    GetSubscriptionRequest, Subscription, SubscriptionStatus, Tier,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service::Accounts;
use schemars::JsonSchema;
use serde::Serialize;
use tonic::Status;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, Words};
use super::route::{Admission, Route, Verb};
use super::values::{Id, Instant, filled};
use super::words::Word;
use crate::layers::csrf::has_marker;
use crate::limits::CompanyLimit;
use crate::operator_password;
use crate::refusals;
use crate::rescue::Refusal;

/// Placeholder of a stored operator password, which is returned only on request.
pub const MASK: &str = "********";
/// Fields that the query may request in plain text.
const REVEAL: Words<()> = &[("masterPassword", ())];

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Patch, Post};
    let rpc = |method| Admission::Rpc(Accounts, method);
    vec![
        Route::new(
            (Get, "/api/company-settings"),
            rpc("GetCompanySettings"),
            "The company's settings and subscription; with X-Requested-With and a recent sign-in \
             the operator password too",
            company_settings,
        )
        .query(reveal)
        .ok::<CompanySettings>(),
        Route::new(
            (Post, "/api/company-settings"),
            rpc("UpdateCompanySettings"),
            "Changes the settings that are given",
            update_company_settings,
        )
        .body(settings_body)
        .ok::<CompanySettings>(),
        Route::new(
            (Patch, "/api/company/settings"),
            rpc("UpdateCompanySettings"),
            "Changes the company's name",
            rename_company,
        )
        .body(|fields| fields.required_text("companyName"))
        .ok::<CompanySettings>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CompanySettings {
    id: Id,
    owner_id: Id,
    company_name: String,
    master_password: Option<String>,
    master_password_set: bool,
    operator_password_stale: bool,
    time_zone: String,
    auto_apply_updates: bool,
    subscription_tier: Word<Tier>,
    equipment_limit: i32,
    subscription_status: Word<SubscriptionStatus>,
    subscription_expiry: Option<Instant>,
    subscription_end_date: Option<Instant>,
    trial_start_date: Option<Instant>,
    trial_end_date: Option<Instant>,
    pause_end_date: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
}

impl CompanySettings {
    fn new(
        settings: proto::CompanySettings,
        password: Option<String>,
        subscription: &Subscription,
    ) -> Self {
        let plan = subscription.entitlements.unwrap_or_default();
        // One value under two documented names.
        let ends = subscription.current_period_end.or(subscription.trial_end);
        Self {
            id: Id(settings.id),
            owner_id: Id(settings.owner_id),
            company_name: settings.company_name,
            master_password: password.and_then(filled),
            master_password_set: settings.operator_password_set,
            operator_password_stale: settings.operator_password_stale,
            time_zone: settings.time_zone,
            auto_apply_updates: settings.auto_apply_updates,
            subscription_tier: Word(plan.tier()),
            equipment_limit: plan.equipment_limit,
            subscription_status: Word(plan.status()),
            subscription_expiry: ends.map(Instant::from),
            subscription_end_date: ends.map(Instant::from),
            trial_start_date: subscription.trial_start.map(Instant::from),
            trial_end_date: subscription.trial_end.map(Instant::from),
            pause_end_date: subscription.pause_end.map(Instant::from),
            created_at: settings.created_at.into(),
            updated_at: settings.updated_at.into(),
        }
    }
}

/// Whether the operator password is requested. Any other value is an error: it must not look like a
/// company without a password.
fn reveal(fields: &mut Fields) -> bool {
    let asked = fields.word("reveal", REVEAL).is_some();
    if !asked && !fields.missing("reveal") {
        fields.wrong("reveal", refusals::REVEAL_UNKNOWN);
    }
    asked
}

async fn company_settings(call: Call) -> Result<Answer, Refusal> {
    let reveal = call.query(reveal)?;
    if reveal && !has_marker(&call.headers) {
        return Err(Refusal::Foreign);
    }
    let subscription = subscription(&call).await?;
    let request = GetCompanySettingsRequest {};
    let answer = call.accounts().get_company_settings(request).await?;
    let settings = answer.into_inner().settings.unwrap_or_default();
    let password = if reveal {
        operator_password(&call).await?
    } else {
        mask(settings.operator_password_set)
    };
    Answer::ok(&CompanySettings::new(settings, password, &subscription))
}

async fn operator_password(call: &Call) -> Result<Option<String>, Refusal> {
    // Denied calls do not count.
    call.permit(Admission::Rpc(Accounts, "RevealOperatorPassword"))?;
    call.count(CompanyLimit::Reveals).await?;
    let request = RevealOperatorPasswordRequest {};
    let answer = call.accounts().reveal_operator_password(request).await;
    revealed(answer.map(|answer| answer.into_inner().operator_password))
}

/// A requested password; `None` if none is set.
pub fn revealed(answer: Result<String, Status>) -> Result<Option<String>, Refusal> {
    match answer {
        Ok(password) => Ok(Some(password)),
        Err(status) => match ServiceError::from_status(&status) {
            failure if failure.kind == Kind::Conflict => Ok(None),
            failure => Err(failure.into()),
        },
    }
}

/// The placeholder, if a password is set.
pub fn mask(is_set: bool) -> Option<String> {
    is_set.then(|| MASK.to_owned())
}

fn settings_body(fields: &mut Fields) -> UpdateCompanySettingsRequest {
    UpdateCompanySettingsRequest {
        operator_password: fields.text("masterPassword"),
        company_name: fields.text("companyName"),
        time_zone: fields.text("timeZone"),
        auto_apply_updates: fields.flag("autoApplyUpdates"),
    }
}

async fn update_company_settings(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(settings_body)?;
    change_settings(call, request).await
}

async fn rename_company(call: Call) -> Result<Answer, Refusal> {
    let company_name = call.body(|fields| fields.required_text("companyName"))?;
    let request = UpdateCompanySettingsRequest {
        company_name: Some(company_name),
        ..UpdateCompanySettingsRequest::default()
    };
    change_settings(call, request).await
}

async fn change_settings(
    call: Call,
    request: UpdateCompanySettingsRequest,
) -> Result<Answer, Refusal> {
    // Before the change: after it, nothing else may fail the call.
    let subscription = subscription(&call).await?;
    let attempt = if operator_password::is_set_by(&request) {
        operator_password::begin(&call.gateway, &call.visitor).await?
    } else {
        None
    };
    let answer = call.accounts().update_company_settings(request).await;
    let answer = answer.map_err(|status| ServiceError::from_status(&status));
    if let Some(attempt) = attempt {
        operator_password::end(attempt, answer.as_ref().err()).await;
    }
    let settings = answer?.into_inner().settings.unwrap_or_default();
    let mask = mask(settings.operator_password_set);
    Answer::ok(&CompanySettings::new(settings, mask, &subscription))
}

async fn subscription(call: &Call) -> Result<Subscription, Refusal> {
    let request = GetSubscriptionRequest {};
    let answer = call.billing().get_subscription(request).await?;
    Ok(answer.into_inner().subscription.unwrap_or_default())
}
