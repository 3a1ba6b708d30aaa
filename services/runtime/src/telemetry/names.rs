//! Every metric there is: its name, kind, labels and meaning. Code that counts takes it from here,
//! and so do the checks that hold dashboards and alerts against what exists.
//!
//! A label's values are few and known beforehand: route templates, RPC names, outcomes. Never a
//! company, a person, an address or anything a client chose.

use ::metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, with_recorder,
};

use super::metrics::install;

/// What a metric measures, as Prometheus calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows; restarts at zero with the process.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Durations in seconds, counted in buckets: `<name>_bucket`, `<name>_sum`, `<name>_count`.
    Histogram,
}

/// One metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Names of its labels, in the order in which code gives their values.
    pub labels: &'static [&'static str],
    /// What it says, in one sentence.
    pub help: &'static str,
}

const METADATA: Metadata<'static> = Metadata::new("hourmeter", Level::INFO, None);

impl Metric {
    /// The counter with these label values. Where it counts often, keep what this returns.
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

    /// The histogram with these label values. Where it counts often, keep what this returns.
    pub fn histogram<const N: usize>(&self, values: [impl Into<SharedString>; N]) -> Histogram {
        debug_assert_eq!(self.kind, Kind::Histogram, "{}", self.name);
        self.register(values, |recorder, key| {
            recorder.register_histogram(key, &METADATA)
        })
    }

    /// Counts one more of these label values.
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

/// The values of no labels.
pub const NO_LABELS: [&str; 0] = [];

/// Declares the metrics and the list of all of them at once, so that none is missing from it.
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
        /// All of them.
        pub const ALL: &[Metric] = &[$($constant),+];
    };
}

metrics! {
    /// 1; says which version runs as which process.
    BUILD_INFO = "hourmeter_build_info", Gauge, ["version", "process"];
    /// Requests answered by the gateway.
    HTTP_REQUESTS = "hourmeter_http_requests_total", Counter, ["route", "method", "status"];
    /// Seconds from a request's headers to its answer's headers at the gateway.
    HTTP_DURATION = "hourmeter_http_request_duration_seconds", Histogram, ["route", "method"];
    /// Requests the gateway is answering now; a stream counts until its headers went out.
    HTTP_IN_FLIGHT = "hourmeter_http_requests_in_flight", Gauge, [];
    /// Calls answered by a service, by gRPC code.
    RPC_REQUESTS = "hourmeter_rpc_requests_total", Counter, ["service", "method", "code"];
    /// Seconds a service took for a call.
    RPC_DURATION = "hourmeter_rpc_request_duration_seconds", Histogram, ["service", "method"];
    /// Calls made to a service, repeats included, by gRPC code as the caller saw it.
    BACKEND_REQUESTS = "hourmeter_backend_requests_total", Counter, ["backend", "method", "code"];
    /// Seconds a call to a service took as the caller saw it.
    BACKEND_DURATION = "hourmeter_backend_request_duration_seconds", Histogram, ["backend", "method"];
    /// Calls made again: the service was unavailable, or the call never reached a replica.
    BACKEND_RETRIES = "hourmeter_backend_retries_total", Counter, ["backend", "reason"];
    /// Replicas of a service that the caller knows.
    BACKEND_REPLICAS = "hourmeter_backend_replicas", Gauge, ["backend", "state"];
    /// Connections to the service's database.
    DB_CONNECTIONS = "hourmeter_db_connections", Gauge, ["service", "state"];
    /// The most connections the service may have.
    DB_CONNECTIONS_MAX = "hourmeter_db_connections_max", Gauge, ["service"];
    /// Seconds until a connection was free and its transaction begun.
    DB_ACQUIRE = "hourmeter_db_acquire_duration_seconds", Histogram, ["service"];
    /// Requests that got no connection in time.
    DB_TIMEOUTS = "hourmeter_db_acquire_timeouts_total", Counter, ["service"];
    /// Decisions waiting to be applied to equipment, parked ones apart.
    OUTBOX_WAITING = "hourmeter_outbox_waiting", Gauge, ["service"];
    /// Age in seconds of the oldest of them; 0 when none waits.
    OUTBOX_OLDEST = "hourmeter_outbox_oldest_seconds", Gauge, ["service"];
    /// Decisions given up on after a refusal or too many tries: someone has to look.
    OUTBOX_PARKED = "hourmeter_outbox_parked", Gauge, ["service"];
    /// Tries to apply a decision, by how they ended.
    OUTBOX_DELIVERIES = "hourmeter_outbox_deliveries_total", Counter, ["service", "outcome"];
    /// Passwords waiting for their turn to be hashed.
    HASHES_WAITING = "hourmeter_password_hashes_waiting", Gauge, [];
    /// Passwords being hashed.
    HASHES_RUNNING = "hourmeter_password_hashes_running", Gauge, [];
    /// Seconds to hash a password, waiting apart.
    HASH_DURATION = "hourmeter_password_hash_duration_seconds", Histogram, [];
    /// Passwords not hashed because too many waited.
    HASHES_REFUSED = "hourmeter_password_hashes_refused_total", Counter, [];
    /// Requests refused because something was done too often, by which limit.
    LIMITED = "hourmeter_limited_total", Counter, ["limit"];
    /// Requests refused because the gateway had too much to do, by how long they can wait.
    OVERLOAD_REFUSED = "hourmeter_overload_refused_total", Counter, ["priority"];
    /// Requests that a gateway lets run at the same moment: as many as are still done in good time.
    OVERLOAD_LIMIT = "hourmeter_overload_limit", Gauge, [];
    /// Questions to a cache of the gateway.
    CACHE_REQUESTS = "hourmeter_cache_requests_total", Counter, ["cache", "outcome"];
    /// Questions Redis did not answer, by what they were for.
    REDIS_ERRORS = "hourmeter_redis_errors_total", Counter, ["use"];
    /// 1 while Redis answers, 0 from its first failure to its next answer; absent without Redis.
    REDIS_UP = "hourmeter_redis_up", Gauge, [];
    /// Browsers that watch for changes now.
    WATCH_STREAMS = "hourmeter_watch_streams", Gauge, [];
    /// Changes told to other processes or heard from them.
    EVENTS = "hourmeter_events_total", Counter, ["direction", "outcome"];
    /// Calls to the payment provider.
    PROVIDER_REQUESTS = "hourmeter_provider_requests_total", Counter, ["operation", "outcome"];
    /// Seconds a call to the payment provider took.
    PROVIDER_DURATION = "hourmeter_provider_request_duration_seconds", Histogram, ["operation"];
    /// Events from the payment provider, by what became of them.
    WEBHOOK_EVENTS = "hourmeter_webhook_events_total", Counter, ["outcome"];
    /// Lines for the audit log that were lost because too many waited or accounts was away too long.
    AUDIT_DROPPED = "hourmeter_audit_dropped_total", Counter, [];
    /// A secret that was needed did not fit: a sealed password, a hash's pepper, a signature.
    KEY_FAILURES = "hourmeter_key_failures_total", Counter, ["key"];
    /// Requests and background rounds that ended in a panic.
    PANICS = "hourmeter_panics_total", Counter, [];
    /// When the certificate of this process ends, in seconds since 1970.
    CERTIFICATE_EXPIRY = "hourmeter_tls_certificate_expiry_timestamp_seconds", Gauge, [];
    /// Start-up checks that failed.
    SELF_CHECK_FAILURES = "hourmeter_self_check_failures_total", Counter, [];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_follow_the_rules() {
        let names: BTreeSet<_> = ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), ALL.len(), "a name twice");
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
            // Who, which company, from where: never a label.
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
    fn labels_are_all_given() {
        LIMITED.count(["a", "b"]);
    }
}
