//! Events that only the gateway sees, for the audit log of accounts: denied requests and exports.
//!
//! Denied requests are queued and written by one task, so they neither delay nor fail a request.
//! Events beyond the size of the queue or the rate of a company, person or address are only
//! counted. An export is written before its response is sent.

mod queue;
mod route;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use hourmeter_proto::accounts::v1::{RecordAuditEventsRequest, Scope, SeenEvent};
use hourmeter_proto::common::v1::AuditEventType;
use hourmeter_runtime::audit::AuditOutcome;
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names;
use hourmeter_runtime::text::LoginName;
use secrecy::SecretString;
use uuid::Uuid;

use self::queue::{AuditQueue, QueuedEvent};
pub use self::route::{CalledRoute, rpc_name};
use crate::api_error::{ApiError, DeniedKind};
use crate::outgoing::{self, Outgoing};
use crate::requester::{Principal, RequestContext, Requester};
use crate::server::BackgroundTasks;
use crate::services::Services;
use crate::session;

/// Delays before the attempts to write a batch.
const RETRY_DELAYS: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// Records audit events in accounts.
pub struct AuditSink {
    services: Arc<Services>,
    queue: AuditQueue,
}

impl AuditSink {
    pub fn new(services: Arc<Services>) -> Arc<Self> {
        Arc::new(Self {
            services,
            queue: AuditQueue::default(),
        })
    }

    /// Queues a cross-site request. Whose session it would have used is resolved later from `token`.
    pub fn record_cross_site(
        self: &Arc<Self>,
        context: RequestContext,
        token: Option<SecretString>,
        route: &CalledRoute,
    ) {
        let event = event(
            context,
            AuditEventType::RequestRefused,
            AuditOutcome::Failed,
            route.name(&self.services.policy),
        );
        self.enqueue(event, context, token, route.background.as_ref());
    }

    /// Queues a denied request if it belongs in the audit log.
    pub fn record_denied(
        self: &Arc<Self>,
        requester: &Requester,
        (route, rest): (&CalledRoute, Option<RestAudit>),
        kind: DeniedKind,
    ) {
        let signed_in = requester.person_id().is_some();
        let Some(event_type) = denied_event(signed_in, route.path(), rest, kind) else {
            return;
        };
        let outcome = match kind {
            DeniedKind::RateLimited => AuditOutcome::Limited,
            DeniedKind::Permission | DeniedKind::CrossSite | DeniedKind::NotFound => {
                AuditOutcome::Failed
            }
        };
        let name = route.name(&self.services.policy);
        let mut event = event(requester.context, event_type, outcome, name);
        // The current session is not the one that a recovery is for.
        if event_type != AuditEventType::PasswordRecovery {
            attribute(&mut event, requester);
        }
        self.enqueue(event, requester.context, None, route.background.as_ref());
    }

    /// Queues a rate-limited sign-in. Accounts finds the company of `name`.
    pub fn record_rate_limited_sign_in(
        self: &Arc<Self>,
        context: RequestContext,
        name: &str,
        at_operator_login: bool,
        background: Option<&BackgroundTasks>,
    ) {
        let event = SeenEvent {
            sign_in_name: LoginName::read(name).exact().to_owned(),
            at_operator_login,
            ..event(
                context,
                AuditEventType::SignIn,
                AuditOutcome::Limited,
                String::new(),
            )
        };
        self.enqueue(event, context, None, background);
    }

    /// Writes an export. The response may be sent only if this succeeds.
    pub async fn record_export(
        &self,
        requester: &Requester,
        route: String,
    ) -> Result<(), ApiError> {
        let mut export = event(
            requester.context,
            AuditEventType::Export,
            AuditOutcome::Success,
            route,
        );
        attribute(&mut export, requester);
        self.record(requester.context.request_id, vec![export])
            .await?;
        Ok(())
    }

    async fn record(&self, request_id: Uuid, events: Vec<SeenEvent>) -> Result<(), ServiceError> {
        let mut accounts = outgoing::accounts(Outgoing::as_gateway(&self.services, request_id));
        let request = RecordAuditEventsRequest { events };
        let response = accounts.record_audit_events(request).await;
        response.map_err(|status| ServiceError::from_status(&status))?;
        Ok(())
    }

    /// Queues an event and starts the writer if it is idle. Does not block or fail.
    fn enqueue(
        self: &Arc<Self>,
        event: SeenEvent,
        context: RequestContext,
        token: Option<SecretString>,
        background: Option<&BackgroundTasks>,
    ) {
        let queued = QueuedEvent {
            event,
            address: context.address,
            token,
        };
        if !self.queue.push(queued, self.minute()) {
            return;
        }
        let writer = self.clone().write_queue();
        match background {
            Some(background) => background.spawn(writer),
            None => drop(tokio::spawn(writer)),
        }
    }

    fn minute(&self) -> i64 {
        self.services.clock.now().timestamp().div_euclid(60)
    }

    async fn write_queue(self: Arc<Self>) {
        while let Some(batch) = self.queue.take() {
            // A panic loses its batch only.
            let written = AssertUnwindSafe(self.write(batch)).catch_unwind();
            if written.await.is_err() {
                names::PANICS.count(names::NO_LABELS);
                tracing::error!("audit writer panicked, batch dropped");
            }
        }
    }

    async fn write(&self, batch: Vec<QueuedEvent>) {
        let mut events = Vec::with_capacity(batch.len());
        for queued in batch {
            let mut event = queued.event;
            if let Some(token) = queued.token {
                self.attribute_by_token(&mut event, token).await;
                if !self.queue.allow(&event, self.minute()) {
                    continue;
                }
            }
            events.push(event);
        }
        let count = events.len();
        if count == 0 {
            return;
        }
        for delay in RETRY_DELAYS {
            tokio::time::sleep(delay).await;
            match self.record(Uuid::now_v7(), events.clone()).await {
                Ok(()) => return,
                Err(failure) => {
                    tracing::warn!(count, kind = ?failure.kind, "failed to write audit events");
                }
            }
        }
        names::AUDIT_DROPPED
            .counter(names::NO_LABELS)
            .increment(count as u64);
        tracing::error!(count, "audit events dropped after all attempts");
    }

    /// Attributes an event to the session of a token, if there is one. A cross-site request does not
    /// extend the session.
    async fn attribute_by_token(&self, event: &mut SeenEvent, token: SecretString) {
        if let Ok(session) = session::resolve_read_only(&self.services, Uuid::now_v7(), token).await
        {
            event.scope = session.scope;
            event.company_id = session.company_id;
            event.actor_id = session.user_id;
            event.actor_name = session.display_name;
        }
    }
}

/// How denied calls of a REST route appear in the audit log.
#[derive(Clone, Copy, Debug)]
pub struct RestAudit {
    /// Writes the route's calls; accounts for routes without an RPC.
    pub service: Service,
    /// The event that records a rate-limited call.
    pub limited_event: Option<AuditEventType>,
}

fn denied_event(
    signed_in: bool,
    path: &str,
    rest: Option<RestAudit>,
    kind: DeniedKind,
) -> Option<AuditEventType> {
    match kind {
        // Sign-ins are queued with their name, by `record_rate_limited_sign_in`.
        DeniedKind::RateLimited => rest?.limited_event,
        _ if !signed_in => None,
        DeniedKind::Permission => Some(AuditEventType::PermissionDenied),
        DeniedKind::CrossSite => Some(AuditEventType::RequestRefused),
        DeniedKind::NotFound if is_written_by_accounts(path, rest) => None,
        DeniedKind::NotFound => Some(AuditEventType::UnknownObject),
    }
}

/// Whether accounts writes unknown ids of this RPC or route itself.
fn is_written_by_accounts(path: &str, rest: Option<RestAudit>) -> bool {
    let service = rest.map_or_else(|| Service::from_path(path), |rest| Some(rest.service));
    service == Some(Service::Accounts)
}

fn event(
    context: RequestContext,
    event_type: AuditEventType,
    outcome: AuditOutcome,
    route: String,
) -> SeenEvent {
    SeenEvent {
        event: event_type.name(),
        outcome: outcome.name().to_owned(),
        address_prefix: context.address.prefix(),
        request_id: context.request_id.to_string(),
        detail: route,
        ..SeenEvent::default()
    }
}

fn attribute(event: &mut SeenEvent, requester: &Requester) {
    let (actor, name, scope) = match &requester.principal {
        Principal::Person { identity, .. } => {
            event.company_id = identity.company_id.to_string();
            (identity.user_id, &identity.display_name, identity.scope)
        }
        Principal::Staff(staff) => (staff.staff_id, &staff.display_name, Scope::Staff),
        Principal::Anonymous | Principal::Unverified => return,
    };
    event.actor_id = actor.to_string();
    event.actor_name.clone_from(name);
    event.scope = scope.into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest;
    use crate::rest::route::Verb::{self, Delete, Get, Post};

    #[test]
    fn is_written_by_accounts_covers_its_routes() {
        let routes = rest::routes();
        let is_own = |method: Verb, path: &str| {
            let mut routes = routes.iter();
            let route = routes.find(|route| route.method == method && route.path == path);
            is_written_by_accounts(path, Some(route.expect("a route").audit()))
        };
        assert!(is_own(Delete, "/api/employees/{id}"));
        assert!(is_own(Post, "/api/admin/reset-user-password"));
        assert!(is_own(Post, "/api/admin/reset-second-factor"));
        assert!(is_own(Post, "/api/auth/forgot-password"));
        let account = "/api/admin/accounts/{id}";
        assert!(is_own(Post, &format!("{account}/reveal-master-password")));
        assert!(!is_own(Post, &format!("{account}/equipment-limit")));
        assert!(!is_own(Get, "/api/equipment/{id}"));
        let is_own = |path| is_written_by_accounts(path, None);
        assert!(is_own("/hourmeter.accounts.v1.AccountsService/SignIn"));
        assert!(!is_own("/hourmeter.events.v1.EventsService/Watch"));
        assert!(!is_own("/api/unknown"));
    }
}
