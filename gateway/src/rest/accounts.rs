//! People: the one who is signed in, and the company's.

use hourmeter_proto::accounts::v1::{
    CreateOperatorRequest, DeleteOperatorRequest, Employee, GetCurrentUserRequest,
    ListEmployeesRequest, ListSecurityQuestionsRequest, Notice, SetSecurityQuestionsRequest,
    UpdateOperatorRequest, User,
};
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

/// The routes of this file.
pub fn routes() -> Vec<Route> {
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
