//! People and company settings.

use hourmeter_proto::accounts::v1::{
    CompanySettings, CreateOperatorRequest, DeleteOperatorRequest, Employee,
    GetCompanySettingsRequest, GetCurrentUserRequest, ListEmployeesRequest,
    ListSecurityQuestionsRequest, Notice, SetSecurityQuestionsRequest,
    UpdateCompanySettingsRequest, UpdateOperatorRequest, User,
};
use hourmeter_proto::billing::v1::{GetSubscriptionRequest, Subscription};
use hourmeter_runtime::identity::Service::Accounts;
use http::StatusCode;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, page};
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::sign_in::texts_schema;
use super::words;
use crate::rescue::Refusal;

/// Stands for an operator password that is set; the password itself is never answered.
const MASK: &str = "********";

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    let mut routes = people();
    routes.extend(settings());
    routes
}

fn people() -> Vec<Route> {
    use Verb::{Delete, Get, Post, Put};
    let rpc = |method| Admission::Rpc(Accounts, method);
    vec![
        Route::new(
            (Get, "/api/auth/user"),
            rpc("GetCurrentUser"),
            "The person who is signed in",
            current_user,
        )
        .ok("User", user(User::default())),
        Route::new(
            (Get, "/api/auth/security-questions"),
            rpc("ListSecurityQuestions"),
            "The questions a person may choose from",
            security_questions,
        )
        .answers(StatusCode::OK, texts_schema()),
        Route::new(
            (Post, "/api/auth/setup-security-questions"),
            rpc("SetSecurityQuestions"),
            "Stores the person's security questions and answers",
            set_security_questions,
        )
        .body(security_questions_body)
        .ok("User", user(User::default())),
        Route::new(
            (Get, "/api/employees"),
            rpc("ListEmployees"),
            "The company's people",
            employees,
        )
        .query(page)
        .pages("Employee", employee(Employee::default())),
        Route::new(
            (Post, "/api/employees"),
            rpc("CreateOperator"),
            "Adds an operator",
            create_operator,
        )
        .body(operator_body)
        .created("Employee", employee(Employee::default())),
        Route::new(
            (Put, "/api/employees/{id}"),
            rpc("UpdateOperator"),
            "Changes an operator's names",
            update_operator,
        )
        .body(operator_body)
        .ok("Employee", employee(Employee::default())),
        Route::new(
            (Delete, "/api/employees/{id}"),
            rpc("DeleteOperator"),
            "Removes an operator",
            delete_operator,
        )
        .empty(),
    ]
}

fn settings() -> Vec<Route> {
    use Verb::{Get, Patch, Post};
    let rpc = |method| Admission::Rpc(Accounts, method);
    let example = || company(CompanySettings::default(), &Subscription::default());
    vec![
        Route::new(
            (Get, "/api/company-settings"),
            rpc("GetCompanySettings"),
            "The company's settings and subscription",
            company_settings,
        )
        .ok("CompanySettings", example()),
        Route::new(
            (Post, "/api/company-settings"),
            rpc("UpdateCompanySettings"),
            "Changes the settings that are given",
            update_company_settings,
        )
        .body(settings_body)
        .ok("CompanySettings", example()),
        Route::new(
            (Patch, "/api/company/settings"),
            rpc("UpdateCompanySettings"),
            "Changes the company's name",
            rename_company,
        )
        .body(|fields| fields.required_text("companyName"))
        .ok("CompanySettings", example()),
    ]
}

/// A person.
pub fn user(user: User) -> Shape {
    let role = words::role(user.role());
    Shape::new()
        .id("id", user.id)
        .opt_id("companyId", user.company_id)
        .opt_text("firstName", user.first_name)
        .opt_text("lastName", user.last_name)
        .opt_text("email", user.email)
        .opt_text("secondaryEmail", user.secondary_email)
        .word("role", role, words::ROLE_WORDS)
        .opt_text("businessName", user.business_name)
        .null("profileImageUrl")
        .word("authType", "custom", &["custom"])
        .null("employeeId")
        .opt_text("operatorUsername", user.operator_username)
        .null("managerId")
        .flag("securityQuestionsSet", user.security_questions_set)
        .objects("notices", user.notices, notice)
        .time("createdAt", user.created_at)
        .time("updatedAt", user.updated_at)
}

fn notice(notice: Notice) -> Shape {
    Shape::new()
        .id("id", notice.id)
        .text("kind", notice.kind)
        .time("at", notice.at)
}

fn employee(employee: Employee) -> Shape {
    let role = words::role(employee.role());
    Shape::new()
        .id("id", employee.id)
        .opt_text("firstName", employee.first_name)
        .opt_text("lastName", employee.last_name)
        .word("role", role, words::ROLE_WORDS)
        .opt_text("email", employee.email)
        .opt_text("operatorUsername", employee.operator_username)
        .flag("hasPersonalPassword", employee.has_personal_password)
        .time("createdAt", employee.created_at)
}

fn company(settings: CompanySettings, subscription: &Subscription) -> Shape {
    let plan = subscription.entitlements.unwrap_or_default();
    // One instant under two documented names.
    let ends = subscription.current_period_end.or(subscription.trial_end);
    let mask = settings.operator_password_set.then(|| MASK.to_owned());
    let status = words::subscription_status(plan.status());
    Shape::new()
        .id("id", settings.id)
        .id("ownerId", settings.owner_id)
        .text("companyName", settings.company_name)
        .opt_text("masterPassword", mask)
        .flag("masterPasswordSet", settings.operator_password_set)
        .flag("operatorPasswordStale", settings.operator_password_stale)
        .text("timeZone", settings.time_zone)
        .flag("autoApplyUpdates", settings.auto_apply_updates)
        .word(
            "subscriptionTier",
            words::tier(plan.tier()),
            words::TIER_WORDS,
        )
        .whole("equipmentLimit", plan.equipment_limit)
        .word("subscriptionStatus", status, words::SUBSCRIPTION_WORDS)
        .opt_time("subscriptionExpiry", ends)
        .opt_time("subscriptionEndDate", ends)
        .opt_time("trialStartDate", subscription.trial_start)
        .opt_time("trialEndDate", subscription.trial_end)
        .opt_time("pauseEndDate", subscription.pause_end)
        .time("createdAt", settings.created_at)
        .time("updatedAt", settings.updated_at)
}

async fn current_user(call: Call) -> Result<Answer, Refusal> {
    let request = GetCurrentUserRequest {};
    let found = call.accounts().get_current_user(request).await?;
    Answer::ok(&user(found.into_inner().user.unwrap_or_default()))
}

async fn security_questions(call: Call) -> Result<Answer, Refusal> {
    let request = ListSecurityQuestionsRequest {};
    let answer = call.accounts().list_security_questions(request).await?;
    Answer::json(&answer.into_inner().questions)
}

fn security_questions_body(fields: &mut Fields) -> SetSecurityQuestionsRequest {
    SetSecurityQuestionsRequest {
        question1: fields.required_text("securityQuestion1"),
        answer1: fields.required_text("securityAnswer1"),
        question2: fields.required_text("securityQuestion2"),
        answer2: fields.required_text("securityAnswer2"),
    }
}

async fn set_security_questions(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(security_questions_body)?;
    let answer = call.accounts().set_security_questions(request).await?;
    Answer::ok(&user(answer.into_inner().user.unwrap_or_default()))
}

async fn employees(call: Call) -> Result<Answer, Refusal> {
    let read = |page| {
        let mut client = call.accounts();
        let request = ListEmployeesRequest { page: Some(page) };
        async move {
            let found = client.list_employees(request).await?.into_inner();
            let rows = found.employees.into_iter().map(employee).collect();
            Ok((rows, found.page))
        }
    };
    lists::answer(call.query(page)?, read).await
}

fn operator_body(fields: &mut Fields) -> (String, String) {
    // Nobody who asks for a manager may get an operator instead.
    fields.word("role", &[("operator", ()), ("employee", ())]);
    (
        fields.required_text("firstName"),
        fields.required_text("lastName"),
    )
}

async fn create_operator(call: Call) -> Result<Answer, Refusal> {
    let (first_name, last_name) = call.body(operator_body)?;
    let request = CreateOperatorRequest {
        first_name,
        last_name,
    };
    let answer = call.accounts().create_operator(request).await?;
    let created = answer.into_inner().employee.unwrap_or_default();
    Answer::created(&employee(created))
}

async fn update_operator(call: Call) -> Result<Answer, Refusal> {
    let (first_name, last_name) = call.body(operator_body)?;
    let request = UpdateOperatorRequest {
        id: call.id.clone(),
        first_name,
        last_name,
    };
    let answer = call.accounts().update_operator(request).await?;
    let changed = answer.into_inner().employee.unwrap_or_default();
    Answer::ok(&employee(changed))
}

async fn delete_operator(call: Call) -> Result<Answer, Refusal> {
    let request = DeleteOperatorRequest {
        id: call.id.clone(),
    };
    call.accounts().delete_operator(request).await?;
    Ok(Answer::empty())
}

async fn company_settings(call: Call) -> Result<Answer, Refusal> {
    let subscription = subscription(&call).await?;
    let request = GetCompanySettingsRequest {};
    let answer = call.accounts().get_company_settings(request).await?;
    let settings = answer.into_inner().settings.unwrap_or_default();
    Answer::ok(&company(settings, &subscription))
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
    // Before the change: once it is made, nothing else may keep the answer back.
    let subscription = subscription(&call).await?;
    let answer = call.accounts().update_company_settings(request).await?;
    let settings = answer.into_inner().settings.unwrap_or_default();
    Answer::ok(&company(settings, &subscription))
}

async fn subscription(call: &Call) -> Result<Subscription, Refusal> {
    let request = GetSubscriptionRequest {};
    let answer = call.billing().get_subscription(request).await?;
    Ok(answer.into_inner().subscription.unwrap_or_default())
}
