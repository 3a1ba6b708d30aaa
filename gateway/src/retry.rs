//! Retries reads while a service is unavailable, after a pause and within a budget. Writes are
//! never retried: they may have taken effect.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hourmeter_runtime::client::{Backend, GrpcRequest, GrpcResponse, READ_DEADLINE, with_deadline};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names;
use http_body_util::{BodyExt as _, Full};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;

use crate::refusals;
use crate::rpc_status::failed_code;

const MAX_RETRIES: u32 = 2;
/// The longest pause before the first retry; doubles for the second.
const PAUSE: Duration = Duration::from_millis(50);
const READS_PER_RETRY: u32 = 10;
/// Capacity of the budget, in reads.
const CAPACITY: u32 = 10 * READS_PER_RETRY;

/// Limits retries to a tenth of all reads, so that they can't overload a failing service.
pub struct RetryBudget(AtomicU32);

impl RetryBudget {
    pub const fn new() -> Self {
        Self(AtomicU32::new(CAPACITY))
    }

    fn earn(&self) {
        self.change(|saved| (saved < CAPACITY).then_some(saved + 1));
    }

    fn spend(&self) -> bool {
        self.change(|saved| saved.checked_sub(READS_PER_RETRY))
    }

    fn change(&self, to: impl Fn(u32) -> Option<u32>) -> bool {
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, to).is_ok()
    }
}

/// Sends a read; retries while the service is unavailable.
pub async fn read(
    budget: &RetryBudget,
    (service, backend): (Service, Backend),
    request: GrpcRequest,
) -> Result<GrpcResponse, Status> {
    let began = Instant::now();
    let (parts, body) = request.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|_| ServiceError::field("body", refusals::NOT_READABLE))?;
    let body = body.to_bytes();
    let request = || {
        let body = Body::new(Full::new(body.clone()));
        http::Request::from_parts(parts.clone(), body)
    };
    budget.earn();
    let mut response = backend.clone().oneshot(request()).await;
    for retry in 0..MAX_RETRIES {
        let pause = pause_before(retry);
        let left = READ_DEADLINE.saturating_sub(began.elapsed() + pause);
        let is_unavailable = failed_code(&response) == Some(Code::Unavailable);
        if !is_unavailable || left.is_zero() || !budget.spend() {
            break;
        }
        tokio::time::sleep(pause).await;
        names::BACKEND_RETRIES.count([service.name(), "unavailable"]);
        let retried = with_deadline(left, backend.clone().oneshot(request())).await;
        response = retried.unwrap_or_else(|error| Err(error.into()));
    }
    response
}

/// A random pause, so that calls that failed together are not retried together.
fn pause_before(retry: u32) -> Duration {
    let share = getrandom::u32().unwrap_or(u32::MAX);
    (PAUSE * 2_u32.pow(retry)).mul_f64(f64::from(share) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tower::service_fn;

    use super::*;

    /// An unavailable service and the number of its calls.
    fn unavailable(after: Duration) -> (Backend, Arc<AtomicU32>) {
        let calls = Arc::new(AtomicU32::new(0));
        let count = calls.clone();
        let backend = Backend::new(service_fn(move |_: GrpcRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                tokio::time::sleep(after).await;
                Err(Status::unavailable("unavailable"))
            }
        }));
        (backend, calls)
    }

    async fn send(budget: &RetryBudget, backend: &Backend) {
        let request = http::Request::new(Body::empty());
        let response = read(budget, (Service::Accounts, backend.clone()), request).await;
        assert_eq!(
            response.err().map(|status| status.code()),
            Some(Code::Unavailable)
        );
    }

    #[tokio::test]
    async fn read_retries_a_tenth_of_reads() {
        let (backend, calls) = unavailable(Duration::ZERO);
        let budget = RetryBudget::new();
        for _ in 0..50 {
            send(&budget, &backend).await;
        }
        // The budget begins with ten retries, and fifty reads earn five more.
        let retries = calls.load(Ordering::Relaxed) - 50;
        assert!((10..=15).contains(&retries), "{retries}");
    }

    #[tokio::test]
    async fn read_does_not_retry_after_the_deadline() {
        let (backend, calls) = unavailable(READ_DEADLINE);
        send(&RetryBudget::new(), &backend).await;
        assert_eq!(calls.load(Ordering::Relaxed), 1);

        let (backend, calls) = unavailable(Duration::from_millis(1500));
        let began = Instant::now();
        send(&RetryBudget::new(), &backend).await;
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        assert!(began.elapsed() < READ_DEADLINE + Duration::from_millis(500));
    }

    #[test]
    fn pause_before_is_bounded() {
        for _ in 0..100 {
            assert!(pause_before(0) <= PAUSE);
            assert!(pause_before(1) <= PAUSE * 2);
        }
    }
}
