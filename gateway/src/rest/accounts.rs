//! People: the one who is signed in, and the company's.

use hourmeter_proto::accounts::v1::{
    CreateManagerRequest, CreateOperatorRequest, DeleteEmployeeRequest, Employee,
    GetCurrentUserRequest, ListEmployeesRequest, ListSecurityQuestionsRequest, Notice,
    SetSecurityQuestionsRequest, UpdateEmployeeRequest, UpdateProfileRequest, User,
};
use hourmeter_runtime::identity::Service::Accounts;
use http::StatusCode;

use super::answer::Answer;
use super::call::Call;
use super::fields::{Fields, Words, page};
use super::lists;
use super::route::{Admission, Route, Verb};
use super::shape::Shape;
use super::sign_in::texts_schema;
use super::words;
use crate::rescue::Refusal;

/// The routes of this file.
pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post, Put};
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
            (Patch, "/api/user/profile"),
            rpc("UpdateProfile"),
            "Changes one's own names and addresses",
            update_profile,
        )
        .body(profile_body)
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
            "Adds an operator, or for the owner a manager, whose temporary password is answered \
             this once",
            create_employee,
        )
        .body(new_employee_body)
        .created("NewEmployee", new_employee(Employee::default(), None)),
        Route::new(
            (Put, "/api/employees/{id}"),
            rpc("UpdateEmployee"),
            "Changes the names of an operator, or for the owner of a manager",
            update_employee,
        )
        .body(names_body)
        .ok("Employee", employee(Employee::default())),
        Route::new(
            (Delete, "/api/employees/{id}"),
            rpc("DeleteEmployee"),
            "Removes an operator, or for the owner a manager",
            delete_employee,
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

fn new_employee(created: Employee, temporary_password: Option<String>) -> Shape {
    employee(created).opt_text("temporaryPassword", temporary_password)
}

async fn current_user(call: Call) -> Result<Answer, Refusal> {
    let request = GetCurrentUserRequest {};
    let found = call.accounts().get_current_user(request).await?;
    Answer::ok(&user(found.into_inner().user.unwrap_or_default()))
}

async fn security_questions(call: Call) -> Result<Answer, Refusal> {
    let request = ListSecurityQuestionsRequest {};
    let answer = call.accounts().list_security_questions(request).await?;
    Answer::ok(&answer.into_inner().questions)
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

fn profile_body(fields: &mut Fields) -> UpdateProfileRequest {
    UpdateProfileRequest {
        first_name: fields.text("firstName"),
        last_name: fields.text("lastName"),
        email: fields.clearable_text("email"),
        secondary_email: fields.clearable_text("secondaryEmail"),
    }
}

async fn update_profile(call: Call) -> Result<Answer, Refusal> {
    let request = call.body(profile_body)?;
    let answer = call.accounts().update_profile(request).await?;
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

/// What somebody is added as.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Operator,
    Manager,
}

const POSITIONS: Words<Position> = &[
    ("operator", Position::Operator),
    ("employee", Position::Operator),
    ("manager", Position::Manager),
];

#[derive(Default)]
struct NewEmployee {
    position: Position,
    first_name: String,
    last_name: String,
    email: String,
}

fn new_employee_body(fields: &mut Fields) -> NewEmployee {
    let (first_name, last_name) = names_body(fields);
    NewEmployee {
        position: fields.word("role", POSITIONS).unwrap_or_default(),
        first_name,
        last_name,
        email: fields.text("email").unwrap_or_default(),
    }
}

fn names_body(fields: &mut Fields) -> (String, String) {
    (
        fields.required_text("firstName"),
        fields.required_text("lastName"),
    )
}

async fn create_employee(call: Call) -> Result<Answer, Refusal> {
    let asked = call.body(new_employee_body)?;
    match asked.position {
        Position::Operator => create_operator(&call, asked).await,
        Position::Manager => create_manager(&call, asked).await,
    }
}

async fn create_operator(call: &Call, asked: NewEmployee) -> Result<Answer, Refusal> {
    let request = CreateOperatorRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
    };
    let answer = call.accounts().create_operator(request).await?;
    let created = answer.into_inner().employee.unwrap_or_default();
    Answer::created(&new_employee(created, None))
}

async fn create_manager(call: &Call, asked: NewEmployee) -> Result<Answer, Refusal> {
    let request = CreateManagerRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
        email: asked.email,
    };
    let answer = call.accounts().create_manager(request).await?.into_inner();
    let created = answer.employee.unwrap_or_default();
    Answer::created(&new_employee(created, Some(answer.temporary_password)))
}

async fn update_employee(call: Call) -> Result<Answer, Refusal> {
    let (first_name, last_name) = call.body(names_body)?;
    let request = UpdateEmployeeRequest {
        id: call.id.clone(),
        first_name,
        last_name,
    };
    let answer = call.accounts().update_employee(request).await?;
    let changed = answer.into_inner().employee.unwrap_or_default();
    Answer::ok(&employee(changed))
}

async fn delete_employee(call: Call) -> Result<Answer, Refusal> {
    let request = DeleteEmployeeRequest {
        id: call.id.clone(),
    };
    call.accounts().delete_employee(request).await?;
    Ok(Answer::empty())
}
