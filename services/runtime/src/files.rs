//! How many files the process may have open. Every connection counts as one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit of open files to the hard limit and logs the result. The soft limit of a
/// login shell or a container is often 1,024, which fewer clients than that exhaust.
pub fn raise_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => tracing::info!(before = current, limit = limit(), "limit of open files"),
        Err(error) => {
            tracing::warn!(%error, limit = limit(), "failed to raise the limit of open files");
        }
    }
}

/// Returns the soft limit of open files; the largest number where there is none.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raise_limit_reaches_the_hard_limit() {
        let before = getrlimit(Resource::Nofile);
        let lower = Rlimit {
            current: before.maximum.map_or(Some(256), |hard| Some(hard.min(256))),
            maximum: before.maximum,
        };
        setrlimit(Resource::Nofile, lower).expect("a lower limit");
        raise_limit();
        assert_eq!(limit(), before.maximum.unwrap_or(u64::MAX));
    }
}
