//! Logs, metrics and traces.

pub mod calls;
pub mod export;
pub mod logs;
pub mod metrics;
pub mod names;
mod recorder;
mod sql;
pub mod trace;

pub use self::export::{Traces, stop};
pub use self::logs::{LogFormat, start};
pub use self::metrics::{GaugeGuard, metrics_text, name_process, on_scrape};
pub use ::metrics::{Counter, Gauge, Histogram};
