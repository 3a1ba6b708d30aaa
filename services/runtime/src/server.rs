//! The server of a service: access policy, health, panic capture, graceful shutdown.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response as HttpResponse;
use futures::future::BoxFuture;
use hourmeter_proto::access::PolicyTable;
use hourmeter_proto::common::v1::{Access, Audience, PremiumFeature};
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::{Response, Status};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower_http::catch_panic::CatchPanicLayer;

use crate::client::{self, CallerExtension};
use crate::clock::Clock;
use crate::connections::{KEEP_ALIVE, MAX_AGE, serve_connections};
use crate::db::Database;
use crate::error::{INTERNAL_MESSAGE, ServiceError, UNAVAILABLE_MESSAGE};
use crate::identity::{Caller, IDENTITY_HEADER, Identity, Service, Verifier};
use crate::self_check;
use crate::shutdown::{BackgroundTasks, Shutdown};
use crate::telemetry::{calls, names};
use crate::tls::Tls;

/// Concurrent calls per connection: more than one gateway has open, so that no call waits in a queue
/// where a shutdown would lose it.
const MAX_STREAMS: u32 = 4096;
/// Interval of database checks.
const DATABASE_CHECK: Duration = Duration::from_secs(2);

/// Wraps a service's handlers with metrics, deadlines, panic capture and the access policy.
pub fn guarded(routes: Routes, guard: Guard) -> Routes {
    let app = routes
        .into_axum_router()
        .layer(from_fn_with_state(guard, admit))
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                names::PANICS.count(names::NO_LABELS);
                tracing::error!("a handler panicked");
                Status::internal(INTERNAL_MESSAGE).into_http::<Body>()
            },
        ))
        .layer(from_fn(client::enforce_deadline))
        .layer(from_fn(calls::measure));
    // Without this, axum rebuilds the layers for every call.
    Routes::from(app).prepare()
}

/// Maximum size of a request, for generated servers.
pub const fn max_message_bytes() -> usize {
    1024 * 1024
}

/// Converts the result of a handler for tonic.
pub fn respond<T>(result: Result<T, ServiceError>) -> Result<Response<T>, Status> {
    Ok(Response::new(result?))
}

/// Implements a generated service: each RPC is the function of the same name in a module.
///
/// First comes the type that serves, then the generated trait, then the RPCs by module. The messages
/// are those of a module `v1` in scope. A function gets the serving type and the request, and returns
/// the response or a [`ServiceError`]:
///
/// ```text
/// use hourmeter_proto::equipment::v1::{self, equipment_service_server::EquipmentService};
///
/// rpcs! { Api, EquipmentService:
///     notes {
///         list_notes(ListNotesRequest) -> ListNotesResponse;
///         add_note(AddNoteRequest) -> AddNoteResponse;
///     }
/// }
///
/// // In the module `notes`:
/// pub async fn add_note(
///     api: &Api,
///     request: Request<v1::AddNoteRequest>,
/// ) -> Result<v1::AddNoteResponse, ServiceError> {
/// ```
#[macro_export]
macro_rules! rpcs {
    ($api:ty, $service:ident: $($module:ident {
        $($rpc:ident($request:ident) -> $response:ident;)+
    })+) => {
        #[::tonic::async_trait]
        impl $service for $api {
            $($(
                async fn $rpc(
                    &self,
                    request: ::tonic::Request<v1::$request>,
                ) -> ::core::result::Result<::tonic::Response<v1::$response>, ::tonic::Status> {
                    $crate::server::respond($module::$rpc(self, request).await)
                }
            )+)+
        }
    };
}

/// Checks the caller of each call against the access policy of the contracts.
#[derive(Clone)]
pub struct Guard {
    verifier: Verifier,
    policy: Arc<PolicyTable>,
    clock: Clock,
}

impl Guard {
    /// Creates the guard of the verifier's service.
    pub const fn new(verifier: Verifier, policy: Arc<PolicyTable>, clock: Clock) -> Self {
        Self {
            verifier,
            policy,
            clock,
        }
    }

    /// Returns the caller if the call is allowed; None for a health check.
    fn check(&self, request: &mut Request) -> Result<Option<Caller>, ServiceError> {
        let called_by = request.extensions_mut().remove::<CallerExtension>();
        let path = request.uri().path();
        if path.starts_with("/grpc.health.v1.Health/") {
            return Ok(None);
        }
        let access = self.policy.get(path).ok_or_else(ServiceError::forbidden)?;
        // A call within the process needs no signature.
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

/// Middleware that refuses calls against the access policy, and adds the caller to the others.
async fn admit(State(guard): State<Guard>, mut request: Request, next: Next) -> HttpResponse {
    match guard.check(&mut request) {
        Ok(caller) => {
            request.headers_mut().remove(IDENTITY_HEADER);
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err(error) => Status::from(error).into_http(),
    }
}

/// Checks whether a caller may make a call. The gateway also checks before it forwards a call.
pub fn check_access(access: &Access, caller: &Caller, clock: &Clock) -> Result<(), ServiceError> {
    match (access.audience(), caller) {
        (Audience::Public | Audience::Edge, Caller::Edge { .. })
        | (Audience::Public, Caller::Person(_) | Caller::Staff(_)) => Ok(()),
        (Audience::Service, Caller::Service { name, .. })
            if access.callers.iter().any(|allowed| allowed == name.name()) =>
        {
            Ok(())
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
    let is_included = match access.feature() {
        PremiumFeature::Unspecified => true,
        PremiumFeature::FuelAnalytics => identity.entitlements.fuel_analytics,
        PremiumFeature::PartsEntry => identity.entitlements.parts_entry,
    };
    if !allowed {
        Err(ServiceError::forbidden())
    } else if identity.second_factor_missing && !access.before_second_factor {
        Err(ServiceError::second_factor_required())
    } else if access.recent_sign_in && !identity.signed_in_recently(clock) {
        Err(ServiceError::reauth_required())
    } else if access.needs_subscription && !identity.entitlements.active {
        Err(ServiceError::subscription_inactive())
    } else if !is_included {
        Err(ServiceError::feature_not_in_plan())
    } else {
        Ok(())
    }
}

/// A bound port, before the service is served on it.
pub struct ServicePort {
    service: Service,
    listener: TcpListener,
    database: Database,
    /// Whether the service is ready: false until [`ServicePort::serve`] reaches the database.
    pub readiness: Arc<AtomicBool>,
    /// Accepts only clients with a certificate of the cluster's authority.
    pub tls: Option<Tls>,
    /// Serves only after the self-check succeeded; fails if it finds problems.
    pub self_check: Option<SelfCheck>,
    /// Started when the service first becomes ready.
    pub background: Option<BackgroundTasks>,
}

/// Enables the self-check of the database before the service serves.
#[derive(Clone, Copy, Debug)]
pub struct SelfCheck {
    /// How long the process stays up after a failed check, without serving, so that its metrics are
    /// scraped.
    pub linger: Duration,
}

impl ServicePort {
    /// Binds the port early, so that a port in use fails before anything else.
    pub async fn open(
        service: Service,
        address: SocketAddr,
        database: Database,
    ) -> Result<Self, ServiceError> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            ServiceError::internal(format!("failed to bind {address}: {error}"))
        })?;
        Ok(Self {
            service,
            listener,
            database,
            readiness: Arc::default(),
            tls: None,
            self_check: None,
            background: None,
        })
    }

    /// Serves until `shutdown`, and closes the database at the end.
    pub fn serve(
        self,
        routes: Routes,
        shutdown: Shutdown,
    ) -> BoxFuture<'static, Result<(), ServiceError>> {
        Box::pin(async move {
            let (reporter, health_service) = tonic_health::server::health_reporter();
            let checked = Arc::new(AtomicBool::new(self.self_check.is_none()));
            let routes = closed_until(checked.clone(), routes.into_axum_router());
            let health = Health {
                reporter,
                database: self.database.clone(),
                readiness: self.readiness,
                checks: self.self_check,
                checked,
                background: self.background,
            };
            // The initial status of the health service is SERVING.
            health.set(false).await;
            let mut watch = tokio::spawn(health.report(shutdown.clone()));
            let routes = Routes::from(routes).add_service(health_service);
            let address = self.listener.local_addr().map_err(ServiceError::internal)?;
            tracing::info!(service = self.service.name(), %address, "serving");
            let routes = routes.prepare().into_axum_router();
            let (draining, tasks) = (shutdown.draining(), TaskTracker::new());
            let server = serve_connections(self.listener, draining, &tasks, |stream, _| {
                serve_connection(stream, self.tls.clone(), routes.clone(), draining.clone())
            });
            let result = tokio::select! {
                () = server => Ok(()),
                Ok(Err(wrong)) = &mut watch => Err(wrong),
            };
            watch.abort();
            self.database.close().await;
            result
        })
    }
}

/// Serves the calls of a connection. When draining starts or the connection is [`MAX_AGE`] old, it
/// accepts no more and finishes the open ones.
async fn serve_connection(
    stream: TcpStream,
    tls: Option<Tls>,
    routes: axum::Router,
    draining: CancellationToken,
) {
    let stream = match tls {
        None => Either::Left(stream),
        Some(tls) => match tls.accept(stream).await {
            Some(stream) => Either::Right(stream),
            None => return,
        },
    };
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .keep_alive_interval(KEEP_ALIVE);
    let serving = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        _ = serving.as_mut() => return,
        () = draining.cancelled() => {}
        () = tokio::time::sleep(MAX_AGE) => {}
    }
    serving.as_mut().graceful_shutdown();
    let _ = serving.await;
}

/// Routes that return UNAVAILABLE until `open` is true.
fn closed_until(open: Arc<AtomicBool>, routes: axum::Router) -> axum::Router {
    routes.layer(from_fn(move |request: Request, next: Next| {
        let open = open.load(Ordering::Relaxed);
        async move {
            if open {
                next.run(request).await
            } else {
                Status::unavailable(UNAVAILABLE_MESSAGE).into_http()
            }
        }
    }))
}

/// Reports health and readiness by the state of the service's own database.
struct Health {
    reporter: HealthReporter,
    database: Database,
    readiness: Arc<AtomicBool>,
    /// None after a successful self-check.
    checks: Option<SelfCheck>,
    /// Set after the self-check; see [`closed_until`].
    checked: Arc<AtomicBool>,
    /// None once started.
    background: Option<BackgroundTasks>,
}

impl Health {
    /// Reports until draining starts. Fails only if the self-check finds problems.
    async fn report(mut self, shutdown: Shutdown) -> Result<(), ServiceError> {
        loop {
            let ready = self.database.is_ready().await && self.is_checked(&shutdown).await?;
            if ready && let Some(background) = self.background.take() {
                background.start();
            }
            self.set(ready && !shutdown.requested().is_cancelled())
                .await;
            tokio::select! {
                () = shutdown.requested().cancelled() => break,
                () = tokio::time::sleep(DATABASE_CHECK) => {}
            }
        }
        self.set(false).await;
        shutdown.draining().cancelled().await;
        // Ends health watch streams, which would keep their connections open.
        self.reporter.clear_service_status("").await;
        Ok(())
    }

    /// Runs the self-check unless it is done; false if the database did not answer.
    async fn is_checked(&mut self, shutdown: &Shutdown) -> Result<bool, ServiceError> {
        let Some(check) = self.checks else {
            return Ok(true);
        };
        let Ok(problems) = self_check::problems(&self.database).await else {
            return Ok(false);
        };
        if problems.is_empty() {
            self.checks = None;
            self.checked.store(true, Ordering::Relaxed);
            return Ok(true);
        }
        let failures = names::SELF_CHECK_FAILURES.counter(names::NO_LABELS);
        failures.increment(problems.len() as u64);
        tracing::error!(?problems, "self-check failed; the service does not start");
        tokio::select! {
            () = tokio::time::sleep(check.linger) => {}
            () = shutdown.requested().cancelled() => {}
        }
        let problems = format!("self-check failed:\n  {}", problems.join("\n  "));
        Err(ServiceError::internal(problems))
    }

    async fn set(&self, ready: bool) {
        self.readiness.store(ready, Ordering::Relaxed);
        let status = if ready {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        };
        self.reporter.set_service_status("", status).await;
    }
}
