//! People: the signed-in person and the employees of the company.

use std::sync::OnceLock;

use hourmeter_proto::accounts::v1::{
    self as proto, CreateManagerRequest, CreateOperatorRequest, DeleteEmployeeRequest, FuelUnit,
    GetCurrentUserRequest, Language, ListEmployeesRequest, ListSecurityQuestionsRequest, Role,
    SetSecurityQuestionsRequest, UpdateEmployeeRequest, UpdateProfileRequest,
};
use hourmeter_runtime::identity::Service::Accounts;
use hourmeter_runtime::refusals as shared;
use http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::call::Call;
use super::fields::{Fields, WireNames, page};
use super::lists;
use super::response::{JSON, RestResponse, json};
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use super::values::{Id, Instant, all, non_empty};
use super::wire_enums::{WireEnum as _, WireName};
use crate::api_error::ApiError;

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post, Put};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    let texts = ResponseDoc::Json(json!({"type": "array", "items": {"type": "string"}}));
    vec![
        Route::new(
            (Get, "/api/auth/user"),
            rpc("GetCurrentUser"),
            "The person who is signed in",
            current_user,
        )
        .ok::<User>(),
        Route::new(
            (Get, "/api/auth/security-questions"),
            rpc("ListSecurityQuestions"),
            "The questions a person may choose from",
            security_questions,
        )
        .responds(StatusCode::OK, texts),
        Route::new(
            (Post, "/api/auth/setup-security-questions"),
            rpc("SetSecurityQuestions"),
            "Stores the person's security questions and answers",
            set_security_questions,
        )
        .body(security_questions_body)
        .ok::<User>(),
        Route::new(
            (Patch, "/api/user/profile"),
            rpc("UpdateProfile"),
            "Changes one's own names and addresses",
            update_profile,
        )
        .body(profile_body)
        .ok::<User>(),
        Route::new(
            (Get, "/api/employees"),
            rpc("ListEmployees"),
            "The company's people",
            employees,
        )
        .query(page)
        .pages::<Employee>(),
        Route::new(
            (Post, "/api/employees"),
            rpc("CreateOperator"),
            "Adds an operator, or for the owner a manager, whose temporary password is returned \
             this once",
            create_employee,
        )
        .body(new_employee_body)
        .created::<NewEmployee>(),
        Route::new(
            (Put, "/api/employees/{id}"),
            rpc("UpdateEmployee"),
            "Changes the names of an operator, or for the owner of a manager",
            update_employee,
        )
        .body(names_body)
        .ok::<Employee>(),
        Route::new(
            (Delete, "/api/employees/{id}"),
            rpc("DeleteEmployee"),
            "Removes an operator, or for the owner a manager",
            delete_employee,
        )
        .empty(),
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    id: Id,
    company_id: Option<Id>,
    first_name: Option<String>,
    last_name: Option<String>,
    email: Option<String>,
    secondary_email: Option<String>,
    role: WireName<Role>,
    business_name: Option<String>,
    // Documented fields without a source so far, like the other two that are always null.
    profile_image_url: Option<String>,
    #[schemars(extend("enum" = ["custom"]))]
    auth_type: &'static str,
    employee_id: Option<String>,
    operator_username: Option<String>,
    manager_id: Option<String>,
    security_questions_set: bool,
    second_factor_missing: bool,
    fuel_unit: Option<WireName<FuelUnit>>,
    language: Option<WireName<Language>>,
    notices: Vec<Notice>,
    created_at: Instant,
    updated_at: Instant,
}

impl From<proto::User> for User {
    fn from(user: proto::User) -> Self {
        Self {
            role: WireName(user.role()),
            fuel_unit: WireName::known(user.fuel_unit()),
            language: WireName::known(user.language()),
            id: Id(user.id),
            company_id: non_empty(user.company_id).map(Id),
            first_name: non_empty(user.first_name),
            last_name: non_empty(user.last_name),
            email: non_empty(user.email),
            secondary_email: non_empty(user.secondary_email),
            business_name: non_empty(user.business_name),
            profile_image_url: None,
            auth_type: "custom",
            employee_id: None,
            operator_username: non_empty(user.operator_username),
            manager_id: None,
            security_questions_set: user.security_questions_set,
            second_factor_missing: user.second_factor_missing,
            notices: all(user.notices),
            created_at: user.created_at.into(),
            updated_at: user.updated_at.into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Notice {
    id: Id,
    kind: String,
    at: Instant,
}

impl From<proto::Notice> for Notice {
    fn from(notice: proto::Notice) -> Self {
        Self {
            id: Id(notice.id),
            kind: notice.kind,
            at: notice.at.into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Employee {
    id: Id,
    first_name: Option<String>,
    last_name: Option<String>,
    role: WireName<Role>,
    email: Option<String>,
    operator_username: Option<String>,
    has_personal_password: bool,
    second_factor: bool,
    created_at: Instant,
}

impl From<proto::Employee> for Employee {
    fn from(employee: proto::Employee) -> Self {
        Self {
            role: WireName(employee.role()),
            id: Id(employee.id),
            first_name: non_empty(employee.first_name),
            last_name: non_empty(employee.last_name),
            email: non_empty(employee.email),
            operator_username: non_empty(employee.operator_username),
            has_personal_password: employee.has_personal_password,
            second_factor: employee.second_factor,
            created_at: employee.created_at.into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewEmployee {
    #[serde(flatten)]
    employee: Employee,
    temporary_password: Option<String>,
}

async fn current_user(call: Call) -> Result<RestResponse, ApiError> {
    let kept = call.requester.session.as_ref().map(|session| &session.user);
    if let Some(body) = kept.and_then(OnceLock::get) {
        return Ok(RestResponse::other(JSON, body.clone()));
    }
    let request = GetCurrentUserRequest {};
    let found = call.accounts().get_current_user(request).await?;
    let body = json(&User::from(found.into_inner().user.unwrap_or_default()))?;
    if let Some(kept) = kept {
        // A concurrent request may have set it.
        let _ = kept.set(body.clone());
    }
    Ok(RestResponse::other(JSON, body))
}

async fn security_questions(call: Call) -> Result<RestResponse, ApiError> {
    let request = ListSecurityQuestionsRequest {};
    let response = call.accounts().list_security_questions(request).await?;
    RestResponse::ok(&response.into_inner().questions)
}

fn security_questions_body(fields: &mut Fields) -> SetSecurityQuestionsRequest {
    SetSecurityQuestionsRequest {
        question1: fields.required_text("securityQuestion1"),
        answer1: fields.required_text_in("securityAnswer1", 2..=100),
        question2: fields.required_text("securityQuestion2"),
        answer2: fields.required_text_in("securityAnswer2", 2..=100),
    }
}

async fn set_security_questions(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(security_questions_body)?;
    let response = call.accounts().set_security_questions(request).await?;
    RestResponse::ok(&User::from(response.into_inner().user.unwrap_or_default()))
}

fn profile_body(fields: &mut Fields) -> UpdateProfileRequest {
    UpdateProfileRequest {
        first_name: fields.text_in("firstName", 0..=100),
        last_name: fields.text_in("lastName", 0..=100),
        email: fields.clearable_text("email", 254),
        secondary_email: fields.clearable_text("secondaryEmail", 254),
        language: fields
            .word("language", Language::NAMES)
            .unwrap_or_default()
            .into(),
    }
}

async fn update_profile(call: Call) -> Result<RestResponse, ApiError> {
    let request = call.body(profile_body)?;
    let response = call.accounts().update_profile(request).await?;
    RestResponse::ok(&User::from(response.into_inner().user.unwrap_or_default()))
}

async fn employees(call: Call) -> Result<RestResponse, ApiError> {
    let page = call.query(page)?;
    let session = call.session();
    let read = move |page| {
        let mut client = call.accounts();
        let request = ListEmployeesRequest { page: Some(page) };
        async move {
            let found = client.list_employees(request).await?.into_inner();
            Ok((all::<_, Employee>(found.employees), found.page))
        }
    };
    lists::respond(session, page, read).await
}

/// The position of a new employee.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Position {
    #[default]
    Operator,
    Manager,
}

const POSITIONS: WireNames<Position> = &[
    ("operator", Position::Operator),
    ("employee", Position::Operator),
    ("manager", Position::Manager),
];

#[derive(Default)]
struct EmployeeInput {
    position: Position,
    first_name: String,
    last_name: String,
    email: String,
}

fn new_employee_body(fields: &mut Fields) -> EmployeeInput {
    let (first_name, last_name) = names_body(fields);
    let position = fields.word("role", POSITIONS).unwrap_or_default();
    let email = fields.text_in("email", 0..=254).unwrap_or_default();
    // An operator's email is ignored, so no service checks its length.
    if position == Position::Operator && email.chars().count() > 254 {
        fields.wrong("email", shared::TEXT_TOO_LONG.with("max", 254));
    }
    EmployeeInput {
        position,
        first_name,
        last_name,
        email,
    }
}

fn names_body(fields: &mut Fields) -> (String, String) {
    (
        fields.required_text_in("firstName", 1..=100),
        fields.required_text_in("lastName", 1..=100),
    )
}

async fn create_employee(call: Call) -> Result<RestResponse, ApiError> {
    let asked = call.body(new_employee_body)?;
    match asked.position {
        Position::Operator => create_operator(&call, asked).await,
        Position::Manager => create_manager(&call, asked).await,
    }
}

async fn create_operator(call: &Call, asked: EmployeeInput) -> Result<RestResponse, ApiError> {
    let request = CreateOperatorRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
    };
    let response = call.accounts().create_operator(request).await?;
    let created = response.into_inner().employee.unwrap_or_default();
    RestResponse::created(&NewEmployee {
        employee: created.into(),
        temporary_password: None,
    })
}

async fn create_manager(call: &Call, asked: EmployeeInput) -> Result<RestResponse, ApiError> {
    let rule = AccessRule::Rpc(Accounts, "CreateManager");
    rule.permit(call).await?;
    let request = CreateManagerRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
        email: asked.email,
    };
    let response = call.accounts().create_manager(request).await?.into_inner();
    let created = response.employee.unwrap_or_default();
    RestResponse::created(&NewEmployee {
        employee: created.into(),
        temporary_password: non_empty(response.temporary_password),
    })
}

async fn update_employee(call: Call) -> Result<RestResponse, ApiError> {
    let (first_name, last_name) = call.body(names_body)?;
    let request = UpdateEmployeeRequest {
        id: call.id.clone(),
        first_name,
        last_name,
    };
    let response = call.accounts().update_employee(request).await?;
    let changed = response.into_inner().employee.unwrap_or_default();
    RestResponse::ok(&Employee::from(changed))
}

async fn delete_employee(call: Call) -> Result<RestResponse, ApiError> {
    let request = DeleteEmployeeRequest {
        id: call.id.clone(),
    };
    call.accounts().delete_employee(request).await?;
    Ok(RestResponse::empty())
}
