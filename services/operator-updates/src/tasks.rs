//! Background work in tasks.

use hourmeter_runtime::telemetry::names;
use tokio::task::JoinSet;

/// Works on each input in its own task, so that a panic or a slow one does not affect the others, at most
/// `limit` at once. Returns the results, None for a panic. `what` is the subject of its log line.
pub async fn in_tasks<I, W>(
    inputs: impl IntoIterator<Item = I>,
    limit: usize,
    what: &str,
    work: impl Fn(I) -> W,
) -> Vec<Option<W::Output>>
where
    W: Future<Output: Send> + Send + 'static,
{
    let mut inputs = inputs.into_iter();
    let mut running = JoinSet::new();
    let mut results = Vec::new();
    loop {
        while running.len() < limit
            && let Some(input) = inputs.next()
        {
            running.spawn(work(input));
        }
        let Some(ended) = running.join_next().await else {
            return results;
        };
        let ended = ended.inspect_err(|panic| {
            names::PANICS.count(names::NO_LABELS);
            tracing::error!(%panic, "{what} panicked");
        });
        results.push(ended.ok());
    }
}
