//! The REST routes.

pub mod accounts;
pub mod admin;
pub mod admin_accounts;
pub mod archive;
pub mod audit_log;
pub mod billing;
mod calendar;
pub mod call;
pub mod devices;
pub mod equipment;
pub mod equipment_input;
mod equipment_list;
pub mod fields;
mod from_proto;
pub mod fuel;
pub mod history;
pub mod lists;
pub mod mail_links;
pub mod meters;
pub mod notes;
pub mod operations;
pub mod operator_updates;
pub mod passwords;
pub mod response;
pub mod review;
pub mod route;
pub mod sandbox;
pub mod second_factor;
pub mod settings;
pub mod sign_in;
pub mod staff_enrolment;
pub mod task_sets;
pub mod tasks;
pub mod unsubscribe;
pub mod values;
pub mod webhook;
pub mod wire_enums;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use hourmeter_proto::common::v1::Access;
use hourmeter_runtime::error::ServiceError;

use self::call::Call;
use self::response::RestResult;
use self::route::Route;
use crate::api_error::ApiError;
use crate::gateway::Gateway;
use crate::layers::context_of;
use crate::limits::CompanyLimit;
use crate::requester::Protocol;
use crate::response_memory::QuotaKey;

pub fn routes() -> Vec<Route> {
    let mut routes = sign_in::routes();
    routes.extend(mail_links::routes());
    routes.extend(unsubscribe::routes());
    routes.extend(passwords::routes());
    routes.extend(second_factor::routes());
    routes.extend(staff_enrolment::routes());
    routes.extend(accounts::routes());
    routes.extend(devices::routes());
    routes.extend(calendar::routes());
    routes.extend(settings::routes());
    routes.extend(admin::routes());
    routes.extend(admin_accounts::routes());
    routes.extend(audit_log::routes());
    routes.extend(equipment_list::routes());
    routes.extend(equipment::routes());
    routes.extend(meters::routes());
    routes.extend(tasks::routes());
    routes.extend(task_sets::routes());
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

/// The route of a failed call, as an extension of the response.
#[derive(Clone)]
pub struct FailedRoute(Arc<(Route, Access)>);

impl FailedRoute {
    pub fn route(&self) -> &Route {
        &self.0.0
    }
}

/// Builds the router. Fails if a route has no access policy.
pub fn router(gateway: &Arc<Gateway>) -> Result<Router, ServiceError> {
    let mut router = Router::new();
    for route in routes() {
        let access = route.access_rule.access(&gateway.services.policy)?;
        let filter =
            MethodFilter::try_from(route.method.method()).map_err(ServiceError::internal)?;
        let path = route.path;
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
    let context = context_of(&request);
    match handle(&gateway, (&route.0, &route.1), request).await {
        Ok(response) => response.into_response(),
        Err(error) => {
            let mut response = error.into_response(Protocol::Rest, context.request_id);
            response.extensions_mut().insert(FailedRoute(route));
            response
        }
    }
}

async fn handle(
    gateway: &Arc<Gateway>,
    (route, access): (&Route, &Access),
    request: Request,
) -> RestResult {
    let call = Call::admit(gateway, access, route.has_raw_body, request).await?;
    if route.is_export {
        call.count(CompanyLimit::Exports).await?;
    }
    let requester = call.requester.clone();
    let response = (route.handler)(call).await?;
    if response.is_export || route.is_export {
        let name = format!("{} {}", route.method.method(), route.path);
        gateway.audit.record_export(&requester, name).await?;
    }
    let key = QuotaKey::of(&requester);
    let limits = &gateway.services.limits;
    limits.record_response(&key, response.size());
    response.track_memory(&gateway.response_memory, key).await
}

async fn unknown(request: Request) -> Response {
    ApiError::UnknownPath.into_response(Protocol::Rest, context_of(&request).request_id)
}

async fn wrong_method(request: Request) -> Response {
    let context = context_of(&request);
    ApiError::MethodNotAllowed.into_response(context.protocol, context.request_id)
}
