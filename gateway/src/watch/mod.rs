//! `EventsService/Watch`: streams changes of a company. Served by the gateway itself, from the
//! events of services and, in case events were lost, from markers.

mod audience;
mod markers;
mod stream;
pub mod timing;
mod watchers;

use std::sync::Arc;

use hourmeter_proto::events::v1::events_service_server::EventsService;
use hourmeter_proto::events::v1::{Topic as ProtoTopic, WatchRequest};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::{Events, Topic};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use self::audience::Topics;
use self::stream::WatchResponses;
pub use self::timing::WatchTiming;
use self::watchers::Watchers;
use crate::refusals;
use crate::requester::Requester;
use crate::server::BackgroundTasks;
use crate::services::Services;

pub const ROUTE: &str = "/hourmeter.events.v1.EventsService/{method}";

#[derive(Clone)]
pub struct Watch {
    services: Arc<Services>,
    events: Events,
    watchers: Arc<Watchers>,
}

impl Watch {
    pub fn new(services: Arc<Services>, events: Events) -> Self {
        Self {
            services,
            events,
            watchers: Arc::default(),
        }
    }
}

#[tonic::async_trait]
impl EventsService for Watch {
    type WatchStream = WatchResponses;

    async fn watch(
        &self,
        request: Request<WatchRequest>,
    ) -> Result<Response<WatchResponses>, Status> {
        let requester = request.extensions().get::<Arc<Requester>>().cloned();
        let requester = requester.ok_or_else(|| ServiceError::internal("no session layer"))?;
        let topics = topics(request.get_ref())?;
        // None in tests.
        let stop = request.extensions().get::<BackgroundTasks>();
        let stop = stop.map_or_else(CancellationToken::new, BackgroundTasks::stopping);
        let joined = self.watchers.join(&self.events, &requester, topics);
        let (guard, new_company) = joined.map_err(with_retry_after)?;
        if let Some(watch) = new_company {
            let (services, watchers) = (self.services.clone(), self.watchers.clone());
            tokio::spawn(markers::poll(services, watchers, self.events.live(), watch));
        }
        let services = self.services.clone();
        Ok(Response::new(stream::open(
            services, requester, guard, stop,
        )))
    }
}

/// Adds `Retry-After`, as the rate limits do.
fn with_retry_after(failure: ServiceError) -> Status {
    let retry_after = failure.retry_after;
    let mut status = Status::from(failure);
    if let Some(seconds) = retry_after {
        status.metadata_mut().insert("retry-after", seconds.into());
    }
    status
}

fn topics(request: &WatchRequest) -> Result<Topics, ServiceError> {
    if request.topics.is_empty() {
        return Ok(Topics::ALL);
    }
    request.topics.iter().try_fold(Topics::NONE, |all, number| {
        let mut known = Topic::ALL.into_iter();
        let topic = known.find(|topic| i32::from(proto_topic(*topic)) == *number);
        let topic = topic.ok_or_else(|| ServiceError::field("topics", refusals::TOPIC_UNKNOWN))?;
        Ok(all.union(Topics::of(topic)))
    })
}

const fn proto_topic(topic: Topic) -> ProtoTopic {
    match topic {
        Topic::OperatorUpdates => ProtoTopic::OperatorUpdates,
        Topic::Equipment => ProtoTopic::Equipment,
        Topic::Subscription => ProtoTopic::Subscription,
        Topic::Notifications => ProtoTopic::Notifications,
    }
}

#[cfg(test)]
mod tests {
    use super::stream::response;
    use super::*;

    #[test]
    fn topics_are_those_requested() {
        let asked = |asked: &[i32]| {
            let topics = topics(&WatchRequest {
                topics: asked.to_vec(),
            });
            topics.ok().map(|topics| response(topics).changed)
        };
        assert_eq!(asked(&[]), Some(vec![1, 2, 3, 4]));
        assert_eq!(asked(&[2]), Some(vec![2]));
        assert_eq!(asked(&[3]), Some(vec![3]));
        assert_eq!(asked(&[2, 1, 2]), Some(vec![1, 2]));
        for wrong in [[0], [5], [-1]] {
            assert_eq!(asked(&wrong), None);
        }
        assert_eq!(asked(&[1, 0]), None);
    }
}
