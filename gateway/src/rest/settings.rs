//! Company settings, with the subscription.

use hourmeter_proto::accounts::v1::{
    self as proto, CancelCompanyDeletionRequest, FuelUnit, GetCompanySettingsRequest,
    RequestCompanyDeletionRequest, RevealOperatorPasswordRequest, UpdateCompanySettingsRequest,
};
use hourmeter_proto::billing::v1::{
    Entitlements, GetSubscriptionRequest, Subscription, SubscriptionStatus, Tier,
};
use hourmeter_runtime::error::{Kind, ServiceError};
use hourmeter_runtime::identity::Service::Accounts;
use schemars::JsonSchema;
use serde::Serialize;
use tonic::Status;

use super::call::Call;
use super::fields::Fields;
use super::from_proto::{FromProto, objects};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::values::{Id, Instant};
use super::wire_enums::{WireName, WireNames};
use crate::api_error::ApiError;
use crate::layers::csrf::has_csrf_header;
use crate::operator_password::{self, MASK};
use crate::refusals;

/// Fields that the query may request in plain text.
const REVEAL: WireNames<()> = &[("masterPassword", ())];

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    vec![
        rpc("GetCompanySettings")
            .at(Get, "/api/company-settings")
            .query(reveal, company_settings)
            .summary(
                "The company's settings and subscription; with X-Requested-With and a recent \
                 sign-in the operator password too",
            )
            .ok::<CompanySettings>(),
        rpc("UpdateCompanySettings")
            .at(Post, "/api/company-settings")
            .body(settings_body, update_company_settings)
            .summary("Changes the settings that are given")
            .ok::<CompanySettings>(),
        rpc("UpdateCompanySettings")
            .at(Patch, "/api/company/settings")
            .body(settings_body, update_company_settings)
            .summary("Changes the settings that are given, such as the company's name")
            .ok::<CompanySettings>(),
        rpc("ListAuditEvents")
            .route(Post, "/api/company-settings/export", export_everything)
            .summary("Records an export of all data in the audit log, before its parts are read")
            .empty()
            .export(),
        rpc("RequestCompanyDeletion")
            .at(Post, "/api/company-settings/deletion")
            .body(|fields| fields.required_text("companyName"), start_deletion)
            .summary("Schedules the deletion of the company in 7 days")
            .ok::<CompanySettings>(),
        rpc("CancelCompanyDeletion")
            .route(Delete, "/api/company-settings/deletion", cancel_deletion)
            .summary("Cancels the deletion of the company")
            .ok::<CompanySettings>(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CompanySettings {
    #[serde(flatten)]
    settings: Settings,
    master_password: Option<String>,
    #[serde(flatten)]
    subscription: SubscriptionSummary,
}

objects! {
    struct Settings(settings: proto::CompanySettings) {
        id: Id,
        owner_id: Id,
        company_name: String,
        master_password_set: bool = settings.operator_password_set,
        operator_password_stale: bool,
        time_zone: String,
        auto_apply_updates: bool,
        earlier_warnings: bool,
        fuel_unit: WireName<FuelUnit>,
        stale_after_days: u32,
        deletion_due_at: Option<Instant>,
        created_at: Instant,
        updated_at: Instant,
    }

    struct SubscriptionSummary(subscription: Subscription) {
        #[serde(flatten)]
        plan: PlanSummary = subscription.entitlements,
        // One value under two documented names.
        subscription_expiry: Option<Instant>
            = subscription.current_period_end.or(subscription.trial_end),
        subscription_end_date: Option<Instant>
            = subscription.current_period_end.or(subscription.trial_end),
        trial_start_date: Option<Instant> = subscription.trial_start,
        trial_end_date: Option<Instant> = subscription.trial_end,
        pause_end_date: Option<Instant> = subscription.pause_end,
    }

    struct PlanSummary(plan: Entitlements) {
        subscription_tier: WireName<Tier> = plan.tier,
        equipment_limit: i32,
        subscription_status: WireName<SubscriptionStatus> = plan.status,
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

async fn company_settings(call: Call, reveal: bool) -> RestResult {
    if reveal && !has_csrf_header(&call.headers) {
        return Err(ApiError::CrossSite);
    }
    let subscription = subscription(&call).await?;
    let request = GetCompanySettingsRequest {};
    let response = call.accounts().get_company_settings(request).await?;
    let settings = response.into_inner().settings.unwrap_or_default();
    let password = if reveal {
        operator_password(&call).await?
    } else {
        mask(settings.operator_password_set)
    };
    respond(settings, password, subscription)
}

async fn operator_password(call: &Call) -> Result<Option<String>, ApiError> {
    let rule = AccessRule::Rpc(Accounts, "RevealOperatorPassword");
    rule.authorize(call).await?;
    let request = RevealOperatorPasswordRequest {};
    let response = call.accounts().reveal_operator_password(request).await;
    revealed(response.map(|response| response.into_inner().operator_password))
}

/// A requested password; `None` if none is set.
pub fn revealed(response: Result<String, Status>) -> Result<Option<String>, ApiError> {
    match response {
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
        operator_password: fields.text_in("masterPassword", 6..=64),
        company_name: fields.text_in("companyName", 2..=100),
        time_zone: fields.text("timeZone"),
        auto_apply_updates: fields.flag("autoApplyUpdates"),
        earlier_warnings: fields.flag("earlierWarnings"),
        fuel_unit: fields.enum_or_unspecified::<FuelUnit>("fuelUnit"),
        stale_after_days: fields.whole_in("staleAfterDays", 0..=365),
    }
}

async fn update_company_settings(call: Call, request: UpdateCompanySettingsRequest) -> RestResult {
    // Before the change: after it, nothing else may fail the call.
    let subscription = subscription(&call).await?;
    let attempt = if operator_password::is_set_by(&request) {
        operator_password::begin(&call.services.limits, &call.services.clock, &call.requester)
            .await?
    } else {
        None
    };
    let response = call.accounts().update_company_settings(request).await;
    let response = response.map_err(|status| ServiceError::from_status(&status));
    if let Some(attempt) = attempt {
        operator_password::end(attempt, response.as_ref().err()).await;
    }
    changed(response?.into_inner().settings, subscription)
}

/// The route records it.
async fn export_everything(_: Call) -> RestResult {
    Ok(RestResponse::empty())
}

async fn start_deletion(call: Call, company_name: String) -> RestResult {
    let subscription = subscription(&call).await?;
    let request = RequestCompanyDeletionRequest { company_name };
    let response = call.accounts().request_company_deletion(request).await?;
    changed(response.into_inner().settings, subscription)
}

async fn cancel_deletion(call: Call) -> RestResult {
    let subscription = subscription(&call).await?;
    let request = CancelCompanyDeletionRequest {};
    let response = call.accounts().cancel_company_deletion(request).await?;
    changed(response.into_inner().settings, subscription)
}

fn changed(settings: Option<proto::CompanySettings>, subscription: Subscription) -> RestResult {
    let settings = settings.unwrap_or_default();
    let mask = mask(settings.operator_password_set);
    respond(settings, mask, subscription)
}

fn respond(
    settings: proto::CompanySettings,
    password: Option<String>,
    subscription: Subscription,
) -> RestResult {
    RestResponse::ok(&CompanySettings {
        settings: Settings::from_proto(settings),
        master_password: FromProto::from_proto(password),
        subscription: SubscriptionSummary::from_proto(subscription),
    })
}

async fn subscription(call: &Call) -> Result<Subscription, ApiError> {
    let request = GetSubscriptionRequest {};
    let response = call.billing().get_subscription(request).await?;
    Ok(response.into_inner().subscription.unwrap_or_default())
}
