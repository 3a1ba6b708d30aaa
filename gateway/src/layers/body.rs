//! Reads the body of a request before it takes a permit, so that slow clients delay no one. Limits
//! of bodies: time, minimum rate, bytes, and incomplete bodies of one address.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use hourmeter_runtime::telemetry::names;
use http::Method;
use http_body_util::BodyExt as _;
use tokio::time::Instant;

use crate::api_error::ApiError;
use crate::refusals;
use crate::requester::{Protocol, RequestContext};

const MAX_JSON_BYTES: usize = 256 * 1024;
/// The largest gRPC request message, framing included.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// Bytes of bodies in this process.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of bodies of one address.
const MAX_ADDRESS_BYTES: usize = 16 * 1024 * 1024;
/// Incomplete bodies of one address.
const MAX_ADDRESS_BODIES: usize = 64;
/// `Retry-After` of an address at its limit.
const RETRY_SECONDS: u64 = 5;

#[derive(Clone, Copy)]
struct ReadTimeout {
    /// For the smallest body.
    shortest: Duration,
    /// Received bytes that add a second.
    bytes_per_second: u32,
    /// For the largest body.
    longest: Duration,
}

const READ_TIMEOUT: ReadTimeout = ReadTimeout {
    shortest: Duration::from_secs(10),
    bytes_per_second: 8 * 1024,
    longest: Duration::from_secs(30),
};

impl ReadTimeout {
    /// The timeout after this many bytes were received.
    fn with(self, bytes: usize) -> Duration {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let more = f64::from(bytes) / f64::from(self.bytes_per_second);
        (self.shortest + Duration::from_secs_f64(more)).min(self.longest)
    }
}

/// Request bodies of this process, from the first byte until the response.
pub struct RequestBodies {
    timeout: ReadTimeout,
    limited: bool,
    all: Mutex<Usage>,
}

#[derive(Default)]
struct Usage {
    bytes: usize,
    addresses: HashMap<String, AddressUsage>,
}

#[derive(Default)]
struct AddressUsage {
    incomplete: usize,
    bytes: usize,
}

/// Counts a body until it is dropped.
pub struct BodyReservation<'a> {
    bodies: &'a RequestBodies,
    address: String,
    bytes: usize,
    is_incomplete: bool,
}

impl RequestBodies {
    /// With `limited` false, addresses have no limits.
    pub fn new(limited: bool) -> Self {
        Self {
            timeout: READ_TIMEOUT,
            limited,
            all: Mutex::default(),
        }
    }

    /// Reads the body, except of GET and HEAD; hold the second part until the response.
    pub async fn read(
        &self,
        context: RequestContext,
        request: Request,
    ) -> Result<(Request, Option<BodyReservation<'_>>), ApiError> {
        let max_bytes = match context.protocol {
            Protocol::Rest => MAX_JSON_BYTES,
            Protocol::GrpcWeb => MAX_MESSAGE_BYTES,
            Protocol::Page => return Ok((request, None)),
        };
        let needs_none = matches!(*request.method(), Method::GET | Method::HEAD);
        if needs_none || request.body().is_end_stream() {
            return Ok((request, None));
        }
        // A body that declares a larger size is rejected before it arrives.
        if request.body().size_hint().lower() > max_bytes as u64 {
            return Err(ApiError::BodyTooLarge);
        }
        let mut reservation = self.begin(context.address.limit_key())?;
        let (parts, body) = request.into_parts();
        let bytes = self.collect(body, max_bytes, &mut reservation).await?;
        // The body is complete: only its bytes stay reserved.
        reservation.release(0);
        let request = Request::from_parts(parts, Body::from(bytes));
        Ok((request, Some(reservation)))
    }

    async fn collect(
        &self,
        mut body: Body,
        max_bytes: usize,
        reservation: &mut BodyReservation<'_>,
    ) -> Result<Vec<u8>, ApiError> {
        let began = Instant::now();
        let mut bytes = Vec::new();
        loop {
            let until = began + self.timeout.with(bytes.len());
            let frame = tokio::time::timeout_at(until, body.frame()).await;
            let Some(frame) = frame.map_err(|_| ApiError::BodyTimeout)? else {
                return Ok(bytes);
            };
            let frame = frame.map_err(|_| ApiError::field("body", refusals::BODY_INCOMPLETE))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len() + data.len() > max_bytes {
                return Err(ApiError::BodyTooLarge);
            }
            reservation.grow(data.len())?;
            bytes.extend_from_slice(&data);
        }
    }

    fn begin(&self, address: String) -> Result<BodyReservation<'_>, ApiError> {
        let mut all = self.lock();
        let share = all.addresses.entry(address.clone()).or_default();
        if self.limited && share.incomplete >= MAX_ADDRESS_BODIES {
            return Err(too_many());
        }
        share.incomplete += 1;
        drop(all);
        Ok(BodyReservation {
            bodies: self,
            address,
            bytes: 0,
            is_incomplete: true,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Usage> {
        // Changes are complete before anything can panic.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyReservation<'_> {
    fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let mut all = self.bodies.lock();
        if all.bytes + bytes > MAX_BYTES {
            names::OVERLOAD_REFUSED.count(["body"]);
            return Err(ApiError::Overloaded);
        }
        let share = all.addresses.entry(self.address.clone()).or_default();
        if self.bodies.limited && share.bytes + bytes > MAX_ADDRESS_BYTES {
            return Err(too_many());
        }
        share.bytes += bytes;
        all.bytes += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// Releases bytes, and the slot of an incomplete body.
    fn release(&mut self, bytes: usize) {
        let mut all = self.bodies.lock();
        all.bytes -= bytes;
        let Some(share) = all.addresses.get_mut(&self.address) else {
            return;
        };
        share.bytes -= bytes;
        share.incomplete -= usize::from(std::mem::take(&mut self.is_incomplete));
        if share.bytes == 0 && share.incomplete == 0 {
            all.addresses.remove(&self.address);
        }
    }
}

impl Drop for BodyReservation<'_> {
    fn drop(&mut self) {
        self.release(self.bytes);
    }
}

fn too_many() -> ApiError {
    names::LIMITED.count(["bodies"]);
    ApiError::RateLimited(RETRY_SECONDS)
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use futures::stream;

    use super::*;
    use crate::layers::context_of;

    fn bodies(timeout: ReadTimeout) -> RequestBodies {
        RequestBodies {
            timeout,
            ..RequestBodies::new(true)
        }
    }

    const SHORT: ReadTimeout = ReadTimeout {
        shortest: Duration::from_millis(100),
        bytes_per_second: 100,
        longest: Duration::from_millis(400),
    };

    /// A POST with an endless body: one chunk after each pause.
    fn endless(chunk: &'static [u8], pause: Duration) -> Request {
        let chunks = stream::unfold((), move |()| async move {
            tokio::time::sleep(pause).await;
            Some((Ok::<_, std::io::Error>(Bytes::from_static(chunk)), ()))
        });
        let request = Request::post("/api/auth/login");
        request.body(Body::from_stream(chunks)).expect("a request")
    }

    async fn error(bodies: &RequestBodies, request: Request) -> ApiError {
        let context = context_of(&request);
        let read = bodies.read(context, request).await;
        read.err().expect("an error")
    }

    #[tokio::test]
    async fn read_times_out_on_slow_bodies() {
        let bodies = bodies(SHORT);
        for (chunk, pause, least, max_bytes) in [
            // Nothing arrives.
            (&b""[..], 10_000, 100, 5_000),
            // Too little arrives to gain time.
            (&b"x"[..], 90, 100, 5_000),
            // Enough arrives, but the total time runs out.
            (&b"xxxxx"[..], 50, 400, 5_000),
        ] {
            let began = Instant::now();
            let request = endless(chunk, Duration::from_millis(pause));
            assert!(matches!(
                error(&bodies, request).await,
                ApiError::BodyTimeout
            ));
            let took = began.elapsed();
            let range = Duration::from_millis(least)..Duration::from_millis(max_bytes);
            assert!(range.contains(&took), "{took:?}");
        }
        assert!(bodies.lock().addresses.is_empty());
    }

    #[tokio::test]
    async fn read_rejects_large_bodies() {
        let bodies = bodies(READ_TIMEOUT);
        let chunk = [b'x'; 10_000].as_slice();
        let request = endless(chunk, Duration::ZERO);
        assert!(matches!(
            error(&bodies, request).await,
            ApiError::BodyTooLarge
        ));
        let whole = Body::from(vec![b'x'; MAX_JSON_BYTES + 1]);
        let request = Request::post("/api/auth/login").body(whole);
        let error = error(&bodies, request.expect("a request")).await;
        assert!(matches!(error, ApiError::BodyTooLarge));
        assert_eq!(bodies.lock().bytes, 0);
    }

    #[tokio::test]
    async fn read_counts_bodies_until_dropped() {
        let bodies = bodies(READ_TIMEOUT);
        let request = Request::post("/api/auth/login").body(Body::from("12345"));
        let request = request.expect("a request");
        let context = context_of(&request);
        let (request, reservation) = bodies.read(context, request).await.expect("a body");
        let body = axum::body::to_bytes(request.into_body(), 100).await;
        assert_eq!(body.expect("a body"), "12345");
        assert_eq!(bodies.lock().bytes, 5);
        drop(reservation);
        assert_eq!(bodies.lock().bytes, 0);
        assert!(bodies.lock().addresses.is_empty());
    }

    #[test]
    fn begin_limits_incomplete_bodies_of_an_address() {
        let bodies = bodies(READ_TIMEOUT);
        let begin = |address: &str| bodies.begin(address.to_owned());
        let reservation = (0..MAX_ADDRESS_BODIES).map(|_| begin("a"));
        let mut reservation: Vec<_> = reservation
            .map(|reservation| reservation.expect("a slot"))
            .collect();
        assert!(matches!(begin("a"), Err(ApiError::RateLimited(_))));
        assert!(begin("b").is_ok());
        reservation[0].release(0);
        assert!(begin("a").is_ok(), "complete bodies do not count");
    }

    #[test]
    fn grow_limits_bytes_of_an_address_and_of_the_process() {
        let bodies = bodies(READ_TIMEOUT);
        let mut reservation = Vec::new();
        for address in ["a", "b", "c", "d", "e"] {
            let mut one = bodies.begin(address.to_owned()).expect("a slot");
            if address == "e" {
                assert!(matches!(one.grow(1), Err(ApiError::Overloaded)));
            } else {
                one.grow(MAX_ADDRESS_BYTES).expect("memory");
                reservation.push(one);
            }
        }
        reservation.pop();
        assert!(matches!(
            reservation[0].grow(1),
            Err(ApiError::RateLimited(_))
        ));
    }
}
