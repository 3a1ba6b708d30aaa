//! The trail of an entry: from the request that reported it, over the one that decided on it, to its
//! effect, which may come much later and together with others'.

use hourmeter_runtime::telemetry::trace::{Current, SpanKind, Trace};

use crate::store::deliveries::Delivery;

/// What the span of deliveries is called.
const NAME: &str = "operator-updates/deliver";

/// Where the request that runs stands, to be kept with what it stores.
pub fn here() -> Option<String> {
    Current::get().map(|current| current.trace.to_string())
}

/// Makes deliveries as a part of the first trace that is sent anywhere: of the request that runs,
/// else of one that decided, else of one that reported. The others are linked.
pub async fn follow<T>(deliveries: &[Delivery], work: impl Future<Output = T>) -> T {
    let running = Current::get();
    let decided = deliveries.iter().filter_map(|delivery| delivery.decided);
    let reported = deliveries.iter().filter_map(|delivery| delivery.reported);
    let running_trace = running.map(|current| current.trace);
    let all = running_trace.into_iter().chain(decided).chain(reported);
    let Some((parent, links)) = choose(all) else {
        return work.await;
    };
    let current = Current {
        request_id: running.and_then(|current| current.request_id),
        trace: parent,
    };
    let (span, current) = current.begin(|| NAME.to_owned(), SpanKind::Consumer, &links);
    let done = current.scope(work).await;
    if let Some(mut span) = span {
        let count = i64::try_from(deliveries.len()).unwrap_or(i64::MAX);
        span.set("deliveries", count);
    }
    done
}

/// The trace to go on with, and one place in each of the others.
fn choose(all: impl Iterator<Item = Trace>) -> Option<(Trace, Vec<Trace>)> {
    let all: Vec<Trace> = all.collect();
    let sampled = all.iter().find(|trace| trace.is_sampled());
    let parent = *sampled.or_else(|| all.first())?;
    let mut links: Vec<Trace> = Vec::new();
    for trace in all {
        let known = |seen: &Trace| seen.trace_id == trace.trace_id;
        if !known(&parent) && !links.iter().any(known) {
            links.push(trace);
        }
    }
    Some((parent, links))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(number: u8, sampled: bool) -> Trace {
        let text = format!("00-{number:032x}-{number:016x}-{:02x}", u8::from(sampled));
        text.parse().expect("a trace")
    }

    #[test]
    fn the_first_that_is_sent_goes_on_and_the_others_are_linked() {
        let (one, two, three) = (trace(1, false), trace(2, true), trace(3, true));
        for (all, expected) in [
            (vec![], None),
            (vec![one], Some((one, vec![]))),
            (vec![one, one], Some((one, vec![]))),
            (
                vec![one, trace(4, false)],
                Some((one, vec![trace(4, false)])),
            ),
            (vec![one, two, three], Some((two, vec![one, three]))),
            (vec![two, one, two, one], Some((two, vec![one]))),
        ] {
            assert_eq!(choose(all.into_iter()), expected);
        }
    }
}
