//! Serving one service: access policy before any handler, health, panic capture, clean stop.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::middleware::{Next, from_fn};
use futures::future::BoxFuture;
use hourmeter_proto::access::PolicyTable;
use hourmeter_proto::common::v1::{Access, Audience, PremiumFeature};
use tokio::net::TcpListener;
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::{Layer, Service as TowerService};
use tower_http::catch_panic::CatchPanicLayer;

use crate::client::{self, CallerExtension};
use crate::clock::Clock;
use crate::db::Database;
use crate::error::{INTERNAL_MESSAGE, ServiceError, UNAVAILABLE_MESSAGE};
use crate::identity::{Caller, IDENTITY_HEADER, Identity, Service, Verifier};
use crate::self_check;
use crate::shutdown::{BackgroundTasks, Shutdown};
use crate::telemetry::{calls, names};
use crate::tls::{Tls, incoming};

/// The largest request a service reads.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// How long running calls may go on after a stop was asked for.
pub const DRAIN: Duration = Duration::from_secs(20);
/// Calls at once on one connection: all that one gateway may have under way, so that none waits
/// unsent where a stop would lose it.
const MAX_STREAMS: u32 = 4096;
/// How often the own database is looked at.
const LOOK_AT_DATABASE: Duration = Duration::from_secs(2);

/// Puts the access policy and panic capture before a service's handlers, ends what its caller no longer
/// waits for, and counts the answers.
pub fn guarded(routes: Routes, guard: Guard) -> Routes {
    let app = routes
        .into_axum_router()
        .layer(guard)
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                names::PANICS.count(names::NO_LABELS);
                tracing::error!("a handler panicked");
                Status::internal(INTERNAL_MESSAGE).into_http::<Body>()
            },
        ))
        .layer(from_fn(client::answer))
        .layer(from_fn(calls::answer));
    // Without it axum builds the layers again for every call.
    Routes::from(app).prepare()
}

/// The largest request a generated server should decode.
pub const fn max_message_bytes() -> usize {
    MAX_MESSAGE_BYTES
}

/// Checks each call's signed identity against the contracts' access policy.
#[derive(Clone)]
pub struct Guard {
    verifier: Verifier,
    policy: Arc<PolicyTable>,
    clock: Clock,
}

impl Guard {
    /// A guard for the service that `verifier` belongs to.
    pub const fn new(verifier: Verifier, policy: Arc<PolicyTable>, clock: Clock) -> Self {
        Self {
            verifier,
            policy,
            clock,
        }
    }

    /// The caller, who may make this call; None for a health check.
    fn check<B>(&self, request: &mut http::Request<B>) -> Result<Option<Caller>, ServiceError> {
        let called_by = request.extensions_mut().remove::<CallerExtension>();
        let path = request.uri().path();
        if path.starts_with("/grpc.health.v1.Health/") {
            return Ok(None);
        }
        let access = self.policy.get(path).ok_or_else(ServiceError::forbidden)?;
        // This process could sign for its own calls as well.
        let caller = if let Some(CallerExtension { caller, .. }) = called_by {
            caller
        } else {
            let token = request.headers().get(IDENTITY_HEADER);
            let token = token.and_then(|value| value.to_str().ok());
            let token = token.ok_or_else(ServiceError::unauthenticated)?;
            self.verifier.verify(token)?
        };
        check_access(access, &caller, &self.clock)?;
        Ok(Some(caller))
    }
}

/// Whether a caller may make a call. The gateway asks the same before it forwards one.
pub fn check_access(access: &Access, caller: &Caller, clock: &Clock) -> Result<(), ServiceError> {
    match (access.audience(), caller) {
        (Audience::Public | Audience::Edge, Caller::Edge { .. })
        | (Audience::Public, Caller::Person(_) | Caller::Staff(_)) => Ok(()),
        (Audience::Service, Caller::Service { name, .. }) => {
            let known = access.callers.iter().any(|allowed| allowed == name.name());
            if known {
                Ok(())
            } else {
                Err(ServiceError::forbidden())
            }
        }
        (Audience::Tenant | Audience::Manager | Audience::Owner, Caller::Person(identity)) => {
            allow_person(access, identity, clock)
        }
        (Audience::Staff, Caller::Staff(staff)) => {
            if access.recent_sign_in && !staff.signed_in_recently(clock) {
                Err(ServiceError::reauth_required())
            } else {
                Ok(())
            }
        }
        (_, Caller::Staff(_)) if access.staff_too => Ok(()),
        (
            Audience::Tenant | Audience::Manager | Audience::Owner | Audience::Staff,
            Caller::Edge { .. },
        ) => Err(ServiceError::unauthenticated()),
        _ => Err(ServiceError::forbidden()),
    }
}

fn allow_person(access: &Access, identity: &Identity, clock: &Clock) -> Result<(), ServiceError> {
    let allowed = match access.audience() {
        Audience::Tenant => true,
        Audience::Manager => identity.is_manager(),
        Audience::Owner => identity.is_owner(),
        _ => false,
    };
    if !allowed {
        return Err(ServiceError::forbidden());
    }
    if identity.second_factor_missing && !access.before_second_factor {
        return Err(ServiceError::second_factor_required());
    }
    if access.recent_sign_in && !identity.signed_in_recently(clock) {
        return Err(ServiceError::reauth_required());
    }
    if access.needs_subscription && !identity.entitlements.active {
        return Err(ServiceError::subscription_inactive());
    }
    let open = match access.feature() {
        PremiumFeature::Unspecified => true,
        PremiumFeature::FuelAnalytics => identity.entitlements.fuel_analytics,
        PremiumFeature::PartsEntry => identity.entitlements.parts_entry,
    };
    if open {
        Ok(())
    } else {
        Err(ServiceError::feature_not_in_plan())
    }
}

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded {
            inner,
            guard: self.clone(),
        }
    }
}

/// A service behind a [`Guard`].
#[derive(Clone)]
pub struct Guarded<S> {
    inner: S,
    guard: Guard,
}

impl<S, B, R> TowerService<http::Request<B>> for Guarded<S>
where
    S: TowerService<http::Request<B>, Response = http::Response<R>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
    R: Default + Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: http::Request<B>) -> Self::Future {
        match self.guard.check(&mut request) {
            Ok(caller) => {
                request.headers_mut().remove(IDENTITY_HEADER);
                request
                    .extensions_mut()
                    .extend(caller.map(with_caller).unwrap_or_default());
                // The service that was polled ready is the one to call.
                let clone = self.inner.clone();
                let mut ready = std::mem::replace(&mut self.inner, clone);
                Box::pin(async move { ready.call(request).await })
            }
            Err(failure) => {
                let answer = Status::from(failure).into_http::<R>();
                Box::pin(async move { Ok(answer) })
            }
        }
    }
}

fn with_caller(caller: Caller) -> http::Extensions {
    let mut extensions = http::Extensions::new();
    extensions.insert(caller);
    extensions
}

/// Serves one service on a port of its own until `stop`, with the standard health service.
pub fn serve(
    service: Service,
    routes: Routes,
    database: Database,
    address: SocketAddr,
    stop: Shutdown,
) -> BoxFuture<'static, Result<(), ServiceError>> {
    Box::pin(async move {
        let port = ServicePort::open(service, address, database).await?;
        port.serve(routes, stop).await
    })
}

/// Whether a process takes traffic.
#[derive(Clone, Debug)]
pub struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Whether it does now.
    pub fn is_ready(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Relaxed);
    }
}

/// The open port of a service that is yet to be served.
pub struct ServicePort {
    service: Service,
    listener: TcpListener,
    database: Database,
    readiness: Readiness,
    tls: Option<Tls>,
    checks: Option<SelfCheck>,
    background: Option<BackgroundTasks>,
}

/// That a service looks at its database before it serves.
#[derive(Clone, Copy, Debug)]
pub struct SelfCheck {
    /// How long the process lives on, serving nobody, when it found something wrong: so long that
    /// whoever collects its metrics has seen it.
    pub linger: Duration,
}

impl ServicePort {
    /// Takes the port, so that a port that is taken is told before anything else.
    pub fn open(
        service: Service,
        address: SocketAddr,
        database: Database,
    ) -> BoxFuture<'static, Result<Self, ServiceError>> {
        Box::pin(async move {
            let listener = TcpListener::bind(address).await.map_err(|error| {
                ServiceError::internal(format!("port {address} can't be used: {error}"))
            })?;
            Ok(Self {
                service,
                listener,
                database,
                readiness: Readiness(Arc::default()),
                tls: None,
                checks: None,
                background: None,
            })
        })
    }

    /// Serves nobody before it has found the database as it should be, and ends when it finds it
    /// otherwise.
    #[must_use]
    pub fn with_self_check(self, checks: Option<SelfCheck>) -> Self {
        Self { checks, ..self }
    }

    /// Begins this too when it first serves.
    #[must_use]
    pub fn with_background(self, background: BackgroundTasks) -> Self {
        Self {
            background: Some(background),
            ..self
        }
    }

    /// Takes only connections that show a certificate of the cluster's.
    #[must_use]
    pub fn with_tls(self, tls: Option<Tls>) -> Self {
        Self { tls, ..self }
    }

    /// Whether the service takes traffic: false until [`ServicePort::serve`] finds its database.
    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Serves until `stop`, and closes the database at the end.
    pub fn serve(
        self,
        routes: Routes,
        stop: Shutdown,
    ) -> BoxFuture<'static, Result<(), ServiceError>> {
        Box::pin(async move {
            let (reporter, health_service) = tonic_health::server::health_reporter();
            let checked = Arc::new(AtomicBool::new(self.checks.is_none()));
            let routes = routes.into_axum_router();
            let routes = match self.checks {
                Some(_) => closed_until(checked.clone(), routes),
                None => routes,
            };
            let health = Health {
                reporter,
                database: self.database.clone(),
                readiness: self.readiness,
                checks: self.checks,
                checked,
                background: self.background,
            };
            // The health service begins with SERVING.
            health.say(false).await;
            let mut watch = tokio::spawn(health.report(stop.clone()));
            let routes = Routes::from(routes).add_service(health_service);
            let address = self.listener.local_addr().map_err(ServiceError::internal)?;
            tracing::info!(service = self.service.name(), %address, "serving");
            let due = stop.draining().clone();
            let server = tonic::transport::Server::builder()
                .max_connection_age(Duration::from_mins(10))
                .max_concurrent_streams(MAX_STREAMS)
                .http2_keepalive_interval(Some(Duration::from_secs(30)))
                .add_routes(routes)
                .serve_with_incoming_shutdown(
                    incoming(self.listener, self.tls, due.clone()),
                    due.cancelled_owned(),
                );
            let drained = async {
                stop.draining().cancelled().await;
                tokio::time::sleep(DRAIN).await;
            };
            let result = tokio::select! {
                result = server => result.map_err(ServiceError::internal),
                Ok(Err(wrong)) = &mut watch => Err(wrong),
                () = drained => {
                    tracing::warn!("cut off at the end of the drain");
                    Ok(())
                }
            };
            watch.abort();
            self.database.close().await;
            result
        })
    }
}

/// The same routes, but nobody is served before `open`.
fn closed_until(open: Arc<AtomicBool>, routes: axum::Router) -> axum::Router {
    routes.layer(from_fn(
        move |request: axum::extract::Request, next: Next| {
            let open = open.load(Ordering::Relaxed);
            async move {
                if open {
                    next.run(request).await
                } else {
                    Status::unavailable(UNAVAILABLE_MESSAGE).into_http()
                }
            }
        },
    ))
}

/// Keeps health and readiness in step with the own database, and nothing else.
struct Health {
    reporter: HealthReporter,
    database: Database,
    readiness: Readiness,
    /// There while the database is yet to be checked.
    checks: Option<SelfCheck>,
    /// Opens the service.
    checked: Arc<AtomicBool>,
    /// What is yet to begin.
    background: Option<BackgroundTasks>,
}

impl Health {
    /// Fails only when the database is not as it should be.
    async fn report(mut self, stop: Shutdown) -> Result<(), ServiceError> {
        loop {
            let ready = self.database.is_ready().await && self.is_checked(&stop).await?;
            if ready && let Some(background) = self.background.take() {
                background.start();
            }
            self.say(ready && !stop.requested().is_cancelled()).await;
            tokio::select! {
                () = stop.requested().cancelled() => break,
                () = tokio::time::sleep(LOOK_AT_DATABASE) => {}
            }
        }
        self.say(false).await;
        stop.draining().cancelled().await;
        // Ends the streams of those who watch, which would hold up the end of their connections.
        self.reporter.clear_service_status("").await;
        Ok(())
    }

    /// Whether nothing has to be checked any more. False: the database did not say.
    async fn is_checked(&mut self, stop: &Shutdown) -> Result<bool, ServiceError> {
        if let Some(check) = self.checks {
            let Ok(problems) = self_check::problems(&self.database).await else {
                return Ok(false);
            };
            if !problems.is_empty() {
                names::SELF_CHECK_FAILURES
                    .counter(names::NO_LABELS)
                    .increment(problems.len() as u64);
                tracing::error!(?problems, "self-check: the database is not as it should be");
                tokio::select! {
                    () = tokio::time::sleep(check.linger) => {}
                    () = stop.requested().cancelled() => {}
                }
                let problems = problems.join("\n  ");
                return Err(ServiceError::internal(format!("self-check:\n  {problems}")));
            }
            self.checks = None;
            self.checked.store(true, Ordering::Relaxed);
        }
        Ok(true)
    }

    async fn say(&self, ready: bool) {
        self.readiness.set(ready);
        let status = if ready {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        };
        self.reporter.set_service_status("", status).await;
    }
}
