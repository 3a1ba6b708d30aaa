//! Parts of the runtime that need a real PostgreSQL, a real Redis, sockets or certificates. Some change
//! what is global in a process (the metrics recorder, the trace exporter), so each test needs a process
//! of its own: run them with nextest.

mod balance;
mod cancelled_begin;
mod database_errors;
mod events_shared;
mod idempotency;
mod migrate;
mod plan_cache_mode;
mod pool_metrics;
mod readiness;
mod redis_tls;
mod resent;
mod self_check;
mod test_databases;
mod tls;
mod traces_tls;
