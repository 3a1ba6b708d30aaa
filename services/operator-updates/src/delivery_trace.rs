//! Tracing of deliveries: connects the requests that reported, decided and delivered an update.

use hourmeter_runtime::telemetry::trace;
use opentelemetry::Context;
use opentelemetry::trace::{FutureExt as _, SpanContext, TraceContextExt as _};
use tracing::Instrument as _;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::store::deliveries::Delivery;

/// Runs a delivery in the first sampled trace: of the current request, else of a decision, else of
/// a report. The other traces are linked.
pub async fn in_trace<T>(deliveries: &[Delivery], work: impl Future<Output = T>) -> T {
    let running = Context::map_current(|context| context.span().span_context().clone());
    let decided = deliveries.iter().map(|delivery| &delivery.decided);
    let reported = deliveries.iter().map(|delivery| &delivery.reported);
    let all = [&running].into_iter().chain(decided).chain(reported);
    let Some((parent, links)) = choose_parent(all.cloned()) else {
        return work.await;
    };
    let context = trace::child_of(parent);
    let span = {
        let _parent = context.clone().attach();
        tracing::debug_span!(
            "operator-updates/deliver",
            otel.kind = "consumer",
            deliveries = deliveries.len()
        )
    };
    for link in links {
        span.add_link(link);
    }
    work.instrument(span).with_context(context).await
}

/// The parent, and one link per other trace.
fn choose_parent(
    all: impl Iterator<Item = SpanContext>,
) -> Option<(SpanContext, Vec<SpanContext>)> {
    let all: Vec<SpanContext> = all.filter(SpanContext::is_valid).collect();
    let sampled = all.iter().find(|trace| trace.is_sampled());
    let parent = sampled.or_else(|| all.first())?.clone();
    let mut links: Vec<SpanContext> = Vec::new();
    for trace in all {
        let known = |seen: &SpanContext| seen.trace_id() == trace.trace_id();
        if !known(&parent) && !links.iter().any(known) {
            links.push(trace);
        }
    }
    Some((parent, links))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(number: u8, sampled: bool) -> SpanContext {
        let flags = u8::from(sampled);
        trace::parse(&format!("00-{number:032x}-{number:016x}-{flags:02x}"))
    }

    #[test]
    fn choose_parent_prefers_sampled_traces() {
        let [one, two, three, four] = [(1, false), (2, true), (3, true), (4, false)]
            .map(|(number, sampled)| move || trace(number, sampled));
        for (all, expected) in [
            (vec![], None),
            (vec![SpanContext::NONE], None),
            (vec![one()], Some((one(), vec![]))),
            (vec![one(), one()], Some((one(), vec![]))),
            (vec![one(), four()], Some((one(), vec![four()]))),
            (
                vec![one(), two(), three()],
                Some((two(), vec![one(), three()])),
            ),
            (vec![two(), one(), two(), one()], Some((two(), vec![one()]))),
        ] {
            assert_eq!(choose_parent(all.into_iter()), expected);
        }
    }
}
