//! Reads that a service can't answer for the moment are asked again, a little later and not too
//! often. Writes never are: whether they took effect is not known here.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::refusals;
use hourmeter_runtime::client::{Backend, GrpcRequest, GrpcResponse, with_deadline};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::identity::Service;
use hourmeter_runtime::telemetry::names;
use http_body_util::{BodyExt as _, Full};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::ServiceExt as _;

/// Tries after the first.
const REPEATS: u32 = 2;
/// The longest pause before the first repeat; doubles, which two repeats keep below 500 ms.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a read may take with its repeats.
const DEADLINE: Duration = Duration::from_secs(2);
/// So many reads allow one repeat.
const READS_PER_REPEAT: u32 = 10;
/// Reads that are saved up for bad moments.
const MOST_SAVED: u32 = 10 * READS_PER_REPEAT;

/// Keeps repeats to a tenth of all reads, so that they can't bury a service that is struggling.
pub struct RetryBudget(AtomicU32);

impl RetryBudget {
    /// A full one.
    pub const fn new() -> Self {
        Self(AtomicU32::new(MOST_SAVED))
    }

    fn earn(&self) {
        self.change(|saved| (saved < MOST_SAVED).then_some(saved + 1));
    }

    fn spend(&self) -> bool {
        self.change(|saved| saved.checked_sub(READS_PER_REPEAT))
    }

    fn change(&self, to: impl Fn(u32) -> Option<u32>) -> bool {
        let order = Ordering::Relaxed;
        self.0.fetch_update(order, order, to).is_ok()
    }
}

/// Makes a read, again if the service is away.
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
    let mut answer = backend.clone().oneshot(request()).await;
    for repeat in 0..REPEATS {
        let pause = pause_before(repeat);
        let left = DEADLINE.saturating_sub(began.elapsed() + pause);
        if !is_unavailable(&answer) || left.is_zero() || !budget.spend() {
            break;
        }
        tokio::time::sleep(pause).await;
        names::BACKEND_RETRIES.count([service.name(), "unavailable"]);
        let again = with_deadline(left, backend.clone().oneshot(request())).await;
        answer = again.unwrap_or_else(|late| Err(late.into()));
    }
    answer
}

/// Any time up to the longest, so that those who failed together don't come again together.
fn pause_before(repeat: u32) -> Duration {
    let share = getrandom::u32().unwrap_or(u32::MAX);
    (PAUSE * 2_u32.pow(repeat)).mul_f64(f64::from(share) / f64::from(u32::MAX))
}

fn is_unavailable(answer: &Result<GrpcResponse, Status>) -> bool {
    let code = match answer {
        Ok(answer) => Status::from_header_map(answer.headers()).map(|status| status.code()),
        Err(status) => Some(status.code()),
    };
    code == Some(Code::Unavailable)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tower::service_fn;

    use super::*;

    /// A service that is away, and how often it was asked.
    fn away(after: Duration) -> (Backend, Arc<AtomicU32>) {
        let asked = Arc::new(AtomicU32::new(0));
        let count = asked.clone();
        let backend = Backend::new(service_fn(move |_: GrpcRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                tokio::time::sleep(after).await;
                Err(Status::unavailable("away"))
            }
        }));
        (backend, asked)
    }

    async fn ask(budget: &RetryBudget, backend: &Backend) {
        let request = http::Request::new(Body::empty());
        let answer = read(budget, (Service::Accounts, backend.clone()), request).await;
        assert_eq!(
            answer.err().map(|status| status.code()),
            Some(Code::Unavailable)
        );
    }

    #[tokio::test]
    async fn repeats_are_a_tenth_of_reads() {
        let (backend, asked) = away(Duration::ZERO);
        let budget = RetryBudget::new();
        for _ in 0..50 {
            ask(&budget, &backend).await;
        }
        // Ten were saved up, and fifty reads earn five more.
        let repeats = asked.load(Ordering::Relaxed) - 50;
        assert!((10..=15).contains(&repeats), "{repeats}");
    }

    #[tokio::test]
    async fn what_took_all_the_time_is_not_repeated() {
        let (backend, asked) = away(DEADLINE);
        ask(&RetryBudget::new(), &backend).await;
        assert_eq!(asked.load(Ordering::Relaxed), 1);

        let (backend, asked) = away(Duration::from_millis(1500));
        let began = Instant::now();
        ask(&RetryBudget::new(), &backend).await;
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert!(began.elapsed() < DEADLINE + Duration::from_millis(500));
    }

    #[test]
    fn pauses_are_short() {
        for _ in 0..100 {
            assert!(pause_before(0) <= PAUSE);
            assert!(pause_before(1) <= PAUSE * 2);
        }
    }
}
