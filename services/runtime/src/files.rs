//! The limit of open files. Every connection counts as one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of connections, if the limit of open files allows it.
const MAX_CONNECTIONS: u64 = 20_000;
/// Files reserved for other uses: connections to databases and services, logs.
const OTHER_FILES: u64 = 256;

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

/// Returns the soft limit of open files; `u64::MAX` if there is none.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Returns the maximum number of connections of a server in this process.
pub fn max_connections() -> usize {
    max_connections_at(limit())
}

fn max_connections_at(limit: u64) -> usize {
    let others = OTHER_FILES.min(limit / 4);
    let most = (limit - others).min(MAX_CONNECTIONS);
    usize::try_from(most).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_connections_reserves_files_for_other_uses() {
        for (limit, expected) in [
            (64, 48),
            (1024, 768),
            (4096, 3840),
            (1_048_576, 20_000),
            (u64::MAX, 20_000),
        ] {
            assert_eq!(max_connections_at(limit), expected, "{limit}");
        }
    }

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
