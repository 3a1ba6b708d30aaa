//! All companies, for support staff, from accounts and billing.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::slice;
use std::sync::Arc;

use futures::future::try_join_all;
use hourmeter_proto::accounts::v1::{
    self as proto, FindAccountsRequest, GetAccountRequest, ListAccountsRequest,
    RevealAccountOperatorPasswordRequest,
};
use hourmeter_proto::billing::v1::{
    AccountState, AccountSubscription, ExtendTrialRequest, GetEntitlementsRequest,
    ListAccountEventsRequest, ListSubscriptionsInStateRequest, ListSubscriptionsRequest,
    SetEquipmentLimitRequest, SetPlanRequest, SubscriptionStatus, Tier,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_proto::equipment::v1::CountEquipmentRequest;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service::{Accounts, Billing};
use hourmeter_runtime::refusals as shared;
use schemars::JsonSchema;
use serde::Serialize;
use tonic::Status;
use uuid::Uuid;

use super::audit_log::{self, AuditEvent};
use super::call::Call;
use super::fields::kind::FieldKind;
use super::fields::{Fields, page};
use super::from_proto::FromProto;
use super::lists::{self, PageRead};
use super::response::{RestResponse, RestResult};
use super::route::{AccessRule, Route, Verb};
use super::settings::{mask, revealed};
use super::values::{Id, Instant};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;
use crate::outgoing;
use crate::refusals;

pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    vec![
        AccessRule::Rpc(Accounts, "ListAccounts")
            .at(Get, "/api/admin/accounts")
            .query(query, accounts)
            .summary(
                "All companies, or those in a state, newest first; for support staff. With a \
                 search and a state, a page may be empty although there are more",
            )
            .pages::<Account>(),
        AccessRule::StaffRpc("GetAccount")
            .route(Get, "/api/admin/accounts/{id}", details)
            .summary(
                "A company with its people in figures, its equipment, the changes of its plan \
                 and what support staff did; for support staff",
            )
            .ok::<AccountDetails>(),
        AccessRule::Rpc(Accounts, "RevealAccountOperatorPassword")
            .at(Post, "/api/admin/accounts/{id}/reveal-master-password")
            .body(|fields| fields.required_text_in("reason", 10..=500), reveal)
            .summary(
                "A company's operator password, for a reason that its owner can read; for \
                 support staff",
            )
            .ok::<RevealedPassword>(),
        AccessRule::Rpc(Billing, "SetEquipmentLimit")
            .at(Post, "/api/admin/accounts/{id}/equipment-limit")
            .body(limit_body, set_equipment_limit)
            .summary(
                "Sets another equipment limit than the plan's, -1 for none, null for the plan's, \
                 for a reason that the company's owner can read; for support staff",
            )
            .ok::<Account>(),
        AccessRule::Rpc(Billing, "ExtendTrial")
            .at(Post, "/api/admin/accounts/{id}/extend-trial")
            .body(trial_body, extend_trial)
            .summary(
                "Ends a company's trial the given number of days from today, for a reason that \
                 its owner can read; for support staff",
            )
            .ok::<Account>(),
        AccessRule::Rpc(Billing, "SetPlan")
            .at(Post, "/api/admin/accounts/{id}/plan")
            .body(plan_body, set_plan)
            .summary(
                "Gives a company a plan that was agreed on, for the given number of days from \
                 today and a reason that its owner can read; for support staff",
            )
            .ok::<Account>(),
    ]
}

struct AccountsQuery {
    search: String,
    page: PageRequest,
    state: Option<AccountState>,
}

fn query(fields: &mut Fields) -> AccountsQuery {
    AccountsQuery {
        search: fields.text_in("search", 0..=200).unwrap_or_default(),
        page: page(fields),
        state: fields.word("state", AccountState::NAMES),
    }
}

#[derive(Serialize, JsonSchema)]
struct Account {
    id: Id,
    business_name: String,
    company_name: String,
    email: String,
    subscription_tier: Option<WireName<Tier>>,
    subscription_status: Option<WireName<SubscriptionStatus>>,
    equipment_limit: Option<i32>,
    equipment_limit_override: Option<i32>,
    subscription_expiry: Option<Instant>,
    master_password: Option<String>,
    created_at: Instant,
}

impl Account {
    /// A company unknown to billing has no values in billing's columns.
    fn new(account: proto::Account, billed: Option<AccountSubscription>) -> Self {
        let billed = billed.unwrap_or_default();
        let subscription = billed.subscription.unwrap_or_default();
        let plan = subscription.entitlements.as_ref();
        let ends = subscription.current_period_end.or(subscription.trial_end);
        Self {
            id: Id(account.id),
            business_name: account.business_name.clone(),
            // One name under two documented columns.
            company_name: account.business_name,
            email: account.email,
            subscription_tier: plan.map(|plan| WireName(plan.tier())),
            subscription_status: plan.map(|plan| WireName(plan.status())),
            equipment_limit: plan.map(|plan| plan.equipment_limit),
            equipment_limit_override: billed.equipment_limit_override,
            subscription_expiry: FromProto::from_proto(ends),
            master_password: mask(account.operator_password_set),
            created_at: FromProto::from_proto(account.created_at),
        }
    }
}

async fn accounts(call: Call, asked: AccountsQuery) -> RestResult {
    let (search, state) = (asked.search, asked.state);
    let read = move |call, page| read(call, search.clone(), state, page);
    lists::respond(call, asked.page, read).await
}

#[derive(Serialize, JsonSchema)]
struct AccountDetails {
    #[serde(flatten)]
    account: Account,
    owner_name: String,
    owner_last_sign_in: Option<Instant>,
    last_sign_in: Option<Instant>,
    managers: u32,
    operators: u32,
    equipment_count: u32,
    events: Vec<AuditEvent>,
}

async fn details(call: Call) -> RestResult {
    let request = GetAccountRequest {
        account_id: call.id(),
    };
    let details = call.accounts_staff().get_account(request).await?;
    let details = details.into_inner();
    let account = details.account.unwrap_or_default();
    let company_id = account.id.clone();
    let mut billed = subscriptions(&call, slice::from_ref(&account)).await?;
    let (mut billing, mut equipment) = (call.billing_staff(), call.equipment_staff());
    let (changes, counted) = futures::try_join!(
        billing.list_account_events(ListAccountEventsRequest {
            company_id: company_id.clone(),
        }),
        equipment.count_equipment(CountEquipmentRequest {
            company_ids: vec![company_id.clone()],
        }),
    )?;
    let mut events = details.events;
    events.extend(changes.into_inner().events);
    events.sort_by_key(|event| Reverse(audit_log::key(event).ok()));
    let counts = counted.into_inner().counts;
    RestResponse::ok(&AccountDetails {
        account: Account::new(account, billed.remove(&company_id)),
        owner_name: details.owner_name,
        owner_last_sign_in: FromProto::from_proto(details.owner_last_sign_in_at),
        last_sign_in: FromProto::from_proto(details.last_sign_in_at),
        managers: details.managers,
        operators: details.operators,
        equipment_count: counts.first().map_or(0, |count| count.active),
        events: FromProto::from_proto(events),
    })
}

async fn read(
    call: Arc<Call>,
    search: String,
    state: Option<AccountState>,
    page: PageRequest,
) -> PageRead<Account> {
    if let Some(state) = state.filter(|_| search.is_empty()) {
        return read_in_state(&call, state, page).await;
    }
    let request = ListAccountsRequest {
        search,
        page: Some(page),
    };
    let found = call.accounts().list_accounts(request).await?.into_inner();
    let mut billed = subscriptions(&call, &found.accounts).await?;
    let row = |account: proto::Account| {
        let billed = billed.remove(&account.id).unwrap_or_default();
        let is_wanted = state.is_none_or(|state| state_of(&billed) == state);
        is_wanted.then(|| Account::new(account, Some(billed)))
    };
    let rows = found.accounts.into_iter().filter_map(row).collect();
    Ok((rows, found.page))
}

async fn read_in_state(call: &Call, state: AccountState, page: PageRequest) -> PageRead<Account> {
    let request = ListSubscriptionsInStateRequest {
        state: state.into(),
        page: Some(page),
    };
    let mut billing = call.billing_staff();
    let found = billing.list_subscriptions_in_state(request).await?;
    let found = found.into_inner();
    let ids = found.subscriptions.iter();
    let request = FindAccountsRequest {
        account_ids: ids.map(|billed| billed.company_id.clone()).collect(),
    };
    let accounts = call.accounts_staff().find_accounts(request).await?;
    let accounts = accounts.into_inner().accounts.into_iter();
    let mut accounts: HashMap<_, _> = accounts.map(|row| (row.id.clone(), row)).collect();
    let row = |billed: AccountSubscription| {
        let account = accounts.remove(&billed.company_id)?;
        Some(Account::new(account, Some(billed)))
    };
    let rows = found.subscriptions.into_iter().filter_map(row).collect();
    Ok((rows, found.page))
}

/// The state by which billing lists the company.
fn state_of(billed: &AccountSubscription) -> AccountState {
    let Some(subscription) = &billed.subscription else {
        return AccountState::Unspecified;
    };
    match subscription.entitlements.unwrap_or_default().status() {
        SubscriptionStatus::Active if subscription.grace_end.is_some() => AccountState::PastDue,
        SubscriptionStatus::Active => AccountState::Active,
        SubscriptionStatus::Trial => AccountState::Trial,
        SubscriptionStatus::Paused => AccountState::Paused,
        SubscriptionStatus::Canceled => AccountState::Canceled,
        SubscriptionStatus::Expired => AccountState::Expired,
        SubscriptionStatus::Unspecified => AccountState::Unspecified,
    }
}

/// Starts the trial of companies that have made no call since they signed up.
async fn subscriptions(
    call: &Call,
    accounts: &[proto::Account],
) -> Result<HashMap<String, AccountSubscription>, Status> {
    let mut billed = list_subscriptions(call, accounts).await?;
    let is_new = |account: &&proto::Account| !billed.contains_key(&account.id);
    let new: Vec<_> = accounts.iter().filter(is_new).cloned().collect();
    if !new.is_empty() {
        let started = new.iter().map(async |account| {
            let request = GetEntitlementsRequest {
                company_id: account.id.clone(),
                company_created_at: account.created_at,
            };
            outgoing::billing(call.as_gateway())
                .get_entitlements(request)
                .await
        });
        try_join_all(started).await?;
        billed.extend(list_subscriptions(call, &new).await?);
    }
    Ok(billed)
}

async fn list_subscriptions(
    call: &Call,
    accounts: &[proto::Account],
) -> Result<HashMap<String, AccountSubscription>, Status> {
    let request = ListSubscriptionsRequest {
        company_ids: accounts.iter().map(|account| account.id.clone()).collect(),
    };
    let found = call.billing().list_subscriptions(request).await?;
    let found = found.into_inner().subscriptions.into_iter();
    Ok(found
        .map(|billed| (billed.company_id.clone(), billed))
        .collect())
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RevealedPassword {
    master_password: Option<String>,
}

async fn reveal(call: Call, reason: String) -> RestResult {
    let request = RevealAccountOperatorPasswordRequest {
        account_id: call.id(),
        reason,
    };
    let mut accounts = call.accounts();
    let response = accounts.reveal_account_operator_password(request).await;
    let plain = revealed(response.map(|response| response.into_inner().operator_password))?;
    RestResponse::ok(&RevealedPassword {
        master_password: FromProto::from_proto(plain),
    })
}

fn limit_body(fields: &mut Fields) -> SetEquipmentLimitRequest {
    let kind = FieldKind::Whole(-1..=1_000_000);
    let equipment_limit = fields.whole_of("equipmentLimit", kind, shared::NOT_WHOLE);
    if fields.missing("equipmentLimit") {
        // Omitting the field must not reset the limit.
        fields.wrong("equipmentLimit", refusals::LIMIT_MISSING);
    }
    SetEquipmentLimitRequest {
        company_id: String::new(),
        equipment_limit,
        reason: fields.required_text_in("reason", 10..=500),
    }
}

async fn set_equipment_limit(call: Call, mut request: SetEquipmentLimitRequest) -> RestResult {
    request.company_id = call.id();
    // Before the change: after it, nothing else may fail the call.
    let account = account(&call).await?;
    let response = call.billing().set_equipment_limit(request).await?;
    RestResponse::ok(&Account::new(account, response.into_inner().subscription))
}

fn trial_body(fields: &mut Fields) -> ExtendTrialRequest {
    ExtendTrialRequest {
        company_id: String::new(),
        days: fields.required_whole_in("days", 1..=365),
        reason: fields.required_text_in("reason", 10..=500),
    }
}

async fn extend_trial(call: Call, mut request: ExtendTrialRequest) -> RestResult {
    request.company_id = call.id();
    let account = account(&call).await?;
    let response = call.billing().extend_trial(request).await?;
    RestResponse::ok(&Account::new(account, response.into_inner().subscription))
}

fn plan_body(fields: &mut Fields) -> SetPlanRequest {
    SetPlanRequest {
        company_id: String::new(),
        tier: fields.required_enum_value::<Tier>("tier"),
        days: fields.required_whole_in("days", 1..=3660),
        reason: fields.required_text_in("reason", 10..=500),
    }
}

async fn set_plan(call: Call, mut request: SetPlanRequest) -> RestResult {
    request.company_id = call.id();
    let account = account(&call).await?;
    let response = call.billing().set_plan(request).await?;
    RestResponse::ok(&Account::new(account, response.into_inner().subscription))
}

/// The company of the path.
async fn account(call: &Call) -> Result<proto::Account, ApiError> {
    let id = Uuid::parse_str(&call.id()).map_err(|_| ServiceError::not_found())?;
    let request = FindAccountsRequest {
        account_ids: vec![id.to_string()],
    };
    let found = call.accounts_staff().find_accounts(request).await?;
    let account = found.into_inner().accounts.pop();
    let account = account.ok_or_else(ServiceError::not_found)?;
    subscriptions(call, slice::from_ref(&account)).await?;
    Ok(account)
}
