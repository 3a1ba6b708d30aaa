//! People: the signed-in person and the employees of the company.

use std::sync::OnceLock;

use hourmeter_proto::accounts::v1::{
    self as proto, CreateManagerRequest, CreateOperatorRequest, DeleteEmployeeRequest, FuelUnit,
    GetCurrentUserRequest, Language, ListEmployeesRequest, ListSecurityQuestionsRequest, Role,
    SetSecurityQuestionsRequest, UpdateEmployeeRequest, UpdateProfileRequest,
};
use hourmeter_proto::common::v1::PageRequest;
use hourmeter_runtime::identity::Service::Accounts;
use hourmeter_runtime::refusals as shared;
use http::StatusCode;
use serde_json::json;

use super::call::Call;
use super::fields::{Fields, page};
use super::from_proto::{FromProto as _, objects};
use super::lists;
use super::response::{JSON, RestResponse, RestResult, json};
use super::route::{AccessRule, ResponseDoc, Route, Verb};
use super::values::{Id, Instant};
use super::wire_enums::{WireName, WireNames};

pub fn routes() -> Vec<Route> {
    use Verb::{Delete, Get, Patch, Post, Put};
    let rpc = |method| AccessRule::Rpc(Accounts, method);
    let texts = ResponseDoc::Json(json!({"type": "array", "items": {"type": "string"}}));
    vec![
        rpc("GetCurrentUser")
            .route(Get, "/api/auth/user", current_user)
            .summary("The person who is signed in")
            .ok::<User>(),
        rpc("ListSecurityQuestions")
            .route(Get, "/api/auth/security-questions", security_questions)
            .summary("The questions a person may choose from")
            .responds(StatusCode::OK, texts),
        rpc("SetSecurityQuestions")
            .at(Post, "/api/auth/setup-security-questions")
            .body(security_questions_body, set_security_questions)
            .summary("Stores the person's security questions and answers")
            .ok::<User>(),
        rpc("UpdateProfile")
            .at(Patch, "/api/user/profile")
            .body(profile_body, update_profile)
            .summary("Changes one's own names and addresses")
            .ok::<User>(),
        rpc("ListEmployees")
            .at(Get, "/api/employees")
            .query(page, employees)
            .summary("The company's people")
            .pages::<Employee>(),
        rpc("CreateOperator")
            .at(Post, "/api/employees")
            .body(new_employee_body, create_employee)
            .summary(
                "Adds an operator, or for the owner a manager, whose temporary password is \
                 returned this once",
            )
            .created::<NewEmployee>(),
        rpc("UpdateEmployee")
            .at(Put, "/api/employees/{id}")
            .body(names_body, update_employee)
            .summary("Changes the names of an operator, or for the owner of a manager")
            .ok::<Employee>(),
        rpc("DeleteEmployee")
            .route(Delete, "/api/employees/{id}", delete_employee)
            .summary("Removes an operator, or for the owner a manager")
            .empty(),
    ]
}

objects! {
    pub struct User(user: proto::User) {
        id: Id,
        company_id: Option<Id>,
        first_name: Option<String>,
        last_name: Option<String>,
        email: Option<String>,
        secondary_email: Option<String>,
        role: WireName<Role>,
        business_name: Option<String>,
        // Documented fields without a source so far, like the other two that are always null.
        profile_image_url: Option<String> => None,
        #[schemars(extend("enum" = ["custom"]))]
        auth_type: &'static str => "custom",
        employee_id: Option<String> => None,
        operator_username: Option<String>,
        manager_id: Option<String> => None,
        security_questions_set: bool,
        second_factor_missing: bool,
        fuel_unit: Option<WireName<FuelUnit>>,
        language: Option<WireName<Language>>,
        notices: Vec<Notice>,
        created_at: Instant,
        updated_at: Instant,
    }

    struct Notice(notice: proto::Notice) {
        id: Id,
        kind: String,
        at: Instant,
    }

    struct Employee(employee: proto::Employee) {
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

    struct NewEmployee(created: proto::CreateManagerResponse) {
        #[serde(flatten)]
        employee: Employee,
        temporary_password: Option<String>,
    }
}

async fn current_user(call: Call) -> RestResult {
    let kept = call.requester.session.as_ref().map(|session| &session.user);
    if let Some(body) = kept.and_then(OnceLock::get) {
        return Ok(RestResponse::other(JSON, body.clone()));
    }
    let request = GetCurrentUserRequest {};
    let found = call.accounts().get_current_user(request).await?;
    let body = json(&User::from_proto(found.into_inner().user))?;
    if let Some(kept) = kept {
        // A concurrent request may have set it.
        let _ = kept.set(body.clone());
    }
    Ok(RestResponse::other(JSON, body))
}

async fn security_questions(call: Call) -> RestResult {
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

async fn set_security_questions(call: Call, request: SetSecurityQuestionsRequest) -> RestResult {
    let response = call.accounts().set_security_questions(request).await?;
    RestResponse::ok(&User::from_proto(response.into_inner().user))
}

fn profile_body(fields: &mut Fields) -> UpdateProfileRequest {
    UpdateProfileRequest {
        first_name: fields.text_in("firstName", 0..=100),
        last_name: fields.text_in("lastName", 0..=100),
        email: fields.clearable_text("email", 254),
        secondary_email: fields.clearable_text("secondaryEmail", 254),
        language: fields.enum_or_unspecified::<Language>("language"),
    }
}

async fn update_profile(call: Call, request: UpdateProfileRequest) -> RestResult {
    let response = call.accounts().update_profile(request).await?;
    RestResponse::ok(&User::from_proto(response.into_inner().user))
}

async fn employees(call: Call, page: PageRequest) -> RestResult {
    lists::respond(call, page, |call, page| async move {
        let request = ListEmployeesRequest { page: Some(page) };
        let found = call.accounts().list_employees(request).await?.into_inner();
        Ok((Vec::<Employee>::from_proto(found.employees), found.page))
    })
    .await
}

/// The roles of a new employee.
const ROLES: WireNames<Role> = &[
    ("operator", Role::Operator),
    ("employee", Role::Operator),
    ("manager", Role::Manager),
];

struct EmployeeInput {
    role: Role,
    first_name: String,
    last_name: String,
    email: String,
}

fn new_employee_body(fields: &mut Fields) -> EmployeeInput {
    let (first_name, last_name) = names_body(fields);
    let role = fields.word("role", ROLES).unwrap_or(Role::Operator);
    let email = fields.text_in("email", 0..=254).unwrap_or_default();
    // An operator's email is ignored, so no service checks its length.
    if role == Role::Operator && email.chars().count() > 254 {
        fields.wrong("email", shared::TEXT_TOO_LONG.with("max", 254));
    }
    EmployeeInput {
        role,
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

async fn create_employee(call: Call, asked: EmployeeInput) -> RestResult {
    if asked.role == Role::Manager {
        create_manager(&call, asked).await
    } else {
        create_operator(&call, asked).await
    }
}

async fn create_operator(call: &Call, asked: EmployeeInput) -> RestResult {
    let request = CreateOperatorRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
    };
    let response = call.accounts().create_operator(request).await?;
    RestResponse::created(&NewEmployee {
        employee: Employee::from_proto(response.into_inner().employee),
        temporary_password: None,
    })
}

async fn create_manager(call: &Call, asked: EmployeeInput) -> RestResult {
    let rule = AccessRule::Rpc(Accounts, "CreateManager");
    rule.authorize(call).await?;
    let request = CreateManagerRequest {
        first_name: asked.first_name,
        last_name: asked.last_name,
        email: asked.email,
    };
    let response = call.accounts().create_manager(request).await?;
    RestResponse::created(&NewEmployee::from_proto(response.into_inner()))
}

async fn update_employee(call: Call, (first_name, last_name): (String, String)) -> RestResult {
    let request = UpdateEmployeeRequest {
        id: call.id(),
        first_name,
        last_name,
    };
    let response = call.accounts().update_employee(request).await?;
    RestResponse::ok(&Employee::from_proto(response.into_inner().employee))
}

async fn delete_employee(call: Call) -> RestResult {
    let request = DeleteEmployeeRequest { id: call.id() };
    call.accounts().delete_employee(request).await?;
    Ok(RestResponse::empty())
}
