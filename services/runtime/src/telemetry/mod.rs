//! What a process tells of itself: logs, metrics, traces.

pub mod calls;
pub mod logs;
pub mod metrics;
pub mod names;

pub use self::logs::{LogFormat, start};
pub use self::metrics::{Counted, metrics_text, name_process, watch};
pub use ::metrics::{Counter, Gauge, Histogram};
