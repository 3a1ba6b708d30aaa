//! All metrics: name, kind, labels and help. Checks compare dashboards and alerts with this table.
//!
//! Label values are from small fixed sets: route templates, RPC names, outcomes. Never a company, a
//! person, an address or a value chosen by a client.

use ::metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, with_recorder,
};

use super::recorder::install;

/// The Prometheus type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only increases; restarts at zero with the process.
    Counter,
    /// Increases and decreases.
    Gauge,
    /// Durations in seconds, counted in buckets: `<name>_bucket`, `<name>_sum`, `<name>_count`.
    Histogram,
}

/// A metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The full name.
    pub name: &'static str,
    /// The type.
    pub kind: Kind,
    /// Label names, in the order of the values.
    pub labels: &'static [&'static str],
    /// The help text, one sentence.
    pub help: &'static str,
}

const METADATA: Metadata<'static> = Metadata::new("hourmeter", Level::INFO, None);

impl Metric {
    /// The counter with these label values. Keep it where it is incremented often.
    pub fn counter<const N: usize>(&self, values: [impl Into<SharedString>; N]) -> Counter {
        debug_assert_eq!(self.kind, Kind::Counter, "{}", self.name);
        self.register(values, |recorder, key| {
            recorder.register_counter(key, &METADATA)
        })
    }

    /// The gauge with these label values.
    pub fn gauge<const N: usize>(&self, values: [impl Into<SharedString>; N]) -> Gauge {
        debug_assert_eq!(self.kind, Kind::Gauge, "{}", self.name);
        self.register(values, |recorder, key| {
            recorder.register_gauge(key, &METADATA)
        })
    }

    /// The histogram with these label values. Keep it where it records often.
    pub fn histogram<const N: usize>(&self, values: [impl Into<SharedString>; N]) -> Histogram {
        debug_assert_eq!(self.kind, Kind::Histogram, "{}", self.name);
        self.register(values, |recorder, key| {
            recorder.register_histogram(key, &METADATA)
        })
    }

    /// Increments the counter with these label values by 1.
    pub fn count<const N: usize>(&self, values: [impl Into<SharedString>; N]) {
        self.counter(values).increment(1);
    }

    fn register<T, const N: usize>(
        &self,
        values: [impl Into<SharedString>; N],
        register: impl FnOnce(&dyn Recorder, &Key) -> T,
    ) -> T {
        debug_assert_eq!(self.labels.len(), N, "{}", self.name);
        install();
        let labels = self.labels.iter().zip(values);
        let labels = labels.map(|(name, value)| Label::new(*name, value));
        let key = Key::from_parts(self.name, labels.collect::<Vec<_>>());
        with_recorder(|recorder| register(recorder, &key))
    }
}

/// The label values of a metric without labels.
pub const NO_LABELS: [&str; 0] = [];

/// Declares each metric and the complete list.
macro_rules! metrics {
    ($($(#[doc = $help:literal])+ $constant:ident = $name:literal, $kind:ident, [$($label:literal),*];)+) => {
        $(
            $(#[doc = $help])+
            pub const $constant: Metric = Metric {
                name: $name,
                kind: Kind::$kind,
                labels: &[$($label),*],
                help: concat!($($help),+).trim_ascii(),
            };
        )+
        /// All metrics.
        pub const ALL: &[Metric] = &[$($constant),+];
    };
}

metrics! {
    /// Always 1; the labels are the version and the process.
    BUILD_INFO = "hourmeter_build_info", Gauge, ["version", "process"];
    /// Requests handled by the gateway.
    HTTP_REQUESTS = "hourmeter_http_requests_total", Counter, ["route", "method", "status"];
    /// Seconds from a request's headers to its response's headers at the gateway.
    HTTP_DURATION = "hourmeter_http_request_duration_seconds", Histogram, ["route", "method"];
    /// Requests the gateway is handling now; a stream counts until its headers are sent.
    HTTP_IN_FLIGHT = "hourmeter_http_requests_in_flight", Gauge, [];
    /// Calls handled by a service, by gRPC code.
    RPC_REQUESTS = "hourmeter_rpc_requests_total", Counter, ["service", "method", "code"];
    /// Seconds a service took to handle a call.
    RPC_DURATION = "hourmeter_rpc_request_duration_seconds", Histogram, ["service", "method"];
    /// Calls made to a service, including retries, by gRPC code as the caller saw it.
    BACKEND_REQUESTS = "hourmeter_backend_requests_total", Counter, ["backend", "method", "code"];
    /// Seconds a call to a service took as the caller saw it.
    BACKEND_DURATION = "hourmeter_backend_request_duration_seconds", Histogram, ["backend", "method"];
    /// Retried calls: the service was unavailable, or the call did not reach a replica.
    BACKEND_RETRIES = "hourmeter_backend_retries_total", Counter, ["backend", "reason"];
    /// Replicas of a service that the caller knows.
    BACKEND_REPLICAS = "hourmeter_backend_replicas", Gauge, ["backend", "state"];
    /// Connections to the service's database.
    DB_CONNECTIONS = "hourmeter_db_connections", Gauge, ["service", "state"];
    /// Maximum number of database connections of the service.
    DB_CONNECTIONS_MAX = "hourmeter_db_connections_max", Gauge, ["service"];
    /// Seconds until a database connection was free.
    DB_ACQUIRE = "hourmeter_db_acquire_duration_seconds", Histogram, ["service"];
    /// Requests that got no database connection in time.
    DB_TIMEOUTS = "hourmeter_db_acquire_timeouts_total", Counter, ["service"];
    /// Decisions waiting to be applied to equipment, without parked ones.
    OUTBOX_WAITING = "hourmeter_outbox_waiting", Gauge, ["service"];
    /// Age in seconds of the oldest waiting decision; 0 if none waits.
    OUTBOX_OLDEST = "hourmeter_outbox_oldest_seconds", Gauge, ["service"];
    /// Decisions not applied after a refusal or too many attempts; they need manual action.
    OUTBOX_PARKED = "hourmeter_outbox_parked", Gauge, ["service"];
    /// Attempts to apply a decision, by outcome.
    OUTBOX_DELIVERIES = "hourmeter_outbox_deliveries_total", Counter, ["service", "outcome"];
    /// Passwords waiting to be hashed.
    HASHES_WAITING = "hourmeter_password_hashes_waiting", Gauge, [];
    /// Passwords being hashed.
    HASHES_RUNNING = "hourmeter_password_hashes_running", Gauge, [];
    /// Seconds to hash a password, without waiting.
    HASH_DURATION = "hourmeter_password_hash_duration_seconds", Histogram, [];
    /// Passwords not hashed because too many waited.
    HASHES_REFUSED = "hourmeter_password_hashes_refused_total", Counter, [];
    /// Requests refused by a rate limit or lockout.
    LIMITED = "hourmeter_limited_total", Counter, ["limit"];
    /// Requests refused because the gateway is overloaded, by priority.
    OVERLOAD_REFUSED = "hourmeter_overload_refused_total", Counter, ["priority"];
    /// Concurrency limit of the gateway, adapted to the latency.
    OVERLOAD_LIMIT = "hourmeter_overload_limit", Gauge, [];
    /// Lookups in a cache of the gateway.
    CACHE_REQUESTS = "hourmeter_cache_requests_total", Counter, ["cache", "outcome"];
    /// Failed calls to Redis, by use.
    REDIS_ERRORS = "hourmeter_redis_errors_total", Counter, ["use"];
    /// 1 while Redis answers, 0 after a failure until its next response; absent without Redis.
    REDIS_UP = "hourmeter_redis_up", Gauge, [];
    /// Open streams of browsers that watch for changes.
    WATCH_STREAMS = "hourmeter_watch_streams", Gauge, [];
    /// Change events sent to other processes or received from them.
    EVENTS = "hourmeter_events_total", Counter, ["direction", "outcome"];
    /// Calls to the payment provider.
    PROVIDER_REQUESTS = "hourmeter_provider_requests_total", Counter, ["operation", "outcome"];
    /// Seconds a call to the payment provider took.
    PROVIDER_DURATION = "hourmeter_provider_request_duration_seconds", Histogram, ["operation"];
    /// Webhook events of the payment provider, by outcome.
    WEBHOOK_EVENTS = "hourmeter_webhook_events_total", Counter, ["outcome"];
    /// Audit entries lost because the queue was full or accounts was unavailable too long.
    AUDIT_DROPPED = "hourmeter_audit_dropped_total", Counter, [];
    /// Failures of a key: a sealed password, a hash's pepper, a signature or a certificate.
    KEY_FAILURES = "hourmeter_key_failures_total", Counter, ["key"];
    /// Requests and background tasks that panicked.
    PANICS = "hourmeter_panics_total", Counter, [];
    /// Expiry of this process's certificate, in seconds since 1970.
    CERTIFICATE_EXPIRY = "hourmeter_tls_certificate_expiry_timestamp_seconds", Gauge, [];
    /// Problems found by the start-up self-check.
    SELF_CHECK_FAILURES = "hourmeter_self_check_failures_total", Counter, [];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_metrics_follow_naming_rules() {
        let names: BTreeSet<_> = ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), ALL.len(), "duplicate name");
        for metric in ALL {
            let name = metric.name;
            let plain = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(
                name.starts_with("hourmeter_") && name.chars().all(plain),
                "{name}"
            );
            assert_eq!(
                name.ends_with("_total"),
                metric.kind == Kind::Counter,
                "{name}"
            );
            let is_histogram = metric.kind == Kind::Histogram;
            assert!(!is_histogram || name.ends_with("_seconds"), "{name}");
            assert!(
                !metric.help.is_empty() && !metric.help.starts_with(' '),
                "{name}"
            );
            // Persons, companies and addresses are never a label.
            for label in metric.labels {
                assert!(
                    [
                        "version",
                        "process",
                        "route",
                        "method",
                        "status",
                        "service",
                        "code",
                        "backend",
                        "reason",
                        "state",
                        "outcome",
                        "limit",
                        "priority",
                        "cache",
                        "use",
                        "direction",
                        "operation",
                        "key"
                    ]
                    .contains(label),
                    "{name}: {label}"
                );
            }
        }
    }

    #[test]
    #[should_panic(expected = "hourmeter_limited_total")]
    fn register_requires_all_label_values() {
        LIMITED.count(["a", "b"]);
    }
}
