//! All companies, for support staff: who they are from accounts, what they pay for from billing.

use std::collections::HashMap;

use hourmeter_proto::accounts::v1::{
    Account, ListAccountsRequest, RevealAccountOperatorPasswordRequest,
};
use hourmeter_proto::billing::v1::{
    AccountSubscription, Entitlements, ExtendTrialRequest, ListSubscriptionsRequest,
    SetEquipmentLimitRequest, SetPlanRequest,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::error::Failure;
use hourmeter_runtime::identity::Service::{Accounts, Billing};
use tonic::Status;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, page};
use super::lists::{self, PageRead};
use super::route::{Admission, Route, Verb};
use super::settings::{mask, revealed};
use super::shape::Shape;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Get, Post};
    let example = || row(Account::default(), None);
    vec![
        Route::new(
            (Get, "/api/admin/accounts"),
            Admission::Rpc(Accounts, "ListAccounts"),
            "All companies, newest first; for support staff",
            accounts,
        )
        .query(query)
        .pages("Account", example()),
        Route::new(
            (Post, "/api/admin/accounts/{id}/reveal-master-password"),
            Admission::Rpc(Accounts, "RevealAccountOperatorPassword"),
            "A company's operator password, for a reason that its owner can read; for support staff",
            reveal,
        )
        .body(|fields| fields.required_text("reason"))
        .ok("RevealedPassword", password(None)),
        Route::new(
            (Post, "/api/admin/accounts/{id}/equipment-limit"),
            Admission::Rpc(Billing, "SetEquipmentLimit"),
            "Sets another equipment limit than the plan's, -1 for none, null for the plan's, for a \
             reason that the company's owner can read; for support staff",
            set_equipment_limit,
        )
        .body(limit_body)
        .ok("Account", example()),
        Route::new(
            (Post, "/api/admin/accounts/{id}/extend-trial"),
            Admission::Rpc(Billing, "ExtendTrial"),
            "Ends a company's trial so many days from today, for a reason that its owner can read; \
             for support staff",
            extend_trial,
        )
        .body(trial_body)
        .ok("Account", example()),
        Route::new(
            (Post, "/api/admin/accounts/{id}/plan"),
            Admission::Rpc(Billing, "SetPlan"),
            "Gives a company a plan that was agreed on, for so many days from today and a reason \
             that its owner can read; for support staff",
            set_plan,
        )
        .body(plan_body)
        .ok("Account", example()),
    ]
}

fn query(fields: &mut Fields) -> ListAccountsRequest {
    ListAccountsRequest {
        search: fields.text("search").unwrap_or_default(),
        page: Some(page(fields)),
    }
}

/// A company that billing has not met yet has nothing in the columns that are billing's.
fn row(account: Account, billed: Option<AccountSubscription>) -> Shape {
    let billed = billed.unwrap_or_default();
    let subscription = billed.subscription.unwrap_or_default();
    let plan = subscription.entitlements;
    let tier = |plan: &Entitlements| words::tier(plan.tier());
    let status = |plan: &Entitlements| words::subscription_status(plan.status());
    let ends = subscription.current_period_end.or(subscription.trial_end);
    Shape::new()
        .id("id", account.id)
        .text("business_name", account.business_name.clone())
        // One name under two documented columns.
        .text("company_name", account.business_name)
        .text("email", account.email)
        .opt_word(
            "subscription_tier",
            plan.as_ref().map(tier),
            words::TIER_WORDS,
        )
        .opt_word(
            "subscription_status",
            plan.as_ref().map(status),
            words::SUBSCRIPTION_WORDS,
        )
        .opt_whole("equipment_limit", plan.map(|plan| plan.equipment_limit))
        .opt_whole("equipment_limit_override", billed.equipment_limit_override)
        .opt_time("subscription_expiry", ends)
        .opt_text("master_password", mask(account.operator_password_set))
        .time("created_at", account.created_at)
}

async fn accounts(call: Call) -> Result<Answer, Refusal> {
    let asked = call.query(query)?;
    let (call, search) = (&call, &asked.search);
    let read = |page| read(call, search, page);
    lists::answer(asked.page.clone().unwrap_or_default(), read).await
}

async fn read(call: &Call, search: &str, page: PageRequest) -> PageRead<Shape> {
    let request = ListAccountsRequest {
        search: search.to_owned(),
        page: Some(page),
    };
    let found = call.accounts().list_accounts(request).await?.into_inner();
    let mut billed = subscriptions(call, &found.accounts).await?;
    let row = |account: Account| {
        let billed = billed.remove(&account.id);
        row(account, billed)
    };
    Ok((found.accounts.into_iter().map(row).collect(), found.page))
}

async fn subscriptions(
    call: &Call,
    accounts: &[Account],
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

fn password(password: Option<String>) -> Shape {
    Shape::new().opt_text("masterPassword", password)
}

async fn reveal(call: Call) -> Result<Answer, Refusal> {
    let request = RevealAccountOperatorPasswordRequest {
        account_id: call.id.clone(),
        reason: call.body(|fields| fields.required_text("reason"))?,
    };
    let mut accounts = call.accounts();
    let answer = accounts.reveal_account_operator_password(request).await;
    let plain = revealed(answer.map(|answer| answer.into_inner().operator_password))?;
    Answer::ok(&password(plain))
}

fn limit_body(fields: &mut Fields) -> SetEquipmentLimitRequest {
    let equipment_limit = fields.integer("equipmentLimit");
    if fields.missing("equipmentLimit") {
        // The plan's own limit must not come back by leaving it out.
        fields.wrong("equipmentLimit", "Please enter a limit.");
    }
    SetEquipmentLimitRequest {
        company_id: String::new(),
        equipment_limit,
        reason: fields.required_text("reason"),
    }
}

async fn set_equipment_limit(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(limit_body)?;
    request.company_id.clone_from(&call.id);
    // Before the change: once it is made, nothing else may keep the answer back.
    let account = account(&call).await?;
    let answer = call.billing().set_equipment_limit(request).await?;
    Answer::ok(&row(account, answer.into_inner().subscription))
}

fn trial_body(fields: &mut Fields) -> ExtendTrialRequest {
    ExtendTrialRequest {
        company_id: String::new(),
        days: fields.required_whole("days", "Must be 1 to 365.", |days| {
            (1..=365).contains(&days)
        }),
        reason: fields.required_text("reason"),
    }
}

async fn extend_trial(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(trial_body)?;
    request.company_id.clone_from(&call.id);
    let account = account(&call).await?;
    let answer = call.billing().extend_trial(request).await?;
    Answer::ok(&row(account, answer.into_inner().subscription))
}

fn plan_body(fields: &mut Fields) -> SetPlanRequest {
    let tier = fields.required_word("tier", words::TIERS);
    SetPlanRequest {
        company_id: String::new(),
        tier: tier.unwrap_or_default().into(),
        days: fields.required_whole("days", "Must be 1 to 3660.", |days| {
            (1..=3660).contains(&days)
        }),
        reason: fields.required_text("reason"),
    }
}

async fn set_plan(call: Call) -> Result<Answer, Refusal> {
    let mut request = call.body(plan_body)?;
    request.company_id.clone_from(&call.id);
    let account = account(&call).await?;
    let answer = call.billing().set_plan(request).await?;
    Answer::ok(&row(account, answer.into_inner().subscription))
}

/// The company of the path. There is no other way to it than the list.
async fn account(call: &Call) -> Result<Account, Refusal> {
    let id = call.id.to_lowercase();
    let request = ListAccountsRequest {
        search: id.clone(),
        ..ListAccountsRequest::default()
    };
    let found = call.accounts().list_accounts(request).await?.into_inner();
    let account = found.accounts.into_iter().find(|account| account.id == id);
    Ok(account.ok_or_else(Failure::not_found)?)
}
