//! `EventsService/Watch`: streams changes of a company. Served by the gateway itself, from the
//! events of services and, in case events were lost, from revisions.

mod markers;
mod pace;
mod stream;
mod view;
mod watchers;

use std::sync::Arc;

use hourmeter_proto::events::v1::events_service_server::{EventsService, EventsServiceServer};
use hourmeter_proto::events::v1::{Topic as Asked, WatchRequest, WatchResponse};
use hourmeter_runtime::error::ServiceError;
use hourmeter_runtime::events::Topic;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

pub use self::pace::WatchPace;
use self::stream::Answers;
use self::view::Topics;
pub use self::watchers::Watchers;
use crate::gateway::Gateway;
use crate::refusals;
use crate::server::Background;
use crate::visitor::Visitor;

pub const PATH: &str = "/hourmeter.events.v1.EventsService/Watch";
pub const ROUTE: &str = "/hourmeter.events.v1.EventsService/{method}";

/// The service, without the checks of the layers.
pub fn service(gateway: &Arc<Gateway>) -> EventsServiceServer<Watch> {
    EventsServiceServer::new(Watch {
        gateway: gateway.clone(),
    })
}

pub struct Watch {
    gateway: Arc<Gateway>,
}

#[tonic::async_trait]
impl EventsService for Watch {
    type WatchStream = Answers;

    async fn watch(&self, request: Request<WatchRequest>) -> Result<Response<Answers>, Status> {
        let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
        let visitor = visitor.ok_or_else(|| ServiceError::internal("no session layer"))?;
        let topics = topics(request.get_ref())?;
        // None in tests.
        let stop = request.extensions().get::<Background>();
        let stop = stop.map_or_else(CancellationToken::new, Background::stopping);
        let seat = watchers::join(&self.gateway, &visitor, topics).map_err(refused)?;
        Ok(Response::new(stream::open(
            self.gateway.clone(),
            visitor,
            seat,
            stop,
        )))
    }
}

/// Adds `Retry-After`, as the rate limits do.
fn refused(failure: ServiceError) -> Status {
    let retry_after = failure.retry_after;
    let mut status = Status::from(failure);
    if let Some(seconds) = retry_after {
        status.metadata_mut().insert("retry-after", seconds.into());
    }
    status
}

fn topics(asked: &WatchRequest) -> Result<Topics, ServiceError> {
    if asked.topics.is_empty() {
        return Ok(Topics::ALL);
    }
    let all = asked
        .topics
        .iter()
        .map(|topic| match Asked::try_from(*topic) {
            Ok(Asked::OperatorUpdates) => Ok(Topics::of(Topic::OperatorUpdates)),
            Ok(Asked::Equipment) => Ok(Topics::of(Topic::Equipment)),
            Ok(Asked::Subscription) => Ok(Topics::of(Topic::Subscription)),
            Ok(Asked::Unspecified) | Err(_) => {
                Err(ServiceError::field("topics", refusals::TOPIC_UNKNOWN))
            }
        });
    all.reduce(|one, other| Ok(one?.and(other?)))
        .unwrap_or(Ok(Topics::ALL))
}

fn changed(topics: Topics) -> WatchResponse {
    let changed = topics.list().map(|topic| match topic {
        Topic::OperatorUpdates => Asked::OperatorUpdates.into(),
        Topic::Equipment => Asked::Equipment.into(),
        Topic::Subscription => Asked::Subscription.into(),
    });
    WatchResponse {
        changed: changed.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_those_requested() {
        let asked = |asked: &[i32]| {
            let topics = topics(&WatchRequest {
                topics: asked.to_vec(),
            });
            topics.ok().map(|topics| changed(topics).changed)
        };
        assert_eq!(asked(&[]), Some(vec![1, 2, 3]));
        assert_eq!(asked(&[2]), Some(vec![2]));
        assert_eq!(asked(&[3]), Some(vec![3]));
        assert_eq!(asked(&[2, 1, 2]), Some(vec![1, 2]));
        for wrong in [[0], [4], [-1]] {
            assert_eq!(asked(&wrong), None);
        }
        assert_eq!(asked(&[1, 0]), None);
    }
}
