//! What a process tells of itself: logs, metrics, traces.

pub mod logs;
pub mod metrics;
pub mod names;

pub use self::logs::{LogFormat, start};
pub use self::metrics::{metrics_text, name_process, watch};
