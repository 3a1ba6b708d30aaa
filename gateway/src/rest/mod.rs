//! The REST routes.

pub mod accounts;
pub mod admin;
pub mod admin_accounts;
pub mod answer;
pub mod archive;
pub mod audit_log;
pub mod billing;
pub mod call;
pub mod equipment;
pub mod equipment_input;
pub mod fields;
pub mod fuel;
pub mod history;
pub mod lists;
pub mod meters;
pub mod notes;
pub mod operations;
pub mod operator_updates;
pub mod passwords;
pub mod review;
pub mod route;
pub mod sandbox;
pub mod second_factor;
pub mod settings;
pub mod sign_in;
pub mod staff_enrolment;
pub mod tasks;
pub mod values;
pub mod webhook;
pub mod words;

use std::collections::HashSet;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use hourmeter_proto::common::v1::Access;
use hourmeter_runtime::error::ServiceError;

use self::answer::Answer;
use self::call::Call;
use self::route::{AnswerDoc, Route, Verb};
use crate::answers::Holder;
use crate::audit;
use crate::gateway::Gateway;
use crate::layers::visit_of;
use crate::limits::CompanyLimit;
use crate::rescue::Refusal;
use crate::visitor::Door;

/// All REST routes.
pub fn routes() -> Vec<Route> {
    let mut routes = sign_in::routes();
    routes.extend(passwords::routes());
    routes.extend(second_factor::routes());
    routes.extend(staff_enrolment::routes());
    routes.extend(accounts::routes());
    routes.extend(settings::routes());
    routes.extend(admin::routes());
    routes.extend(admin_accounts::routes());
    routes.extend(audit_log::routes());
    routes.extend(equipment::routes());
    routes.extend(meters::routes());
    routes.extend(tasks::routes());
    routes.extend(notes::routes());
    routes.extend(history::routes());
    routes.extend(fuel::routes());
    routes.extend(archive::routes());
    routes.extend(operator_updates::routes());
    routes.extend(review::routes());
    routes.extend(billing::routes());
    routes.extend(webhook::routes());
    routes.extend(sandbox::routes());
    routes.extend(operations::routes());
    routes
}

/// Paths of lists with pages.
pub fn lists_in_pages() -> HashSet<&'static str> {
    let routes = routes().into_iter();
    let lists = routes.filter(|route| {
        let mut answers = route.answers.iter();
        answers.any(|(_, answer)| matches!(answer, AnswerDoc::Pages(..)))
    });
    lists.map(|route| route.path).collect()
}

/// Builds the router. Fails if a route has no access policy.
pub fn router(gateway: &Arc<Gateway>) -> Result<Router, ServiceError> {
    let mut router = Router::new();
    for route in routes() {
        let access = route.admission.access(gateway)?;
        let (filter, path) = (filter(route.method), route.path);
        let (gateway, route) = (gateway.clone(), Arc::new((route, access)));
        let handler = move |request| dispatch(gateway.clone(), route.clone(), request);
        router = router.route(path, on(filter, handler));
    }
    // The fallback of the web client must not respond for API paths.
    Ok(router
        .route("/api", axum::routing::any(unknown))
        .route("/api/", axum::routing::any(unknown))
        .route("/api/{*rest}", axum::routing::any(unknown))
        .method_not_allowed_fallback(wrong_method))
}

async fn dispatch(
    gateway: Arc<Gateway>,
    route: Arc<(Route, Access)>,
    request: Request,
) -> Response {
    let visit = visit_of(&request);
    let (route, access) = route.as_ref();
    match answered(&gateway, (route, access), request).await {
        Ok(answer) => answer.into_response(),
        Err(refusal) => refusal.into_response(Door::Rest, visit.request_id),
    }
}

async fn answered(
    gateway: &Arc<Gateway>,
    (route, access): (&Route, &Access),
    request: Request,
) -> Result<Answer, Refusal> {
    let call = Call::admit(gateway, (route, access), request).await?;
    let visitor = call.visitor.clone();
    let answer = (route.handler)(call).await?;
    if answer.is_export || route.limit == Some(CompanyLimit::Exports) {
        let name = format!("{} {}", route.method.method(), route.path);
        audit::record_export(gateway, &visitor, name).await?;
    }
    let holder = Holder::of(&visitor);
    if let Holder::Company(company) = &holder {
        gateway.limits.answered(*company, answer.size());
    }
    answer.held(&gateway.answers, holder).await
}

async fn unknown(request: Request) -> Response {
    Refusal::UnknownPath.into_response(Door::Rest, visit_of(&request).request_id)
}

async fn wrong_method(request: Request) -> Response {
    let visit = visit_of(&request);
    Refusal::WrongMethod.into_response(visit.door, visit.request_id)
}

const fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}
